"""Memory as a holder of people's text: what `forget`, `store --redact-again`, `doctor` and `.aicxignore` do to it.

`doctor` reads the files themselves, not the index, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from aicx.config import Settings
from aicx.corpus.catalog.names import SessionKey
from aicx.corpus.doctor.inputs import REDACT_AGAIN, Check, DoctorInputs, current_writer
from aicx.corpus.doctor.repair import Repair, finish_change
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.errors import UnsafePath
from aicx.memory.events import LOG, Standing
from aicx.memory.files import encode, list_records, read_files, sidecar_of
from aicx.memory.index import RecordIndex
from aicx.memory.reading import Memory
from aicx.memory.recall.table import drop_statements
from aicx.memory.record import PREFIX, Record
from aicx.memory.seal import decisions_in
from aicx.memory.writing import changing, memory_folder
from aicx.paths import Layout
from aicx.refs import rests_on, session_in
from aicx.regex import searching
from aicx.storage.typed import texts_of
from aicx.text import first_of, plural

_BY = "aicx store --redact-again"  # who changed a record in which a secret was found
_FORGOTTEN_BY = "aicx forget"
_NOTHING = Standing()


class _Memory(Holder):
    name = "memory"
    noun = "record"
    own = frozenset({"memory"})
    removed = "deleted"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        wanted = [record for record in read_all(layout) if _is_meant(record, request, plan)]
        plan.held[self.name] = [
            (layout.memory / record.path, layout.memory / sidecar_of(record.path)) for record in wanted
        ]

    def sessions(self, layout: Layout) -> Iterable[SessionKey]:
        records = list(read_all(layout))
        own = {(one.source.agent, one.source.session) for one in records if one.source.agent and one.source.session}
        return own | {key for one in records for ref in one.evidence if (key := session_in(ref)) is not None}

    def settle(self, settings: Settings, notify: Notify) -> None:
        if memory_folder(settings.layout).staging.exists():
            with changing(settings, datetime.now(UTC), notify):
                pass

    def kept(self, settings: Settings, notify: Notify) -> frozenset[str]:
        table = settings.layout.memory_recall.name
        return frozenset({table, f"{table}-journal"})  # the journal of a killed writer too: it puts the table right

    def erase(self, erasure: Erasure) -> None:
        """Deletes the records with an event of each, so that their files are not believed where they come back."""
        settings, now = erasure.settings, datetime.now(UTC)
        memory = settings.layout.memory
        self.settle(settings, lambda _: None)  # else a record of which a kill left one file would be indexed again
        planned = [markdown.relative_to(memory).as_posix() for markdown, _ in erasure.plan.held.get(self.name, ())]
        if left := [path for path in planned if (memory / path).exists() or (memory / sidecar_of(path)).exists()]:
            with changing(settings, now, lambda _: None) as change:
                for path in left:
                    with suppress(UnsafePath):  # a name that aicx gives no file: nothing can be believed of it
                        change.remove(read_files(memory, path), _FORGOTTEN_BY)
                change.publish()
                super().erase(erasure)
        if settings.layout.memory_recall.exists():
            with Memory.open(settings, now) as known:
                drop_statements(settings.layout.memory_recall, (), known.versions())

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Redacts records by the rules of today. What a person had accepted of one that changes is proposed again."""
        if not any(map(_holds_secret, read_all(settings.layout))):
            return
        with changing(settings, datetime.now(UTC), notify) as change:
            found = [record for record in read_all(settings.layout) if _holds_secret(record)]
            for record in found:
                change.put(record, "edited", _BY)
            change.publish()
        report.elsewhere += len(found)
        report.notes.append(f"{plural(len(found), 'record')} of the memory redacted, and proposed again")

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        return [f"memory/{path}" for path in list_records(facts.layout.memory)]

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        layout, folder = facts.layout, memory_folder(facts.layout)
        if current_writer(layout, folder.name) is not None:
            return (Check(self.name, "skipped", "it is being written; look again when that is done"),)
        records = read_all(layout)
        unfinished = folder.staging.exists()
        checks = (check_records(records, unfinished=unfinished), check_adoption(layout, records), check_log(layout))
        return (*checks, check_index(layout, records))

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        finish_change(memory_folder(settings.layout), "the memory", settings, notify, done)


def _is_meant(record: Record, request: ForgetRequest, plan: ForgetPlan) -> bool:
    """Whether a record goes with what is forgotten: it is from there, or rests on nothing else, or repeats it."""
    if request.pattern is not None:
        texts = (*texts_of(record, names=False), _words_in_name(record))
        return any(map(searching(request.pattern), texts))
    if record.repository is not None and record.repository in plan.projects | plan.repositories:
        return True
    source = record.source
    if source.session is not None and f"{source.agent}:{source.session}" in plan.origins:
        return True
    return rests_on(record.evidence, plan.origins)


def _words_in_name(record: Record) -> str:
    """Returns the words in the name of its file, which is made of the first statement."""
    return record.path.rpartition("/")[2].removesuffix(f"{record.id}.md").replace("-", " ")


def _holds_secret(record: Record) -> bool:
    return any(flaw.code == "quarantined_secret" for flaw in record.flaws)


HOLDER = _Memory()


def read_all(layout: Layout) -> list[Record]:
    """Every record, from its files."""
    return [read_files(layout.memory, path) for path in list_records(layout.memory)]


def check_records(records: Sequence[Record], *, unfinished: bool) -> Check:
    name = "memory"
    malformed = [record for record in records if any(flaw.code == "malformed" for flaw in record.flaws)]
    if malformed:
        paths = first_of(f"memory/{record.path}" for record in malformed)
        return Check(
            name,
            "critical",
            f"no records, and kept apart: {paths}",
            "mend these files, or aicx memory decide delete; what they say is then lost",
        )
    if secret := [record for record in records if any(flaw.code == "quarantined_secret" for flaw in record.flaws)]:
        detail = f"{plural(len(secret), 'record')} with what looks like a secret, kept apart: {_refs(secret)}"
        return Check(name, "warning", detail, REDACT_AGAIN)
    if unfinished:
        return Check(name, "warning", "a change was interrupted; the next one finishes it", "aicx doctor --fix")
    edited = [record for record in records if record.by_hand]
    more = f"; edited by hand and proposed again: {_refs(edited)}" if edited else ""
    return Check(name, "green", f"{plural(len(records), 'record')}, each as it was written or a candidate{more}")


def check_adoption(layout: Layout, records: Sequence[Record]) -> Check:
    """Recomputes from the events what was decided, and reports every sidecar that claims more."""
    name = "memory_adoption"
    decided, _ = decisions_in(layout.memory)
    claims = {record.ref: why for record in records if (why := claims_more(record, decided.get(record.id, _NOTHING)))}
    if claims:
        detail = first_of((f"{ref} {why}" for ref, why in claims.items()), between="; ")
        return Check(
            name,
            "critical",
            f"sidecars that claim more than was decided, which changes nothing: {detail}",
            "decide about each: aicx memory accept REF --by NAME, or aicx memory reject REF",
        )
    known = {record.id for record in records}
    gone = [f"{PREFIX}{ref}" for ref, one in decided.items() if one.adopted is not None and ref not in known]
    if gone:
        detail = (
            f"accepted, and their files are gone though nobody deleted them: {first_of(gone)}; they still contradict"
        )
        return Check(
            name,
            "warning",
            detail,
            "restore their files, or aicx memory decide delete REF --by NAME; then the decisions about them are lost",
        )
    return Check(name, "green", "every decision that a sidecar claims is an event")


def claims_more(record: Record, standing: Standing) -> str | None:
    """Returns in words what a record's sidecar claims beyond the decisions; None where it claims nothing more."""
    if not record.digest:
        return None
    adoption = record.adoption
    if adoption.state == "adopted":
        if standing.adopted is None:
            return "claims an adoption that no event has"
        if standing.adopted != record.digest and not record.by_hand:
            return "is not what was accepted"
        if adoption.by != standing.adopted_by:
            return "claims that another person accepted it"
        if record.last_event != standing.last:
            return "names a decision that the events do not have, or lacks one"
    if adoption.state != "rejected" and standing.rejected == record.digest:
        return "does not say that it was rejected"
    if record.pinned and not standing.pinned:
        return "claims a pin that no event has"
    if record.hold is None and standing.held:
        return "does not say that it is on hold"
    if record.retention == "live" and standing.archived:
        return "does not say that it is archived"
    last = record.validation[-1] if record.validation else None
    if last is not None and last.result == "pass" and standing.validated != "pass":
        return "claims a validation that no event has"
    return "was deleted, and its files came back" if standing.erased else None


def check_log(layout: Layout) -> Check:
    name = "memory_events"
    decided, log = decisions_in(layout.memory)
    if log.damaged:
        lines = first_of(map(str, log.damaged))
        detail = f"lines of memory/{LOG} that cannot be read, so that what they decided counts for nothing: {lines}"
        return Check(name, "critical", detail, "remove these lines, then accept again what is a candidate now")
    if unsealed := [f"{PREFIX}{ref}" for ref, standing in decided.items() if standing.unsealed]:
        detail = (
            "the events are not known as written by this home (an earlier version, a restored backup, a line written by"
            f" hand), and prove nothing: {first_of(unsealed)}"
        )
        mend = "aicx show REF, then accept it again; or all, once shown: aicx memory decide seal --by NAME"
        return Check(name, "critical", detail, mend)
    return Check(name, "green", f"{plural(len(log.events), 'event')}, each as it was written")


def check_index(layout: Layout, records: Iterable[Record]) -> Check:
    """Compares what answers are made of with the files: an index that says more than they do would be believed."""
    name = "memory_index"
    try:
        body = layout.memory_index.read_bytes()
    except OSError:
        return Check(name, "green", "there is no index yet")
    with TemporaryDirectory() as folder:  # a copy: looking at an index brings it up to date
        copy = Path(folder) / layout.memory_index.name
        copy.write_bytes(body)
        index = RecordIndex(copy, layout.memory)
        try:
            decided = index.decisions()
            kept = {record.path: _said(record) for record in index.every_record()}
        finally:
            index.close()
    wrong = [record for record in records if kept.get(record.path) != _said(record)]
    wrong_log = {ref: decided[ref] for ref in decided} != decisions_in(layout.memory)[0]
    if wrong or wrong_log:
        what = _refs(wrong) if wrong else "what was decided"
        return Check(
            name,
            "critical",
            f"the index of the memory says otherwise than its files: {what}",
            f"delete {layout.memory_index}; nothing is lost, as it is made anew",
        )
    return Check(name, "green", "the index says what the files and the events say")


def _said(record: Record) -> tuple[object, ...]:
    """Everything of a record that an assessment or an answer goes by."""
    return (*encode(record), record.digest, record.by_hand, [(flaw.code, dict(flaw.data)) for flaw in record.flaws])


def _refs(records: Iterable[Record]) -> str:
    return first_of(record.ref for record in records)
