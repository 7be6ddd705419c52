"""Sessions are filed by what all of them showed, and move when better evidence comes, with their logs or without."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.corpus.catalog import Catalog
from aicx.corpus.files.read import is_altered, load_markdown, load_sidecar
from aicx.corpus.ingest.filing import changed_sessions
from aicx.corpus.places.places import FolderDecisions
from aicx.corpus.places.stored import open_places
from aicx.paths import NON_REPOSITORY
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home

GONE = "/gone/orbit"
PUSHED = "To github.com:ada/orbit.git\n   1234567..89abcde  main -> main\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return Home(tmp_path).used(monkeypatch)


def silent(session: str = SESSION, cwd: str = GONE) -> ClaudeLog:
    return ClaudeLog(session, cwd).prompt("Why is the lamp dark? It should be bright.", 0).answer("The fuse.", 1)


def pushing(session: str = OTHER, cwd: str = GONE, output: str = PUSHED, at: float = 100) -> ClaudeLog:
    log = ClaudeLog(session, cwd).prompt("Push it", at)
    return log.call("Bash", at + 1, command="git push").result(output, at + 2)


def projects(home: Home) -> dict[str, str]:
    return {fields["session_id"]: fields["project"] for fields in home.sidecars()}


def catalog(home: Home) -> Catalog:
    found = Catalog.open_for_reading(home.settings.layout.catalog)
    assert found is not None
    return found


def test_an_older_session_is_filed_by_what_a_later_one_shows(home):
    home.claude(silent())
    home.claude(pushing())
    report = home.store()
    assert projects(home) == {SESSION: "ada/orbit", OTHER: "ada/orbit"}
    assert report.chunks_moved == 0


def test_evidence_of_one_agent_counts_for_another(home):
    home.claude(silent())
    home.codex(CodexLog(OTHER, GONE, "git@github.com:ada/orbit.git").prompt("Hello", 9))
    home.store()
    assert projects(home) == {SESSION: "ada/orbit", OTHER: "ada/orbit"}


def test_without_evidence_nothing_is_claimed_whatever_the_folder_is_called(home):
    home.claude(silent(cwd="/gone/github/ada/orbit"))
    home.claude(pushing())
    home.store()
    assert projects(home)[SESSION] == NON_REPOSITORY


class TestMoves:
    @pytest.fixture
    def stored(self, home: Home) -> Home:
        """A session without evidence, stored; its log is gone since."""
        log = home.claude(silent())
        home.store()
        assert projects(home) == {SESSION: NON_REPOSITORY}
        log.unlink()
        return home

    def test_a_chunk_whose_log_is_gone_moves_too(self, stored):
        [before] = stored.sidecars()
        texts = stored.own_texts()
        stored.claude(pushing())
        report = stored.store()
        assert report.chunks_moved == 1
        path, after = next((path, one) for path, one in stored.chunks().items() if one["session_id"] == SESSION)
        assert path.startswith("store/ada/orbit/")
        assert after["id"] == before["id"]
        assert [message["key"] for message in after["messages"]] == [message["key"] for message in before["messages"]]
        assert set(texts) < set(stored.own_texts())
        assert not list(stored.corpus.glob(f"{NON_REPOSITORY}/**/*"))

    def test_only_the_line_that_filing_wrote_changes(self, stored):
        before = stored.markdown()
        stored.claude(pushing())
        stored.store()
        path = next(path for path, fields in stored.chunks().items() if fields["session_id"] == SESSION)
        after = load_markdown(stored.settings.layout, path).decode()
        assert after == before.replace("no repository · ", "ada/orbit · ", 1)
        assert not is_altered(load_sidecar(stored.settings.layout, path), after.encode())

    def test_the_next_run_moves_nothing(self, stored):
        stored.claude(pushing())
        stored.store()
        files = stored.files()
        assert stored.store().chunks_moved == 0
        assert stored.files() == files

    def test_every_index_hears_of_it(self, stored):
        sequence = catalog(stored).sequence
        stored.claude(pushing())
        stored.store()
        changed, gone = catalog(stored).changes_since(sequence)
        assert [chunk.split(":")[1] for chunk in changed] == [SESSION, OTHER]
        assert gone == []

    def test_words_are_found_under_the_new_repository(self, stored, capsys):
        stored.claude(pushing())
        assert run(["store"]) == 0
        capsys.readouterr()
        assert run(["search", "lamp dark", "-p", "ada/orbit", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["items"]
        assert [item["session_id"] for item in found] == [SESSION]

    def test_forget_reaches_a_moved_chunk(self, stored, capsys):
        stored.claude(pushing())
        assert run(["store"]) == 0
        assert run(["forget", "--session", SESSION, "--yes"]) == 0
        assert set(projects(stored)) == {OTHER}
        assert "lamp" not in stored.markdown()

    def test_evidence_that_contradicts_moves_it_out_again(self, stored):
        stored.claude(pushing())
        stored.store()
        stored.claude(pushing(THIRD, output="To github.com:bob/lamp.git\n", at=200))
        assert stored.store().chunks_moved == 2
        assert projects(stored)[SESSION] == NON_REPOSITORY

    def test_the_sidecars_alone_say_it_again(self, stored):
        stored.claude(pushing()).unlink()
        stored.claude(pushing())
        stored.store()
        for log in stored.root.rglob("*.jsonl"):
            log.unlink()
        claims = [tuple(row) for row in catalog(stored).rows("SELECT folder, project, reason FROM claims")]
        files = stored.files()
        stored.settings.layout.catalog.unlink()
        assert stored.store().chunks_moved == 0
        assert [tuple(row) for row in catalog(stored).rows("SELECT folder, project, reason FROM claims")] == claims
        assert claims == [(GONE, "ada/orbit", "pushed to it (1 session)")]
        assert stored.files() == files

    def test_a_chunk_that_was_altered_stays_where_it_is_and_is_named(self, stored):
        [path] = stored.chunks()
        stored.settings.layout.inside(path).write_text("something else")
        stored.claude(pushing())
        report = stored.store()
        assert path in stored.chunks()
        assert any(path in note and "altered" in note for note in report.notes)

    def test_a_dry_run_moves_nothing(self, stored):
        stored.claude(pushing())
        files = stored.files()
        stored.store(dry_run=True)
        assert stored.files() == files

    def test_a_move_into_a_forgotten_project_is_left_to_the_user(self, stored):
        stored.settings.layout.tombstones.write_text(json.dumps({"project": "ada/orbit"}) + "\n")
        stored.claude(pushing())
        report = stored.store()
        assert projects(stored) == {SESSION: NON_REPOSITORY}
        assert any("you had forgotten" in note for note in report.notes)

    def test_a_forgotten_folder_stays_forgotten_when_its_repository_is_learned(self, home):
        home.claude(silent())
        home.settings.layout.home.mkdir(exist_ok=True)
        home.settings.layout.tombstones.write_text(json.dumps({"project": GONE}) + "\n")
        home.claude(pushing())
        home.store()
        assert home.sidecars() == []


class TestRenames:
    """A folder's remote has another name from some day on."""

    LISTED = "1234567 Give the lamp a fuse of its own\n"

    def seeing(self, session: str, remote: str, at: float, listed: str = LISTED) -> CodexLog:
        log = CodexLog(session, GONE, f"git@github.com:{remote}.git").prompt("What came last?", at)
        return log.call("git log --oneline -3", at + 1).result(listed, at + 2)

    def store(self, home: Home, *logs: CodexLog) -> set[str]:
        for log in logs:
            home.codex(log)
        home.store()
        return set(projects(home).values())

    def test_two_names_of_one_history_are_one_project(self, home):
        logs = self.seeing(SESSION, "ada/orbit", 0), self.seeing(OTHER, "ada/satellite", 500)
        assert self.store(home, *logs) == {"ada/satellite"}
        assert [tuple(row) for row in catalog(home).rows("SELECT * FROM renames")] == [("ada/orbit", "ada/satellite")]

    def test_a_folder_that_is_used_for_another_repository_has_two(self, home):
        other = "7654321 Begin with another thing altogether\n"
        logs = self.seeing(SESSION, "ada/orbit", 0), self.seeing(OTHER, "ada/lamp", 500, other)
        assert self.store(home, *logs) == {"ada/orbit", "ada/lamp"}

    def test_a_fork_has_its_own_name(self, home):
        logs = self.seeing(SESSION, "ada/orbit", 0), self.seeing(OTHER, "bob/orbit", 500)
        assert self.store(home, *logs) == {"ada/orbit", "bob/orbit"}

    def test_names_that_take_turns_are_two(self, home):
        logs = [self.seeing(SESSION, "ada/orbit", 0), self.seeing(OTHER, "ada/satellite", 500)]
        assert self.store(home, *logs, self.seeing(THIRD, "ada/orbit", 900)) == {"ada/orbit", "ada/satellite"}


class TestOneRun:
    """A run that reads too much to wait for all of it files some sessions again, and it is all settled at its end."""

    @pytest.fixture
    def late(self, home: Home) -> Home:
        """Of three sessions, the last one shows whose folder it is, when the others are filed already."""
        home.claude(silent())
        home.claude(silent(THIRD).answer("Or the switch.", 50))
        home.claude(pushing())
        return home

    def test_a_session_that_only_writes_is_filed_by_its_last_reading(self, late):
        report = late.store(read_ahead=0)
        assert set(projects(late).values()) == {"ada/orbit"}
        assert (report.notes, report.chunks_moved) == ([], 0)

    def test_it_reports_where_its_chunks_are(self, late):
        report = late.store(read_ahead=0)
        assert report.buckets == {"ada/orbit": {"claude": 3}}
        assert sorted(report.paths) == sorted(late.chunks())

    def test_the_doctor_finds_nothing_filed_elsewhere(self, late):
        late.store(read_ahead=0)
        assert changed_sessions(catalog(late), open_places(catalog(late), late.root, FolderDecisions())) == []

    def test_the_next_run_reads_and_changes_nothing(self, late):
        late.store(read_ahead=0)
        files = late.files()
        again = late.store(read_ahead=0)
        assert (again.logs_read, again.chunks_written, again.chunks_moved) == (0, 0, 0)
        assert late.files() == files

    def test_it_files_as_a_run_that_reads_everything_first(self, late):
        late.store(read_ahead=0)
        files = late.files()
        shutil.rmtree(late.corpus)
        late.store()
        assert late.files() == files


class TestAttribution:
    def test_the_folder_that_a_call_names_is_the_one_it_speaks_of(self, home):
        log = ClaudeLog(SESSION, "/gone/work").prompt("Push it", 0)
        log.call("Bash", 1, command="cd /gone/orbit && git push").result(PUSHED, 2)
        home.claude(log)
        home.claude(silent(OTHER))
        home.store()
        assert projects(home) == {SESSION: NON_REPOSITORY, OTHER: "ada/orbit"}

    def test_a_clone_of_a_dependency_claims_only_itself(self, home):
        log = silent(cwd="/gone/work")
        log.call("Bash", 2, command="git clone https://github.com/bob/lamp").result("Cloning into 'lamp'...\n", 3)
        home.claude(log)
        home.claude(silent(OTHER, "/gone/work/lamp/src"))
        home.store()
        assert projects(home) == {SESSION: NON_REPOSITORY, OTHER: "bob/lamp"}

    def test_a_worktree_belongs_to_its_repository(self, home):
        home.claude(silent(cwd=f"{GONE}/.claude/worktrees/fix"))
        home.claude(pushing())
        log = ClaudeLog(THIRD, GONE).prompt("A worktree", 300)
        log.call("Bash", 301, command="git worktree add ../fix-7").result("Preparing worktree (new branch 'x')\n", 302)
        home.claude(log)
        beside = "7" * 8 + THIRD[8:]
        home.claude(silent(beside, "/gone/fix-7"))
        home.store()
        assert set(projects(home).values()) == {"ada/orbit"}

    def test_a_forgotten_message_is_no_evidence(self, home):
        home.claude(pushing())
        assert run(["store"]) == 0
        assert run(["forget", "--pattern", "github.com:ada", "--yes"]) == 0
        for name in ("store", "catalog.sqlite"):
            home.corpus.joinpath(name).rename(home.root / name)
        home.store()
        assert projects(home) == {OTHER: NON_REPOSITORY}
        assert "places" not in home.sidecar()
