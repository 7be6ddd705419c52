"""The facts of sessions, kept so that each is read once."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aicx import evidence
from aicx.cli import run
from aicx.corpus.catalog.query import open_catalog
from aicx.evidence.kept import KeptParts
from aicx.storage.derived import remove_derived
from aicx.work import facts_index
from aicx.work.facts_index import facts_so_far, refresh_facts, session_facts
from aicx.work.session_facts import SessionFacts, decode
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home

pytestmark = pytest.mark.slow


@pytest.fixture
def user(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def repository(user: Home) -> str:
    return user.repository("orbit", "git@example.org:ada/orbit.git")


@pytest.fixture
def log(user: Home, repository: str) -> ClaudeLog:
    """A session that read and edited a file, and whose test failed."""
    log = ClaudeLog(SESSION, repository).prompt("Tokens of the login expire too early", 0)
    log.call("Bash", 1, "t0", command="git status").result("clean", 2, "t0")
    log.call("Read", 3, "t1", file_path=f"{repository}/src/login.py").result("def login(): ...", 4, "t1")
    log.call("Edit", 5, "t2", file_path=f"{repository}/src/login.py", new_string="x", old_string="y").result(
        "", 6, "t2"
    )
    log.call("Bash", 7, "t3", command="pytest -q").result("FAILED test_token", 8, "t3", failed=True)
    user.claude(log.answer("The refresh still needs to be written.", 9))
    user.store()
    return log


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many chunks were read for each session that was read."""
    found: list[int] = []
    whole = evidence.read_steps

    def counting(layout: object, paths: list[str]) -> object:
        found.append(len(paths))
        return whole(layout, paths)  # type: ignore[arg-type]

    monkeypatch.setattr(evidence, "read_steps", counting)
    return found


def facts(user: Home, where: str = "1") -> list[SessionFacts]:
    with open_catalog(user.settings.layout) as opened:
        return session_facts(user.settings.layout, opened.catalog, where)


def test_a_session_tells_what_it_did(user: Home, log: ClaudeLog) -> None:
    [found] = facts(user)
    assert (found.project, found.session_id, found.state_reason) == ("ada/orbit", SESSION, "failure_open")
    assert found.goal is not None
    assert found.goal.text == "Tokens of the login expire too early"
    assert (found.opened, found.edited, found.orientation) == (("src/login.py",), ("src/login.py",), ("git status",))
    assert [(test.command, test.passed) for test in found.tests] == [("pytest -q", False)]


def test_what_is_known_is_not_read_again(user: Home, log: ClaudeLog, reads: list[int]) -> None:
    first = facts(user)
    assert facts(user) == first
    assert len(reads) == 1


def test_only_a_session_that_grew_is_read_again(user: Home, repository: str, log: ClaudeLog, reads: list[int]) -> None:
    user.claude(ClaudeLog(OTHER, repository).prompt("Sort the imports", 60).answer("Sorted.", 61))
    user.store()
    facts(user)
    reads.clear()
    user.claude(log.prompt("go on with the refresh token", 100).answer("Written.", 101))
    user.store()
    last = facts(user)[0]
    assert len(reads) == 1
    assert last.asked is not None
    assert last.asked.text == "go on with the refresh token"


def test_the_last_ended_comes_first(user: Home, repository: str, log: ClaudeLog) -> None:
    user.claude(ClaudeLog(OTHER, repository).prompt("Sort the imports", 60).answer("Sorted.", 61))
    user.store()
    assert [found.session_id for found in facts(user)] == [OTHER, SESSION]


def test_who_cannot_wait_is_told_how_many_sessions_are_not_read(user: Home, log: ClaudeLog, reads: list[int]) -> None:
    with open_catalog(user.settings.layout) as opened:
        assert facts_so_far(user.settings.layout, opened.catalog) == ([], 1)
        assert reads == []
        (read,) = session_facts(user.settings.layout, opened.catalog)
        assert facts_so_far(user.settings.layout, opened.catalog) == ([read], 0)


def test_a_condition_leaves_the_rest_as_it_was(user: Home, log: ClaudeLog, reads: list[int]) -> None:
    facts(user)
    assert facts(user, "project='ada/moon'") == []
    assert len(facts(user)) == len(reads) == 1


def test_what_is_no_longer_stored_is_dropped(user: Home, log: ClaudeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AICX_HOME", str(user.corpus))
    facts(user)
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert (
        not user.settings.layout.work_facts.exists() or b"refresh" not in user.settings.layout.work_facts.read_bytes()
    )


def damaged(path: Path) -> Iterator[None]:
    body = path.read_bytes()
    for place in range(0, len(body), max(1, len(body) // 12)):
        path.write_bytes(body[:place] + b"\xff" * 40 + body[place + 40 :])
        yield
    path.write_bytes(body[: len(body) // 2])
    yield
    path.write_bytes(b"")
    yield


def test_damage_costs_time_and_nothing_else(user: Home, log: ClaudeLog) -> None:
    right = facts(user)
    for _ in damaged(user.settings.layout.work_facts):
        assert facts(user) == right


@pytest.mark.parametrize("name", [b"meta", b"facts", b"TABLE", b"check_sum"])
@pytest.mark.parametrize("first", [b"\x80", b"x"])
def test_a_file_with_a_damaged_schema_is_made_again(
    user: Home, log: ClaudeLog, reads: list[int], name: bytes, first: bytes
) -> None:
    right, path = facts(user), user.settings.layout.work_facts
    path.write_bytes(path.read_bytes().replace(name, first + name[1:]))
    assert [facts(user) for _ in range(4)] == [right] * 4
    assert len(reads) <= 3


def test_a_state_that_is_no_text_is_made_again(user: Home, log: ClaudeLog, reads: list[int]) -> None:
    path = user.settings.layout.work_facts
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog)
        identity = opened.catalog.identity.encode()
        path.write_bytes(path.read_bytes().replace(identity, b"\x80" * len(identity)))
        for _ in range(3):
            refresh_facts(user.settings.layout, opened.catalog)
        assert facts_so_far(user.settings.layout, opened.catalog)[1] == 0
    assert len(reads) <= 3


def test_what_another_process_saves_late_is_read_again(user: Home, log: ClaudeLog) -> None:
    layout = user.settings.layout
    facts(user)
    with closing(sqlite3.connect(layout.work_facts)) as kept:
        (before,) = kept.execute("SELECT * FROM facts").fetchall()
    user.claude(log.prompt("go on with the refresh token", 100).answer("Written.", 101))
    user.store()
    with open_catalog(layout) as opened:
        refresh_facts(layout, opened.catalog)
        with closing(KeptParts(layout, "facts")) as parts:
            parts.put([(before[:3], before[3], before[5])])
        assert facts_so_far(layout, opened.catalog)[1] == 1
        refresh_facts(layout, opened.catalog)
        assert facts_so_far(layout, opened.catalog)[1] == 0


def test_several_cores_read_what_one_reads(user: Home, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        log = ClaudeLog(f"{number}{SESSION[1:]}", repository).prompt(
            f"Let the tokens live {number} days longer", number
        )
        user.claude(log.call("Bash", 10, "t0", command="pytest -q").result("FAILED test_token", 11, "t0", failed=True))
    user.store()
    alone = facts(user)
    monkeypatch.setattr(facts_index, "_WORTH_WORKERS", 4)
    monkeypatch.setattr(facts_index, "_AT_ONCE", 3)
    remove_derived(user.settings.layout.work_facts)
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog, workers=2)
        assert facts_so_far(user.settings.layout, opened.catalog) == (alone, 0)
    assert len(alone) == 4


@pytest.mark.parametrize("most_named", [0, 1, 300])
def test_kept_facts_are_found_of_few_and_of_many_sessions(
    user: Home, log: ClaudeLog, monkeypatch: pytest.MonkeyPatch, most_named: int
) -> None:
    user.claude(ClaudeLog(OTHER, str(user.root)).prompt("Draw the orbit of the moon", 0).answer("Drawn.", 1))
    user.store()
    read = facts(user)
    monkeypatch.setattr("aicx.evidence.kept._MAX_NAMED", most_named)
    with open_catalog(user.settings.layout) as opened:
        assert facts_so_far(user.settings.layout, opened.catalog) == (read, 0)
        narrowed = facts_so_far(user.settings.layout, opened.catalog, "session_id=?", [OTHER])
    assert [one.session_id for one in narrowed[0]] == [OTHER]


def test_a_file_of_another_version_is_made_again(user: Home, log: ClaudeLog, reads: list[int]) -> None:
    facts(user)
    with sqlite3.connect(user.settings.layout.work_facts) as kept:
        kept.execute("UPDATE meta SET version='0'")
    assert len(facts(user)) == 1
    assert len(reads) == 2


def test_where_nothing_can_be_written_sessions_are_read_each_time(
    user: Home, log: ClaudeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = user.settings.layout.work_facts
    place.parent.mkdir(exist_ok=True)
    place.mkdir()
    assert len(facts(user)) == 1


def test_facts_are_read_back_as_they_were(user: Home, log: ClaudeLog) -> None:
    [found] = facts(user)
    assert decode(found.encode()) == found


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"state": "done"}', b"\xff"])
def test_what_is_no_record_of_facts_is_refused(body: bytes) -> None:
    with pytest.raises((ValueError, TypeError, LookupError)):
        decode(body)


def test_who_only_asks_what_is_known_writes_nothing(user: Home, log: ClaudeLog) -> None:
    with open_catalog(user.settings.layout) as opened:
        assert facts_so_far(user.settings.layout, opened.catalog) == ([], 1)
    assert not user.settings.layout.work_facts.exists()


def long_session(log: ClaudeLog, turns: Sequence[int], begin: int = 0) -> None:
    """A turn of about a chunk for each number, which says what is done in it."""
    for number, kind in enumerate(turns, begin):
        at, name = number * 100, f"t{number}"
        log.prompt(f"Now let the tokens of part {number} live longer. {'and so on ' * 300}", at)
        if kind % 5 == 0:
            path = f"src/part{kind}.py"
            log.call("Edit", at + 1, name, file_path=path, old_string="x", new_string="y").result("", at + 2, name)
        elif kind % 5 == 1:
            log.call("Bash", at + 1, name, command="git commit -qam x").result(
                f"[main abc{number}0] Part {kind}", at + 2, name
            )
        elif kind % 5 == 2:
            failed = f"E   AssertionError: {kind}\ntests/test_part.py:{kind}: AssertionError\n1 failed"
            log.call("Bash", at + 1, name, command="pytest -q").result(failed, at + 2, name, failed=True)
        elif kind % 5 == 3:
            log.call("Bash", at + 1, name, command="pytest -q").result("12 passed", at + 2, name)
        log.answer(f"That part is done. {'well ' * 900}", at + 3)


def all_at_once(user: Home) -> list[SessionFacts]:
    remove_derived(user.settings.layout.work_facts)
    return facts(user)


TURNS = st.lists(st.integers(0, 14), min_size=1, max_size=8)


@given(grown=st.lists(TURNS, min_size=1, max_size=3))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_long_session_that_grew_in_any_steps_is_told_as_if_read_at_once(
    grown: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as folder, monkeypatch.context() as patch:
        patch.setattr(facts_index, "_STRETCH", 2)
        user, log, count = Home(Path(folder)), ClaudeLog(), 0
        for turns in grown:
            long_session(log, turns, count)
            count += len(turns)
            user.claude(log)
            user.store()
            as_grown = facts(user)
        assert as_grown == all_at_once(user)


def test_what_was_done_in_a_long_session_is_told_as_of_a_short_one(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    log = ClaudeLog()
    long_session(log, [2, 0, 1, 3, 7, 5, 3, 6, 2, 0, 3, 10])
    user.claude(log)
    user.store()
    [whole] = facts(user)
    monkeypatch.setattr(facts_index, "_STRETCH", 3)
    [found] = all_at_once(user)
    assert (found.edited, found.commands, found.tests) == (whole.edited, whole.commands, whole.tests)
    assert (found.goal, found.asked, found.commits) == (whole.goal, whole.asked, whole.commits)
    assert [(one.message, one.count, one.resolved is None) for one in found.failures] == [
        (one.message, one.count, one.resolved is None) for one in whole.failures
    ]


def test_of_a_long_session_that_grew_only_the_end_is_read(
    user: Home, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts_index, "_STRETCH", 3)
    log = ClaudeLog()
    long_session(log, [0] * 30)
    user.claude(log)
    user.store()
    facts(user)
    read = sum(reads)
    reads.clear()
    long_session(log, [0], 30)
    user.claude(log)
    user.store()
    facts(user)
    assert sum(reads) < 10 < read


def test_a_chunk_of_its_beginning_that_changed_has_a_long_session_read_again(
    user: Home, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts_index, "_STRETCH", 3)
    log = ClaudeLog()
    long_session(log, [0] * 12)
    user.claude(log)
    user.store()
    facts(user)
    read = sum(reads)
    reads.clear()
    with sqlite3.connect(user.settings.layout.catalog) as catalog:
        catalog.execute("UPDATE chunks SET sequence=(SELECT max(sequence)+1 FROM chunks) WHERE number=2")
    drop_checksums(user)
    facts(user)
    assert sum(reads) == read


def drop_checksums(user: Home) -> None:
    for path in user.corpus.glob("catalog.sqlite.*"):
        path.unlink()


def test_a_working_tree_of_a_branch_with_a_slash_has_the_paths_of_the_repository(user: Home, repository: str) -> None:
    tree = f"{repository}/.worktrees/fix/login"
    log = ClaudeLog(OTHER, tree, branch="fix/login").prompt("Tokens of the login expire too early", 0)
    log.call("Edit", 5, "t2", file_path=f"{tree}/src/login.py", new_string="x", old_string="y").result("", 6, "t2")
    user.claude(log.answer("Fixed.", 9))
    user.store()
    assert [one.edited for one in facts(user)] == [("src/login.py",)]
