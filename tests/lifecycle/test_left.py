"""What was stated at the end of a session is told to the next one, wherever that asks."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.filters import EVERYTHING
from aicx.servers.mcp.texts import search_text
from aicx.storage.typed import from_json
from aicx.work import files
from aicx.work.files import decode, encode
from aicx.work.record import WorkRecord
from aicx.work.stated_search import stated_about
from tests.corpus.builders import ClaudeLog, when
from tests.forked import Piped
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.slow

SUMMARY, NEXT, DECISION = "The renewal breaks on leap days", "Rewrite the calendar", "One calendar for all tenants"
LABEL = f"decided (a candidate, not accepted yet): {DECISION}"


def fail(place: Place, session: str = "s9", *words: str) -> None:
    place.finalize(SUMMARY, session, "--next", NEXT, "--decision", DECISION, *words, status="failure")


def text(capsys: pytest.CaptureFixture[str], *command: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run([*command]) == code
    return capsys.readouterr().out


def work(place: Place, session: str, answer: str, ends: float) -> None:
    """Stores the log of a session that began a minute ago and ends ``ends`` seconds from now with this answer."""
    now = (datetime.now(UTC) - when(0)).total_seconds()
    log = ClaudeLog(session, str(place.repository.folder)).prompt("Renew the tokens on leap days", now - 60)
    log.call("Edit", now - 50, "e", file_path=f"{place.repository.folder}/src/login.py", new_string="a", old_string="b")
    place.user.claude(log.result("", now - 49, "e").answer(answer, now + ends))
    place.user.store()


class TestTold:
    def test_the_brief_says_who_stated_what_and_when(self, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
        fail(place)
        lines = text(capsys, "resume").splitlines()
        start = lines.index("## Stated at the end of a session, and not checked")
        assert lines[start + 1].startswith(f"- failure, as stated by claude just now: {SUMMARY} [work:")
        assert lines[start + 2 : start + 4] == [f"- next: {NEXT}", f"- {LABEL}"]

    def test_the_json_has_it_with_its_author_age_and_candidates(self, place: Place) -> None:
        fail(place)
        found = place("resume")
        stated = found["stated"]
        assert (stated["by"], stated["session"], stated["age"]) == ("claude", "session:claude:s9", "just now")
        assert (stated["outcome"], stated["summary"]) == ("failure", SUMMARY)
        assert [one["text"] for one in stated["next"]] == [NEXT]
        assert [(one["text"], one["status"]) for one in stated["decisions"]] == [(DECISION, "candidate")]
        assert found["capsule"]["next_action"] == NEXT
        assert found["task_state"] == {"status": "active", "confidence": "high", "reason": "stated_failure"}

    def test_the_banner_says_it(self, place: Place) -> None:
        fail(place)
        lines = place.prepare("s2")["startup_banner_text"].splitlines()
        assert f"Failed: {SUMMARY} (stated by claude, just now)" in lines
        assert f"Next: {NEXT}" in lines

    def test_the_next_step_is_the_stated_one(self, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
        fail(place)
        [step] = place("next")["steps"]
        assert (step["text"], step["origin"]) == (NEXT, "stated")
        assert "claude stated that it failed" in text(capsys, "next")

    def test_a_failure_without_a_next_step_is_the_next_step(self, place: Place) -> None:
        place.finalize(SUMMARY, "s9", status="failure")
        assert [step["text"] for step in place("next")["steps"]] == [f"Go on with what failed: {SUMMARY}"]

    def test_search_finds_it(self, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
        fail(place)
        [found] = place("search", "renewal leap days")["stated"]
        assert (found["by"], found["lines"]) == ("claude", [f"failure: {SUMMARY}"])
        assert "stated by claude at the end of a session" in text(capsys, "search", "rewrite the calendar")
        assert "stated" not in place("search", "login tokens expire")

    def test_search_over_mcp_quotes_it(self, place: Place) -> None:
        fail(place)
        said = search_text(place("search", "one calendar for all tenants"), {})
        assert f"decided (candidate): {DECISION}" in said.split("Stated at the end of a session, not checked:")[1]

    @pytest.mark.parametrize("filter", [("-a", "codex"), ("-p", "elsewhere"), ("--failed",), ("--until", "2020-01-01")])
    def test_filters_of_a_search_hold_for_it(self, place: Place, filter: tuple[str, ...]) -> None:
        fail(place)
        assert "stated" not in place("search", "renewal leap days", *filter)

    def test_a_task_takes_it_over(self, place: Place) -> None:
        fail(place, "s9", "--task", "Renew on leap days")
        task = place("task", "start")["task"]
        assert (task["goal"], task["next_action"], task["decisions"]) == ("Renew on leap days", NEXT, [DECISION])


class TestAboutATask:
    def state(self, place: Place) -> None:
        fail(place, "s8")
        place.finalize("The importer reads dates", "s9", "--next", "Document the importer")

    def test_an_earlier_statement_about_it_is_shown_too_with_its_age(
        self, place: Place, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.state(place)
        found = place("resume", "--task", "renewal on leap days")
        assert (found["stated"]["summary"], found["stated_before"]["summary"]) == ("The importer reads dates", SUMMARY)
        assert [one["text"] for one in found["stated_before"]["next"]] == [NEXT]
        said = f"- earlier, about this task: failure, as stated by claude just now: {SUMMARY}; next: {NEXT}; {LABEL} ["
        assert said in text(capsys, "resume", "--task", "renewal on leap days")

    @pytest.mark.parametrize("task", [(), ("--task", "document the importer"), ("--task", "parse the spreadsheet")])
    def test_none_is_added_that_is_not_nearer_to_the_task(self, place: Place, task: tuple[str, ...]) -> None:
        self.state(place)
        found = place("resume", *task)
        assert found["stated"]["summary"] == "The importer reads dates"
        assert "stated_before" not in found

    def test_it_is_shown_where_a_later_session_replaced_the_last_one(self, place: Place) -> None:
        fail(place)
        time.sleep(0.01)
        work(place, "s10", "The calendar is rewritten.", 0)
        found = place("resume", "--task", "renewal on leap days")
        assert ("stated" in found, found["stated_before"]["summary"]) == (False, SUMMARY)

    def test_of_a_session_the_last_statement_counts(self, place: Place) -> None:
        fail(place, "s8")
        place.finalize("It works now", "s8")
        place.finalize("The importer reads dates", "s9")
        assert "stated_before" not in place("resume", "--task", "renewal on leap days")

    def test_that_of_the_session_that_asks_does_not_count(self, place: Place) -> None:
        self.state(place)
        assert "stated_before" not in place("resume", "--task", "renewal on leap days", "--exclude-session", "s8")


class TestWhatCounts:
    def test_the_log_of_the_same_session_completes_it(self, place: Place) -> None:
        fail(place)
        time.sleep(0.01)
        work(place, "s9", "All of the renewal is done.", 0)
        found = place("resume")
        assert (found["stated"]["summary"], found["capsule"]["resuming"]) == (SUMMARY, "session:claude:s9")
        assert found["capsule"]["last_progress"]["text"] == "All of the renewal is done."
        assert place("next")["steps"][0]["text"] == NEXT

    def test_a_program_without_a_task_does_not_replace_it(self, place: Place) -> None:
        fail(place)
        script = ["run", "--", "sh", "-c", "echo The calendar is printed"]
        program = Piped(script, os.environ, place.repository.folder, stdin=subprocess.PIPE).to_end(timeout=60)
        assert program.returncode == 0
        assert run(["store"]) == 0
        found = place("resume")
        assert (found["stated"]["summary"], [one["exit_code"] for one in found["ran"]]) == (SUMMARY, [0])

    def test_a_later_session_replaces_it(self, place: Place) -> None:
        fail(place)
        time.sleep(0.01)
        work(place, "s10", "The calendar is rewritten.", 0)
        found = place("resume")
        assert "stated" not in found
        assert found["capsule"]["resuming"] == "session:claude:s10"

    def test_the_later_of_two_statements_counts(self, place: Place) -> None:
        fail(place)
        place.finalize("It works now", "s9")
        assert place("resume")["stated"]["summary"] == "It works now"

    def test_a_task_that_was_closed_since_ends_it(self, place: Place) -> None:
        place("task", "start", "Renew")
        fail(place)
        place("task", "close")
        assert "stated" not in place("resume")

    def test_what_a_person_accepted_is_no_candidate(self, place: Place) -> None:
        decision = "One calendar, because two disagree"
        [ref] = place.finalize(SUMMARY, "s9", "--decision", decision)["decisions_proposed"]
        assert place("resume")["stated"]["decisions"][0]["text"] == decision
        place("memory", "accept", ref, "--by", "Ada Lovelace", "--yes")
        assert place("resume")["stated"]["decisions"] == []

    def test_an_excluded_session_is_not_heard(self, place: Place) -> None:
        fail(place)
        assert "stated" not in place("resume", "--exclude-session", "s9")

    def test_it_is_forgotten_with_its_project(self, place: Place) -> None:
        fail(place)
        assert run(["forget", "--project", "local/orbit", "--yes"]) == 0
        assert "stated" not in place("resume")


class TestEverywhere:
    def test_with_an_empty_corpus(
        self, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "home"))
        fail(place)
        assert f"- next: {NEXT}" in text(capsys, "resume")
        assert NEXT in text(capsys, "next")
        assert SUMMARY in text(capsys, "search", "renewal leap days")
        found = place("search", "renewal leap days")
        assert ([one["by"] for one in found["stated"]], found["items"]) == (["claude"], [])
        assert "nothing is stored" in found["oracle_status"]["fallback_reason"]
        place("search", "tokens of no statement", code=3)

    def test_search_reads_the_last_statements_alone_however_many_there_are(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fail(place)
        [file] = place.user.corpus.glob("work/*/handoffs/*.json")
        record = decode(file.read_bytes(), file.stem)
        for number in range(60):  # repositories with two statements each
            folder = file.parent.parent.with_name(f"other{number}-0123456789abcdef") / "handoffs"
            folder.mkdir(parents=True)
            for name in (f"{number:011x}0", f"{number:011x}1"):
                body = encode(replace(record, id=name, repo_id=folder.parent.name))
                (folder / f"{name}.json").write_bytes(body)
        read: list[type] = []
        monkeypatch.setattr(files, "from_json", lambda kind, *rest: [read.append(kind), from_json(kind, *rest)][1])
        assert len(stated_about(place.user.settings.layout, "leap days", EVERYTHING, datetime.now(UTC))) == 3
        assert read.count(WorkRecord) == 20

    def test_without_git(
        self, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        fail(place)
        assert f"- next: {NEXT}" in text(capsys, "resume")

    def test_in_a_worktree(self, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        place.repository.git("add", "-A")
        place.repository.git("commit", "-qm", "Make")
        fail(place)
        place.repository.git("worktree", "add", "-q", str(tmp_path / "tree"))
        monkeypatch.chdir(tmp_path / "tree")
        assert place("resume")["stated"]["summary"] == SUMMARY

    def test_a_bare_repository_has_none_and_is_answered(self, place: Place, tmp_path: Path) -> None:
        fail(place)
        subprocess.run(["git", "clone", "-q", "--bare", ".", str(tmp_path / "bare")], check=True)
        assert "stated" not in place("resume", "--repo", str(tmp_path / "bare"))

    def test_a_policy_that_excludes_the_memory_leaves_the_statement(self, place: Place) -> None:
        place.repository.write(".aicx/memory-policy.toml", 'exclude_patterns = ["calendar"]\n')
        fail(place)
        assert place("resume")["stated"]["summary"] == SUMMARY

    def test_a_malformed_policy_leaves_it_to_the_next_step(self, place: Place) -> None:
        place.repository.write(".aicx/memory-policy.toml", "exclude_patterns = 1\n")
        fail(place)
        assert place("next")["next"]["text"] == NEXT

    def test_a_locked_catalogue_leaves_the_statement(self, place: Place) -> None:
        fail(place)
        with locked(place.user.corpus):
            assert place("resume")["stated"]["summary"] == SUMMARY
            assert place("next")["steps"][0]["text"] == NEXT


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Another process writes: it holds every lock there is."""
    files = [path.open("rb") for path in (home / "locks").glob("*") if path.is_file()]
    database = sqlite3.connect(home / "catalog.sqlite", isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    try:
        for file in files:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        database.rollback()
        database.close()
        for file in files:
            file.close()
