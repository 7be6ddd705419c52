"""F1 to F4 of the study of foxctl: which session is meant, its identity file, and its life."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Barrier

import pytest

from aicx.errors import UsageError
from aicx.lifecycle.identity import find_session
from aicx.sessions.identity import SessionIdentity, identity_path, write_identity
from aicx.sessions.life import open_session
from aicx.work.place import find_place
from tests.sessions.builders import A, B, C, FamilyHome

pytestmark = pytest.mark.slow

SOURCES = (
    ("AICX_SESSION_ID", "own"),
    ("CLAUDE_CODE_SESSION_ID", "of-claude"),
    ("CODEX_THREAD_ID", "of-codex"),
    ("CODEX_SESSION_ID", "of-older-codex"),
    ("GEMINI_SESSION_ID", "of-gemini"),
    ("CLAUDE_SESSION_ID", "as-another-tool-says-of-claude"),
    ("OPENCODE_SESSION_ID", "of-opencode"),
    ("CURSOR_SESSION_ID", "of-cursor"),
)


def identity_of(family: FamilyHome, agent: str = "person") -> dict[str, str]:
    path = identity_path(family.settings.layout, Path(family.repo), agent)
    found: dict[str, str] = json.loads(path.read_bytes())
    return found


class TestWhichSession:
    def test_each_source_counts_when_those_before_it_are_gone(self, family: FamilyHome) -> None:
        """F1: with all sources set, and one removed at a time, the id follows the documented order."""
        layout, workspace = family.settings.layout, Path(family.repo)
        write_identity(layout, SessionIdentity("of-the-file", str(workspace), "claude", "2026-03-01T10:00:00.000Z"))
        environ = {**dict(SOURCES), "TERM_SESSION_ID": "w0t1p0:of-terminal"}
        found = [find_session(environ, layout, workspace, None, "given")]
        for variable, _ in SOURCES:
            found.append(find_session(environ, layout, workspace))
            del environ[variable]
        found.append(find_session(environ, layout, workspace))
        identity_path(layout, workspace, "claude").unlink()
        found.append(find_session(environ, layout, workspace))
        del environ["TERM_SESSION_ID"]
        found.append(find_session(environ, layout, workspace))
        assert [(one.session, one.rule) for one in found] == [
            ("given", "explicit"),
            *((session, variable) for variable, session in SOURCES),
            ("of-the-file", "identity file"),
            ("w0t1p0-of-terminal", "TERM_SESSION_ID"),
            (None, None),
        ]

    def test_a_named_agent_is_not_given_the_session_of_another(self, family: FamilyHome) -> None:
        layout, workspace = family.settings.layout, Path(family.repo)
        write_identity(layout, SessionIdentity("of-claude", str(workspace), "claude", "2026-03-01T10:00:00.000Z"))
        assert find_session({"GEMINI_SESSION_ID": "x"}, layout, workspace, "codex").session is None
        assert find_session({}, layout, workspace, "claude").session == "of-claude"

    def test_show_says_what_named_the_session(self, family: FamilyHome, monkeypatch: pytest.MonkeyPatch) -> None:
        family.claude(family.log(A).prompt("Fix the lexer", 0))
        family.stored()
        assert family("show", A[:6])["found_by"] == "explicit"
        family("open", "--session", A, "--agent", "claude")
        assert (family("show")["session_id"], family("show")["found_by"]) == (A, "identity file")
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", B)
        found = family("show")
        assert (found["session_id"], found["found_by"], found["stored"]) == (B, "CLAUDE_CODE_SESSION_ID", False)

    def test_nothing_that_names_a_session_is_an_error(self, family: FamilyHome) -> None:
        assert family.failed("show") == (3, "nothing says which session is meant")


class TestIdentityFile:
    def test_it_is_named_by_folder_and_agent_and_for_its_owner_alone(self, family: FamilyHome) -> None:
        """F2: opening writes a file of mode 600, named by the hash of the working folder, and the agent."""
        family("open", "--session", A, "--agent", "claude")
        (path,) = family.corpus.glob("sessions/*")
        assert path.name == f"{sha256(family.repo.encode()).hexdigest()[:16]}-claude.json"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        found = json.loads(path.read_bytes())
        assert (found["session_id"], found["workspace"], found["agent_id"]) == (A, family.repo, "claude")

    def test_two_agents_do_not_collide(self, family: FamilyHome) -> None:
        """F2: each agent has its own file in a working folder."""
        family("open", "--session", A, "--agent", "claude")
        family("open", "--session", B, "--agent", "codex")
        assert family("close", "--agent", "codex")["session_id"] == B
        assert identity_of(family, "claude")["session_id"] == A

    def test_a_file_of_something_else_names_no_session(self, family: FamilyHome) -> None:
        path = identity_path(family.settings.layout, Path(family.repo), "claude")
        path.parent.mkdir(parents=True)
        for body in (b"", b"[]", b'{"session_id": 3}', b'{"session_id": "x", "unknown": 1}', b"\xff"):
            path.write_bytes(body)
            assert family.failed("show")[0] == 3
        assert family.run("doctor", "--json")[0] in (0, 1)

    def test_doctor_finds_a_file_that_others_may_read_and_mends_it(self, family: FamilyHome) -> None:
        family("open", "--session", A)
        (path,) = family.corpus.glob("sessions/*")
        path.chmod(0o644)
        checks = {row["name"]: row for row in json.loads(family.run("doctor", "--json")[1])["checks"]}
        assert checks["identities"]["severity"] == "warning"
        family.run("doctor", "--fix")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_forgetting_a_session_takes_its_file(self, family: FamilyHome) -> None:
        family.claude(family.log(A).prompt("Fix the lexer", 0))
        family.claude(family.log(B).prompt("Write the docs", 5))
        family.stored()
        family("open", "--session", A, "--agent", "claude")
        family("open", "--session", B, "--agent", "codex")
        code, out, err = family.run("forget", "--session", A, "--yes", "--json")
        assert (code, json.loads(out)["identities_removed"]) == (0, 1), err
        assert [path.name.rpartition("-")[2] for path in family.corpus.glob("sessions/*")] == ["codex.json"]


class TestLife:
    def test_open_again_fork_and_close(self, family: FamilyHome) -> None:
        """F3: a session is opened, closed, taken up again, forked and closed."""
        assert family("open", "--session", A)["action"] == "opened"
        assert family("close", "--session", A, "--status", "error")["outcome"] == "error"
        assert (family("show", A)["state"], family("show", A)["outcome"]) == ("closed", "error")
        family("open", "--session", A)
        assert (family("show", A)["state"], family("show", A)["outcome"]) == ("open", None)
        forked = family("fork", "--as", B)
        assert (forked["session_id"], forked["parent"]) == (B, f"session:person:{A}")
        assert (identity_of(family)["session_id"], identity_of(family)["parent_id"]) == (B, A)
        assert family.edges(B) == [("forked_from", "stated", A)]
        assert family("close")["session_id"] == B
        assert not list(family.corpus.glob("sessions/*"))
        assert family("show", A)["state"] == "open"

    def test_a_bogus_outcome_closes_nothing(self, family: FamilyHome) -> None:
        """F3: `close --status bogus` fails."""
        family("open", "--session", A)
        assert family.failed("close", "--status", "bogus") == (2, "'bogus' closes no session")
        assert family("show", A)["state"] == "open"

    def test_a_session_is_closed_once(self, family: FamilyHome) -> None:
        """F3: closing twice fails."""
        family("open", "--session", A)
        family("close", "--session", A)
        code, error = family.failed("close", "--session", A)
        assert (code, "already" in error) == (2, True)

    def test_an_agent_is_in_one_session_of_a_folder(self, family: FamilyHome) -> None:
        """F4: a second session of the same folder and agent fails unless forced."""
        family("open", "--session", A)
        code, error = family.failed("open", "--session", B)
        assert (code, A in error) == (2, True)
        assert family.failed("open")[0] == 2
        assert identity_of(family)["session_id"] == A
        family("open", "--session", B, "--force")
        assert identity_of(family)["session_id"] == B
        assert family("show", A)["state"] == "open"

    def test_another_folder_or_agent_may_open_its_own(
        self, family: FamilyHome, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """F4: the limit is for one folder and one agent."""
        family("open", "--session", A)
        family("open", "--session", B, "--agent", "claude")
        monkeypatch.chdir(family.repository("beacon"))
        family("open", "--session", C)
        assert len(list(family.corpus.glob("sessions/*"))) == 3

    def test_the_session_of_an_agent_is_opened_by_the_id_it_has(
        self, family: FamilyHome, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", A)
        found = family("open")
        assert (found["session_id"], found["agent"], found["found_by"]) == (A, "claude", "CLAUDE_CODE_SESSION_ID")
        assert identity_of(family, "claude")["session_id"] == A

    def test_of_two_that_open_at_once_one_is_refused(self, family: FamilyHome) -> None:
        """F4, where both look before either has written."""
        settings = family.settings
        place = find_place(settings, Path(family.repo))
        begin = Barrier(2)

        def attempt(session: str) -> bool:
            begin.wait()
            try:
                open_session(settings, place, "claude", session, datetime.now(UTC))
            except UsageError:
                return False
            return True

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(attempt, (A, B))) == [False, True]

    @pytest.mark.parametrize("session", ["a b", "../x", "-x", "x" * 101, "ghp_" + "a1B2c3D4e5F6" * 3])
    def test_what_is_no_id_or_may_be_a_secret_is_refused(self, session: str, family: FamilyHome) -> None:
        assert family.failed("open", f"--session={session}")[0] == 2
        assert not (family.corpus / "work").exists()

    def test_the_events_of_a_session_have_no_text(self, family: FamilyHome) -> None:
        family.claude(family.log(A).prompt("Fix the marmalade", 0))
        family.stored()
        family("open", "--session", A, "--agent", "claude")
        family("fork", "--session", A, "--as", B)
        family("close", "--session", B)
        body = b"".join(path.read_bytes() for path in family.corpus.glob("work/*/events-*.jsonl"))
        assert body.count(b'"type":"session_') == 4  # opened, opened and linked, closed
        assert b"marmalade" not in body
        assert family.repo.encode() not in body

    def test_a_folder_without_git_has_sessions_too(self, family: FamilyHome, monkeypatch: pytest.MonkeyPatch) -> None:
        plain = family.work / "plain"
        plain.mkdir()
        monkeypatch.chdir(plain)
        family("open", "--session", A)
        assert family("show")["session_id"] == A


def test_a_killed_open_leaves_a_session_that_another_may_follow(
    family: FamilyHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the event and the file: the session is open by its event, and nothing blocks the next."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("aicx.sessions.life.write_identity", killed)
        family.run("sessions", "open", "--session", A)
    assert family("show", A)["state"] == "open"
    family("open", "--session", B)
    assert identity_of(family)["session_id"] == B
    assert os.listdir(family.corpus / "locks")
