"""Filters reach every ranker before it ranks, and their values are never read as anything but values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from aicx.corpus.catalog.filters import parse_filters
from aicx.engine.search import Searcher
from aicx.filters import Filters
from retrieval.params import DEFAULT_PARAMS
from tests.corpus.builders import SESSION, ClaudeLog, CodexLog, Home
from tests.engine.search_helpers import MODES, NOW, ask, found, ids, keep, ready_for

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own

EVERYTHING = replace(DEFAULT_PARAMS, abstain=False)
DAY = 86_400.0
ONE = f"claude:{SESSION}:001"
NASTY = 'it\'s "a" OR 1=1; DROP TABLE x --`[*]\\'


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """One chunk among 130 that fit the word "socket" far better, and differs from them in everything else."""
    user = Home(tmp_path_factory.mktemp("haystack"))
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    apiary = user.repository("apiary", "git@x.org:ada/apiary.git")
    for number in range(130):
        session = f"{number:08x}-4e63-4b9f-8b4d-6a1b2c3d4e5f"
        user.codex(CodexLog(session, orbit).prompt(f"socket socket socket retry {number}", number))
    front = f"---\nrun_id: {NASTY}\nprompt_id: p-1\nkind: plan\nphase: review\nmode: deep\nskill: s-7\n"
    front += "token_usage: 12_000\nfindings_count: 4\n---\n"
    log = ClaudeLog(SESSION, apiary, NASTY).prompt(
        f"{front}The bees hide when it rains, and far in is a socket", 3 * DAY
    )
    log.call("Edit", 3 * DAY + 1, file_path=f"{apiary}/src/it's.py")
    user.claude(log.result("the file changed meanwhile", 3 * DAY + 2, failed=True))
    keep(user)
    return user


@pytest.fixture(scope="module", params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def haystack(stored: Home, mode: str) -> Iterator[Searcher]:
    with Searcher(ready_for(mode, stored).settings) as searcher:
        yield searcher


FILTERS = {
    "project": "apiary",
    "agent": "claude",
    "kind": "plan",
    "session": SESSION[:8],
    "run_id": NASTY,
    "prompt_id": "p-1",
    "date": "2026-03-04",
    "since": "2026-03-03",
    "branch": NASTY,
    "file": "it's",
    "hours": 396.0,
    "model": "OPUS",
    "tool": "edit",
    "failed": True,
    "workflow_phase": "review",
    "frontmatter_mode": "dee*",
    "skill_code": "s-7",
    "min_token_usage": 12_000,
    "min_findings_count": 4,
}


def filters(**named: Any) -> Filters:
    return parse_filters(NOW, **named)


@pytest.mark.slow
def test_without_a_filter_it_is_not_found(haystack, mode):
    assert ONE not in found(haystack, "socket", mode=mode, limit=30, rules=EVERYTHING)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_that_leaves_one_of_many_chunks_finds_it(haystack, name, mode):
    limited = {"mode": mode, "rules": EVERYTHING, "filters": filters(**{name: FILTERS[name]})}
    assert found(haystack, "socket", **limited) == [ONE]


def test_until_leaves_out_what_came_later(haystack, mode):
    report = ask(haystack, "bees socket", mode=mode, rules=EVERYTHING, filters=filters(until="2026-03-02"))
    assert report.hits
    assert ONE not in ids(report)


def test_filters_hold_together(haystack, mode):
    both = filters(agent="claude", project="orbit")
    assert found(haystack, "socket", mode=mode, rules=EVERYTHING, filters=both) == []


@pytest.mark.parametrize("value", ["' OR 1=1 --", "*:* OR c_agent:claude", "\\", ""])
@pytest.mark.parametrize("name", ["project", "agent", "run_id", "branch", "session", "file"])
def test_no_value_of_a_filter_is_read_as_syntax(haystack, name, value, mode):
    matches_all = value == "" and name in ("project", "session", "file")
    hits = found(haystack, "socket", mode=mode, limit=3, rules=EVERYTHING, filters=filters(**{name: value}))
    assert bool(hits) == matches_all


@pytest.mark.parametrize("name", ["min_token_usage", "min_findings_count"])
def test_a_count_below_the_least_does_not_pass(haystack, name, mode):
    least = filters(**{name: FILTERS[name] + 1})
    assert found(haystack, "socket", mode=mode, limit=3, rules=EVERYTHING, filters=least) == []


def test_any_of_several_names_passes(haystack, mode):
    others = ["00000007-4e63", "00000008-4e63"]
    hits = found(haystack, "socket", mode=mode, rules=EVERYTHING, filters=filters(session=[SESSION, *others]))
    assert sorted(hit.split(":")[1][:8] for hit in hits) == ["00000007", "00000008", SESSION[:8]]


def test_of_several_filters_each_has_to_hold(haystack, mode):
    both = filters(agent=["codex", "claude"], tool=["Read", "Edit"])
    assert found(haystack, "socket", mode=mode, limit=3, rules=EVERYTHING, filters=both) == [ONE]
    assert found(haystack, "socket", mode=mode, limit=3, rules=EVERYTHING, filters=replace(both, agent="codex")) == []


def test_a_lane_is_a_filter(tmp_path, mode):
    user = Home(tmp_path)
    user.claude(ClaudeLog(SESSION).prompt("The bees hide when it rains", 0))
    log = ClaudeLog(SESSION).prompt("Count the bees", 1, isSidechain=True, agentId="b33")
    user._write(f".claude/projects/-srv-ada-orbit/{SESSION}/subagents/agent-b33.jsonl", log.body())
    keep(user)
    asked = {"mode": mode, "rules": EVERYTHING}
    ready = ready_for(mode, user)
    both = sorted(found(ready, "bees", **asked, filters=filters(lane=["primary", "subagent"])))
    (primary,) = found(ready, "bees", **asked, filters=filters(lane="primary"))
    (subagent,) = found(ready, "bees", **asked, filters=filters(lane="Subagent"))
    assert (primary, both) == (f"claude:{SESSION}:001", sorted([primary, subagent]))


@pytest.mark.parametrize("length", [36, 8])
def test_a_session_can_be_left_out(haystack, length, mode):
    near = ask(haystack, "socket retry 7", mode=mode, limit=1).hits[0].sidecar.session_id
    report = ask(haystack, "socket retry 7", mode=mode, limit=100, filters=filters(exclude_session=near[:length]))
    assert report.hits
    assert near not in {hit.sidecar.session_id for hit in report.hits}


def test_an_unknown_name_in_a_filter_is_answered_with_the_known(stored):
    report = ask(stored, "socket", filters=filters(project="zzz"))
    assert report.hits == []
    assert any("ada/apiary, ada/orbit" in note for note in report.notes)


def test_an_unknown_agent_is_answered_with_the_known(stored):
    report = ask(stored, "socket", filters=filters(agent="claud"))
    assert report.hits == []
    assert "nothing is stored of an agent 'claud'; known: claude, codex" in report.notes
