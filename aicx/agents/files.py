"""The files of an agent that `aicx init` changes, and how ours is put into each and taken out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from aicx import config
from aicx.agents import blocks
from aicx.agents.edits import Insertion
from aicx.agents.settings_text import JSON, TOML, Settings, Wanted
from aicx.agents.table import AGENTS, BLOCK, wanted

# One of them is in every file that something was put into.
TRACES = (b"aicx:start", b"aicx:end", b" hook ", b'"hook"')


class Text(NamedTuple):
    """How ours is looked for in a text, put in and taken out. All raise CorpusDamaged for a text they cannot read.

    ``is_empty`` says whether a text without ours holds nothing else.
    """

    is_current: Callable[[str], bool]
    put: Callable[[str], list[Insertion]]
    drop: Callable[[str], str]
    is_empty: Callable[[str], bool]


class File(NamedTuple):
    """``shared`` says that all repositories share it."""

    path: Path
    text: Text
    shared: bool


def files_of(settings: config.Settings, root: Path, name: str) -> list[File]:
    """The files of one agent for the working folder ``root``."""
    agent = AGENTS[name]
    files = [File(root / agent.instructions, _MARKDOWN, False)]
    if agent.settings is not None:
        path, kind = agent.settings(settings, root)
        files.append(File(path, _hooks(kind, wanted(name, settings)), not path.is_relative_to(root)))
    return files


def recorded(path: Path, *, shared: bool) -> File:
    """A file that something was put into, from which it is to be taken out."""
    formats = {".json": JSON, ".toml": TOML}
    text = _hooks(formats[path.suffix], Wanted({})) if path.suffix in formats else _MARKDOWN
    return File(path, text, shared)


def _hooks(kind: Settings, hooks: Wanted) -> Text:
    return Text(
        lambda text: kind.is_current(text, hooks),
        lambda text: kind.put(text, hooks),
        kind.drop,
        lambda text: "".join(text.split()) in ("", "{}"),
    )


_MARKDOWN = Text(
    lambda text: blocks.holds(text, BLOCK),
    lambda text: [blocks.insertion(text, BLOCK)],
    blocks.without,
    lambda text: not text,
)
