"""The files of an agent that `aicx init` changes, and how ours is put into each and taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from aicx import config
from aicx.agents.table import AGENTS, BLOCK, wanted
from aicx.managed import blocks
from aicx.managed.blocks import Insertion
from aicx.managed.ours import RULE_HEAD
from aicx.managed.settings_text import JSON, TOML, SettingsFormat, WantedHooks

# One of them is in every file that something was put into.
TRACES = (b"aicx:start", b"aicx:end", b" hook ", b'"hook"')


class OwnText(NamedTuple):
    """How ours is looked for in a text, put in and taken out. All raise CorpusDamaged for a text they cannot read.

    ``is_empty`` says whether a text without ours holds nothing else.
    """

    is_current: Callable[[str], bool]
    put: Callable[[str], list[Insertion]]
    drop: Callable[[str], str]
    is_empty: Callable[[str], bool]


class AgentFile(NamedTuple):
    """``shared`` says that all repositories share it; ``within`` is the folder that its links must not leave."""

    path: Path
    text: OwnText
    shared: bool = False
    within: Path | None = None


def files_of(
    settings: config.Settings,
    root: Path,
    name: str,
    *,
    for_team: bool = False,
    offered: Collection[Path] = (),
    lanes: Collection[str] = (),
    shared_lanes: Collection[str] = (),
) -> list[AgentFile]:
    """The files of one agent for the working folder ``root``.

    ``for_team`` says that the hooks are for all who work there. What git has, or would take, is ``offered``: nothing of
    this machine is put there. ``lanes`` are those in which its sessions are told something unasked, ``shared_lanes``
    those of all repositories, for settings that they share.
    """
    agent = AGENTS[name]
    older = (root / path for path in agent.older)
    instructions = next((path for path in older if path.is_file()), root / agent.instructions)
    files = [AgentFile(instructions, _RULE if instructions.suffix == ".mdc" else _MARKDOWN, within=root)]
    if agent.settings is not None:
        path, kind = agent.settings(settings, root)
        if for_team and agent.team_settings is not None:
            path = root / agent.team_settings
        shared = not path.is_relative_to(root)
        portable = not shared and (for_team or path in offered)
        hooks = wanted(name, settings, portable=portable, lanes=shared_lanes if shared else lanes)
        files.append(AgentFile(path, _hooks(kind, hooks), shared, None if shared else root))
    return files


def exclude_of(common: Path | None) -> Path | None:
    """Git's list of files of this machine, which all worktrees share; None where there is no git."""
    return common / "info" / "exclude" if common is not None and (common / "HEAD").is_file() else None


def exclude_file(path: Path, names: Sequence[str]) -> AgentFile:
    """Git's list with ``names``, paths from the root of a worktree, in a block of ours."""
    body = "\n".join(f"/{_escaped(name)}" for name in names)
    return AgentFile(
        path,
        OwnText(
            lambda text: blocks.holds(text, body, blocks.LINES),
            lambda text: [blocks.insertion(text, body, blocks.LINES)],
            lambda text: blocks.without(text, blocks.LINES),
            lambda text: not text,
        ),
    )


def recorded(path: Path, root: Path, *, shared: bool) -> AgentFile:
    """A file that something was put into, from which it is to be taken out."""
    if path.parts[-2:] == ("info", "exclude"):
        return exclude_file(path, ())
    formats = {".json": JSON, ".toml": TOML}
    text = _hooks(formats[path.suffix], WantedHooks({})) if path.suffix in formats else _MARKDOWN
    return AgentFile(path, _RULE if path.suffix == ".mdc" else text, shared, None if shared else root)


def _hooks(kind: SettingsFormat, hooks: WantedHooks) -> OwnText:
    return OwnText(
        lambda text: kind.is_current(text, hooks),
        lambda text: kind.put(text, hooks),
        kind.drop,
        lambda text: "".join(text.split()) in ("", "{}"),
    )


def _escaped(name: str) -> str:
    """A path as a pattern of git that matches nothing else."""
    return re.sub(r"([\\*?\[])", r"\\\1", name)


_MARKDOWN = OwnText(
    lambda text: blocks.holds(text, BLOCK),
    lambda text: [blocks.insertion(text, BLOCK)],
    blocks.without,
    lambda text: not text,
)
# A rule of Cursor is a file of its own.
_RULE = OwnText(
    _MARKDOWN.is_current,
    lambda text: [Insertion(0, RULE_HEAD), blocks.insertion(RULE_HEAD, BLOCK)] if not text else _MARKDOWN.put(text),
    lambda text: "" if (found := blocks.without(text)) == RULE_HEAD else found,
    _MARKDOWN.is_empty,
)
