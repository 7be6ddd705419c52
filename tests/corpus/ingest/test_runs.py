"""A run is found whole: on every day, in every repository and subagent, and in what was stored before."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from aicx.corpus.catalog.query import steer
from aicx.engine.search import SearchQuery, search
from aicx.filters import Filters
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when

BLOCK = "---\nrun_id: r-1\nprompt_id: p-1\nstatus: open\nphase: build\n---\n"
DAY = 24 * 3600


@pytest.fixture
def user(tmp_path: Path) -> Home:
    return Home(tmp_path)


def the_run(user: Home) -> ClaudeLog:
    """A session that goes on after a second prompt, past midnight and in another repository."""
    log = ClaudeLog(SESSION, user.repository("orbit", "git@x.org:ada/orbit.git"))
    log.prompt("Hello", 0).answer("Hello.", 1).prompt(f"{BLOCK}Fix the lexer", 60).answer("Fixed.", 61)
    log.prompt("And the parser", 120).prompt("Still there?", DAY)
    log.cwd = user.repository("apiary", "git@x.org:ada/apiary.git")
    return log.prompt("Now the bees", DAY + 60)


def subagent(user: Home, name: str, seconds: float, text: str = "Count the bees") -> Path:
    log = (
        ClaudeLog(SESSION)
        .prompt(f"{text} for {name}", seconds, isSidechain=True)
        .answer(f"Seven, says {name}.", seconds + 1, isSidechain=True)
    )
    log.prompt(f"Count again, {name}", seconds + DAY, isSidechain=True)
    return user._write(f".claude/projects/-srv-ada-orbit/{SESSION}/subagents/{name}.jsonl", log.body())


def found(user: Home, **filters: str) -> list[str]:
    items = steer(user.settings.layout, Filters(**filters), 100).items
    return sorted(item["id"].removeprefix("claude:").replace(SESSION, "S") for item in items)


WHOLE = ["S:002", "S:003", "S:004", "agent-a1:001", "agent-a1:002"]


def test_a_run_is_found_whole(user):
    user.claude(the_run(user))
    subagent(user, "agent-a1", 90)
    user.store()
    assert found(user, run_id="r-1") == found(user, prompt_id="p-1") == WHOLE
    assert "S:001" in found(user)


def test_a_subagent_is_in_the_run_that_its_caller_was_in_when_it_began(user):
    log = the_run(user)
    user.claude(log.prompt("---\nrun_id: r-2\n---\nGo on", DAY + 120).answer("Yes.", DAY + 121))
    for name, seconds in (("agent-a0", 30), ("agent-a1", 90), ("agent-a2", DAY + 130)):
        subagent(user, name, seconds)
    user.store()
    assert found(user, run_id="r-1") == WHOLE
    assert found(user, run_id="r-2") == ["S:005", "agent-a2:001", "agent-a2:002"]


def test_a_subagent_says_whose_run_it_is_in_and_not_how_the_run_went(user):
    user.claude(the_run(user))
    subagent(user, "agent-a1", 90)
    user.store()
    fields = next(one for one in user.sidecars() if one["session_id"] == "agent-a1")
    names = ("run_id", "prompt_id", "run_from", "workflow_phase", "status")
    assert [fields.get(name) for name in names] == ["r-1", "p-1", SESSION, "build", None]


def test_a_subagents_own_block_wins(user):
    user.claude(the_run(user))
    subagent(user, "agent-a1", 90, "---\nprompt_id: p-7\n---\nCount the bees")
    subagent(user, "agent-a2", 90, "---\nrun_id: r-7\n---\nCount the wasps")
    user.store()
    assert found(user, run_id="r-1", prompt_id="p-7") == ["agent-a1:001", "agent-a1:002"]
    assert found(user, run_id="r-7") == ["agent-a2:001", "agent-a2:002"]
    fields = next(one for one in user.sidecars() if one["session_id"] == "agent-a2")
    assert "run_from" not in fields


def test_a_subagent_stored_before_its_caller_learns_of_the_run(user):
    path = subagent(user, "agent-a1", 90)
    user.store()
    assert found(user, run_id="r-1") == []
    user.claude(the_run(user))
    user.store()
    assert found(user, run_id="r-1") == WHOLE
    late = user.files()
    assert user.store(full_rescan=True).chunks_written == 0
    assert user.files() == late
    path.unlink()
    user.store(full_rescan=True)
    assert user.files() == late


def test_a_fork_goes_on_in_the_run_it_left(user):
    log = the_run(user)
    user.claude(log)
    fork = ClaudeLog(OTHER, log.cwd).copied_from(log)
    user.claude(fork.prompt("Another way", DAY + 500).answer("So be it.", DAY + 501))
    user.store()
    assert f"{OTHER}:001" in found(user, run_id="r-1")


def test_another_session_is_in_no_run(user):
    user.claude(the_run(user))
    user.claude(ClaudeLog(THIRD).prompt("Write the docs", 100))
    user.store()
    assert found(user, run_id="r-1") == WHOLE[:3]


def test_records_after_a_lost_log_are_still_in_the_run(user):
    log = the_run(user)
    user.claude(log)
    user.store()
    log.prompt("One more", DAY + 600).records[:-2] = []
    user.claude(log)
    user.store()
    assert found(user, run_id="r-1") == [*WHOLE[:3], "S:005"]


def test_chunks_that_an_earlier_version_stored_catch_up_without_their_log(user):
    """Then a block counted for its stretch alone, and one in a later prompt stayed in the text."""
    log = the_run(user)
    user.claude(log.prompt("---\nrun_id: r-2\n---\nGo on", DAY + 120).prompt("And on", 2 * DAY))
    subagent(user, "agent-a1", 90)
    user.store()
    whole = {run: found(user, run_id=run) for run in ("r-1", "r-2")}
    for path in user.corpus.rglob("*.meta.json"):
        fields = orjson.loads(path.read_bytes())
        if not fields["id"].endswith((f"{SESSION}:002", f"{SESSION}:005")):
            names = ("run_id", "prompt_id", "run_from", "status", "workflow_phase")
            path.write_bytes(orjson.dumps({name: value for name, value in fields.items() if name not in names}))
    for path in (*user.root.rglob("*.jsonl"), *user.corpus.glob("catalog.sqlite*")):
        path.unlink()
    markdown = {path: body for path, body in user.files().items() if path.endswith(".md")}
    user.store()
    assert {run: found(user, run_id=run) for run in ("r-1", "r-2")} == whole
    assert {path: body for path, body in user.files().items() if path.endswith(".md")} == markdown
    before = user.files()
    user.store()
    assert user.files() == before


def test_search_is_limited_to_the_run_as_it_is_known_now(user):
    subagent(user, "agent-a1", 90)
    user.store()
    user.claude(the_run(user))
    user.store()
    report = search(user.settings, SearchQuery("bees", when(3 * DAY), Filters(run_id="r-1")))
    assert "agent-a1" in {hit.sidecar.session_id for hit in report.hits}
