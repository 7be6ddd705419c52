"""Objects as a holder of people's text: what `forget`, `store --redact-again`, `doctor`, `.aicxignore` do to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256

from aicx.cas.entry import (
    ObjectEntry,
    Reason,
    Tombstone,
    add_tombstones,
    clean_body,
    names_in,
    object_path,
    read_tombstones,
    sidecar_path,
    texts_in,
)
from aicx.cas.reading import BLOCK, entry_or_none, opened, read, relative
from aicx.cas.writing import LOCK, Origin, clear_leftovers, commit, delete, leftovers, locked, stage
from aicx.config import Settings
from aicx.corpus.doctor.inputs import FIX, REDACT_AGAIN, Check, DoctorInputs, counted, current_writer
from aicx.corpus.doctor.repair import Repair
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.corpus.forget.run import read_forgetting
from aicx.engine.holders import Holder, Notify
from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.paths import Layout
from aicx.regex import searching
from aicx.text import plural


class _Objects(Holder):
    """An object is forgotten as a whole: without a part it would be another one, under another name."""

    name = "cas"
    noun = "object"
    own = frozenset({"cas"})
    removed = "deleted"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        plan.held[self.name] = [
            (object_path(layout, one.name), sidecar_path(layout, one.name)) for one in _meant(layout, request, plan)
        ]

    def settle(self, settings: Settings, notify: Notify) -> None:
        if leftovers(settings.layout):
            with locked(settings, notify):
                clear_leftovers(settings.layout)

    def erase(self, erasure: Erasure) -> None:
        """Deletes what is meant by now: something may have been put since this was planned."""
        settings, layout = erasure.settings, erasure.settings.layout
        begun = read_forgetting(layout)
        if not layout.cas.is_dir() or begun is None or begun.request is None:
            return
        with locked(settings, lambda _: None):
            clear_leftovers(layout)  # what a killed writer left may hold it
            gone = list(_meant(layout, begun.request, erasure.plan))
            add_tombstones(layout, gone)
            delete(layout, (one.name for one in gone))

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Redacts texts and packs by the rules of today. Each is another object then, and its tombstone names that."""
        layout = settings.layout
        if not layout.cas.is_dir():
            return
        with locked(settings, notify):
            clear_leftovers(layout)
            changed = 0
            for name, entry in _texts(layout):
                try:
                    body = read(layout, name)
                    new = clean_body(body, entry.kind if entry else "text").body
                except (CorpusDamaged, NotFound, UsageError) as error:
                    report.notes.append(f"the object sha256:{name} is left as it is: {error.message}")
                    continue
                if new != body:
                    _replace(layout, name, entry, new)
                    changed += 1
        if changed:
            report.elsewhere += changed
            report.notes.append(f"{plural(changed, 'object')} redacted, under another digest each")

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        return [relative(facts.layout, object_path(facts.layout, name)) for name in names_in(facts.layout)]

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        layout = facts.layout
        if current_writer(layout, LOCK) is not None:
            return (Check(self.name, "skipped", "it is being written; look again when that is done"),)
        names = names_in(layout)
        damaged, secret = ([], []) if facts.quick else _looked_at(layout)
        unknown = [name for name in names if entry_or_none(layout, name) is None]
        bad_lines = [f"cas/tombstones.jsonl:{line}" for line in read_tombstones(layout)[1]]
        left = leftovers(layout)
        if damaged:
            detail = counted("damaged object", damaged, "that nothing reads any more")
            return (Check(self.name, "critical", detail, "put them again, which mends them"),)
        if secret:
            detail = counted("object", secret, "with what looks like a secret")
            return (Check(self.name, "warning", detail, REDACT_AGAIN),)
        if unknown:
            detail = counted("object", unknown, "without a sidecar that can be read")
            return (Check(self.name, "warning", detail, "put or pin them again; gc leaves them"),)
        if bad_lines:
            detail = counted("line", bad_lines, "of the tombstones cannot be read")
            return (Check(self.name, "warning", detail, "nothing depends on them; remove these lines"),)
        if left:
            detail = counted("file", [path.name for path in left], "left by an interrupted put")
            return (Check(self.name, "warning", detail, FIX),)
        return (Check(self.name, "green", f"{plural(len(names), 'object')}, each as it was put"),)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        if not leftovers(settings.layout):
            return
        try:
            with locked(settings, notify):
                if count := clear_leftovers(settings.layout):
                    done.applied.append(f"removed {plural(count, 'file')} that an interrupted put of an object left")
        except AicxError as error:
            done.refused.append(f"what an interrupted put of an object left: {error.message}")


def _texts(layout: Layout) -> Iterator[tuple[str, ObjectEntry | None]]:
    """The objects that are text, or of which that is not known."""
    for name in names_in(layout):
        entry = entry_or_none(layout, name)
        if entry is None or entry.kind != "binary":
            yield name, entry


def _meant(layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> Iterator[Tombstone]:
    """The objects that go with what is forgotten: those that quote it, or have the text anywhere."""
    now = datetime.now(UTC)
    if request.pattern is not None:
        pattern = searching(request.pattern)
        for name in names_in(layout):
            if any(map(pattern, _searched(layout, name))):
                yield Tombstone(name, now, "forgotten_text")
        return
    reason: Reason = "forgotten_project" if request.project is not None else "forgotten_session"
    sessions = plan.origins
    projects = plan.projects if request.project is not None else set()
    for name in names_in(layout):
        entry = entry_or_none(layout, name)
        quoted = sorted(sessions.intersection(entry.sessions if entry else ()))
        if not quoted and entry is not None and not projects.isdisjoint(entry.projects):
            yield Tombstone(name, now, reason)
            continue
        # A pack that was copied here by hand is a text like any other, and says in itself what it quotes.
        quoted = quoted or _named(layout, name, entry, sessions)
        if quoted:
            yield Tombstone(name, now, reason, quoted[0])


def _named(layout: Layout, name: str, entry: ObjectEntry | None, sessions: Collection[str]) -> list[str]:
    if not sessions or (entry is not None and entry.kind != "text"):
        return []
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(one)}(?![\w-])" for one in sorted(sessions)))
    found = next(filter(None, map(pattern.search, _searched(layout, name))), None)
    return [found[0]] if found else []


def _searched(layout: Layout, name: str) -> Iterator[str]:
    """The texts of an object in which a forgotten one is looked for, also where it is damaged, or a binary."""
    entry = entry_or_none(layout, name)
    try:
        if entry is not None and entry.kind == "binary":
            yield from _windows(layout, name)
        else:
            yield from texts_in(object_path(layout, name).read_bytes())
    except OSError:
        return


def _windows(layout: Layout, name: str) -> Iterator[str]:
    """A binary in parts that overlap, so that no short text is cut by all of them."""
    before = b""
    with object_path(layout, name).open("rb") as stream:
        while block := stream.read(BLOCK):
            yield (before + block).decode("utf-8", "replace")
            before = block[-BLOCK // 16 :]


def _replace(layout: Layout, name: str, entry: ObjectEntry | None, body: bytes) -> None:
    """Puts ``body`` in the place of an object, with all that is known of it."""
    now = datetime.now(UTC)
    new = sha256(body).hexdigest()
    origin = Origin(entry.kind, entry.tags, entry.sessions, entry.projects) if entry else Origin()
    with stage(layout, body) as (temporary, _):
        commit(
            layout,
            new,
            len(body),
            origin,
            entry.put_at if entry else now,
            temporary,
            pinned=bool(entry and entry.pinned),
        )
    add_tombstones(layout, [Tombstone(name, now, "redacted", replaced_by=new)])
    delete(layout, [name])


def _looked_at(layout: Layout) -> tuple[list[str], list[str]]:
    """The objects that are damaged, and those with a secret, each by its name."""
    damaged: list[str] = []
    secret: list[str] = []
    for name in names_in(layout):
        entry = entry_or_none(layout, name)
        try:
            if entry is not None and entry.kind == "binary":
                with opened(layout, name):
                    continue
            if clean_body(read(layout, name), entry.kind if entry else "text").redactions:
                secret.append(f"sha256:{name}")
        except (CorpusDamaged, NotFound):
            damaged.append(f"sha256:{name}")
        except UsageError:
            continue  # its sidecar is lost, and it is no text
    return damaged, secret


HOLDER = _Objects()
