"""`aicx bench peers`: other tools measured beside ours, from a checkout: their installers are not in the package."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from aicx import options
from aicx.config import load_settings
from aicx.errors import UsageError


def command(
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
