"""What helped before against the failures that the work goes on from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aicx.corpus.catalog.database import Catalog
from aicx.paths import Layout
from aicx.resume.select.report import BriefedSession

if TYPE_CHECKING:
    from aicx.work.failures import Pattern

_MAX = 3


def known_fixes(
    layout: Layout, catalog: Catalog, projects: Sequence[str], resumed: BriefedSession | None
) -> tuple[Pattern, ...]:
    """The open failures of a session that were resolved once in these projects, the last reported first.

    Nothing is read for it but what earlier runs of `store` kept.
    """
    if resumed is None or resumed.brief is None or not resumed.brief.failures or not projects:
        return ()
    if not layout.work_facts.exists():
        return ()
    # Imported here: most briefs have no open failure.
    from aicx.work.facts_index import session_facts
    from aicx.work.failures import patterns, seen_before

    where = f"project IN ({','.join('?' * len(projects))})"
    every = session_facts(layout, catalog, where, list(projects), known_only=True)
    own = [facts for facts in every if (facts.agent, facts.session_id) == _key(resumed)]
    marks = [failure.fingerprint for facts in own for failure in facts.failures if failure.resolved is None]
    return tuple(seen_before(patterns(every), marks)[:_MAX])


def _key(session: BriefedSession) -> tuple[str, str]:
    return session.facts.agent, session.facts.session_id
