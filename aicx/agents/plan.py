"""What `aicx init` and `aicx clean` change in the files of the agents: worked out for all of them, then made true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import Path

from aicx import config
from aicx.agents import records
from aicx.agents.change import Change, make, missing_folders, read, require_writable, target_of
from aicx.agents.edits import put_in, taken_out
from aicx.agents.files import TRACES, File, files_of, recorded
from aicx.agents.records import SHARED, Put, Record
from aicx.agents.table import AGENTS
from aicx.errors import AicxError, CorpusDamaged, UsageError
from aicx.git.identity import Repository, find_repository
from aicx.values import dataclass

# From a file, where its links lead, what it holds, and what the record says of it.
_Changing = Callable[[File, Path, bytes | None, Put | None], Change]


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes, with the records as they are afterwards: name -> record.

    ``continuity`` is whether notes are then saved and shown by themselves.
    """

    folder: Path
    agents: list[str]
    changes: list[Change]
    records: dict[str, Record]
    continuity: bool = False

    @property
    def is_empty(self) -> bool:
        return all(change.action == "unchanged" for change in self.changes)


def place_of(settings: config.Settings, folder: Path) -> Repository:
    """The repository to set up. Raises UsageError for the home folder and what is above it, NotFound for no folder."""
    place = find_repository(folder)
    if settings.user_home.resolve().is_relative_to(place.root):
        raise UsageError(f"{place.root} is not a repository", hint="go to one, or name it with --repo")
    return place


def plan_init(
    settings: config.Settings, place: Repository, agents: Sequence[str], *, continuity: bool | None = None
) -> Plan:
    """What puts the agents' blocks and hooks in place. Raises AicxError for the first file that cannot be changed.

    ``continuity`` decides about notes that are saved and shown by themselves. With None it stays as it was decided
    before; where it never was, hooks switch it on.
    """
    work = [(file, _with_ours) for name in agents for file in files_of(settings, place.root, name)]
    # Not `resolve`, which raises for links in a circle: that is for the agent whose file it is.
    used = {Path(realpath(file.path)) for name in AGENTS for file in files_of(settings, place.root, name)}
    left = [file for file in _recorded(settings, place.worktree_id, SHARED) if file.path not in used]
    work += [(file, _without_ours) for file in left]
    known = records.load(settings.layout, place.worktree_id)
    if continuity is None:
        continuity = known.continuity if known else None
    if continuity is None and any(AGENTS[name].events for name in agents):
        continuity = True
    return _plan(settings, place, work, list(dict.fromkeys([*(known.agents if known else ()), *agents])), continuity)


def plan_clean(settings: config.Settings, place: Repository, *, last: bool = False) -> Plan:
    """What takes everything of ours out of a working folder, and out of shared files that no other folder needs.

    ``last`` says that none will.
    """
    layout = settings.layout
    own = records.load(layout, place.worktree_id)
    others = [record for key, record in records.everywhere(layout) if key != place.worktree_id and not last]
    needed = {name for record in others for name in record.agents}
    shared_files = {file.path for name in needed for file in files_of(settings, place.root, name) if file.shared}
    files = [file for name in AGENTS for file in files_of(settings, place.root, name)]
    files += _recorded(settings, place.worktree_id, *([] if shared_files else [SHARED]))
    # Without a record of this folder, what is shared was not put there for it.
    files = [file for file in files if not file.shared or (own is not None and file.path not in shared_files)]
    return _plan(settings, place, [(file, _without_ours) for file in files], [])


def apply(settings: config.Settings, plan: Plan) -> None:
    """Makes a plan true. The records come first, so that a kill leaves nothing that `clean` would not find."""
    records.remove_unfinished(settings.layout)
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


def _recorded(settings: config.Settings, *names: str) -> list[File]:
    """The files of records: an agent may have used others when it was set up than it does now."""
    held = [(name, records.load(settings.layout, name)) for name in names]
    return [recorded(Path(put.file), shared=name == SHARED) for name, record in held if record for put in record.files]


def _plan(
    settings: config.Settings,
    place: Repository,
    work: Sequence[tuple[File, _Changing]],
    agents: list[str],
    continuity: bool | None = None,
) -> Plan:
    own = records.load(settings.layout, place.worktree_id) or Record(str(place.root), place.repo_id)
    shared = records.load(settings.layout, SHARED) or Record("", "")
    held = {place.worktree_id: replace(own, agents=agents, continuity=continuity), SHARED: shared}
    changes: dict[Path, Change] = {}
    for file, changed in work:
        name = SHARED if file.shared else place.worktree_id
        try:
            target = target_of(file.path, None if file.shared else place.root)
        except UsageError:
            if changed is _without_ours:
                continue  # nothing was ever put there
            raise
        if target in changes:
            continue  # two names of one file
        try:
            change = changed(file, target, read(target), held[name].put(target))
        except CorpusDamaged as error:
            raise CorpusDamaged(f"{file.path}: {error.message}", hint=error.hint) from error
        if change.action != "unchanged":
            require_writable(file.path, target)
        changes[target] = change
        kept = [put for put in held[name].files if put.file != str(target)]
        held[name] = replace(held[name], files=[*kept, *([change.put] if change.put else [])])
    return Plan(place.root, agents, list(changes.values()), held, bool(continuity))


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
    # A file that nothing was put into may be anything, also damaged.
    if before is None or (known is None and not any(trace in before for trace in TRACES)):
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


def _decoded(body: bytes | None) -> str:
    try:
        return (body or b"").decode()
    except UnicodeDecodeError as error:
        line = (body or b"")[: error.start].count(b"\n") + 1
        raise CorpusDamaged(f"line {line}: not UTF-8", hint="save the file as UTF-8; nothing was changed") from error
