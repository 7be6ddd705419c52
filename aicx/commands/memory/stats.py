"""`aicx memory stats`: how many records there are, and what may be believed of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from aicx import console, options
from aicx.api.answers.memory import STATS_SCHEMA, StatsAnswer
from aicx.commands.memory.common import Everywhere, open_desk, opened
from aicx.memory.files import GLOBAL
from aicx.memory.walking import read_log


def command(everywhere: Everywhere = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """Count the records by status, kind, reason and repository.

    Example: aicx memory stats
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        assessed = memory.assessed(memory.records(everywhere=everywhere))
    log = read_log(desk.settings.layout.memory)
    answer = StatsAnswer(
        len(assessed),
        sum(found.baseline for found in assessed),
        _counts(found.status for found in assessed),
        _counts(found.record.kind for found in assessed),
        _counts(reason.code for found in assessed for reason in found.reasons),
        _counts(found.record.repository or GLOBAL for found in assessed),
        len(log.events),
        list(log.damaged),
        desk.scope.repository,
    )
    if json:
        console.out_answer(STATS_SCHEMA, answer)
        return
    console.out(f"{console.plural(answer.records, 'record')}, {answer.baseline:,} agreed")
    for title, counts in (("status", answer.by_status), ("kind", answer.by_kind), ("reason", answer.by_reason)):
        console.out(f"{title:8}{', '.join(f'{count:,} {name}' for name, count in counts.items()) or '-'}")


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
