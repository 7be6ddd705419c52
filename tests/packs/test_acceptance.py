"""F16 to F21 of packs, each named where it is tested; F22, of objects, is in tests/cas."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from itertools import product
from typing import Any

import orjson
import pytest

from aicx.packs.answers import PackNote
from aicx.packs.making import make
from aicx.packs.query import PackLimits, PackQuery
from tests.packs.builders import CLOCK, DAY, PackPlace
from tests.survival.runs import REPOSITORY

pytestmark = pytest.mark.slow


def reasons(answer: dict[str, Any]) -> dict[str, str]:
    return {one["ref"].removeprefix("session:claude:"): one["reason"] for one in answer["pack"]["sessions"]}


class TestTaskPack:
    """F16: all keys of a pack, and each session with its reason."""

    def test_a_pack_has_every_key_and_each_session_its_reason(self, worked: PackPlace) -> None:
        answer = worked("task")
        pack = answer["pack"]
        assert set(pack) == {
            *("schema", "generated_at", "place", "scope", "filters", "limits", "task", "handoffs", "sessions", "files"),
            "related",
            *("external_refs", "commits", "map_anchors", "memory", "notes", "left_out", "remarks"),
        }
        assert (pack["schema"], pack["generated_at"]) == ("aicx.task-pack/1", CLOCK)
        assert pack["task"]["title"] == "Fix the export of empty files"
        assert reasons(answer) == {
            "aaaa-own": "task_session",
            "bbbb-file": "same_files",
            "cccc-title": "title_in_summary",
        }
        stated = [one for one in pack["handoffs"] if one["origin"] == "stated"]
        assert {one["summary"] for one in stated} == {"Part 1 works", "Part 2 works"}
        assert {one["reason"] for one in stated} == {"of_task"}
        (export,) = (one for one in pack["files"] if one["path"] == "src/export.py")
        assert (export["reasons"], export["sessions"]) == (["in_task", "edited"], 2)
        assert [one["subject"] for one in export["commits"]] == ["Fix the export", "First"]
        assert [one["subject"] for one in pack["commits"]] == ["Fix the export", "First"]
        assert pack["place"]["project"] == "acme/widgets"

    def test_a_session_that_left_a_handoff_is_in_because_of_it(self, place: PackPlace) -> None:
        place.session("early", "Something else", "docs/gasket.md")
        place.store()
        said = ("finalize", "--status", "success", "--summary", "Half of it works", "--agent-id", "claude")
        place.json(*said, "--task", "Fix the export", "--session-id", "early")
        place.task("Fix the export")
        answer = place("task")
        assert reasons(answer) == {"early": "handoff_session"}
        (handoff,) = answer["pack"]["handoffs"]
        assert (handoff["summary"], handoff["session"]) == ("Half of it works", "session:claude:early")

    def test_a_session_that_goes_on_from_one_of_the_task_is_linked(self, worked: PackPlace) -> None:
        older, newer = "session:claude:aaaa-own", "session:claude:dddd-other"
        assert "dddd-other" not in reasons(worked("task"))
        worked.json("sessions", "link", "dddd-other", "aaaa-own", "--type", "continues")
        answer = worked("task")
        assert reasons(answer)["dddd-other"] == "linked"
        edge = next(edge for edge in answer["pack"]["related"] if edge["from_ref"] == newer)
        assert (edge["to_ref"], edge["origin"]) == (older, "stated")

    def test_no_more_than_the_limits_and_the_rest_is_counted(self, worked: PackPlace) -> None:
        pack = worked("task", "--sessions", "1", "--handoffs", "1", "--commits-per-file", "1")["pack"]
        assert [one["reason"] for one in pack["sessions"]] == ["task_session"]
        assert len(pack["handoffs"]) == 1
        assert pack["left_out"]["sessions"] == 2
        assert pack["left_out"]["handoffs"] >= 1
        assert all(len(one["commits"]) <= 1 for one in pack["files"])

    def test_files_outside_the_repository_are_apart(self, place: PackPlace) -> None:
        place.session("aaaa", "Fix the export", "src/export.py", "../elsewhere/notes.md", said="Should I go on?")
        place.store()
        pack = place("task")["pack"]
        assert [one["path"] for one in pack["files"]] == ["src/export.py"]
        assert all(path.startswith(("/", "../")) for path in pack["external_refs"])

    def test_memory_comes_with_its_labels(self, worked: PackPlace) -> None:
        worked.json("memory", "put", "The export of empty files writes a header", "--kind", "decision")
        ref = worked.json("memory", "list")["entries"][0]["ref"]
        assert worked("task")["pack"]["memory"] == []  # what nobody accepted is not in
        worked.json("memory", "accept", ref, "--by", "Ada", "--yes")
        (entry,) = worked("task")["pack"]["memory"]
        assert (entry["ref"], entry["status"], entry["usage"], entry["score"]) == (ref, "accepted", "evidence", None)

    @pytest.mark.needs("code")
    def test_the_map_names_places_once_it_is_made(self, worked: PackPlace) -> None:
        assert any("no map" in remark for remark in worked("task")["pack"]["remarks"])
        worked.write("src/export.py", "def export_empty_files():\n    return 1\n")
        worked.json("map", "refresh")
        anchors = worked("task")["pack"]["map_anchors"]
        assert anchors[0]["ref"].startswith("map:src/export.py:")

    def test_notes_of_closed_tasks_are_in(self, worked: PackPlace) -> None:
        other = worked.task("Paint the gasket")
        worked.json("task", "close", other, "--note", "blue was best")
        assert [one["text"] for one in worked("task", "fix-the-export-of-empty-files")["pack"]["notes"]] == [
            "blue was best"
        ]

    def test_the_note_of_continuity_is_in_before_notes_of_closed_tasks(self, worked: PackPlace) -> None:
        worked.json("task", "close", worked.task("Paint the gasket"), "--note", "blue was best")
        worked.json("continuity", "save", "--scope", "local")
        note = worked.repo / ".aicx" / "continuity" / "active.md"
        text = note.read_text().replace("## Not yet tried", "- The old lexer does not help\n\n## Not yet tried")
        note.write_text(text + "- Decision: Keep the reader\n")
        found = worked("task", "fix-the-export-of-empty-files")["pack"]["notes"]
        assert [(one["kind"], one["text"]) for one in found] == [
            ("failed", "The old lexer does not help"),
            ("decision", "Keep the reader"),
            ("closing_note", "blue was best"),
        ]
        summary = worked.text("task", "fix-the-export-of-empty-files")
        assert "- Failed: The old lexer does not help\n" in summary
        assert "- Of a closed task: blue was best [work:" in summary

    def test_what_the_note_of_continuity_rests_on_takes_the_pack_with_it(self, worked: PackPlace) -> None:
        note = PackNote("failed", "The old lexer does not help", None, ["chunk:claude:dddd-other:001"])
        query = PackQuery(worked.repo, datetime(2026, 3, 10, tzinfo=UTC), notes=[note])
        answer = make(worked.settings, "task", query)
        assert "session:claude:dddd-other" not in {one["ref"] for one in answer.pack["sessions"]}
        assert worked.json("forget", "--session", "dddd-other", "--yes")["cas_removed"] == 1


class TestChoice:
    def test_the_task_of_this_folder_goes_before_one_of_another(self, place: PackPlace) -> None:
        place.task("Here first")
        tree = place.worktree("second")
        assert place.run("task", "start", "There later", "--repo", str(tree))[0] == 0
        assert place("task")["pack"]["task"]["title"] == "Here first"
        assert place("task", "--repo", str(tree))["pack"]["task"]["title"] == "There later"

    def test_one_in_progress_goes_before_one_that_is_blocked_or_paused(self, place: PackPlace) -> None:
        place.task("Going on")
        for status in ("paused", "blocked"):
            place.json("task", "close", place.task(status), "--status", status)
        assert place("task")["pack"]["task"]["title"] == "Going on"
        place.json("task", "close", "going-on")
        assert place("task")["pack"]["task"]["title"] == "blocked"

    def test_a_session_that_was_left_open_stands_in_for_a_task(self, place: PackPlace) -> None:
        place.session("aaaa", "Fix the export", "src/export.py", said="Should I change the writer too?")
        place.store()
        task = place("task")["pack"]["task"]
        assert (task["origin"], task["goal"]) == ("derived", "Fix the export")

    def test_a_session_can_be_named(self, place: PackPlace) -> None:
        place.session("aaaa-1", "Fix the export", "src/export.py")
        place.session("aaaa-2", "Fix the reader", "src/reader.py", seconds=DAY)
        place.store()
        answer = place("task", "session:claude:aaaa-1")
        assert answer["pack"]["task"]["goal"] == "Fix the export"
        assert reasons(answer)["aaaa-1"] == "task_session"
        assert place.failed("task", "session:claude:zzz")["code"] == 3

    def test_nothing_to_bundle_is_not_found(self, place: PackPlace) -> None:
        assert place.failed("task")["code"] == 3
        assert place.failed("family")["code"] == 3
        assert place.failed("task", "no-such-task")["code"] == 3


@pytest.mark.parametrize("what", ["task", "family"])
class TestDigest:
    """F17: the same inputs and clock give the same digest, which is of the canonical bytes."""

    def test_two_runs_at_one_clock_have_one_digest(self, worked: PackPlace, what: str) -> None:
        first, again = worked(what), worked(what)
        assert first["artifact"] == again["artifact"]
        assert (first["new"], again["new"]) == (True, False)
        assert worked(what, "--budget", "300")["artifact"] == first["artifact"]

    @pytest.mark.process
    def test_processes_that_hash_differently_have_one_digest(self, worked: PackPlace, what: str) -> None:
        def digest(seed: str) -> str:
            command = [sys.executable, "-m", "aicx", "pack", what, "--now", CLOCK, "--repo", str(worked.repo), "--json"]
            environ = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(REPOSITORY)}
            done = subprocess.run(command, cwd=REPOSITORY, env=environ, capture_output=True, timeout=60, check=True)
            found: str = orjson.loads(done.stdout)["artifact"]
            return found

        assert digest("1") == worked(what)["artifact"]

    def test_another_clock_or_another_input_has_another_digest(self, worked: PackPlace, what: str) -> None:
        first = worked(what)["artifact"]
        assert worked.json("pack", what, "--now", "2026-03-11T12:00:00Z")["artifact"] != first
        worked.json("task", "update", "--verified", "it works")
        assert worked(what)["artifact"] != first

    def test_the_digest_is_of_canonical_json(self, worked: PackPlace, what: str) -> None:
        answer = worked(what)
        body = orjson.dumps(answer["pack"], option=orjson.OPT_SORT_KEYS)
        assert answer["artifact"] == f"sha256:{sha256(body).hexdigest()}"


@pytest.mark.parametrize("what", ["task", "family"])
class TestSummary:
    """F18: the summary fits its budget, and its digest opens the whole pack."""

    def test_it_fits_and_names_a_digest_that_opens_the_pack(self, worked: PackPlace, what: str) -> None:
        for budget in (300, 350, 600, 3000):
            answer = worked(what, "--budget", str(budget))
            text = answer["summary"]["text"]
            assert -(-len(text.encode()) // 4) == answer["summary"]["tokens"] <= budget
            assert f"Pack: {answer['artifact']}\n" in text
            assert worked.object(answer["artifact"]) == answer["pack"]

    def test_what_does_not_fit_is_counted_by_section(self, worked: PackPlace, what: str) -> None:
        for number in range(6):
            risk = f"the writer number {number} may block while the reader waits for more of the same"
            worked.json("task", "update", "--risk", risk)
        whole, small = worked(what, "--budget", "5000")["summary"], worked(what, "--budget", "300")["summary"]
        assert whole["omitted"] == {}
        lines = [line for line in whole["text"].splitlines() if line.startswith("- ")]
        kept = [line for line in small["text"].splitlines() if line.startswith("- ")]
        assert sum(small["omitted"].values()) == len(lines) - len(kept) > 0
        assert "Not in this summary, but in the pack:" in small["text"]

    def test_a_budget_that_nothing_fits_into_is_refused(self, worked: PackPlace, what: str) -> None:
        assert worked.failed(what, "--budget", "299")["code"] == 2

    def test_a_stored_pack_is_summed_up_as_it_was(self, worked: PackPlace, what: str) -> None:
        made = worked(what, "--budget", "700")
        shown = worked.json("pack", "show", made["artifact"][:20], "--budget", "700")
        assert shown["summary"] == made["summary"]
        assert shown["pack"] == made["pack"]
        assert worked.text(what, "--budget", "700") == made["summary"]["text"]


def test_what_is_no_pack_is_not_shown_as_one(worked: PackPlace) -> None:
    digest = worked.stored('{"schema": "aicx.task-pack/1"}').object.digest
    assert worked.failed("show", digest)["code"] == 2


class TestScope:
    """F20: workspace, family and auto, with two worktrees; the scope that applied is reported."""

    @pytest.fixture
    def trees(self, place: PackPlace) -> tuple[PackPlace, str]:
        tree = place.worktree("second")
        place.session(
            "aaaa-main", "Fix the export of empty files", "src/export.py", said="Should I change the writer too?"
        )
        place.session(
            "bbbb-tree",
            "Fix the export of empty files too",
            "src/export.py",
            folder=tree,
            seconds=DAY,
            said="Should I change the reader too?",
        )
        place.store()
        return place, str(tree)

    @pytest.mark.parametrize("what", ["task", "family"])
    def test_each_scope_has_its_sessions(self, trees: tuple[PackPlace, str], what: str) -> None:
        place, tree = trees

        def seen(*options: str) -> tuple[str, str, set[str]]:
            pack = place(what, *options)["pack"]
            refs = [ref for owner in pack.get("owners", ()) for ref in owner["sessions"]]
            refs += [one["ref"] for one in pack.get("sessions", ())]
            return pack["scope"]["requested"], pack["scope"]["applied"], {ref.rpartition(":")[2] for ref in refs}

        assert seen("--scope", "workspace") == ("workspace", "workspace", {"aaaa-main"})
        assert seen("--scope", "workspace", "--repo", tree) == ("workspace", "workspace", {"bbbb-tree"})
        assert seen("--scope", "family") == ("family", "family", {"aaaa-main", "bbbb-tree"})
        assert seen() == ("auto", "workspace", {"aaaa-main"})

    @pytest.mark.parametrize("what", ["task", "family"])
    def test_auto_goes_on_to_the_family_where_this_folder_has_nothing(
        self, trees: tuple[PackPlace, str], what: str
    ) -> None:
        place, _ = trees
        asked = "Should I change the pump too?"
        place.session("cccc-gone", "Fix the pump", "src/pump.py", branch="third", seconds=2 * DAY, said=asked)
        place.store()
        empty = place.worktree("third")
        scope = place(what, "--repo", str(empty))["pack"]["scope"]
        assert (scope["requested"], scope["applied"]) == ("auto", "family")
        assert "has no" in scope["why"]

    def test_the_task_of_another_worktree_is_not_of_this_workspace(self, trees: tuple[PackPlace, str]) -> None:
        place, tree = trees
        place.run("task", "start", "There alone", "--repo", tree)
        assert place("task", "--scope", "family")["pack"]["task"]["title"] == "There alone"
        assert place("task", "--scope", "workspace")["pack"]["task"]["origin"] == "derived"

    def test_worktrees_without_a_remote_are_one_family(self, place: PackPlace) -> None:
        place.git("remote", "remove", "origin")
        tree = place.worktree("second")
        place.session("aaaa", "Fix the export", "src/export.py")
        place.session("bbbb", "Fix the reader", "src/reader.py", folder=tree, seconds=DAY)
        place.store()
        for folder in (place.repo, tree):
            owners = place("family", "--scope", "family", "--repo", str(folder))["pack"]["owners"]
            assert [owner["ref"] for owner in owners] == ["session:claude:bbbb", "session:claude:aaaa"]

    def test_a_folder_without_git_is_bundled_too(self, place: PackPlace) -> None:
        plain = place.folder / "plain"
        plain.mkdir()
        place.session("aaaa", "Write the notes", "notes.md", folder=plain, said="Should I go on?")
        place.store()
        assert len(place("family", "--repo", str(plain))["pack"]["owners"]) == 1
        pack = place("task", "--repo", str(plain))["pack"]
        assert (pack["task"]["goal"], pack["commits"], pack["place"]["branch"]) == ("Write the notes", [], None)

    def test_words_that_mean_nothing_are_refused(self, place: PackPlace) -> None:
        for options in (("--scope", "galaxy"), ("--summary", "poem"), ("--now", "soon")):
            assert place.failed("family", *options)["code"] == 2


class TestFamily:
    """F21: days limit it, with both ends; a bad range is refused; support counts owners."""

    @pytest.fixture
    def family(self, place: PackPlace) -> PackPlace:
        red = ("pytest tests", "FAILED tests/test_a.py::test_a - AssertionError: no\n1 failed", True)
        green = ("pytest tests", "3 passed in 1s", False)
        decided = "Decision: keep the lexer because the parser needs it."
        place.session("aaaa", "Fix the export", "src/export.py", runs=(red, green), decided=decided)
        place.session("bbbb", "Fix the reader", "src/reader.py", runs=(red, green), decided=decided, seconds=DAY)
        place.session("cccc", "Fix the pump", "src/pump.py", said="Should I replace the pump?", seconds=2 * DAY)
        place.store()
        return place

    def test_days_and_a_focus_choose_the_owners(self, family: PackPlace) -> None:
        chosen: dict[tuple[str, ...], set[str]] = {
            (): {"aaaa", "bbbb", "cccc"},
            ("--date-from", "2026-03-02"): {"bbbb", "cccc"},
            ("--date-to", "2026-03-02"): {"aaaa", "bbbb"},
            ("--date-from", "2026-03-02", "--date-to", "2026-03-02"): {"bbbb"},
            ("--focus-query", "pump"): {"cccc"},
            ("--focus-query", "the reader"): {"bbbb"},
            ("--focus-query", "pumps"): {"cccc"},
        }
        for options, sessions in chosen.items():
            owners = family("family", *options)["pack"]["owners"]
            assert {owner["ref"].rpartition(":")[2] for owner in owners} == sessions, options

    def test_a_bad_range_is_refused(self, family: PackPlace) -> None:
        ranges = ("--date-from", "2026-03-03", "--date-to", "2026-03-02"), ("--date-from", "March")
        for what, options in product(("task", "family"), (*ranges, ("--date-to", "2026-02-30"))):
            assert family.failed(what, *options)["code"] == 2, options

    def test_only_the_last_sessions_are_looked_at_and_it_is_said(self, family: PackPlace) -> None:
        query = PackQuery(family.repo, datetime(2026, 3, 10, tzinfo=UTC), limits=PackLimits(looked_at=2))
        pack = make(family.settings, "family", query).pack
        assert {owner["ref"].rpartition(":")[2] for owner in pack["owners"]} == {"bbbb", "cccc"}
        assert pack["remarks"] == ["not looked at: 1 earlier session"]

    def test_time_without_anything_is_not_found(self, family: PackPlace) -> None:
        assert family.failed("family", "--date-to", "2025-01-01")["code"] == 3

    def test_support_counts_owners_and_says_when(self, family: PackPlace) -> None:
        pack = family("family")["pack"]
        (decision,) = (one for one in pack["recurring_learnings"] if "keep the lexer" in one["text"])
        assert decision["support"] == {
            "owner_count": 2,
            "latest_updated_at": "2026-03-02T10:00:00Z",
            "latest_age_days": 8,
            "source_owners": ["session:claude:bbbb", "session:claude:aaaa"],
        }
        (mistake,) = pack["recurring_mistakes"]
        assert mistake["support"]["owner_count"] == 2
        assert "pytest tests" in mistake["text"]
        (focus,) = pack["current_focus"]
        assert (focus["text"], focus["support"]["source_owners"]) == ("Fix the pump", ["session:claude:cccc"])
        (ahead,) = pack["next_work"]
        assert ahead["text"] == "To be answered: Should I replace the pump?"

    def test_the_sessions_of_one_task_count_once(self, family: PackPlace) -> None:
        sources = '{"sources": ["session:claude:aaaa", "session:claude:bbbb"]}'
        task = family.task("Fix everything")
        family.json("task", "update", task, "--json-patch", sources)
        pack = family("family")["pack"]
        (owner,) = (one for one in pack["owners"] if one["kind"] == "task")
        assert (owner["ref"], len(owner["sessions"])) == (f"work:{task}", 2)
        every = [ref for one in pack["owners"] for ref in one["sessions"]]
        assert len(every) == len(set(every)) == 3
        assert pack["recurring_mistakes"] == []
        (decision,) = (one for one in pack["learnings"] if "keep the lexer" in one["text"])
        assert decision["support"]["owner_count"] == 1
        assert decision["support"]["source_owners"] == [f"work:{task}"]

    def test_no_more_lines_than_the_limit_and_the_rest_is_counted(self, family: PackPlace) -> None:
        whole = family("family", "--items", "1000")["pack"]
        pack = family("family", "--items", "1")["pack"]
        assert len(pack["learnings"]) <= 1
        assert pack["left_out"] == {
            name: len(found) - 1 for name, found in whole.items() if isinstance(found, list) and _cut(name, found)
        }

    def test_a_failure_that_passed_later_in_another_session_is_no_risk(self, place: PackPlace) -> None:
        red = ("pytest tests", "FAILED tests/test_a.py::test_a - AssertionError: no\n1 failed", True)
        place.session("aaaa", "Fix the export", "src/export.py", runs=(red,), said="It still fails.")
        place.store()
        assert [one["support"]["owner_count"] for one in place("family")["pack"]["risks"]] == [1]
        place.session("bbbb", "Go on", "src/export.py", runs=(("pytest tests", "3 passed", False),), seconds=DAY)
        place.store()
        assert place("family")["pack"]["risks"] == []


def _cut(name: str, found: list[Any]) -> bool:
    lists = ("current_focus", "recent_changes", "learnings", "recurring_learnings", "risks", "next_work")
    return name in (*lists, "recurring_mistakes") and len(found) > 1


class TestForgetting:
    def test_a_forgotten_session_takes_the_packs_that_quote_it(self, worked: PackPlace) -> None:
        task, family = worked("task")["artifact"], worked("family")["artifact"]
        assert worked.json("forget", "--session", "aaaa-own", "--yes")["cas_removed"] == 2
        for digest in (task, family):
            code, out, _ = worked.run("cas", "get", digest, "--json")
            assert code == 3
            assert "which was forgotten" in orjson.loads(out)["error"]
        new = worked("family")
        assert "aaaa-own" not in orjson.dumps(new["pack"]).decode()

    def test_a_pack_goes_with_the_session_that_its_memory_rests_on(self, worked: PackPlace) -> None:
        evidence = ("--evidence", "chunk:claude:dddd-other:001")
        put = worked.json("memory", "put", "The export of empty files writes a header", "--kind", "decision", *evidence)
        worked.json("memory", "accept", put["entry"]["ref"], "--by", "Ada", "--yes")
        answer = worked("task")
        assert "session:claude:dddd-other" not in {one["ref"] for one in answer["pack"]["sessions"]}
        assert len(answer["pack"]["memory"]) == 1
        assert worked.json("forget", "--session", "dddd-other", "--yes")["cas_removed"] == 1
        assert worked.run("cas", "get", answer["artifact"])[0] == 3

    def test_a_hidden_session_is_in_no_pack(self, worked: PackPlace) -> None:
        (worked.home / ".aicxignore").write_text("store/**/*bbbb-file*\n")
        worked.store()
        assert "bbbb-file" not in orjson.dumps(worked("family")["pack"]).decode()
