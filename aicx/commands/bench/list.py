"""`aicx bench list` and `peers`: the datasets, retrievers and peers that can be measured."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from aicx import console, options
from aicx.bench.datasets import FORMS
from aicx.bench.rankers import METHODS
from aicx.commands.bench.answers import BenchList
from aicx.commands.bench.run import FULL, QUICK
from aicx.config import load_settings
from aicx.errors import UsageError

SCHEMA = "aicx.bench-list/1"


def command() -> options.Answered:
    """List the datasets, retrievers and peers that can be measured.

    Example: aicx bench list
    Example: aicx bench list --json
    """
    aicx_home = load_settings().layout.home
    peers_command = load_peers()
    peers = peers_command.described(aicx_home) if peers_command else {}
    datasets = _described(FORMS)
    rankers = _described({name: path for name, path in METHODS.items() if peers_command or name != "peer"})
    yield SCHEMA, BenchList(datasets, rankers, peers, QUICK, FULL)
    for title, described in (("Datasets", datasets), ("Rankers", rankers)):
        console.out(console.style(title, bold=True))
        console.out_table([(f"  {console.style(name, fg='cyan')}", what) for name, what in described.items()], (17,))
    if peers_command:
        console.out(console.style("Peers", bold=True))
        peers_command.print_peers(peers, modes=False)


def _described(modules: Mapping[str, str]) -> dict[str, str]:
    """The first sentence of each module's docstring."""
    texts = {name: import_module(path).__doc__ or "" for name, path in modules.items()}
    return {name: text.partition("\n\n")[0].replace("\n", " ") for name, text in texts.items()}


def peers_command(
    words: Annotated[list[str] | None, typer.Argument(metavar="[install NAME...]", help="Peers to install.")] = None,
    every: Annotated[bool, typer.Option("--all", help="With install: every peer that can be measured.")] = False,
    torch: Annotated[
        str | None, typer.Option("--torch", metavar="WORDS", help="With install: arguments for pip to install torch.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List other tools that can be measured beside aicx, or install each into a separate environment.

    Example: aicx bench peers
    Example: aicx bench peers install qmd txtai
    """
    peers = load_peers()
    if peers is None:
        raise UsageError(
            "peers are measured from a checkout of aicx, not from an installed package",
            hint="in the checkout: make bench, then .venv/bin/aicx bench peers",
        )
    peers.peers(words or [], every, torch, load_settings().layout.home, json)


def load_peers() -> Any:
    """The module behind this command; None where aicx runs without its checkout."""
    return import_module("benchmarks.peers.command") if find_spec("benchmarks") else None
