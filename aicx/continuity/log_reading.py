"""Reads one log into the messages that the evidence is drawn from. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence

from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.ingest.reading import read_logs
from aicx.errors import NotFound, SourceUnreadable
from aicx.evidence.transcript import Step
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sources.items import LogFile, LogIdentity
from aicx.types import Lane
from aicx.values import dataclass

_HINT = "--log names another log"


@dataclass(frozen=True, slots=True)
class ReadLog:
    """What one log holds: its messages without secrets, and the session that they are of.

    ``folder`` is where the session began, ``unread`` how many records could not be read.
    """

    agent: str
    session_id: str
    lane: Lane
    folder: str | None
    title: str | None
    steps: Sequence[Step]
    unread: int

    @property
    def ref(self) -> str:
        return str(Ref.of_session(self.agent, self.session_id))


def read_log(layout: Layout, log: LogFile, identity: LogIdentity) -> ReadLog:
    """The messages of ``log``, up to the size that it had when it was listed.

    What aicx itself answered is left out, since it quotes older sessions, and so is what was forgotten. Raises
    SourceUnreadable where there is no message, NotFound for a session that was forgotten, CorpusDamaged.
    """
    forgotten = read_tombstones(layout.tombstones)
    if (log.agent, identity.session_id) in forgotten.sessions:
        raise NotFound(f"session {identity.session_id} was forgotten", hint=_HINT)
    reading = read_logs(log.agent, [log], redact_secrets=True, whole=False)
    reading.drafts = [draft for draft in reading.drafts if draft.key not in forgotten.messages]
    if not reading.drafts:
        problems = [problem for found in reading.problems.values() for problem in found]
        why = problems[0].reason if problems else reading.silent.get(str(log.path), "holds no message")
        raise SourceUnreadable(f"{log.path} {why}", hint=_HINT)
    first = reading.drafts[0].entry
    return ReadLog(
        agent=log.agent,
        session_id=first.session_id,
        lane=identity.lane,
        folder=next((draft.entry.cwd for draft in reading.drafts if draft.entry.cwd), None),
        title=next(
            (fact.title for _, fact in reversed(reading.facts) if fact.title and not fact.title_of_record), None
        ),
        steps=[_step(draft) for draft in reading.drafts if not draft.echo],
        unread=sum(map(len, reading.problems.values())),
    )


def _step(draft: MessageDraft) -> Step:
    entry, tool = draft.entry, draft.entry.tool
    if tool is None:
        return Step("", entry.at, entry.role, entry.origin, entry.text)
    return Step(
        *("", entry.at, entry.role, entry.origin, entry.text, tool.name, tool.phase, tool.failed is True),
        *(tool.call_id, tool.command or "", tool.files, tool.exit_code, tool.seconds),
    )
