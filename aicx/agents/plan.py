"""The changes that `aicx init` and its `--undo` make in agents' files: worked out for all of them, then made true."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import Path

from aicx import config
from aicx.agents import records
from aicx.agents.change import (
    TRACES,
    AgentFile,
    SetupChange,
    exclude_file,
    exclude_of,
    files_of,
    make,
    missing_folders,
    read,
    recorded,
    require_writable,
    target_of,
)
from aicx.agents.records import SHARED, SetupRecord, WrittenFile
from aicx.agents.table import AGENTS, FINDS, OF_ONE_MACHINE
from aicx.errors import AicxError, CorpusDamaged, UsageError
from aicx.git.identity import Repository, find_repository
from aicx.git.state import Git
from aicx.managed import holds_ours, without_ours
from aicx.managed.blocks import put_in, taken_out
from aicx.values import dataclass

# From a file, where its links lead, what it holds, and what the record says of it.
_Changing = Callable[[AgentFile, Path, bytes | None, WrittenFile | None], SetupChange]


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """The changes, with the records as they are afterwards: name -> record.

    ``continuity`` is whether notes are then saved and shown by themselves, ``for_team`` whether the files are meant to
    be committed, ``recall`` in which lanes sessions are told something unasked.
    """

    folder: Path
    agents: list[str]
    changes: list[SetupChange]
    records: dict[str, SetupRecord]
    continuity: bool = False
    for_team: bool = False
    recall: Sequence[str] = ()

    @property
    def needs_path(self) -> bool:
        """Whether some of the hooks call the aicx that is found on the PATH."""
        return any(FINDS in (change.after or b"") for change in self.changes)

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
    settings: config.Settings,
    place: Repository,
    agents: Sequence[str],
    *,
    continuity: bool | None = None,
    for_team: bool | None = None,
    recall: Sequence[str] | None = None,
) -> SetupPlan:
    """Plans the agents' blocks and hooks. Raises AicxError for the first file that cannot be changed.

    ``continuity`` decides about notes that are saved and shown by themselves, ``for_team`` whether the files are meant
    to be committed. With None it stays as it was decided before; where it never was, hooks switch notes on, and a clone
    goes on with the hooks that it came with. ``recall`` are the lanes in which sessions are told something unasked:
    none where that was never decided.
    """
    known = records.load(settings.layout, place.worktree_id)
    if for_team is None:
        for_team = known.for_team if known else holds_ours(place.root, AGENTS["claude"].team_settings or "")
    tracked, offered = _in_git(settings, place, known)
    if recall is None:
        recall = known.recall if known else []
    others = [record for key, record in records.everywhere(settings.layout) if key != place.worktree_id]

    def files(name: str, *, team: bool) -> list[AgentFile]:
        shared = {*recall, *(lane for record in others if name in record.agents for lane in record.recall)}
        return files_of(settings, place.root, name, for_team=team, offered=offered, lanes=recall, shared_lanes=shared)

    work: list[tuple[AgentFile, _Changing]] = [
        (file, _with_ours) for name in agents for file in files(name, team=for_team)
    ]
    # Not `resolve`, which raises for links in a circle: that is for the agent whose file it is.
    used = {Path(realpath(file.path)) for name in AGENTS for file in files(name, team=for_team)}
    left = [file for file in _recorded(settings, place, SHARED) if file.path not in used]
    # What was put where hooks are in the other case, or all of ours would be called twice.
    otherwise = [file for name in AGENTS for file in files(name, team=not for_team)]
    left += [file for file in otherwise if file.path.exists() and Path(realpath(file.path)) not in used]
    work += [(file, _without_ours) for file in left]
    if continuity is None:
        continuity = known.continuity if known else None
    if continuity is None and any(AGENTS[name].events for name in agents):
        continuity = True
    record = _record_of(settings, place)
    names = list(dict.fromkeys([*record.agents, *agents]))
    record = replace(record, agents=names, continuity=continuity, for_team=for_team, recall=list(recall))
    return _plan(settings, place, work, record, tracked)


def plan_clean(settings: config.Settings, place: Repository, *, last: bool = False) -> SetupPlan:
    """Plans taking everything of ours out of a working folder, and out of shared files that no other folder needs.

    ``last`` says that none will.
    """
    layout = settings.layout
    own = records.load(layout, place.worktree_id)
    others = [record for key, record in records.everywhere(layout) if key != place.worktree_id and not last]
    needed = {name for record in others for name in record.agents}
    shared_files = {file.path for name in needed for file in files_of(settings, place.root, name) if file.shared}
    cases = [(name, for_team) for name in AGENTS for for_team in (False, True)]
    files = [file for name, team in cases for file in files_of(settings, place.root, name, for_team=team)]
    files += _recorded(settings, place, place.worktree_id, *([] if shared_files else [SHARED]))
    # Without a record of this folder, what is shared was not put there for it.
    files = [file for file in files if not file.shared or (own is not None and file.path not in shared_files)]
    record = replace(_record_of(settings, place), agents=[], continuity=None, for_team=False, recall=[])
    return _plan(settings, place, [(file, _without_ours) for file in files], record, None)


def apply(settings: config.Settings, plan: SetupPlan) -> None:
    """Makes a plan true. The records come first, so that a kill leaves nothing that `--undo` would not find."""
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
            records.save(settings.layout, name, known or SetupRecord("", ""))
        raise
    for name, record in plan.records.items():
        records.save(settings.layout, name, record)


def _recorded(settings: config.Settings, place: Repository, *names: str) -> list[AgentFile]:
    """The files of records: an agent may have used others when it was set up than it does now."""
    held = [(name, records.load(settings.layout, name)) for name in names]
    return [
        recorded(Path(put.file), place.root, shared=name == SHARED)
        for name, record in held
        if record
        for put in record.files
    ]


def _record_of(settings: config.Settings, place: Repository) -> SetupRecord:
    return records.load(settings.layout, place.worktree_id) or SetupRecord(str(place.root), place.repo_id)


def _plan(
    settings: config.Settings,
    place: Repository,
    work: Sequence[tuple[AgentFile, _Changing]],
    record: SetupRecord,
    tracked: Collection[Path] | None,
) -> SetupPlan:
    """The changes of ``work``, and of what git leaves aside; ``tracked`` is None where ours is taken out."""
    shared = records.load(settings.layout, SHARED) or SetupRecord("", "")
    held = {place.worktree_id: record, SHARED: shared}
    changes: dict[Path, SetupChange] = {}

    def add(file: AgentFile, changed: _Changing, known: WrittenFile | None = None) -> None:
        name = SHARED if file.shared else place.worktree_id
        try:
            target = target_of(file.path, file.within)
        except UsageError:
            if changed is _without_ours:
                return  # nothing was ever put there
            raise
        if target in changes:
            return  # two names of one file
        try:
            change = changed(file, target, read(target), held[name].put(target) or known)
        except CorpusDamaged as error:
            raise CorpusDamaged(f"{file.path}: {error.message}", hint=error.hint) from error
        if change.action != "unchanged":
            require_writable(file.path, target)
        changes[target] = change
        kept = [put for put in held[name].files if put.file != str(target)]
        held[name] = replace(held[name], files=[*kept, *([change.put] if change.put else [])])

    exclude = exclude_of(place.common)
    for file, changed in work:
        if file.path != exclude:
            add(file, changed)
    if exclude is not None:
        _hide(settings, place, held, changes, tracked, exclude, add)
    ordered = list(changes.values())
    if tracked is not None:
        # First, so that a kill leaves nothing that git would offer.
        ordered.sort(key=lambda change: change.path != exclude)
    return SetupPlan(
        place.root, held[place.worktree_id].agents, ordered, held, bool(record.continuity), record.for_team,
        record.recall,
    )  # fmt: skip


def _hide(
    settings: config.Settings,
    place: Repository,
    held: dict[str, SetupRecord],
    changes: Mapping[Path, SetupChange],
    tracked: Collection[Path] | None,
    exclude: Path,
    add: Callable[[AgentFile, _Changing, WrittenFile | None], None],
) -> None:
    """Has git leave aside what is of this machine here, and in the other worktrees, with which its list is shared."""
    own = held[place.worktree_id]
    hidden = [] if tracked is None or own.for_team else _of_this_machine(place, own, changes, tracked)
    others = [
        record
        for key, record in records.everywhere(settings.layout)
        if key != place.worktree_id and record.repository == place.repo_id
    ]
    names = sorted({*hidden, *(name for record in others for name in record.hidden)})
    known = next((put for record in others if (put := record.put(exclude.resolve()))), None)
    add(exclude_file(exclude, names), _with_ours if names else _without_ours, known)
    record = replace(held[place.worktree_id], hidden=hidden)
    if not hidden:
        record = replace(record, files=[put for put in record.files if Path(put.file) != exclude.resolve()])
    held[place.worktree_id] = record


def _of_this_machine(
    place: Repository, record: SetupRecord, changes: Mapping[Path, SetupChange], tracked: Collection[Path]
) -> list[str]:
    """The files of a working folder that hold nothing but ours, and the one that is never meant for a team."""
    found = []
    for put in record.files:
        path = Path(put.file)
        if path in tracked or not path.is_relative_to(place.root):
            continue
        name = path.relative_to(place.root).as_posix()
        body = changes[path].after if path in changes else read(path)
        text = _decoded(body)
        if body is not None and (name == OF_ONE_MACHINE or without_ours(name, text) == ""):
            found.append(name)
    return found


def _in_git(
    settings: config.Settings, place: Repository, known: SetupRecord | None
) -> tuple[frozenset[Path], frozenset[Path]]:
    """Which of the agents' files git has, and which it has or would take.

    Where git gives no answer, every file that others may have made is taken for one that it has.
    """
    paths = {file.path for name in AGENTS for file in files_of(settings, place.root, name) if not file.shared}
    if place.common is None:
        return frozenset(), frozenset()
    made = {Path(put.file) for put in known.files if put.created} if known else set()
    made.add(place.root / OF_ONE_MACHINE)
    names = [path.relative_to(place.root).as_posix() for path in sorted(paths)]
    git = Git(place.root)
    listed = [
        git.ask("ls-files", "-z", *more, "--", *names) for more in (["--cached"], ["--others", "--exclude-standard"])
    ]
    tracked, others = ({place.root / name for name in (said or "").split("\0") if name} for said in listed)
    if None in listed:
        others = {path for path in paths if path.exists()}
    return frozenset(tracked), frozenset(tracked | (others - made))


def _with_ours(file: AgentFile, target: Path, before: bytes | None, known: WrittenFile | None) -> SetupChange:
    text = _decoded(before)
    if before is not None and file.text.is_current(text):
        put = known or WrittenFile(str(target), records.digest_of(before))
        return SetupChange(file.path, target, before, before, put)
    base = _base(file, text, before, known)
    insertions = file.text.put(base)
    after = put_in(base, insertions).encode()
    made_before = known is not None and known.created
    folders = known.folders if known and made_before else [str(folder) for folder in missing_folders(target)]
    put = WrittenFile(str(target), records.digest_of(after), insertions, made_before or before is None, folders)
    return SetupChange(file.path, target, before, after, put)


def _without_ours(file: AgentFile, target: Path, before: bytes | None, known: WrittenFile | None) -> SetupChange:
    folders = tuple(map(Path, known.folders)) if known else ()
    # A file that nothing was put into may be anything, also damaged.
    if before is None or (known is None and not any(trace in before for trace in TRACES)):
        return SetupChange(file.path, target, before, before, None, folders)
    text = _base(file, _decoded(before), before, known)
    after: bytes | None = text.encode()
    if after != before and file.text.is_empty(text) and (known is None or known.created):
        after = None
    return SetupChange(file.path, target, before, after, None, folders if after is None else ())


def _base(file: AgentFile, text: str, before: bytes | None, known: WrittenFile | None) -> str:
    """The text without ours: as the record says it was, and where it changed since, by what marks ours."""
    if known is not None and before is not None:
        found = taken_out(text, known.insertions)
        if found is not None and (records.digest_of(before) == known.digest or _agrees(file, found)):
            return found
    return file.text.drop(text)


def _agrees(file: AgentFile, found: str) -> bool:
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
