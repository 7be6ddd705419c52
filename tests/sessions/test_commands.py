"""What `aicx sessions` and its actions print."""

from __future__ import annotations

import pytest

from tests.sessions.builders import HOUR, A, B, C, FamilyHome

pytestmark = pytest.mark.slow


@pytest.fixture
def stored(family: FamilyHome) -> FamilyHome:
    """Two sessions on one branch, and one on another."""
    first = family.log(A, branch="topic/gasket").prompt("Why does the gasket leak?", 0)
    family.claude(first.call("Edit", 5, file_path=f"{family.repo}/gasket.py").result("ok", 6).answer("It is worn.", 9))
    family.claude(family.log(B, branch="topic/gasket").prompt("Now seal the gasket for good", 2 * HOUR))
    family.claude(family.log(C, branch="topic/pump").prompt("Paint the pump in blue", 3 * HOUR))
    family.stored()
    return family


def test_show_gives_facts_edges_and_standing(stored: FamilyHome) -> None:
    found = stored("show", A)
    assert (found["title"], found["project"], found["branch"]) == (
        "Why does the gasket leak?",
        "ada/orbit",
        "topic/gasket",
    )
    assert (found["state"], found["outcome"], found["close_inferred"]) == ("closed", None, "successor")
    assert [work["files"] for work in found["work"]] == [["gasket.py"]]
    assert [(window["trigger"], window["messages"]) for window in found["windows"]] == [("start", found["messages"])]
    assert found["older"] == []
    (edge,) = found["newer"]
    assert edge == {
        "from_ref": f"session:claude:{B}",
        "to_ref": f"session:claude:{A}",
        "type": "continues",
        "reason": "both were on branch topic/gasket; it began 119 minutes after that one ended",
        "confidence": 0.75,
        "origin": "derived",
        "at": "2026-03-01T12:00:00Z",
    }


def test_show_for_people(stored: FamilyHome) -> None:
    code, out, _ = stored.run("sessions", "show", B[:8], "--utc")
    assert code == 0
    assert out == (
        f"session:claude:{B}  seal the gasket for good\n"
        "  ada/orbit · 2026-03-01 12:00 · closed (idle)\n"
        "  Goal:\n"
        "    - Now seal the gasket for good\n"
        "  From:\n"
        f"    - continues session:claude:{A} (derived, 75% sure): both were on branch topic/gasket;"
        " it began 119 minutes after that one ended\n"
    )


def test_chain_for_people(stored: FamilyHome) -> None:
    code, out, _ = stored.run("sessions", "chain", "-s", B, "--utc")
    assert code == 0
    assert out.splitlines()[2].startswith(f"  1 ↑ continues session:claude:{A} (derived, 75% sure)")
    assert out.splitlines()[3] == f"session:claude:{A}  Why does the gasket leak?"


def test_search_finds_sessions_with_where_they_stand(stored: FamilyHome) -> None:
    found = stored("search", "gasket", "leak")
    best = found["items"][0]
    assert (best["session_id"], best["state"], best["goal"]) == (A, "closed", "Why does the gasket leak?")
    assert {item["session_id"] for item in found["items"]} == {A, B}
    assert len({item["score"] for item in found["items"]}) == 2
    assert stored("search", "gasket", "leak", "--branch", "topic/pump")["items"] == []


def test_stats_count_everything_once(stored: FamilyHome) -> None:
    stored("open", "--session", "unheard-of", "--agent", "codex")
    stored("close", "--session", C, "--status", "abandoned")
    found = stored("stats")
    assert (found["sessions"], found["stored"]) == (4, 3)
    assert found["by_agent"] == {"claude": 3, "codex": 1}
    assert found["by_lane"] == {"primary": 3, "unknown": 1}
    assert found["by_state"] == {"closed": 1, "closed: idle": 1, "closed: successor": 1, "open": 1}
    assert found["by_outcome"] == {"abandoned": 1, "none": 3}
    assert found["edges"] == [{"type": "continues", "origin": "derived", "count": 1}]
    assert stored.run("sessions", "stats")[1].splitlines()[0] == "4 sessions, 3 stored"


def test_without_an_action_it_is_the_list(stored: FamilyHome) -> None:
    assert stored("--sort", "oldest") == stored("list", "--sort", "oldest")
    assert [item["session_id"] for item in stored("-p", "orbit", "--limit", "1")["items"]] == [C]


@pytest.mark.parametrize("name", ["search", "show", "list"])
def test_an_option_may_have_a_word_that_is_an_action(name: str, stored: FamilyHome) -> None:
    assert stored("-p", name)["items"] == []
    assert stored("--branch", name, "--limit", "3")["items"] == []


def test_an_action_may_follow_its_options(stored: FamilyHome) -> None:
    assert stored("--session", B, "chain")["items"][0]["session_id"] == B


def test_what_does_not_exist_is_named(stored: FamilyHome) -> None:
    code, error = stored.failed("show", "abcdef0")
    assert (code, "abcdef0" in error) == (3, True)
    assert stored.failed("sho")[1] == "There is no command 'sessions sho'. Did you mean 'sessions show'?"
    assert stored.failed("show", A, "--session", B)[0] == 2


def test_nothing_stored_and_nothing_stated_is_no_session(family: FamilyHome) -> None:
    assert family("stats")["sessions"] == 0
    assert family.failed("show", A)[0] == 3
    assert not (family.corpus / "index").exists()
