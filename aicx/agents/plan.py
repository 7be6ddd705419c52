"""Works out what `aicx init` and `aicx clean` would change, in every file of the agents; nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from aicx import config
from aicx.agents import blocks, records
from aicx.agents.change import Change, make, missing_folders, read, require_writable, target_of
from aicx.agents.edits import Insertion, line_end, put_in, taken_out
from aicx.agents.records import SHARED, Put, Record
from aicx.agents.settings_text import JSON, TOML, Settings, Wanted
from aicx.agents.table import AGENTS, BLOCK, wanted
from aicx.errors import AicxError, CorpusDamaged, UsageError
from aicx.git.identity import Repository, find_repository

# What is in every file that we put something into.
_TRACES = (b"aicx:start", b"aicx:end", b" hook ")


class Text(NamedTuple):
    """How our part of a file is looked for, put in and taken out.

    ``is_empty`` says whether a text without ours holds nothing else.
    """

    is_current: Callable[[str], bool]
    put: Callable[[str], list[Insertion]]
    drop: Callable[[str], str]
    is_empty: Callable[[str], bool]


class File(NamedTuple):
    path: Path
    text: Text
    shared: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes, with the records as they are afterwards: name -> record."""

    folder: Path
    agents: list[str]
    changes: list[Change]
    records: dict[str, Record]

    @property
    def is_empty(self) -> bool:
        return all(change.action == "unchanged" for change in self.changes)


def place_of(settings: config.Settings, folder: Path) -> Repository:
    """The repository to set up. Raises UsageError for the home folder and what is above it, NotFound for no folder."""
    place = find_repository(folder)
    if settings.user_home.resolve().is_relative_to(place.root):
        raise UsageError(f"{place.root} is not a repository", hint="go to one, or name it with --repo")
    return place


def plan_init(settings: config.Settings, place: Repository, agents: Sequence[str]) -> Plan:
    """What puts the agents' blocks and hooks in place. Raises AicxError for the first file that cannot be changed."""
    files = [file for name in agents for file in _files(settings, place.root, name)]
    known = records.load(settings.layout, place.worktree_id)
    return _plan(settings, place, files, _with_ours, list(dict.fromkeys([*(known.agents if known else ()), *agents])))


def plan_clean(settings: config.Settings, place: Repository, *, last: bool = False) -> Plan:
    """What takes everything of ours out of a working folder, and out of shared files that no other folder needs.

    ``last`` says that none will.
    """
    layout = settings.layout
    own = records.load(layout, place.worktree_id)
    others = [record for key, record in records.everywhere(layout) if key != place.worktree_id and not last]
    needed = {name for record in others for name in record.agents}
    files: list[File] = []
    for name in AGENTS:
        for file in _files(settings, place.root, name):
            # Without a record of this folder, what is shared was not put there for it.
            if not file.shared or (own is not None and name not in needed):
                files.append(file)  # noqa: PERF401 - a comprehension of three lines says less
    shared = [] if own is None or any(_is_shared(settings, place.root, name) for name in needed) else [SHARED]
    for name in (place.worktree_id, *shared):
        # Files that an agent used when it was set up, and now others.
        record = records.load(layout, name)
        paths = [Path(put.file) for put in record.files] if record else []
        files += [File(path, _text_of(path), name == SHARED) for path in paths]
    return _plan(settings, place, files, _without_ours, [])


def apply(settings: config.Settings, plan: Plan) -> None:
    """Makes a plan true. The records come first, so that a kill leaves nothing that `clean` would not find."""
    before = {name: records.load(settings.layout, name) for name in plan.records}
    for name, record in plan.records.items():
        known = before[name]
        kept = [put for put in known.files if record.put(Path(put.file)) is None] if known else []
        records.save(settings.layout, name, replace(record, files=[*record.files, *kept]))
    try:
        make(plan.changes)
    except BaseException:
        for name, known in before.items():
            records.save(settings.layout, name, known or Record("", ""))
        raise
    for name, record in plan.records.items():
        records.save(settings.layout, name, record)


def _plan(
    settings: config.Settings,
    place: Repository,
    files: Sequence[File],
    changed: Callable[[File, Path, bytes | None, Put | None], Change],
    agents: list[str],
) -> Plan:
    names = {False: place.worktree_id, True: SHARED}
    held = {
        False: records.load(settings.layout, names[False]) or Record(str(place.root), place.repo_id),
        True: records.load(settings.layout, SHARED) or Record("", ""),
    }
    changes: dict[Path, Change] = {}
    for file in files:
        try:
            target = target_of(file.path, None if file.shared else place.root)
        except UsageError:
            if changed is _without_ours:
                continue  # nothing was ever put there
            raise
        if target in changes:
            continue  # two names of one file
        before = read(target)
        try:
            change = changed(file, target, before, held[file.shared].put(target))
        except CorpusDamaged as error:
            raise CorpusDamaged(f"{file.path}: {error.message}", hint=error.hint) from error
        if change.action != "unchanged":
            require_writable(file.path, target)
        changes[target] = change
        kept = [put for put in held[file.shared].files if put.file != str(target)]
        held[file.shared] = replace(held[file.shared], files=[*kept, *([change.put] if change.put else [])])
    held[False] = replace(held[False], agents=agents)
    return Plan(place.root, agents, list(changes.values()), {names[shared]: held[shared] for shared in held})


def _with_ours(file: File, target: Path, before: bytes | None, known: Put | None) -> Change:
    text = _decoded(before)
    if before is not None and file.text.is_current(text):
        put = known or Put(str(target), records.digest_of(before))
        return Change(file.path, target, before, before, put)
    base = _base(file, text, before, known)
    insertions = file.text.put(base)
    after = put_in(base, insertions).encode()
    made_before = known is not None and known.created
    folders = known.folders if known and made_before else [str(folder) for folder in missing_folders(target)]
    put = Put(str(target), records.digest_of(after), insertions, made_before or before is None, folders)
    return Change(file.path, target, before, after, put)


def _without_ours(file: File, target: Path, before: bytes | None, known: Put | None) -> Change:
    folders = tuple(map(Path, known.folders)) if known else ()
    # A file of others that cannot even be read as what it should be is none of our business.
    if before is None or (known is None and not any(mark in before for mark in _TRACES)):
        return Change(file.path, target, before, before, None, folders)
    text = _base(file, _decoded(before), before, known)
    after: bytes | None = text.encode()
    if after != before and file.text.is_empty(text) and (known is None or known.created):
        after = None
    return Change(file.path, target, before, after, None, folders if after is None else ())


def _base(file: File, text: str, before: bytes | None, known: Put | None) -> str:
    """The text without ours: as the record says it was, and where it changed since, by what marks ours."""
    if known is not None and before is not None:
        found = taken_out(text, known.insertions)
        if found is not None and (records.digest_of(before) == known.digest or _agrees(file, found)):
            return found
    return file.text.drop(text)


def _agrees(file: File, found: str) -> bool:
    """Whether ``found`` can be read, and holds nothing of ours any more."""
    try:
        return file.text.drop(found) == found
    except AicxError:
        return False


def _files(settings: config.Settings, root: Path, name: str) -> list[File]:
    agent = AGENTS[name]
    files = [File(root / agent.instructions, _MARKDOWN, False)]
    if agent.settings is not None:
        path, kind = agent.settings(settings, root)
        files.append(File(path, _hooks(kind, wanted(name, settings)), _is_shared(settings, root, name)))
    return files


def _text_of(path: Path) -> Text:
    """How a file of a record is read that is to lose what is ours."""
    formats = {".json": JSON, ".toml": TOML}
    return _hooks(formats[path.suffix], Wanted({})) if path.suffix in formats else _MARKDOWN


def _hooks(format: Settings, hooks: Wanted) -> Text:
    return Text(
        lambda text: format.is_current(text, hooks),
        lambda text: format.put(text, hooks),
        format.drop,
        lambda text: "".join(text.split()) in ("", "{}"),
    )


def _holds_block(text: str) -> bool:
    place = blocks.find(text, blocks.MARKDOWN)
    return place is not None and text[slice(*place)] == blocks.block(blocks.MARKDOWN, BLOCK, line_end(text))


_MARKDOWN = Text(
    _holds_block,
    lambda text: [blocks.insertion(text, blocks.MARKDOWN, BLOCK)],
    lambda text: blocks.without(text, blocks.MARKDOWN),
    lambda text: not text,
)


def _is_shared(settings: config.Settings, root: Path, name: str) -> bool:
    agent = AGENTS[name]
    return agent.settings is not None and not agent.settings(settings, root)[0].is_relative_to(root)


def _decoded(body: bytes | None) -> str:
    try:
        return (body or b"").decode()
    except UnicodeDecodeError as error:
        line = (body or b"")[: error.start].count(b"\n") + 1
        raise CorpusDamaged(f"line {line}: not UTF-8", hint="save the file as UTF-8; nothing was changed") from error
