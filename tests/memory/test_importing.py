"""Proposals from the history become candidates, and the same history read again adds nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from aicx.memory.proposing import propose
from aicx.memory.reading import find_scope
from aicx.memory.review.building import draft_of
from aicx.refs import Ref

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def proposal(statement, *chunks, lane="primary", anchors=()):
    sightings = tuple(SimpleNamespace(session=Ref.of_session("claude", "s1"), at=NOW) for _ in chunks)
    return SimpleNamespace(
        statement=statement,
        kind="policy",
        topic="exports",
        origin="human",
        lane=lane,
        repository="acme/widgets",
        sightings=sightings,
        claims={},
        anchors=anchors,
        evidence=tuple(Ref("chunk", f"claude:s1:{number:03d}") for number in chunks),
    )


def imported(place, *proposals):
    scope = find_scope(place.settings, place.repo)
    return propose(
        place.settings, scope, [draft_of(one, scope, None, "aicx") for one in proposals], NOW, lambda _: None
    )


def test_a_proposal_becomes_a_candidate_with_its_source_evidence_and_anchors(place):
    place.write("src/a.py", "one\n")
    ((made, _),) = imported(place, proposal("Exports need a check", 1, 2, anchors=("src/a.py", "src/gone.py")))
    found = place("get", made.ref)
    entry = found["entry"]
    assert (entry["status"], entry["sightings"]) == ("candidate", 2)
    assert entry["evidence"] == ["chunk:claude:s1:001", "chunk:claude:s1:002"]
    assert (entry["source"]["class"], entry["source"]["session"]) == ("human", "s1")
    assert [anchor["path"] for anchor in found["anchors"]] == ["src/a.py"]


def test_a_subagents_proposal_says_so(place):
    ((made, _),) = imported(place, proposal("Exports need a check", 1, lane="subagent"))
    assert place.entry(made.ref)["reasons"] == ["candidate_not_adopted", "subagent_unadopted"]


def test_the_same_history_adds_nothing_and_more_of_it_adds_sightings(place):
    imported(place, proposal("Exports need a check", 1))
    before = place.log.read_bytes()
    ((_, new),) = imported(place, proposal("exports need a CHECK", 1))
    assert (new, place.log.read_bytes()) == (False, before)
    ((more, _),) = imported(place, proposal("Exports need a check", 1, 2))
    assert (more.sightings, place.baseline()) == (2, set())
