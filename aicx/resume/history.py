"""What earlier sessions of the repository did: fixes of failures that are open, and how similar tasks succeeded.

Nothing is read for it but what earlier runs of `store` kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from aicx.corpus.catalog.database import Catalog
from aicx.paths import Layout
from aicx.resume.select.report import BriefedSession
from aicx.text import instant

if TYPE_CHECKING:
    from aicx.work.failures import Pattern
    from aicx.work.session_facts import SessionFacts
    from aicx.work.strategy import Strategy

_MAX_FIXES, _MAX_STRATEGIES = 3, 2


class History:
    """The facts of the sessions of some projects that were over by ``now``, read when something is asked first.

    ``excluded`` are beginnings of ids of sessions that do not count.
    """

    def __init__(
        self, layout: Layout, catalog: Catalog, projects: Sequence[str], now: datetime, excluded: tuple[str, ...] = ()
    ) -> None:
        self._layout, self._catalog, self._projects = layout, catalog, projects
        self._now, self._excluded = instant(now, "seconds"), excluded
        self._read: list[SessionFacts] | None = None

    def known_fixes(self, resumed: BriefedSession | None) -> tuple[Pattern, ...]:
        """The open failures of a session that were resolved once, the last reported first."""
        if resumed is None or resumed.brief is None or not resumed.brief.failures or not self._facts:
            return ()
        from aicx.work.failures import patterns, seen_before  # imported here: most briefs have no open failure

        key = (resumed.facts.agent, resumed.facts.session_id)
        own = [facts for facts in self._facts if (facts.agent, facts.session_id) == key]
        marks = [failure.fingerprint for facts in own for failure in facts.failures if failure.resolved is None]
        return tuple(seen_before(patterns(self._facts), marks)[:_MAX_FIXES])

    def strategies(self, topic: str, files: Collection[str]) -> tuple[Strategy, ...]:
        """The sessions that succeeded at something like ``topic``; ``files`` are those that it surely is about."""
        if not topic or not self._facts:
            return ()
        from aicx.work.strategy import strategies  # imported here: without a topic there is nothing to compare

        return tuple(strategies(topic, self._facts, files, _MAX_STRATEGIES))

    def tests(self) -> Mapping[str, Sequence[str]]:
        """The tests of everything that passed, with the sessions: what most ran first, of equals the latest."""
        from aicx.evidence.fixes import topic_of, whole_check  # imported here: most briefs know a test that passed
        from aicx.shell import simple_commands

        passed: dict[str, list[str]] = {}
        for facts in self._facts:
            parts = (part for run in facts.tests if run.passed for part in simple_commands(run.command))
            for whole in {whole for part in parts if topic_of(part) == "test" and (whole := whole_check(part))}:
                passed.setdefault(whole, []).append(facts.ref)
        return dict(sorted(passed.items(), key=lambda one: -len(one[1])))

    @property
    def _facts(self) -> list[SessionFacts]:
        if self._read is None:
            self._read = list(self._load()) if self._projects and self._layout.work_facts.exists() else []
        return self._read

    def _load(self) -> list[SessionFacts]:
        from aicx.work.facts_index import session_facts

        where = f"project IN ({','.join('?' * len(self._projects))})"
        found = session_facts(self._layout, self._catalog, where, list(self._projects), known_only=True)
        return [
            facts
            for facts in found
            if facts.ended_at <= self._now and not (self._excluded and facts.session_id.startswith(self._excluded))
        ]
