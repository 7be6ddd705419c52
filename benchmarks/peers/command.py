"""`aicx bench peers`: which other tools can be measured beside ours, and installing them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aicx import console
from aicx.commands.bench_results import BenchPeer, BenchPeers
from aicx.errors import AicxError, UsageError
from benchmarks.peers import METHOD, PEERS, peer_named
from benchmarks.peers.environment import environment_of

SCHEMA = "aicx.bench-peers/1"
_INSTALL = "install"


class SomeNotInstalled(AicxError):
    """Peers were asked for and are not all there."""


def peers(words: Sequence[str], every: bool, torch: str | None, aicx_home: Path, json: bool) -> None:
    """``aicx bench peers`` shows them, ``aicx bench peers install NAME...`` installs."""
    if words:
        if words[0] != _INSTALL:
            raise UsageError(f"aicx bench peers does not know {words[0]!r}", hint="aicx bench peers install NAME")
        _install(words[1:], every, torch, aicx_home)
    elif every:
        raise UsageError("--all says what to install", hint="aicx bench peers install --all")
    found = described(aicx_home)
    if json:
        console.out_answer(SCHEMA, BenchPeers(found))
    elif not words:
        print_peers(found, modes=True)


def described(aicx_home: Path) -> dict[str, BenchPeer]:
    """Every peer: what it is, how it is asked, whether it is installed, or why it cannot be compared."""
    found = {}
    for name, peer in PEERS.items():
        environment = environment_of(peer, aicx_home)
        found[name] = BenchPeer(
            about=peer.about,
            package=peer.package,
            version=peer.version,
            state="unfit" if peer.unfit else environment.state(),
            reason=peer.unfit,
            modes=peer.modes,
            rankers=[f"{METHOD}:{name}/{mode}" for mode in peer.modes],
            install=None if peer.unfit else f"aicx bench peers install {name}",
            bytes=environment.facts().get("bytes"),
        )
    return found


def print_peers(found: dict[str, BenchPeer], *, modes: bool) -> None:
    """The peers for people: a line each, and with ``modes`` what is asked of them in each mode."""
    colors = {"installed": "green", "outdated": "yellow", "absent": "white", "unfit": "white"}
    for name, peer in found.items():
        told = {"installed": f"installed, {console.size(peer.bytes or 0)}", "unfit": "cannot be compared"}
        shown = console.style(told.get(peer.state, f"{peer.state}: {peer.install}"), fg=colors[peer.state])
        console.out(f"  {console.style(f'{name:<14}', fg='cyan')} {peer.version:<8} {peer.about}; {shown}")
        for mode, what in peer.modes.items() if modes else ():
            console.out(f"    {console.style(f'{METHOD}:{name}/{mode}:', bold=True)} {what}")
        if modes and peer.reason:
            console.out(f"    {peer.reason}")


def _install(names: Sequence[str], every: bool, torch: str | None, aicx_home: Path) -> None:
    """One peer after the other. One that cannot be installed does not keep the others from it."""
    from benchmarks.peers.install import TORCH, install

    fit = [name for name, peer in PEERS.items() if not peer.unfit]
    chosen = fit if every else list(dict.fromkeys(names))
    if not chosen:
        raise UsageError("which peer?", hint=f"aicx bench peers install NAME, or --all: {', '.join(fit)}")
    for name in chosen:
        if reason := peer_named(name).unfit:
            raise UsageError(f"{name} cannot be compared: {reason}", hint=f"choose from {', '.join(fit)}")
    failed = []
    for name in chosen:
        try:
            facts = install(environment_of(PEERS[name], aicx_home), torch or TORCH, console.notify)
        except AicxError as error:
            if len(chosen) == 1:
                raise
            console.warn(error.message + (f" (next: {error.hint})" if error.hint else ""))
            failed.append(name)
        else:
            size = console.size(int(str(facts["bytes"])))
            console.notify(f"{name} {facts['version']} is installed: {size}, {facts['seconds']} s")
    if failed:
        raise SomeNotInstalled(
            f"not installed: {', '.join(failed)}", hint=f"aicx bench peers install {' '.join(failed)}"
        )
