"""Failures as every door shows them: the classes of `aicx.api.answers.failures`, made from patterns."""

from __future__ import annotations

from aicx.api.answers.failures import FailureItem, ResolutionItem, TryItem
from aicx.work.failures import Pattern
from aicx.work.session_facts import Try

_SHOWN_SESSIONS = 20


def item_of(pattern: Pattern) -> FailureItem:
    last = pattern.last
    return FailureItem(
        id=pattern.id,
        fingerprint=last.fingerprint,
        status=pattern.status,
        family=last.family,
        toolchain=last.toolchain,
        phase=last.phase,
        message=last.message,
        code=last.code,
        file=last.file,
        line=last.line,
        test=last.test,
        command=last.command,
        exit_code=last.exit_code,
        occurrences=pattern.occurrences,
        sessions=list(pattern.sessions[:_SHOWN_SESSIONS]),
        first_at=pattern.first_at,
        last_at=last.last_at,
        last_ref=last.ref,
        resolutions=[ResolutionItem(one.session, one.command, _try(one.by)) for one in pattern.resolutions],
        attempts=list(map(_try, pattern.attempts)),
    )


def _try(one: Try) -> TryItem:
    return TryItem(list(one.files), list(one.commands), one.at, one.ref)
