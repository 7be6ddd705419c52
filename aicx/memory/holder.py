"""Memory as a holder of people's text: what `forget`, `store --redact-again`, `doctor` and `.aicxignore` do to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, datetime

from aicx.config import Settings
from aicx.corpus.catalog.session_names import SessionKey
from aicx.corpus.doctor.inputs import Check, DoctorInputs, current_writer
from aicx.corpus.doctor.repair import Repair, finish_change
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.errors import UnsafePath
from aicx.memory.checking import check_adoption, check_index, check_log, check_records, read_all
from aicx.memory.files import read_files, sidecar_of
from aicx.memory.reading import Memory
from aicx.memory.recall.table import drop_statements
from aicx.memory.record import Record
from aicx.memory.walking import list_records
from aicx.memory.writing import changing, memory_folder
from aicx.paths import Layout
from aicx.refs import rests_on, session_in
from aicx.regex import searching
from aicx.storage.texts import texts_of
from aicx.text import plural

_BY = "aicx store --redact-again"  # who changed a record in which a secret was found
_FORGOTTEN_BY = "aicx forget"


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

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        settings.layout.memory_candidates.unlink(missing_ok=True)  # it has words of sessions as they were

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
    """What the name of its file says, which is made of the first statement."""
    return record.path.rpartition("/")[2].removesuffix(f"{record.id}.md").replace("-", " ")


def _holds_secret(record: Record) -> bool:
    return any(flaw.code == "quarantined_secret" for flaw in record.flaws)


HOLDER = _Memory()
