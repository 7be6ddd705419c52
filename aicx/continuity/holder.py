"""Notes as a holder of people's text: what `forget`, `store --redact-again`, `doctor` and `.aicxignore` do to them.

The home knows where the notes of worktrees are, and what is known of their items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from aicx.config import Settings
from aicx.continuity.markdown import parse, render
from aicx.continuity.note import MAX_BYTES, Broken, Layer, Note, NoteItem
from aicx.continuity.places import (
    PROJECT_NAME,
    PROJECT_STATE,
    NoteState,
    decode_state,
    read_state,
    state_of,
    unquote_path,
    with_known,
)
from aicx.continuity.publishing import pendings, settle
from aicx.corpus.catalog.names import SessionKey
from aicx.corpus.doctor.inputs import FIX, REDACT_AGAIN, Check, DoctorInputs
from aicx.corpus.doctor.repair import Repair
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.errors import AicxError
from aicx.paths import Layout
from aicx.redaction import redact_plain
from aicx.refs import is_of_session, rests_on, session_in
from aicx.regex import searching
from aicx.storage import UNFINISHED, clear_unfinished, replace_file
from aicx.text import first_of, plural
from aicx.values import dataclass
from aicx.work.events import Change, changing
from aicx.work.files import NOTES, every_folder
from aicx.work.record import PREFIX


@dataclass(frozen=True, slots=True)
class _Held:
    """One note. ``note`` is None where it cannot be understood, and ``why`` says why."""

    repo_id: str
    layer: Layer
    path: Path
    state_path: Path
    state: NoteState
    body: bytes
    note: Note | None
    why: str = ""


class _Notes(Holder):
    name = "continuity"
    noun = "note"
    removed = "changed"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        found = [one for one in held_notes(layout) if _kept(one, plan) != one.body]
        plan.held[self.name] = [(one.path,) for one in found]
        if plan.pattern is None:
            plan.stays += [str(one.path) for one in found if _says_itself(_kept(one, plan), one)]

    def sessions(self, layout: Layout) -> Iterable[SessionKey]:
        notes = [one.note for one in held_notes(layout) if one.note is not None]
        refs = {ref for note in notes for ref in (note.source, *(ref for item in note.items for ref in item.evidence))}
        return {key for ref in refs if (key := session_in(ref)) is not None}

    def settle(self, settings: Settings, notify: Notify) -> None:
        layout = settings.layout
        if folders := [name for name in every_folder(layout) if pendings(layout.work / name / NOTES)]:
            with changing(settings, datetime.now(UTC), "forget", notify):
                for name in folders:
                    settle(settings, name)
        for folder in {one.path.parent for one in held_notes(layout) if one.layer == "local"}:
            clear_unfinished(folder.glob(f".*{UNFINISHED}"))

    def erase(self, erasure: Erasure) -> None:
        layout, plan = erasure.settings.layout, erasure.plan
        for marker in _markers(layout, plan):
            marker.unlink(missing_ok=True)
        doomed = {file for files in plan.held.get(self.name, ()) for file in files}
        if not doomed:
            return
        with changing(erasure.settings, datetime.now(UTC), "forget", lambda _: None) as change:
            for one in held_notes(layout):
                if one.path in doomed:
                    body = _kept(one, plan)
                    # After a kill nothing says any more which of its lines are meant: then all of them go.
                    _put(change, one, None if body == one.body else body)
            if change.staged:
                change.publish()

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Redacts notes by the rules of today."""
        if not any(_redacted(one) != one.body for one in held_notes(settings.layout)):
            return
        with changing(settings, datetime.now(UTC), "redact", notify) as change:
            found = [(one, body) for one in held_notes(settings.layout) if (body := _redacted(one)) != one.body]
            for one, body in found:
                _put(change, one, body)
            change.publish()
        report.elsewhere += len(found)
        report.notes.append(f"{plural(len(found), 'note')} redacted")

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        layout = facts.layout
        notes = (layout.work / name / NOTES / PROJECT_NAME for name in every_folder(layout))
        return [path.relative_to(layout.home).as_posix() for path in notes if path.exists()]

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        layout = facts.layout
        held = list(held_notes(layout))
        if broken := [f"{one.path} ({one.why})" for one in held if one.note is None]:
            detail = f"notes that cannot be understood, and are left as they are: {first_of(broken)}"
            return (
                Check(
                    self.name,
                    "warning",
                    detail,
                    "mend them, or take them away with `aicx task note clear`; their text is then lost",
                ),
            )
        if secret := [str(one.path) for one in held if _redacted(one) != one.body]:
            detail = f"{plural(len(secret), 'note')} with what looks like a secret: {first_of(secret)}"
            return (Check(self.name, "warning", detail, REDACT_AGAIN),)
        if damaged := [str(one.state_path) for one in held if not _is_state(one.state_path)]:
            detail = f"what is known of the items of notes cannot be read: {first_of(damaged)}"
            return (Check(self.name, "warning", detail, "aicx task note refresh"),)
        left = [one for name in every_folder(layout) for one in pendings(layout.work / name / NOTES)]
        if any(one.stage == "writing" for one in left):
            return (Check(self.name, "warning", "a writing of a note was interrupted", FIX),)
        if left:
            detail = f"{plural(len(left), 'writing')} of notes failed: {first_of([one.message for one in left])}"
            how = "aicx task note save, in the worktree it is of; with --fix those go whose log is gone"
            return (Check(self.name, "warning", detail, how),)
        return (Check(self.name, "green", f"{plural(len(held), 'note')}, each readable"),)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        layout = settings.layout
        folders = [name for name in every_folder(layout) if pendings(layout.work / name / NOTES)]
        if not folders:
            return
        try:
            with changing(settings, datetime.now(UTC), "doctor", notify):
                if count := sum(settle(settings, name) for name in folders):
                    done.applied.append(f"settled {plural(count, 'interrupted writing')} of notes")
                left = [one for name in folders for one in pendings(layout.work / name / NOTES)]
                gone = [one for one in left if not one.entry.log_path(settings).exists()]
                for one in gone:  # nothing can be written from it any more
                    one.path.unlink(missing_ok=True)
                if gone:
                    done.applied.append(f"removed {plural(len(gone), 'recovery marker')} of logs that are gone")
        except AicxError as error:
            done.refused.append(f"an interrupted writing of a note: {error.message}")


def held_notes(layout: Layout) -> Iterator[_Held]:
    """Every note that the home has or knows of and that is there."""
    for name in every_folder(layout):
        folder = layout.work / name / NOTES
        states = sorted(folder.glob("local-*.json")) if folder.is_dir() else []
        project = folder / PROJECT_STATE
        yield from _read(name, "project", folder / PROJECT_NAME, project, read_state(project))
        for path in states:
            if (state := read_state(path)).file:
                yield from _read(name, "local", unquote_path(state.file), path, state)


def _read(repo_id: str, layer: Layer, path: Path, state_path: Path, state: NoteState) -> Iterator[_Held]:
    try:
        if path.is_symlink() or not path.is_file():
            return
        body = path.read_bytes()[: MAX_BYTES + 1]
    except OSError:
        return
    try:
        note = with_known(parse(body, layer), state)
    except Broken as error:
        yield _Held(repo_id, layer, path, state_path, state, body, None, str(error))
    else:
        yield _Held(repo_id, layer, path, state_path, state, body, note)


def _markers(layout: Layout, plan: ForgetPlan) -> list[Path]:
    """Recovery markers of sessions that are forgotten."""
    origins = plan.origins
    found = (one for name in every_folder(layout) for one in pendings(layout.work / name / NOTES))
    return [one.path for one in found if is_of_session(one.entry.session, origins)]


def _kept(one: _Held, plan: ForgetPlan) -> bytes | None:
    """What of a note stays: without items of these sessions alone, or what a pattern finds; None for nothing."""
    project, pattern = one.state.project, plan.pattern
    if project in plan.projects or (not project and one.repo_id in plan.repositories):
        return None
    if one.note is None:  # what cannot be understood goes as a whole, where it is ours alone
        ours = one.layer == "project"
        return None if ours and pattern and searching(pattern)(one.body.decode("utf-8", "replace")) else one.body
    note = _filtered(one.note, pattern, plan.origins)
    if note == one.note:
        return one.body
    return None if not (note.items or note.unknown_text) else render(note, one.layer).encode("utf-8", "replace")


def _says_itself(kept: bytes | None, one: _Held) -> bool:
    """Whether what stays of a note has a line that is from no session."""
    if kept is None or one.note is None:
        return False
    left = {item.key for item in parse(kept, one.layer).items}
    mine = (item for item in one.note.items if item.key in left)
    return any(all(ref.startswith(PREFIX) for ref in item.evidence) for item in mine)


def _filtered(note: Note, pattern: str | None, origins: Collection[str]) -> Note:
    def stays(item: NoteItem) -> bool:
        return not rests_on(item.evidence, origins) and (pattern is None or not searching(pattern)(item.text))

    def lines(text: str) -> str:
        if pattern is None or not searching(pattern)(text):
            return text
        left = "\n".join(line for line in text.split("\n") if not searching(pattern)(line))
        return left if not searching(pattern)(left) else ""

    def item(one: NoteItem) -> NoteItem:
        return replace(one, evidence=tuple(ref for ref in one.evidence if not is_of_session(ref, origins)))

    sections = {kind: tuple(item(one) for one in items if stays(one)) for kind, items in note.sections.items()}
    return replace(
        note,
        goal=item(note.goal) if note.goal is not None and stays(note.goal) else None,
        sections={kind: items for kind, items in sections.items() if items},
        unknown_text=lines(note.unknown_text),
        front_matter=lines(note.front_matter),
        source="" if is_of_session(note.source, origins) else note.source,
    )


def _put(change: Change, one: _Held, body: bytes | None) -> None:
    """Stages the new content of a note with what is known of it; a worktree's own file is written at once.

    A worktree's note that cannot be understood is a person's alone, and stays as it is.
    """
    if one.note is None and one.layer == "local":
        return
    folder = f"{one.repo_id}/{NOTES}"
    state = None
    if body is not None:
        with suppress(Broken):
            note = with_known(parse(body, one.layer), one.state)
            stated = [key for key, known in one.state.items.items() if known.stated]
            kept = state_of(_of_note(note, one), stated, one.state.removed)
            state = replace(kept, file=one.state.file, project=one.state.project).encode()
    if one.layer == "project":
        change.put_file(f"{folder}/{PROJECT_NAME}", body)
    elif body is None:
        one.path.unlink(missing_ok=True)
    else:
        replace_file(one.path, body)
    change.put_file(f"{folder}/{one.state_path.name}", state)
    change.note(one.repo_id, "continuity_redacted", f"note:{one.state_path.stem}", {"layer": one.layer})


def _of_note(note: Note, one: _Held) -> Iterator[NoteItem]:
    """The items of a note with what is left of their evidence."""
    known = {item.key: item for item in one.note.items} if one.note is not None else {}
    return (replace(item, at=known[item.key].at) if item.key in known else item for item in note.items)


def _redacted(one: _Held) -> bytes:
    text = one.body.decode("utf-8", "replace")
    found = redact_plain(text).text
    return one.body if found == text else found.encode("utf-8", "replace")


def _is_state(path: Path) -> bool:
    try:
        decode_state(path.read_bytes())
    except FileNotFoundError:
        return True
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return False
    return True


HOLDER = _Notes()
