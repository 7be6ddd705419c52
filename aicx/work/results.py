"""How sessions kept to the contracts they were given, and how the programs ended that `aicx run` ran.

Contracts are evaluated from logs each time; results are stored nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import NamedTuple

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import CorpusDamaged, NotFound
from aicx.evidence.sessions import SessionRow
from aicx.sources.run import AGENT
from aicx.work.attempts import RECENT, attempts_in, contract_of
from aicx.work.compliance import Compliance, Observed, evaluate
from aicx.work.facts_index import session_facts
from aicx.work.observing import is_same_test
from aicx.work.place import WorkPlace
from aicx.work.record import WorkRecord
from aicx.work.session_facts import SessionFacts

MAX_VALUES = 5000  # of one question in SQL


class Result(NamedTuple):
    """An attempt, and how it kept to its contract."""

    record: WorkRecord
    compliance: Compliance


def results_of(
    settings: Settings, place: WorkPlace, found: Sequence[WorkRecord], catalog: Catalog | None = None
) -> list[Result]:
    """The result of each attempt. Sessions that are not stored yet are judged by what was said of them.

    ``catalog`` is the catalogue, where the caller has opened it.
    """
    facts = known_facts(settings, place, {session for _, session in map(_key, found)}, catalog)
    return [Result(one, result(one, facts.get(_key(one)))) for one in found]


def previous_result(
    settings: Settings, place: WorkPlace, but: Sequence[str] = (), catalog: Catalog | None = None
) -> Result | None:
    """The last attempt that could be evaluated, other than those of the sessions ``but``."""
    recent = attempts_in(settings, place.folders, RECENT)
    found = [one for one in recent if one.attempt and one.attempt.session not in but]
    results = results_of(settings, place, found, catalog)
    return next((one for one in results if one.compliance.score is not None), None)


def result(record: WorkRecord, facts: SessionFacts | None) -> Compliance:
    """How one attempt kept to its contract; ``facts`` are what its log says, where it is stored."""
    return evaluate(contract_of(record), observed_in(record, facts), is_same_test)


def observed_in(record: WorkRecord, facts: SessionFacts | None) -> Observed:
    """What an attempt did: what its log says, and what was stated besides."""
    assert record.attempt is not None
    stated, outcome = record.attempt.stated, record.attempt.outcome
    succeeded = None if outcome is None else outcome == "success"
    if succeeded is None and facts is not None and facts.state != "unknown":
        succeeded = facts.state == "completed" and not facts.failing
    return Observed(
        opened=_all(facts.opened if facts else (), stated.opened),
        edited=_all(facts.edited if facts else (), stated.edited),
        commands=_all(facts.commands if facts else (), stated.commands),
        tests=_all((run.command for run in facts.tests) if facts else (), stated.tests),
        orientation=facts.orientation if facts else (),
        succeeded=succeeded,
        finalized=outcome is not None or (facts is not None and facts.finalized),
    )


def known_facts(
    settings: Settings, place: WorkPlace, sessions: Collection[str], catalog: Catalog | None = None
) -> dict[tuple[str, str], SessionFacts]:
    """What earlier runs of `aicx store` know of these sessions of the repository, by agent and session."""
    named = [session for session in sessions if session][:MAX_VALUES]
    if not named or not settings.layout.work_facts.exists():
        return {}
    with ExitStack() as stack:
        try:
            catalog = catalog or stack.enter_context(open_catalog(settings.layout)).catalog
            decisions = load_decisions(settings.layout.projects)
        except (NotFound, CorpusDamaged):  # nothing is stored, or `aicx doctor` has to mend it first
            return {}
        root = str(place.root)
        identity = place_of(catalog, settings.user_home, decisions, root)
        project = identity.project if identity else root
        where = f"(project=? OR cwd=?) AND session_id IN ({','.join('?' * len(named))})"
        found = session_facts(settings.layout, catalog, where, [project, project, *named], known_only=True)
    return {(facts.agent, facts.session_id): facts for facts in found}


def _key(record: WorkRecord) -> tuple[str, str]:
    assert record.attempt is not None
    return record.attempt.agent, record.attempt.session or ""


def _all(*found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for texts in found for text in texts))


MAX_RUNS = 3


def ran_since(
    settings: Settings, place: WorkPlace, session: SessionRow | None, until: datetime, but: Sequence[str] = ()
) -> tuple[WorkRecord, ...]:
    """The last run of each command since ``session`` began, the last first, at most MAX_RUNS.

    Where that was a run itself, the last runs count whenever they were. An agent that keeps a log of its own counts
    only where it failed: its log says the rest.
    """
    began = None if session is None or session.agent == AGENT else session.started_at
    found: dict[tuple[str, ...], WorkRecord] = {}
    for record in attempts_in(settings, place.folders, RECENT):
        attempt = record.attempt
        if attempt is None or attempt.exit_code is None or (attempt.session or "").startswith(tuple(but)):
            continue
        if record.updated_at > until or (began is not None and record.updated_at < began):
            continue
        if attempt.agent == AGENT or attempt.exit_code:
            found.setdefault(attempt.stated.commands[-1:], record)
    return tuple(found.values())[:MAX_RUNS]
