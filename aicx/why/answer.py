"""The answer to `aicx why` as every door gives it: bounded texts without secrets, those of git too."""

from __future__ import annotations

from aicx.api.answers.why import WhyAnswer, WhyCommit, WhyEvidence, WhyReason, WhySession, WhySighting
from aicx.config import Settings
from aicx.refs import Ref
from aicx.storage.texts import with_texts
from aicx.terminal import invisible
from aicx.text import instant, shorten
from aicx.why.report import FoundSession, Wanted, WhyReport
from aicx.why.run import WhyQuery, why

# A message, a path and a title may be of any length.
_MAX_TEXT = 400
_MAX_FILES = 50


def answer_why(settings: Settings, query: WhyQuery) -> WhyAnswer:
    """What `aicx.why.run.why` finds, as an answer. Raises what that raises."""
    report = why(settings, query)
    return _answer(with_texts(report, _redacted) if settings.redact_secrets else report)


def _redacted(text: str) -> str:
    """What git says was never stored, and so never redacted."""
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    # Without invisible characters, which may be inside a secret.
    return redact(text.translate(invisible())).text


def _one_line(text: str) -> str:
    return shorten(text, _MAX_TEXT)


def _answer(report: WhyReport) -> WhyAnswer:
    return WhyAnswer(
        _one_line(report.target.text),
        report.target.kind,
        _one_line(report.target.path) if report.target.path is not None else None,
        report.project,
        [_commit(item) for item in report.wanted if item.change.hash and not item.name],
        [_session(item) for item in report.sessions],
        [
            WhyReason(item.kind, shorten(item.text, _MAX_TEXT), instant(item.at), item.ref, item.session.session_id)
            for item in report.reason
        ],
        [
            WhySighting(
                item.hash,
                _one_line(item.subject),
                instant(item.first_seen),
                str(Ref("chunk", item.chunk)),
                item.made_in is not None,
            )
            for item in report.sightings
        ],
        [_one_line(note) for note in report.notes],
    )


def _commit(item: Wanted) -> WhyCommit:
    change = item.change
    return WhyCommit(
        change.hash,
        _one_line(change.subject),
        instant(change.authored_at),
        instant(change.committed_at),
        [_one_line(path) for path in change.files[:_MAX_FILES]],
        len(change.files),
        [copy.hash for copy in item.copies],
    )


def _session(item: FoundSession) -> WhySession:
    session = item.session
    return WhySession(
        session.ref,
        session.session_id,
        session.agent,
        session.project,
        shorten(session.title, _MAX_TEXT) if session.title else None,
        _one_line(session.branch) if session.branch else None,
        instant(session.started_at),
        instant(session.completed_at),
        item.confidence,
        item.score,
        item.commit,
        [WhyEvidence(one.kind, _one_line(one.text), round(one.worth, 3), list(one.refs)) for one in item.evidence],
        list(item.chunks),
    )
