"""`aicx projects` through the real command line: what it lists, and what deciding by hand does at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aicx.cli import run
from aicx.corpus.catalog import Catalog
from aicx.paths import NON_REPOSITORY
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.kept import Kept

ORBIT, NOTES = "/gone/orbit", "/gone/notes"


@pytest.fixture
def user(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """Two sessions in a folder whose remote one of them recorded, and one in a folder that nothing is known of."""
    user = Home(kept.folder).used(monkeypatch)

    def fill() -> None:
        user.claude(ClaudeLog(SESSION, ORBIT).prompt("Why is the lamp dark?", 0))
        user.codex(CodexLog(OTHER, ORBIT, "git@github.com:ada/orbit.git").prompt("Write the docs", 50))
        user.claude(ClaudeLog(THIRD, NOTES).prompt("Sort my notes", 90))
        assert run(["store"]) == 0

    kept.again(fill)
    capsys.readouterr()
    return user


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run([*arguments])
    out, err = capsys.readouterr()
    return code, out, err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, _ = printed(capsys, *arguments, "--json")
    assert code == 0, out
    found: dict[str, Any] = json.loads(out)
    return found


def projects(user: Home) -> dict[str, str]:
    return {fields["session_id"]: fields["project"] for fields in user.sidecars()}


class TestListing:
    def test_every_folder_has_its_repository_and_the_reason(self, user, capsys):
        found = {item["folder"]: item for item in answer(capsys, "projects")["projects"]}
        assert found[ORBIT] == {
            "folder": ORBIT,
            "repository": "ada/orbit",
            "source": "learned",
            "reason": "the agent recorded it (1 session)",
            "evidence": [{"kind": "recorded", "repository": "ada/orbit", "sessions": 1}],
            "sessions": 2,
        }
        assert (found[NOTES]["repository"], found[NOTES]["source"]) == (None, None)
        assert found[NOTES]["reason"] == "no evidence"

    def test_it_reads_by_repository_on_a_terminal(self, user, capsys):
        _, out, err = printed(capsys, "projects")
        lines = out.splitlines()
        assert lines[0] == "ada/orbit"
        assert lines[1].split() == [ORBIT, "2", "sessions"]
        assert "no repository" in lines
        assert "aicx projects assign" in err

    def test_folders_without_a_repository_can_be_listed_alone(self, user, capsys):
        assert [item["folder"] for item in answer(capsys, "projects", "--unknown")["projects"]] == [NOTES]

    def test_show_says_why_a_session_is_filed_there(self, user, capsys):
        assert answer(capsys, "show", SESSION)["places"] == [
            {
                "folder": ORBIT,
                "repository": "ada/orbit",
                "source": "learned",
                "reason": "the agent recorded it (1 session)",
            }
        ]
        _, out, _ = printed(capsys, "show", THIRD)
        assert f"{NOTES} is in no repository: no evidence" in out


class TestDamagedCatalogue:
    @pytest.fixture
    def before(self, user, capsys):
        """The list before the catalogue was cut."""
        listed = answer(capsys, "projects")["projects"]
        catalog = user.corpus / "catalog.sqlite"
        catalog.write_bytes(catalog.read_bytes()[:40_000])
        return listed

    def test_folders_have_the_repositories_that_their_sessions_are_filed_under(self, user, capsys, before):
        found = {item["folder"]: item for item in answer(capsys, "projects")["projects"]}
        assert {folder: item["repository"] for folder, item in found.items()} == {ORBIT: "ada/orbit", NOTES: None}
        assert found[ORBIT]["reason"] == "its sessions are filed there; `aicx store` says why"
        assert answer(capsys, "show", SESSION)["places"][0]["reason"] == found[ORBIT]["reason"]

    def test_one_repair_brings_the_reasons_back(self, user, capsys, before):
        report = answer(capsys, "doctor", "--fix")
        assert report["fixes_applied"][0] == "rebuilt the catalogue from 3 chunks"
        assert answer(capsys, "projects")["projects"] == before
        assert answer(capsys, "doctor", "--fix")["fixes_applied"] == []


class TestDecisions:
    @pytest.mark.parametrize("action", [("ignore",), ("assign", "ada/notes")])
    def test_a_folder_where_no_session_worked_is_named(self, user, capsys, action):
        verb, *repository = action
        note = "no stored session worked in /gone/nowhere; it counts for those that will"
        assert answer(capsys, "projects", verb, "/gone/nowhere", *repository)["notes"] == [note]
        assert answer(capsys, "projects", verb, "/gone", *repository)["notes"] == []

    def test_assigning_moves_the_sessions_at_once(self, user, capsys):
        before = {fields["session_id"]: fields["id"] for fields in user.sidecars()}
        assert answer(capsys, "projects", "assign", NOTES, "ada/notes")["moved"] == 1
        assert projects(user)[THIRD] == "ada/notes"
        assert {fields["session_id"]: fields["id"] for fields in user.sidecars()} == before
        assert [item["session_id"] for item in answer(capsys, "search", "sort notes", "-p", "ada/notes")["items"]] == [
            THIRD
        ]
        assert not (user.corpus / NON_REPOSITORY).exists() or not list((user.corpus / NON_REPOSITORY).rglob("*.md"))

    def test_a_relative_folder_is_the_one_below_here(self, user, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        answer(capsys, "projects", "assign", "site", "ada/site")
        assert json.loads((user.corpus / "projects.json").read_bytes())["assigned"] == {
            str(tmp_path / "site"): "ada/site"
        }

    def test_ignoring_takes_the_repository_and_keeps_the_sessions(self, user, capsys):
        answer(capsys, "projects", "ignore", ORBIT)
        assert projects(user) == dict.fromkeys((SESSION, OTHER, THIRD), NON_REPOSITORY)
        found = {item["folder"]: item["reason"] for item in answer(capsys, "projects")["projects"]}
        assert found[ORBIT] == "ignored by hand"

    def test_resetting_lets_the_evidence_decide_again(self, user, capsys):
        answer(capsys, "projects", "assign", ORBIT, "bob/lamp")
        assert projects(user)[SESSION] == "bob/lamp"
        answer(capsys, "projects", "reset", ORBIT)
        assert projects(user)[SESSION] == "ada/orbit"

    @pytest.mark.parametrize("name", ["ada/orbit", "orbit", "ada/"])
    def test_a_renamed_repository_is_found_by_its_old_name(self, user, capsys, name):
        assert answer(capsys, "projects", "rename", "ada/orbit", "space/satellite")["moved"] == 2
        found = answer(capsys, "steer", "-p", name)["items"]
        assert {item["project"] for item in found} == {"space/satellite"}
        assert len(found) == 2

    def test_merging_files_both_under_the_second(self, user, capsys):
        answer(capsys, "projects", "assign", NOTES, "bob/orbit")
        answer(capsys, "projects", "merge", "bob/orbit", "ada/orbit")
        assert set(projects(user).values()) == {"ada/orbit"}

    def test_renaming_to_a_known_repository_leads_to_merge(self, user, capsys):
        answer(capsys, "projects", "assign", NOTES, "ada/notes")
        code, _, err = printed(capsys, "projects", "rename", "ada/notes", "ada/orbit")
        assert code == 2
        assert "aicx projects merge ada/notes ada/orbit" in err

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (("assign", NOTES, "notes"), 2),
            (("assign", NOTES, "ada/../notes"), 2),
            (("assign", NOTES, "ada/no tes"), 2),
            (("rename", "ada/unknown", "ada/x"), 3),
            (("merge", "ada/orbit", "ada/unknown"), 3),
            (("reset", NOTES), 3),
            (("rename", "ada/orbit", "ada/orbit"), 2),
        ],
    )
    def test_what_cannot_be_meant_changes_nothing(self, user, capsys, arguments, code):
        files = user.files()
        assert printed(capsys, "projects", *arguments)[0] == code
        assert user.files() == files
        assert not (user.corpus / "projects.json").exists()

    def test_a_decision_survives_the_catalogue(self, user, capsys):
        answer(capsys, "projects", "assign", NOTES, "ada/notes")
        files = user.files()
        (user.corpus / "catalog.sqlite").unlink()
        assert run(["store"]) == 0
        assert user.files() == files

    def test_later_sessions_follow_it(self, user, capsys):
        answer(capsys, "projects", "assign", NOTES, "ada/notes")
        user.claude(ClaudeLog("9" * 8 + THIRD[8:], f"{NOTES}/2026").prompt("More notes", 200))
        assert run(["store"]) == 0
        assert sorted(projects(user).values()) == ["ada/notes", "ada/notes", "ada/orbit", "ada/orbit"]

    def test_an_unreadable_file_of_decisions_stops_store_and_doctor_names_it(self, user, capsys):
        (user.corpus / "projects.json").write_text('{"assigned": {"notes": 1}}')
        code, _, err = printed(capsys, "store")
        assert code == 7
        assert "projects.json cannot be understood" in err
        code, out, _ = printed(capsys, "doctor", "--json")
        assert code == 1
        assert [check["name"] for check in json.loads(out)["checks"] if check["severity"] == "critical"] == ["projects"]


def test_doctor_names_folders_that_are_undecided(user, capsys):
    for number, remote in enumerate(("git@x.org:ada/one.git", "git@x.org:bob/two.git")):
        user.codex(CodexLog(f"{number}" * 8 + OTHER[8:], "/gone/both", remote).prompt("Hello", 300 + number))
    assert run(["store"]) == 0
    capsys.readouterr()
    [check] = [one for one in answer(capsys, "doctor")["checks"] if one["name"] == "projects"]
    assert check["severity"] == "green"
    assert "/gone/both (undecided between ada/one (10), bob/two (10))" in check["detail"]


def test_doctor_says_that_store_has_still_to_move_sessions(user, capsys):
    decided = {"schema": "aicx.projects-file/1", "assigned": {NOTES: "ada/notes"}, "ignored": [], "renamed": {}}
    (user.corpus / "projects.json").write_text(json.dumps(decided))
    [check] = [one for one in answer(capsys, "doctor")["checks"] if one["name"] == "projects"]
    assert (check["severity"], check["recommendation"]) == ("warning", "aicx store")
    assert run(["store"]) == 0
    assert projects(user)[THIRD] == "ada/notes"


def test_the_sequence_of_a_move_lets_every_index_follow(user, capsys):
    layout = user.settings.layout
    catalog = Catalog.open_for_reading(layout.catalog)
    assert catalog is not None
    sequence = catalog.sequence
    catalog.close()
    answer(capsys, "projects", "assign", NOTES, "ada/notes")
    catalog = Catalog.open_for_reading(layout.catalog)
    assert catalog is not None
    assert catalog.changes_since(sequence) == ([f"claude:{THIRD}:001"], [])
    catalog.close()
