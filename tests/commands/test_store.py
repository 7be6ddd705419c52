"""`aicx store` and its single-agent forms, through the real command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home, snapshot

SECRET = "ghp_" + "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA3bC6"
NEXT_DAY = 14 * 3600
REPORT_KEYS = [
    "schema",
    "home",
    "dry_run",
    "logs",
    "logs_read",
    "bytes_read",
    "sessions",
    "chunks_written",
    "chunks_unchanged",
    "chunks_removed",
    "chunks_moved",
    "messages",
    "duplicates",
    "forgotten",
    "redactions",
    "skipped",
    "problems",
    "without_chunks",
    "unread",
    "notes",
    "buckets",
    "paths",
]
ENTRIES_KEYS = [
    "schema",
    "generated_at",
    "project_filter",
    "requested_source_filters",
    "requested_agents",
    "requested_since",
    "resolved_repositories",
    "includes_non_repository_contexts",
    "resolved_store_buckets",
    "hours_back",
    "total_entries",
    "sessions",
    "entries",
    "store_paths",
]


@pytest.fixture
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with a session of Claude Code in a repository and one of Codex outside of any."""
    user = Home(tmp_path).used(monkeypatch)
    cwd = user.repository("orbit", "git@x.org:ada/orbit.git")
    user.claude(ClaudeLog(SESSION, cwd).prompt(f"Use {SECRET} for it", 0).answer("Done.", 1))
    user.codex(CodexLog(OTHER, "/srv/notes").prompt("Write a note", NEXT_DAY))
    return user


def store(capsys: pytest.CaptureFixture[str], *arguments: str, command: str = "store") -> tuple[int, str, str]:
    code = run([command, *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    _, out, _ = store(capsys, *arguments, "--json")
    found: dict[str, Any] = json.loads(out)
    return found


def agents(user: Home) -> set[str]:
    return {fields["agent"] for fields in user.sidecars()}


def test_a_run_says_what_it_stored_on_stderr_alone(user, capsys):
    code, out, err = store(capsys)
    assert (code, out) == (0, "")
    assert "Stored 2 chunks with 3 new messages; read 2 logs of 2 sessions, " in err
    assert "ada/orbit: claude 1" in err
    assert "1 secret redacted: github-token 1" in err


def test_a_bad_line_is_named_and_costs_nothing_else(user, capsys):
    code, _, err = store(capsys)
    assert code == 0
    assert "2 records could not be read; the rest is stored" in err
    assert f"{SESSION}.jsonl, line 1: " in err


def test_logs_and_records_that_gave_nothing_are_named(user, capsys):
    log = ClaudeLog("cccccccc-1111-4111-8111-111111111111").add("quantum", 0).add("quantum", 1)
    path = user.claude(log)
    _, _, err = store(capsys)
    assert "2 records not read: unknown type: quantum 2" in err
    assert f"1 log gave nothing to store:\n  {path}: holds nothing to store, only: unknown type: quantum (2)" in err


def test_logs_that_gave_nothing_are_in_the_json(user, capsys):
    path = user.claude(ClaudeLog("cccccccc-1111-4111-8111-111111111111").add("mode", 0))
    reason = "holds nothing to store, only: mode (1)"
    assert as_json(capsys)["without_chunks"] == [{"path": str(path), "reason": reason, "line": None}]


def test_a_second_run_says_that_nothing_changed(user, capsys):
    store(capsys)
    assert "Up to date. 2 logs looked at, none changed." in store(capsys)[2]


def test_a_home_without_logs_says_where_it_looked(user, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    code, out, err = store(capsys)
    assert (code, out) == (0, "")
    assert f"No agent logs found below {tmp_path / 'nobody'}." in err


class TestJson:
    def test_the_report_has_these_fields(self, user, capsys):
        found = as_json(capsys)
        assert list(found) == REPORT_KEYS
        assert found["schema"] == "aicx.store/1"

    def test_the_report_counts(self, user, capsys):
        found = as_json(capsys)
        names = ("logs", "logs_read", "sessions", "chunks_written", "messages", "duplicates", "dry_run")
        assert [found[name] for name in names] == [2, 2, 2, 2, 3, 0, False]
        assert found["redactions"] == {"github-token": 1}
        assert found["buckets"] == {"ada/orbit": {"claude": 1}, "non-repository-contexts": {"codex": 1}}
        assert [set(problem) for problem in found["problems"]] == [{"path", "reason", "line"}] * 2

    def test_json_is_all_there_is(self, user, capsys):
        _, out, err = store(capsys, "--json")
        assert out.count("\n") == 1
        assert err == ""

    def test_an_error_is_one_object_too(self, user, capsys):
        code, out, err = store(capsys, "--since", "soon", "--json")
        assert (code, err) == (2, "")
        assert json.loads(out) == {
            "schema": "aicx.error/1",
            "ok": False,
            "error": "'soon' is not a point in time",
            "kind": "UsageError",
            "hint": "write 2026-01-31, 2026-01-31T14:00, yesterday, last week, 36h, 7d or 2w",
        }


class TestEmit:
    def test_nothing_by_default(self, user, capsys):
        assert store(capsys)[1] == ""

    def test_the_paths_of_what_was_stored(self, user, capsys):
        _, out, _ = store(capsys, "--emit", "paths")
        assert sorted(out.splitlines()) == sorted(str(user.corpus / path) for path in user.chunks())

    def test_no_paths_where_nothing_was_stored(self, user, capsys):
        store(capsys)
        assert store(capsys, "--emit", "paths")[1] == ""

    def test_all_that_was_read_as_json(self, user, capsys):
        _, out, _ = store(capsys, "--emit", "json", "-p", "orbit")
        found = json.loads(out)
        assert list(found) == ENTRIES_KEYS
        assert found["schema"] == "aicx.entries/1"
        assert (found["project_filter"], found["total_entries"], found["sessions"]) == ("orbit", 2, [SESSION])
        assert found["resolved_repositories"] == ["ada/orbit"]
        assert found["includes_non_repository_contexts"] is False

    def test_the_filters_that_were_asked_are_named(self, user, capsys):
        names = ("project_filter", "requested_source_filters", "requested_agents", "requested_since")
        _, out, _ = store(capsys, "--emit", "json", "-p", "orbit", "--since", "2026-01-31", command="gemini")
        found = json.loads(out)
        assert [found[name] for name in names] == [
            "orbit",
            ["orbit"],
            ["gemini", "gemini-antigravity"],
            "2026-01-31T00:00:00.000Z",
        ]
        found = json.loads(store(capsys, "--emit", "json")[1])
        assert [found[name] for name in names] == [None, [], [], None]

    def test_an_entry_has_the_names_that_consumers_know(self, user, capsys):
        _, out, _ = store(capsys, "--emit", "json", "-a", "claude")
        entry = json.loads(out)["entries"][0]
        assert list(entry) == ["timestamp", "agent", "session_id", "role", "message", "frame_kind", "branch", "cwd"]
        assert (entry["timestamp"], entry["frame_kind"]) == ("2026-03-01T10:00:00.000Z", "user_msg")

    @pytest.mark.parametrize("emit", ["none", "paths", "json"])
    def test_no_secret_is_printed(self, user, capsys, emit):
        _, out, err = store(capsys, "--emit", emit)
        assert SECRET not in out + err

    def test_an_unknown_word_is_an_error(self, user, capsys):
        code, _, err = store(capsys, "--emit", "everything")
        assert code == 2
        assert "everything" in err

    def test_json_is_an_object_whatever_is_emitted(self, user, capsys):
        assert json.loads(store(capsys, "--emit", "paths", "--json")[1])["schema"] == "aicx.store/1"


class TestLimits:
    def test_an_agent(self, user, capsys):
        store(capsys, "-a", "codex")
        assert agents(user) == {"codex"}

    def test_several_agents(self, user, capsys):
        store(capsys, "-a", "codex", "-a", "claude")
        assert agents(user) == {"claude", "codex"}

    @pytest.mark.parametrize(("command", "stored"), [("claude", {"claude"}), ("codex", {"codex"}), ("gemini", set())])
    def test_the_commands_of_the_agents(self, user, capsys, command, stored):
        assert store(capsys, command=command)[0] == 0
        assert agents(user) == stored

    def test_the_command_for_all(self, user, capsys):
        store(capsys, command="all")
        assert agents(user) == {"claude", "codex"}

    def test_an_unknown_agent_is_an_error_that_names_the_known(self, user, capsys):
        code, _, err = store(capsys, "-a", "clippy")
        assert code == 2
        assert "unknown agent 'clippy'" in err
        assert "known agents: claude, codex, gemini, gemini-antigravity" in err

    @pytest.mark.parametrize("project", ["ada/orbit", "orbit", "ada/", "ORBIT"])
    def test_a_project(self, user, capsys, project):
        store(capsys, "-p", project)
        assert agents(user) == {"claude"}

    def test_a_folder_outside_of_repositories(self, user, capsys):
        store(capsys, "-p", "notes")
        assert agents(user) == {"codex"}

    def test_a_project_that_nothing_belongs_to_is_mentioned(self, user, capsys):
        assert "no session in a repository or folder named 'zzz'" in store(capsys, "-p", "zzz")[2]

    def test_since(self, user, capsys):
        store(capsys, "--since", "2026-03-02")
        assert agents(user) == {"codex"}

    def test_hours(self, user, capsys):
        store(capsys, "-H", "1")
        assert agents(user) == set()

    def test_no_hours_are_all_time(self, user, capsys):
        store(capsys, "-H", "0")
        assert agents(user) == {"claude", "codex"}

    def test_hours_beyond_all_time_are_no_bug(self, user, capsys):
        assert store(capsys, "-H", "1e12")[0] in (0, 2)

    def test_negative_hours_are_an_error(self, user, capsys):
        assert store(capsys, "-H", "-1")[0] == 2


class TestDryRun:
    def test_it_says_what_would_be_stored(self, user, capsys):
        assert "Would store 2 chunks with 3 new messages" in store(capsys, "--dry-run")[2]

    def test_it_writes_nothing(self, user, capsys):
        store(capsys, "--dry-run")
        assert not user.corpus.exists()

    def test_it_writes_nothing_where_something_is(self, user, capsys):
        store(capsys, "-a", "codex")
        before = snapshot(user.corpus)
        store(capsys, "--dry-run", "--full-rescan")
        assert snapshot(user.corpus) == before


class TestSecrets:
    def test_they_are_replaced(self, user, capsys):
        store(capsys)
        assert "[REDACTED:github-token]" in user.markdown()

    def test_keeping_them_warns(self, user, capsys):
        _, _, err = store(capsys, "--no-redact-secrets")
        assert err.startswith("warning: secrets are stored as they are")
        assert SECRET in user.markdown()

    def test_they_are_in_no_error(self, user, capsys):
        code, _, err = store(capsys, "-a", SECRET)
        assert code == 2
        assert SECRET not in err


class TestFailures:
    def test_a_busy_store_is_exit_five(self, user, capsys):
        from aicx.storage.lock import writer_lock

        (user.corpus).mkdir()
        (user.corpus / "config.toml").write_text("lock_wait_seconds = 0\n")
        with writer_lock(user.settings.layout.locks, 0, print):
            code, _, err = store(capsys)
        assert code == 5
        assert "is writing" in err

    def test_a_home_that_cannot_be_written_is_exit_six(self, user, capsys, monkeypatch, tmp_path):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("AICX_HOME", str(tmp_path / "file" / "below"))
        assert store(capsys)[0] == 6

    def test_a_bad_setting_is_exit_two(self, user, capsys):
        user.corpus.mkdir()
        (user.corpus / "config.toml").write_text("colour = 1\n")
        assert store(capsys)[0] == 2

    def test_a_bad_line_in_the_ignore_file_is_exit_two(self, user, capsys):
        user.corpus.mkdir()
        (user.corpus / ".aicxignore").write_text("fine/\n!\n")
        code, _, err = store(capsys)
        assert code == 2
        assert ".aicxignore, line 2" in err

    def test_an_unknown_option_is_exit_two(self, user, capsys):
        assert store(capsys, "--everything")[0] == 2

    def test_a_bug_is_exit_seventy_and_one_line(self, user, capsys, monkeypatch):
        monkeypatch.setattr("aicx.commands.store.store", lambda *arguments: 1 / 0)
        code, _, err = store(capsys)
        assert code == 70
        assert "internal error: ZeroDivisionError" in err
        assert "Traceback" not in err


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class TestColour:
    def shown(self, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
        terminal = _Terminal(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr(sys, "stderr", terminal)
        assert run(arguments) == 0
        terminal.flush()
        body: io.BytesIO = terminal.buffer  # type: ignore[assignment]
        return body.getvalue().decode()

    def test_a_terminal_gets_colour(self, user, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        assert "\x1b[32m" in self.shown(monkeypatch, "store")

    def test_no_color_is_honoured(self, user, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b[3" not in self.shown(monkeypatch, "store")

    def test_so_is_the_option(self, user, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        assert "\x1b[3" not in self.shown(monkeypatch, "--no-color", "store")

    def test_no_color_may_follow_the_command(self, user, monkeypatch):
        assert "\x1b[3" not in self.shown(monkeypatch, "store", "--no-color")

    def test_a_pipe_gets_none(self, user, capsys):
        assert "\x1b" not in store(capsys)[2]


class TestIndex:
    """`--index` where no embedder is installed; tests/commands/test_index.py has what it does with one."""

    @pytest.fixture(autouse=True)
    def _no_embedder(self, monkeypatch):
        for name in ("sentence_transformers", "lancedb", "tokenizers", "onnxruntime"):
            monkeypatch.setitem(sys.modules, name, None)

    @pytest.mark.parametrize("option", ["--index", "--memex"])
    @pytest.mark.parametrize("command", ["store", "all", "claude"])
    def test_the_corpus_is_stored_and_the_next_step_said(self, user, capsys, command, option):
        code, out, err = store(capsys, option, command=command)
        assert (code, out) == (4, "")
        stored, failed = err.split("error: ")
        assert "Stored " in stored
        assert "needs the optional part [" in failed
        assert "\n next: " in failed
        assert len(user.sidecars()) == (1 if command == "claude" else 2)

    def test_json_stays_one_object(self, user, capsys):
        code, out, err = store(capsys, "--index", "--json")
        found = json.loads(out)
        assert (code, err) == (4, "")
        assert list(found) == [*REPORT_KEYS, "index"]
        assert (found["chunks_written"], found["index"]["kind"]) == (2, "MissingExtra")
        assert found["index"]["hint"]

    @pytest.mark.parametrize("other", ["--dry-run", "--redact-again"])
    def test_there_must_be_something_to_embed(self, user, capsys, other):
        assert store(capsys, "--index", other)[0] == 2
        assert not user.corpus.exists()


def test_sessions_of_agents_that_are_not_read_are_counted_in_one_line(user, capsys):
    for name in (".config/none", ".local/share/amp/threads/T-1.json", ".local/share/amp/threads/T-2.json"):
        path = user.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert "  aicx does not read the logs of Amp (2 sessions)\n" in store(capsys)[2]
    assert as_json(capsys)["unread"] == {"amp": 2}


def test_where_every_agent_is_read_that_line_is_left_out(user, capsys):
    assert as_json(capsys)["unread"] == {}
    assert "does not read the logs of" not in store(capsys)[2]
