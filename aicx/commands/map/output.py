"""Shared by the actions of `aicx map`: the repository option and printing without secrets."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any

import typer

from aicx import console, options
from aicx.config import Settings
from aicx.terminal import invisible, without_controls
from aicx.types import Unread

_MAX_PROBLEMS = 5

Repo = Annotated[
    str,
    typer.Option(
        "--repo", "-r", metavar="FOLDER", click_type=options.PATH, help="The repository, or any folder in it."
    ),
]


def printable(value: Any, settings: Settings) -> Any:
    """``value`` as it may be shown: a file's name may hold a secret, and signs that hide or turn text."""
    from aicx.redaction import redact_plain  # imported here: its rules take a while to compile

    if isinstance(value, str):
        plain = value.translate(invisible())
        return redact_plain(plain).text if settings.redact_secrets else without_controls(plain)
    if isinstance(value, list | tuple):
        return type(value)(printable(item, settings) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: printable(getattr(value, part.name), settings) for part in fields(value)})
    return value


def counts_line(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def warn_of_problems(problems: list[Unread]) -> None:
    for problem in problems[:_MAX_PROBLEMS]:
        console.warn(f"{problem.path}: {problem.reason}")
    if len(problems) > _MAX_PROBLEMS:
        console.warn(f"and {len(problems) - _MAX_PROBLEMS:,} more; --json has them all")
