"""`aicx bench list`: the available datasets, retrievers and peers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from aicx import console, options
from aicx.bench.datasets import FORMS
from aicx.bench.rankers import METHODS
from aicx.commands.bench.answers import BenchList
from aicx.commands.bench.peers import load_peers
from aicx.commands.bench.run import FULL, QUICK
from aicx.config import load_settings

SCHEMA = "aicx.bench-list/1"


def command(json: options.Json = False) -> None:
    """List the datasets, retrievers and peers that can be measured."""
    aicx_home = load_settings().layout.home
    peers_command = load_peers()
    peers = peers_command.described(aicx_home) if peers_command else {}
    datasets = _described(FORMS)
    rankers = _described({name: path for name, path in METHODS.items() if peers_command or name != "peer"})
    if json:
        console.out_answer(SCHEMA, BenchList(datasets, rankers, peers, QUICK, FULL))
        return
    for title, described in (("Datasets", datasets), ("Rankers", rankers)):
        console.out(console.style(title, bold=True))
        for name, what in described.items():
            console.out(f"  {console.style(f'{name:<14}', fg='cyan')} {what}")
    if peers_command:
        console.out(console.style("Peers", bold=True))
        peers_command.print_peers(peers, modes=False)


def _described(modules: Mapping[str, str]) -> dict[str, str]:
    """The first sentence of each module's docstring."""
    texts = {name: import_module(path).__doc__ or "" for name, path in modules.items()}
    return {name: text.partition("\n\n")[0].replace("\n", " ") for name, text in texts.items()}
