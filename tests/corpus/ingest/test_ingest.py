"""The write path: everything once, nothing lost, and the same bytes however often and in how many steps it runs."""

from __future__ import annotations

import os
import re
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from aicx.corpus.ingest import reading
from aicx.corpus.ingest.reading import IngestPlan
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from aicx.errors import CorpusDamaged, UsageError
from aicx.sources.door import CleanSource
from aicx.sources.items import LogFile
from tests.corpus.builders import (
    CWD,
    OTHER,
    SESSION,
    T0,
    THIRD,
    TORN,
    ClaudeLog,
    CodexLog,
    Home,
    snapshot,
    write_git,
)

pytestmark = pytest.mark.slow

SECRET = "ghp_" + "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA3bC6"
NEXT_DAY = 14 * 3600  # sessions begin at ten
BIG = "word " * 500


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def another(tmp_path: Path) -> Home:
    """A second home, to compare with: its logs lie elsewhere, so their path is replaced when bytes are compared."""
    (tmp_path / "another").mkdir()
    return Home(tmp_path / "another")


def corpus(home: Home) -> dict[str, bytes]:
    """The corpus without what depends on where this home lies: the logs' paths."""
    return {path: body.replace(str(home.root).encode(), b"~") for path, body in home.files().items()}


def long_claude() -> ClaudeLog:
    """A session of several chunks, two folders and two days, with every kind of record."""
    log = ClaudeLog().prompt("Fix the parser", 0).answer("Looking.", 1).answer("Found it.", 2)
    log.call("Bash", 3, "toolu_1", command="pytest -q").result("1 failed\n" * 400, 4, "toolu_1", failed=True)
    log.add("progress", 5, data={"type": "bash_progress"})
    log.title("Parser")
    for index in range(4):
        log.prompt(f"{index} {BIG}", 10 + index * 2).answer(f"{index} {BIG}", 11 + index * 2)
    log.cwd = "/srv/ada/lamp"
    log.prompt("Now the lamp", 30).answer("It is on.", 31)
    log.cwd = CWD
    log.prompt("And back", 40).answer("Here again.", 41)
    log.prompt("Good morning", NEXT_DAY).answer("Good morning.", NEXT_DAY + 1)
    return log


def long_codex(remote: str | None = "git@github.com:ada/orbit.git") -> CodexLog:
    log = CodexLog(remote=remote).prompt("Write the docs for orbit", 5).answer("Started.", 6)
    log.call("ls docs", 7).result("index.md\n" * 500, 8)
    for index in range(4):
        log.prompt(f"docs {index} {BIG}", 10 + index * 2).answer(f"docs {index} {BIG}", 11 + index * 2)
    return log.prompt("Good night", NEXT_DAY)


class TestOnce:
    def test_every_message_is_stored_exactly_once(self, home):
        home.claude(long_claude())
        home.store()
        assert sorted(text[:12] for text in home.own_texts() if "word" not in text) == sorted(
            [
                "Fix the pars",
                "Looking.",
                "Found it.",
                "Bash\n$ pytes",
                "1 failed\n1 f",
                "Now the lamp",
                "It is on.",
                "And back",
                "Here again.",
                "Good morning",
                "Good morning",
            ]
        )

    def test_a_bad_line_costs_itself_and_is_named(self, home):
        path = home.claude(long_claude())
        report = home.store()
        assert [(problem.path, problem.line) for problem in report.problems] == [(str(path), 1)]

    def test_a_session_in_two_repositories_keeps_every_message(self, home):
        orbit, lamp = (
            home.repository("orbit", "git@x.org:ada/orbit.git"),
            home.repository("lamp", "git@x.org:ada/lamp.git"),
        )
        log = ClaudeLog(cwd=orbit).prompt("One", 0)
        log.cwd = lamp
        log.prompt("Two", 1)
        log.cwd = orbit
        home.claude(log.prompt("Three", 2))
        home.store()
        found = {fields["id"].rpartition(":")[2]: fields["project"] for fields in home.sidecars()}
        assert found == {"001": "ada/orbit", "002": "ada/lamp", "003": "ada/orbit"}
        assert sorted(home.own_texts()) == ["One", "Three", "Two"]

    def test_folder_name_and_sidecar_agree(self, home):
        home.claude(long_claude())
        home.codex(long_codex())
        home.store()
        for path, fields in home.chunks().items():
            day, kind, agent, name = path.split("/")[-4:]
            assert day == fields["date"].replace("-", "_", 1).replace("-", "")
            assert kind == fields["kind"]
            assert agent == fields["agent"]
            assert name == f"{day}_{agent}_{fields['session_id']}_{fields['id'].rpartition(':')[2]}.md"

    def test_no_secret_is_anywhere_in_the_home_of_aicx(self, home):
        home.claude(ClaudeLog(branch=f"fix/{SECRET}").prompt(f"export GITHUB_TOKEN={SECRET}", 0).title(f"On {SECRET}"))
        home.codex(
            CodexLog().call(f"curl -H 'Authorization: Bearer {SECRET}' x.org", 1).result(f"{'x' * 1590} {SECRET}", 2)
        )
        report = home.store()
        assert sum(report.redactions.values()) >= 3
        for path, body in snapshot(home.corpus).items():
            assert SECRET.encode() not in body, path
            assert SECRET[:12].encode() not in body, path

    def test_secrets_are_kept_when_that_is_asked_for(self, home):
        home.claude(ClaudeLog().prompt(f"token {SECRET}", 0))
        home.store(redact_secrets=False)
        assert SECRET in home.markdown()

    def test_the_logs_are_not_touched(self, home):
        home.claude(long_claude())
        home.codex(long_codex())
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in home.root.rglob("*") if path.is_file()}
        home.store()
        after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in home.root.rglob("*") if path.is_file()}
        assert before == after

    def test_dates_come_from_records_whatever_the_file_says(self, home):
        os.utime(home.claude(long_claude()), (0, 0))
        home.store()
        assert {fields["date"] for fields in home.sidecars()} == {"2026-03-01", "2026-03-02"}


class TestGrowth:
    @pytest.mark.parametrize("agent", ["claude", "codex"])
    def test_storing_after_every_record_gives_the_same_bytes_as_storing_once(self, home, another, agent):
        log = long_claude() if agent == "claude" else long_codex()
        write = {"claude": Home.claude, "codex": Home.codex}[agent]
        write(another, log)
        another.store()
        body = log.body()
        ends = [position + 1 for position, byte in enumerate(body) if byte == ord("\n")]
        for end in ends[1:]:
            write(home, log, end)
            home.store()
        assert corpus(home) == corpus(another)

    @pytest.mark.parametrize("agent", ["claude", "codex"])
    def test_a_log_caught_in_the_middle_of_a_line_gives_the_same_bytes(self, home, another, agent):
        log = long_claude() if agent == "claude" else long_codex()
        write = {"claude": Home.claude, "codex": Home.codex}[agent]
        write(another, log)
        another.store()
        size = len(log.body())
        for end in (*range(size // 9, size, size // 9), size):
            write(home, log, end)
            home.store()
        assert corpus(home) == corpus(another)

    def test_growth_leaves_closed_chunks_alone(self, home):
        log = long_claude()
        size = len(log.body())
        home.claude(log, size * 3 // 4)
        home.store()
        before = home.files()
        home.claude(log)
        home.store()
        after = home.files()
        last = max(path for path in before if path.endswith(".md")).removesuffix(".md")
        assert {path for path in before if before[path] != after.get(path)} <= {f"{last}.md", f"{last}.meta.json"}
        assert len(after) > len(before)

    def test_words_typed_while_the_agent_was_busy_are_stored_once(self, home):
        """The queue has the prompt first, and the log has it again, under an id of its own, when its turn comes."""
        log = ClaudeLog().prompt("Begin", 0).answer("Working.", 1)
        queued = {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION}
        log.records.append({**queued, "timestamp": "2026-03-01T10:00:02.000Z", "content": "And then the tests"})
        home.claude(log)
        home.store()
        log.records.append({**queued, "operation": "dequeue", "timestamp": "2026-03-01T10:00:09.000Z"})
        log.prompt("And then the tests", 9).answer("Tests pass.", 10)
        home.claude(log)
        home.store()
        home.claude(log.prompt("Thanks", 20).answer("Sure.", 21))
        home.store()
        assert home.own_texts() == ["Begin", "Working.", "And then the tests", "Tests pass.", "Thanks", "Sure."]
        assert len(home.sidecars()) == 1

    def test_a_chunk_that_turns_into_a_conversation_moves_and_leaves_nothing_behind(self, home):
        log = ClaudeLog().call("Bash", 0, command="ls")
        home.claude(log)
        home.store()
        assert home.sidecar()["kind"] == "other"
        home.claude(log.prompt("Hello", 5))
        home.store()
        assert home.sidecar()["kind"] == "conversations"
        assert all("/conversations/" in path for path in home.files())

    def test_a_session_keeps_its_repository_when_the_remote_changes(self, home):
        cwd = home.repository("orbit", "git@x.org:ada/orbit.git")
        log = ClaudeLog(cwd=cwd).prompt("One", 0)
        home.claude(log)
        home.store()
        shutil.rmtree(cwd)
        write_git(Path(cwd), "git@x.org:bob/orbit.git")
        home.claude(log.prompt("Two", 1))
        home.store()
        assert home.sidecar()["project"] == "ada/orbit"

    def test_a_new_session_goes_where_the_remote_is_now(self, home):
        cwd = home.repository("orbit", "git@x.org:ada/orbit.git")
        home.claude(ClaudeLog(SESSION, cwd).prompt("One", 0))
        home.store()
        shutil.rmtree(cwd)
        write_git(Path(cwd), "git@x.org:bob/orbit.git")
        home.claude(ClaudeLog(OTHER, cwd).prompt("Two", 1))
        home.store()
        assert {fields["session_id"]: fields["project"] for fields in home.sidecars()} == {
            SESSION: "ada/orbit",
            OTHER: "bob/orbit",
        }


class TestRerun:
    def test_a_run_without_a_change_reads_nothing(self, home, monkeypatch):
        home.claude(long_claude())
        home.codex(long_codex())
        home.claude_history((THIRD, "Lost and found", 0))
        home.store()
        monkeypatch.setattr(CleanSource, "read", lambda *_: pytest.fail("a log was read"))
        report = home.store()
        assert (report.logs, report.logs_read, report.bytes_read, report.chunks_written) == (3, 0, 0, 0)

    def test_a_run_without_a_change_writes_nothing(self, home):
        home.claude(long_claude())
        home.store()
        before = {path: (home.corpus / path).stat().st_mtime_ns for path in home.files()}
        summary = (home.corpus / "index.json").stat().st_mtime_ns
        home.store()
        assert {path: (home.corpus / path).stat().st_mtime_ns for path in home.files()} == before
        assert (home.corpus / "index.json").stat().st_mtime_ns == summary

    def test_a_full_rescan_gives_the_same_bytes_and_writes_nothing(self, home):
        home.claude(long_claude())
        home.claude(ClaudeLog(THIRD).copied_from(long_claude()).prompt("A fork", NEXT_DAY + 100))
        home.codex(long_codex())
        home.claude_history((SESSION, "Fix the parser", 0), (OTHER + "0", "Lost", 7))
        home.store()
        before = home.files()
        report = home.store(full_rescan=True)
        assert home.files() == before
        assert (report.logs_read, report.chunks_written, report.chunks_removed) == (4, 0, 0)

    def test_a_full_rescan_brings_a_deleted_chunk_back(self, home):
        home.claude(long_claude())
        home.store()
        before = home.files()
        path = next(path for path in before if path.endswith(".md"))
        (home.corpus / path).unlink()
        home.store(full_rescan=True)
        assert home.files() == before

    def test_a_full_rescan_mends_a_chunk_that_somebody_changed(self, home):
        home.claude(long_claude())
        home.store()
        before = home.files()
        (home.corpus / next(iter(before))).write_bytes(b"scribble")
        home.store(full_rescan=True)
        assert home.files() == before

    def test_logs_read_again_without_a_catalogue_change_nothing(self, home):
        home.claude(long_claude())
        home.codex(long_codex())
        home.store()
        before = home.files()
        (home.corpus / "catalog.sqlite").unlink()
        home.store()
        assert home.files() == before

    def test_two_homes_with_the_same_logs_get_the_same_corpus(self, home, another):
        for found in (home, another):
            found.claude(long_claude())
            found.codex(long_codex())
            found.store()
        assert corpus(home) == corpus(another)

    def test_one_agent_after_the_other_gives_the_same_as_both(self, home, another):
        for found in (home, another):
            found.claude(long_claude())
            found.codex(long_codex(remote=None))
        home.store(agents=("codex",))
        home.store(agents=("claude",))
        another.store()
        assert corpus(home) == corpus(another)


class TestGone:
    def test_a_chunk_stays_when_its_source_is_deleted(self, home):
        home.claude(long_claude()).unlink()
        home.claude(long_claude())
        home.store()
        before = home.files()
        shutil.rmtree(home.root / ".claude")
        home.store()
        home.store(full_rescan=True)
        assert home.files() == before

    def test_a_log_that_lost_its_head_keeps_what_was_stored(self, home):
        log = ClaudeLog().prompt("One", 0).answer("Two", 1)
        home.claude(log)
        home.store()
        log.records = []
        log.records = ClaudeLog().prompt("x", 0).answer("x", 1).prompt("Three", 2).records[2:]
        home.claude(log)
        home.store()
        assert home.own_texts() == ["One", "Two", "Three"]

    def test_such_a_log_stored_again_adds_nothing(self, home):
        log = ClaudeLog().prompt("One", 0).answer("Two", 1)
        home.claude(log)
        home.store()
        log.records = log.records[1:]
        home.claude(log)
        home.store()
        before = home.files()
        home.store(full_rescan=True)
        assert home.files() == before

    def test_a_prompt_told_again_under_an_id_of_its_own_is_not_added_behind_a_lost_head(self, home):
        log = ClaudeLog().prompt("One", 0)
        log.records.append(
            {
                "type": "queue-operation",
                "operation": "enqueue",
                "timestamp": "2026-03-01T10:00:02.000Z",
                "content": "Two",
            }
        )
        home.claude(log)
        home.store()
        log.records = ClaudeLog().prompt("x", 0).prompt("Two", 9).prompt("Three", 10).records[1:]
        home.claude(log)
        home.store()
        assert home.own_texts() == ["One", "Two", "Three"]

    def test_the_same_words_again_do_not_stand_for_lost_ones(self, home):
        log = ClaudeLog().prompt("yes", 0).prompt("yes", 1)
        home.claude(log)
        home.store()
        log.records = log.records[1:]
        home.claude(log.prompt("no", 2))
        home.store()
        assert home.own_texts() == ["yes", "yes", "no"]

    def test_a_log_emptied_by_its_agent_keeps_what_was_stored(self, home):
        path = home.claude(long_claude())
        home.store()
        before = home.files()
        path.write_bytes(b"")
        home.store()
        assert home.files() == before

    def test_a_session_in_two_logs_is_one_session(self, home):
        home.codex(CodexLog(OTHER).prompt("The first half of it", 0))
        second = CodexLog(OTHER).prompt("The second half of it", 60)
        archived = home.root / ".codex/archived_sessions" / f"rollout-2026-03-01T11-00-00-{OTHER}.jsonl"
        archived.parent.mkdir(parents=True)
        archived.write_bytes(second.body())
        home.store()
        fields = home.sidecar()
        assert len(fields["messages"]) == 2
        assert len([fields["source"], *fields["more_sources"]]) == 2

    def test_a_log_that_moves_changes_nothing_but_is_read(self, home):
        path = home.codex(long_codex())
        home.store()
        before = home.files()
        target = home.root / ".codex/archived_sessions" / path.name
        target.parent.mkdir()
        path.rename(target)
        home.store()
        assert {
            name: body.replace(str(target).encode(), str(path).encode()) for name, body in home.files().items()
        } == before


class TestLimits:
    def two(self, home: Home) -> None:
        home.claude(ClaudeLog(SESSION, home.repository("api", "git@x.org:ada/api.git")).prompt("In api", 0))
        home.claude(
            ClaudeLog(OTHER, home.repository("apiary", "git@x.org:ada/apiary.git")).prompt("In apiary", NEXT_DAY)
        )

    def test_a_project_takes_its_sessions_only(self, home):
        self.two(home)
        home.store(projects=("ada/apiary",))
        assert home.own_texts() == ["In apiary"]

    def test_several_projects_take_the_sessions_of_any(self, home):
        self.two(home)
        home.store(projects=("ada/apiary", "zzz", "api"))
        assert sorted(home.own_texts()) == ["In api", "In apiary"]

    def test_a_project_does_not_take_along_what_begins_like_it(self, home):
        self.two(home)
        home.store(projects=("api",))
        assert home.own_texts() == ["In api"]

    def test_left_out_logs_are_stored_by_the_next_run(self, home):
        self.two(home)
        home.store(projects=("ada/apiary",))
        home.store()
        assert sorted(home.own_texts()) == ["In api", "In apiary"]

    def test_since_takes_sessions_with_a_record_since_then(self, home):
        self.two(home)
        home.store(since=T0 + timedelta(seconds=1))
        assert home.own_texts() == ["In apiary"]

    def test_since_takes_such_a_session_whole(self, home):
        home.claude(ClaudeLog().prompt("Early", 0).prompt("Late", NEXT_DAY))
        home.store(since=T0 + timedelta(hours=1))
        assert home.own_texts() == ["Early", "Late"]

    def test_one_agent_leaves_the_others_alone(self, home):
        home.claude(long_claude())
        home.codex(long_codex())
        home.store(agents=("codex",))
        assert {fields["agent"] for fields in home.sidecars()} == {"codex"}

    def test_an_unknown_agent_is_an_error_that_names_the_known(self, home):
        with pytest.raises(UsageError) as error:
            home.store(agents=("clippy",))
        assert "claude" in (error.value.hint or "")

    def test_a_project_that_no_session_is_in_is_mentioned(self, home):
        self.two(home)
        assert home.store(projects=("zzz",)).notes == ["no session in a repository or folder named 'zzz'"]


class TestDryRun:
    def test_a_dry_run_counts_what_would_be_stored(self, home):
        home.claude(long_claude())
        planned, done = home.store(dry_run=True), home.store()
        for name in ("logs", "logs_read", "sessions", "chunks_written", "messages", "redactions", "buckets"):
            assert getattr(planned, name) == getattr(done, name), name

    def test_a_dry_run_writes_nothing_where_nothing_is(self, home):
        home.claude(long_claude())
        home.store(dry_run=True)
        assert not home.corpus.exists()

    def test_a_dry_run_changes_nothing_where_something_is(self, home):
        home.claude(ClaudeLog().prompt("One", 0))
        home.store()
        before = snapshot(home.corpus)
        home.claude(long_claude())
        home.store(dry_run=True)
        assert snapshot(home.corpus) == before

    def test_the_next_run_stores_what_a_dry_run_saw(self, home):
        home.claude(ClaudeLog().prompt("One", 0))
        home.store(dry_run=True)
        home.store()
        assert home.own_texts() == ["One"]


class TestTitles:
    def test_a_title_from_another_log_belongs_to_the_session_of_its_record(self, home):
        log = ClaudeLog(SESSION).prompt("One", 0)
        home.claude(log)
        other = ClaudeLog(OTHER).prompt("Two", 50)
        other.records.insert(0, {"type": "summary", "summary": "On one", "leafUuid": log.records[0]["uuid"]})
        home.claude(other)
        home.store()
        titles = {fields["session_id"]: fields.get("session_title") for fields in home.sidecars()}
        assert titles == {SESSION: "On one", OTHER: None}

    def test_such_a_title_is_only_on_the_last_chunk(self, home):
        log = long_claude()
        home.claude(log)
        other = ClaudeLog(OTHER).prompt("Two", NEXT_DAY + 50)
        other.records.insert(0, {"type": "summary", "summary": "On one", "leafUuid": log.records[0]["uuid"]})
        home.claude(other)
        home.store()
        own = sorted(
            (fields for fields in home.sidecars() if fields["session_id"] == SESSION), key=lambda item: item["id"]
        )
        assert [fields.get("session_title") for fields in own] == [*[None] * (len(own) - 1), "On one"]

    def test_two_titles_for_one_session_do_not_rewrite_it_again_and_again(self, home):
        log = ClaudeLog(SESSION).prompt("One", 0)
        home.claude(log)
        other = ClaudeLog(OTHER).prompt("Two", 50)
        titles = [
            {"type": "summary", "summary": text, "leafUuid": log.records[0]["uuid"]} for text in ("On one", "On 1")
        ]
        other.records[:0] = titles
        home.claude(other)
        home.store()
        before = {path: (home.corpus / path).stat().st_mtime_ns for path in home.files()}
        home.store(full_rescan=True)
        assert {path: (home.corpus / path).stat().st_mtime_ns for path in home.files()} == before

    def test_such_a_title_moves_on_when_the_session_grows(self, home):
        log = ClaudeLog(SESSION).prompt("One", 0)
        other = ClaudeLog(OTHER).prompt("Two", 50)
        other.records.insert(0, {"type": "summary", "summary": "On one", "leafUuid": log.records[0]["uuid"]})
        home.claude(log)
        home.claude(other)
        home.store()
        home.claude(log.prompt("Next day", NEXT_DAY))
        home.store()
        own = sorted(
            (fields for fields in home.sidecars() if fields["session_id"] == SESSION), key=lambda item: item["id"]
        )
        assert [fields.get("session_title") for fields in own] == [None, "On one"]


class TestManyLogs:
    def test_the_size_of_all_logs_is_added_up_once(self, home, monkeypatch):
        for number in range(40):
            home.claude(ClaudeLog(f"{number:08x}-1111-4111-8111-111111111111").prompt(f"Prompt {number}", number))
        asked = []
        size = IngestPlan.size.fget
        monkeypatch.setattr(IngestPlan, "size", property(lambda plan: asked.append(plan) or size(plan)))
        assert home.store().sessions == 40
        assert len(asked) == 1

    def test_workers_get_tiny_sessions_in_groups_and_large_ones_alone(self, tmp_path):
        tiny, large = (LogFile("claude", "claude-jsonl", tmp_path / "log", size, "") for size in (10, 1_000_000))
        sessions = [("claude", [log], None) for log in (*[tiny] * 150, large, large, tiny)]
        groups = [len(group) for group, _, _ in reading._grouped(sessions, True, False)]
        assert groups == [100, 51, 1, 1]

    def test_progress_is_told_while_logs_are_looked_for(self, home):
        home.claude(long_claude())
        home.codex(long_codex())
        told: list[tuple[int, int, str]] = []
        store(home.settings, StoreRequest(), lambda *progress: told.append(progress), lambda line: None)
        first = [label for _, total, label in told if total == 0]
        assert first[:2] == ["found 0 logs", "opened 0 of 1"]
        assert told[len(first)][1] > 0


class TestSilentLogs:
    def reasons(self, report) -> dict[str, str]:
        return {Path(problem.path).stem: problem.reason for problem in report.without_chunks}

    def test_a_log_of_bookkeeping_alone_is_named_with_its_reason(self, home):
        log = ClaudeLog(SESSION).add("progress", 0, data={}).add("progress", 1, data={}).add("mode", 2)
        home._write(f".claude/projects/-srv-ada-orbit/{SESSION}.jsonl", log.body().removeprefix(TORN))
        assert self.reasons(home.store()) == {SESSION: "holds nothing to store, only: progress (2), mode (1)"}

    def test_an_empty_log_is_named(self, home):
        home._write(f".claude/projects/-srv-ada-orbit/{SESSION}.jsonl", b"")
        assert self.reasons(home.store()) == {SESSION: "is empty"}

    def test_a_log_of_titles_alone_is_named(self, home):
        record = b'{"type": "summary", "summary": "On one", "leafUuid": "u-1"}\n'
        home._write(f".claude/projects/-srv-ada-orbit/{SESSION}.jsonl", record)
        assert self.reasons(home.store()) == {SESSION: "holds only a title or other facts about a session"}

    def test_a_log_of_copies_alone_is_named(self, home):
        log = ClaudeLog(SESSION).prompt("One prompt that is long enough to be known again", 0)
        home.claude(log)
        home.claude(ClaudeLog(OTHER).copied_from(log))
        assert self.reasons(home.store()) == {OTHER: "holds only copies of messages that are stored already"}

    def test_a_log_of_damage_alone_is_named(self, home):
        home._write(f".claude/projects/-srv-ada-orbit/{SESSION}.jsonl", b"not JSON\n")
        assert self.reasons(home.store()) == {SESSION: "holds no message that can be read"}

    def test_a_log_with_a_message_is_not_named(self, home):
        home.claude(long_claude())
        home.codex(long_codex())
        assert home.store().without_chunks == []


class TestTrouble:
    def test_a_folder_named_like_a_log_is_a_problem_and_no_more(self, home):
        home.claude(ClaudeLog().prompt("One", 0))
        (home.root / ".claude/projects/-srv-ada-orbit" / f"{OTHER}.jsonl").mkdir()
        report = home.store()
        assert any("is a folder" in problem.reason for problem in report.problems)
        assert home.own_texts() == ["One"]

    def test_a_log_that_cannot_be_read_is_tried_again(self, home):
        path = home.claude(ClaudeLog().prompt("One", 0))
        path.unlink()
        path.symlink_to(home.root / "nowhere")
        assert any(problem.path == str(path) for problem in home.store().problems)
        path.unlink()
        home.claude(ClaudeLog().prompt("One", 0))
        home.store()
        assert home.own_texts() == ["One"]

    def test_an_empty_home_is_no_trouble(self, home):
        report = home.store()
        assert (report.logs, report.sessions, report.problems) == (0, 0, [])

    def test_a_bad_ignore_file_stops_the_run_before_it_reads_anything(self, home):
        home.corpus.mkdir()
        (home.corpus / ".aicxignore").write_text("ok\n!\n")
        home.claude(ClaudeLog().prompt("One", 0))
        with pytest.raises(UsageError, match=re.escape(".aicxignore, line 2 is not a pattern")):
            home.store()
        assert home.files() == {}

    def test_damaged_tombstones_stop_the_run(self, home):
        home.corpus.mkdir()
        (home.corpus / "forgotten.jsonl").write_text("{\n")
        home.claude(ClaudeLog().prompt("One", 0))
        with pytest.raises(CorpusDamaged):
            home.store()
        assert home.files() == {}

    def test_a_log_of_nothing_but_damage_is_no_session(self, home):
        folder = home.root / ".claude/projects/-x"
        folder.mkdir(parents=True)
        (folder / f"{SESSION}.jsonl").write_bytes(TORN * 3)
        report = home.store()
        assert len(report.problems) == 3
        assert home.files() == {}

    def test_an_instant_in_a_hostile_block_cannot_stop_the_run(self, home):
        home.claude(
            ClaudeLog().prompt("---\nrun_id: r\ntoken_usage: ²\nfindings_count: 99999999999999999999\n---\nGo", 0)
        )
        home.store()
        assert home.sidecar()["run_id"] == "r"
