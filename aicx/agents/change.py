"""A change to one file of an agent: worked out first, shown, then made whole or not at all.

After it, the files that `aicx init` changes: how ours is put into each and taken out.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from aicx import config
from aicx.agents.records import WrittenFile
from aicx.agents.table import AGENTS, BLOCK, wanted
from aicx.errors import AicxError, CorpusDamaged, StoreUnwritable, UsageError
from aicx.managed import RULE_HEAD, blocks
from aicx.managed.blocks import Insertion
from aicx.managed.settings_text import JSON, TOML, SettingsFormat, WantedHooks
from aicx.storage import create_private, part_of, read_whole, remove_parts
from aicx.values import dataclass

_MEND_LINK = "mend the link, or remove it; where it leads is all that is lost"
Action = Literal["created", "changed", "deleted", "unchanged"]


@dataclass(frozen=True, slots=True)
class SetupChange:
    """The bytes of a file now and as they would be; None where there is no file.

    ``path`` is the name that was asked for, ``target`` where its links lead. ``put`` is what the record then says of
    the file, None for nothing; ``folders`` are those to delete if they are empty afterwards. A new file that is
    ``private`` is for its owner alone; others are as open as the folder that they are in.
    """

    path: Path
    target: Path
    before: bytes | None
    after: bytes | None
    put: WrittenFile | None = None
    folders: tuple[Path, ...] = ()
    private: bool = False

    @property
    def action(self) -> Action:
        if self.before == self.after:
            return "unchanged"
        return "created" if self.before is None else "deleted" if self.after is None else "changed"


def target_of(path: Path, within: Path | None) -> Path:
    """The file behind ``path``. Raises UsageError where a link leads out of ``within``, or nowhere."""
    try:
        target = path.resolve()
        leads_nowhere = path.is_symlink() and not target.exists()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path} leads nowhere: {error}", hint=_MEND_LINK) from error
    if leads_nowhere:
        raise UsageError(f"{path} is a link to {target}, which does not exist", hint=_MEND_LINK)
    if within is not None and not target.is_relative_to(within.resolve()):
        raise UsageError(
            f"{path} is a link to {target}, outside the repository; nothing was changed",
            hint="put a file in place of the link, or leave this agent out: --agents",
        )
    return target


def read(target: Path) -> bytes | None:
    """Reads a file; None where it does not exist. Raises CorpusDamaged where it cannot be read."""
    try:
        return read_whole(target)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CorpusDamaged(f"{target} cannot be read: {error.strerror}", hint="nothing was changed") from error


def require_writable(path: Path, target: Path) -> None:
    """Raises StoreUnwritable for a file that its owner marked as read-only, also where its folder would allow it."""
    with suppress(FileNotFoundError):
        if not target.stat().st_mode & stat.S_IWUSR or not os.access(target, os.W_OK):
            raise StoreUnwritable(
                f"{path} is read-only; nothing was changed", hint=f"chmod u+w '{target}', and run the command again"
            )


def missing_folders(target: Path) -> list[Path]:
    """The folders above ``target`` that do not exist, the outermost first."""
    return [folder for folder in reversed(target.parents) if not folder.exists()]


def diff(change: SetupChange) -> Iterator[str]:
    """The change as lines of a unified diff, without the secrets that such files hold."""
    from aicx.redaction import redact

    bodies = (change.before, change.after)
    before, after = (redact((body or b"").decode()).text.splitlines() for body in bodies)
    old, new = ("/dev/null" if body is None else str(change.path) for body in bodies)
    yield from difflib.unified_diff(before, after, old, new, lineterm="")


def make(changes: Sequence[SetupChange]) -> None:
    """Makes all changes, or none: what was changed is put back when one fails.

    Raises AicxError when somebody else changed a file meanwhile, StoreUnwritable when one cannot be written.
    """
    done: list[SetupChange] = []
    for change in changes:
        remove_parts(change.target)
    try:
        for change in changes:
            if change.action == "unchanged":
                continue
            if read(change.target) != change.before:
                raise AicxError(f"{change.path} was changed by somebody else meanwhile", hint="run the command again")
            done.append(change)
            _write(change, change.after)
    except BaseException:
        for change in reversed(done):
            with suppress(OSError, StoreUnwritable):
                _write(change, change.before)
                _delete_empty(map(Path, change.put.folders) if change.put and change.before is None else ())
        raise
    for change in changes:
        _delete_empty(change.folders)


def _write(change: SetupChange, body: bytes | None) -> None:
    target = change.target
    temporary = part_of(target)
    try:
        if body is None:
            target.unlink(missing_ok=True)
            return
        for folder in missing_folders(target):
            folder.mkdir()
            folder.chmod(0o700 if change.private else stat.S_IMODE(folder.parent.stat().st_mode))
        with create_private(temporary) as stream:
            stream.write(body)
        if target.exists():
            shutil.copymode(target, temporary)
        elif not change.private:
            temporary.chmod(target.parent.stat().st_mode & 0o666)
        temporary.replace(target)
    except OSError as error:
        raise StoreUnwritable(
            f"{target} cannot be written: {error.strerror or error}", hint="check the permissions of its folder"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _delete_empty(folders: Iterator[Path] | tuple[Path, ...]) -> None:
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):  # it is not empty
            folder.rmdir()


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
