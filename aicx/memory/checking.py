"""What `doctor` finds in the memory: files that are no records, decisions that the events do not have, damaged events.

It reads the files themselves, not the index, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from aicx.corpus.doctor.inputs import REDACT_AGAIN, Check
from aicx.memory.events import LOG, Standing
from aicx.memory.files import encode, read_files
from aicx.memory.index import Index
from aicx.memory.record import PREFIX, Record
from aicx.memory.seal import decisions_in
from aicx.memory.walking import list_records
from aicx.paths import Layout
from aicx.text import first_of, plural

_NOTHING = Standing()


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
            "mend these files, or aicx memory delete; what they say is then lost",
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
            "restore their files, or aicx memory delete REF --by NAME; then the decisions about them are lost",
        )
    return Check(name, "green", "every decision that a sidecar claims is an event")


def claims_more(record: Record, standing: Standing) -> str | None:
    """What a record's sidecar claims beyond what was decided, in words; None where it claims nothing more."""
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
        mend = "aicx memory get REF, then accept it again; or all, once shown: aicx memory seal --by NAME"
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
        index = Index(copy, layout.memory)
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
