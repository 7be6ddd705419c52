"""`aicx memory` through the real command line: what is listed, what is kept back, and that nothing is written."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.memory.policy import FOLDER, NAME
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.kept import Kept

pytestmark = pytest.mark.slow

FOURTH = "3eaf4091-6085-4db1-8d6f-8c3d4e5f6071"
REMOTE = "git@example.org:ada/orbit.git"


@pytest.fixture
def user(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """Two sessions in ``ada/orbit`` and one elsewhere, all stored."""
    user = Home(kept.folder).used(monkeypatch)

    def fill() -> None:
        orbit, moon = user.repository("orbit", REMOTE), user.repository("moon", "git@example.org:ada/moon.git")
        user.claude(ClaudeLog(SESSION, orbit).prompt("never push to the beta branch", 0).answer("Understood.", 1))
        user.claude(ClaudeLog(OTHER, orbit).prompt("Never push to the beta branch!", 90).answer("Understood.", 91))
        user.claude(ClaudeLog(THIRD, moon).prompt("prefer plain SQL over query builders", 50).answer("I see.", 51))
        assert run(["store"]) == 0

    kept.again(fill)
    capsys.readouterr()
    return user


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert run(["memory", *arguments, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _orbit(user: Home) -> Path:
    return user.work / "orbit"


def _policy(folder: Path, text: str) -> Path:
    path = folder / FOLDER / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def _tree(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path): (path.lstat().st_mtime_ns, sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in (folder, *folder.rglob("*"))
    }


def test_candidates_have_their_words_and_their_places(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "candidates")
    assert [(one["kind"], one["statement"], one["sessions"]) for one in found["candidates"]] == [
        ("policy", "never push to the beta branch", 2),
        ("preference", "prefer plain SQL over query builders", 1),
    ]
    first = found["candidates"][0]
    assert (first["repository"], first["origin"], first["lane"], first["blocked"]) == (
        "ada/orbit",
        "human",
        "primary",
        False,
    )
    assert [seen["quote"] for seen in first["evidence"]] == [
        "Never push to the beta branch!",
        "never push to the beta branch",
    ]
    assert run(["show", first["evidence"][0]["ref"]]) == 0
    assert "Never push to the beta branch!" in capsys.readouterr().out


def test_candidates_are_limited_by_kind_number_and_repository(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "candidates", "--kind", "preference")["matched"] == 1
    limited = answer(capsys, "candidates", "--limit", "1")
    assert (limited["results"], limited["matched"]) == (1, 2)
    here = answer(capsys, "candidates", "--repo", str(user.work / "moon"))
    assert [one["repository"] for one in here["candidates"]] == ["ada/moon"]


def test_a_person_reads_the_statement_its_words_and_its_reference(
    user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["memory", "candidates", "--limit", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("policy  never push to the beta branch\n")
    assert "2 sessions" in out
    assert out.count("never push to the beta branch") == 1  # its own words are not quoted again
    assert "aicx memory candidates backfill --import" in err
    assert run(["memory", "backfill", "--import", "--everywhere"]) == 0
    assert "aicx memory accept REF --by NAME" in capsys.readouterr().err
    assert f"chunk:claude:{OTHER}:001" in out


def test_what_the_policy_excludes_is_listed_by_id_alone(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    identity = answer(capsys, "candidates", "--limit", "1")["candidates"][0]["id"]
    _policy(_orbit(user), 'exclude_patterns = ["beta"]')
    assert run(["memory", "candidates", "--json"]) == 0
    out = capsys.readouterr().out
    found = json.loads(out)
    assert found["excluded"] == [{"id": identity, "reason": "policy_pattern"}]
    assert "beta" not in out
    assert found["matched"] == 1
    user.corpus.joinpath(NAME).write_text('exclude_sources = ["session:claude:*"]')
    assert answer(capsys, "candidates")["candidates"] == []


def test_what_is_forgotten_is_in_nothing_that_is_kept(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, "candidates")
    for session in (SESSION, OTHER):
        assert run(["forget", "--session", session, "--yes"]) == 0
    assert not any(b"beta" in path.read_bytes() for path in user.corpus.joinpath("index").glob("memory*"))
    capsys.readouterr()
    assert answer(capsys, "candidates", "--rebuild")["matched"] == 1


@pytest.mark.parametrize("arguments", [("sources",), ("candidates", "--repo", ".")])
def test_a_malformed_policy_stops_what_is_asked_in_its_repository(
    user: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(_orbit(user))
    _orbit(user).joinpath("CLAUDE.md").write_text("Never push to the beta branch.\n")
    path = _policy(_orbit(user), 'exclude_paths = ["a"]\nexclude_patterns = [')
    assert run(["memory", *arguments, "--json"]) == 9
    out, _ = capsys.readouterr()
    found = json.loads(out)
    assert found["error"].startswith(f"{path}, line 2: ")
    assert "beta" not in out


@pytest.mark.parametrize("rules", ["exclude_patterns = [", "exclude_patterns = ['(.?){2000}=']"])
def test_a_policy_that_cannot_be_followed_hides_the_candidates_of_its_repository_alone(
    user: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    monkeypatch.setattr("aicx.regex._ALLOWANCE", 40_000)
    path = _policy(_orbit(user), rules)
    found = answer(capsys, "candidates")
    assert {one["repository"] for one in found["candidates"]} == {"ada/moon"}
    assert {one["reason"] for one in found["excluded"]} == {"policy_unreadable"}
    assert [str(path) in note for note in found["notes"]] == [True]


def test_sources_are_described_without_their_content(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    path = _orbit(user) / "CLAUDE.md"
    path.write_text("# Rules\n\n- Use tabs.\n")
    (_orbit(user) / "AGENTS.md").symlink_to(user.root / "outside.md")
    assert run(["memory", "sources", "--repo", str(_orbit(user)), "--json"]) == 0
    out = capsys.readouterr().out
    first, second = json.loads(out)["sources"]
    assert first == {
        "id": "live:claude:CLAUDE.md",
        "source": "claude",
        "path": "CLAUDE.md",
        "kind": "instructions",
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "mtime": first["mtime"],
        "size": path.stat().st_size,
        "policy": "allowed",
        "reason": None,
        "statements": 2,
    }
    assert (second["id"], second["policy"], second["reason"]) == ("live:codex:AGENTS.md", "blocked", "unsafe_symlink")
    assert "Use tabs" not in out
    assert run(["memory", "sources", "--repo", str(_orbit(user))]) == 0
    assert "allowed  live:claude:CLAUDE.md" in capsys.readouterr().out


def test_a_file_outside_is_read_with_both_options_alone(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    outside = user.root / "notes.md"
    outside.write_text("Release on Fridays.\n")
    repo = ("--repo", str(_orbit(user)))
    assert answer(capsys, "sources", *repo, "--path", str(outside), code=2)["kind"] == "UsageError"
    assert answer(capsys, "sources", *repo, "--source", "ada", code=2)["kind"] == "UsageError"
    assert answer(capsys, "sources", *repo, "--global")["sources"] == []
    (found,) = answer(capsys, "sources", *repo, "--global", "--path", str(outside), "--source", "ada")["sources"]
    assert found["id"] == f"live:ada:global:{sha256(str(outside).encode()).hexdigest()[:12]}"


def test_nothing_is_written_by_looking(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (_orbit(user) / "CLAUDE.md").write_text("Use tabs.\n")
    before = _tree(user.work), _tree(user.corpus / "store")
    answer(capsys, "sources", "--repo", str(_orbit(user)))
    answer(capsys, "candidates", "--repo", str(_orbit(user)))
    assert (_tree(user.work), _tree(user.corpus / "store")) == before


class TestBackfill:
    def test_a_preview_names_the_candidates_and_changes_nothing(
        self, user: Home, capsys: pytest.CaptureFixture[str]
    ) -> None:
        memory, *others = user.settings.layout.memory, user.work, user.root, user.settings.layout.home / "store"
        before = [_tree(folder) for folder in others]
        found = answer(capsys, "backfill", "--everywhere", "--dry-run")
        assert (found["dry_run"], found["counts"]) == (True, {"new": 2})
        assert [_tree(folder) for folder in others] == before
        assert not memory.exists()

    def test_what_is_imported_is_a_candidate_with_its_evidence_and_a_second_time_changes_nothing(
        self, user: Home, capsys: pytest.CaptureFixture[str]
    ) -> None:
        preview = answer(capsys, "backfill", "--repo", str(_orbit(user)))
        found = answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))
        assert [one["ref"] for one in found["items"]] == [one["ref"] for one in preview["items"]]
        entries = answer(capsys, "list", "--repo", str(_orbit(user)))["entries"]
        assert [(one["statement"], one["status"], one["baseline"], one["sightings"]) for one in entries] == [
            ("never push to the beta branch", "candidate", False, 2)
        ]
        assert entries[0]["ref"] == found["items"][0]["ref"]
        assert entries[0]["evidence"] == found["items"][0]["evidence"]
        before = _tree(user.settings.layout.memory)
        assert answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))["counts"] == {"known": 1}
        assert _tree(user.settings.layout.memory) == before

    def test_more_of_the_same_is_more_evidence_for_the_record_there_is(
        self, user: Home, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ref = answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))["items"][0]["ref"]
        answer(capsys, "accept", ref, "--by", "Ada", "--yes")
        user.claude(
            ClaudeLog(FOURTH, str(_orbit(user))).prompt("Never push to the beta branch", 400).answer("Yes.", 401)
        )
        assert run(["store"]) == 0
        capsys.readouterr()
        assert answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))["counts"] == {"seen": 1}
        entry = answer(capsys, "get", ref)["entry"]
        assert (entry["status"], entry["sightings"], len(entry["evidence"])) == ("accepted", 3, 3)

    def test_an_edited_record_is_the_same_and_a_deleted_one_is_not_made_again(
        self, user: Home, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ref = answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))["items"][0]["ref"]
        answer(capsys, "edit", ref, "--statement", "Beta is released by the pipeline alone")
        assert answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))["counts"] == {"known": 1}
        answer(capsys, "delete", ref, "--yes")
        found = answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))
        assert (found["items"], [one["reason"] for one in found["left"]]) == ([], ["erased"])

    def test_what_only_a_subagent_says_is_blocked_until_a_person_adopts_it(
        self, user: Home, capsys: pytest.CaptureFixture[str]
    ) -> None:
        log = ClaudeLog(SESSION, str(_orbit(user)))
        log.prompt("Always run the linter before a commit", 500, isSidechain=True, agentId="a1")
        log.answer("`orbitctl` does not support the `--watch` flag on Windows.", 503, isSidechain=True, agentId="a1")
        user._write(f".claude/projects/-srv-ada-orbit/{SESSION}/subagents/agent-a1.jsonl", log.body())
        assert run(["store"]) == 0
        capsys.readouterr()
        found = answer(capsys, "backfill", "--import", "--repo", str(_orbit(user)))
        blocked = [one for one in found["items"] if one["blocked"]]
        assert [one["lane"] for one in blocked] == ["subagent"]
        entry = answer(capsys, "get", blocked[0]["ref"])["entry"]
        assert (entry["status"], entry["reasons"]) == ("candidate", ["candidate_not_adopted", "subagent_unadopted"])
        answer(capsys, "accept", blocked[0]["ref"], "--by", "claude", "--yes", code=2)
        assert answer(capsys, "accept", blocked[0]["ref"], "--by", "Ada", "--yes")["entry"]["status"] == "accepted"

    def test_both_at_once_are_refused(self, user: Home, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["memory", "backfill", "--import", "--dry-run"]) == 2
