"""What a tool for continuity has to do, row by row: C1 to C20, C31 and C32."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import orjson
import pytest

from aicx.continuity.logs import newest_primary
from aicx.continuity.markdown import parse, render
from aicx.continuity.saving import save
from aicx.continuity.signals import is_vague
from aicx.work.events import read_log
from tests.continuity.builders import FIRST, SECOND, THIRD, NotePlace, clean_status
from tests.corpus.builders import ClaudeLog
from tests.work.builders import NOW

pytestmark = pytest.mark.slow

PASSED, FAILED = False, True
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one


def test_the_project_note_is_shared_by_worktrees_and_the_local_one_is_not(place: NotePlace) -> None:
    """C1: two layers."""
    place.session(FIRST, "Fix the export of empty files", calls=(("pytest tests/export", "1 passed", PASSED),))
    place("save")
    other = place.worktree()
    found = place.json("continuity", "load", "--repo", str(other))
    assert [item["text"] for item in found["project"]["sections"]["confirmed"]] == ["`pytest tests/export` passed"]
    assert found["projectLocal"] is None
    assert place("load")["projectLocal"] is not None


def test_a_note_is_read_back_as_it_was_written_and_keeps_what_a_person_wrote(place: NotePlace) -> None:
    """C2: six sections, placeholders, hand edits."""
    log = place.session(FIRST, "Fix the export of empty files", calls=(("make test", "ok", PASSED),))
    place("save")
    for path, layer in ((place.project, "project"), (place.local, "local")):
        assert sum(line.startswith("## ") for line in path.read_text().splitlines()) == 6
        assert render(parse(path.read_bytes(), layer), layer) == path.read_text()  # type: ignore[arg-type]
        assert not any("Nothing yet" in item.text for item in parse(path.read_bytes(), layer).items)  # type: ignore[arg-type]
    place.edit(place.project, "- `make test` passed", "- make test passes on Linux only\n- Read the design first")
    place.edit(
        place.local,
        "## Incomplete and next\n\n_Nothing yet._",
        "## Incomplete and next\n\n* Ask Ada\n\n## Links\n\nthere",
    )
    place("save", "--log", str(log))
    assert place.texts("confirmed") == ["make test passes on Linux only", "Read the design first"]
    assert place.texts("next") == ["Ask Ada"]
    assert place.layers().merged.unknown_text == "## Links\n\nthere"


def test_git_does_not_see_the_note_of_a_worktree(place: NotePlace) -> None:
    """C3: git hygiene."""
    place.session(FIRST, "Fix the export of empty files")
    found = place("save")
    assert place.status_of_git() == ""
    assert found["excludePath"] == str(place.local.parent / ".gitignore")
    other = place.worktree()
    place.session(SECOND, "Fix the import", folder=other)
    place.json("continuity", "save", "--repo", str(other))
    assert clean_status(other) == ""


def test_each_kind_goes_to_its_layer(place: NotePlace) -> None:
    """C4: commands to the project, next steps and files to the worktree, prerequisites by what they say."""
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Speed the export up", 0)
    edited = f"{place.repo}/src/export.py"
    log.call("Bash", 1, "a", command="make lint").result("error: E501", 2, "a", failed=True)
    log.call("Edit", 3, "b", file_path=edited, old_string="x", new_string="y").result("", 4, "b")
    log.call("Bash", 5, "c", command="pytest -q").result("3 passed", 6, "c")
    said = "The tests require Redis running on port 6379. You must set API_MODE before running src/tools/seed.py. "
    place.write_log(log.answer(said + "Next step: write the changelog entry.", 7), FIRST)
    place("save")
    assert place.texts("confirmed", "project") == ["`pytest -q` passed, after changes of export.py"]
    assert [text.split(":")[0] for text in place.texts("failed", "project")] == [
        "`make lint` failed, and was not run again"
    ]
    assert place.texts("environment", "project") == ["The tests require Redis running on port 6379."]
    assert place.texts("environment", "local") == ["You must set API_MODE before running src/tools/seed.py."]
    assert place.texts("next", "local") == ["Next step: write the changelog entry."]
    assert place.texts("file", "local") == ["src/export.py"]
    assert not [*place.texts("next", "project"), *place.texts("file", "project")]


def test_a_note_says_what_was_found_last_and_what_was_committed(place: NotePlace) -> None:
    found = "The export fails on empty files because the writer never opens the target."
    calls = (
        ("git add -A && mkdir -p /tmp/x", "", PASSED),
        ("git commit -m 'Open the target first'", "[main 1a2b3c4] Open the target first", PASSED),
    )
    place.session(FIRST, "Find out why the export fails", calls=calls, said=f"{found} Want me to push it?")
    place("save")
    assert place.texts("result", "local") == [found, "Committed: Open the target first"]
    assert place.texts("confirmed") == []


@pytest.mark.parametrize(
    "said", ["Let me look at the writer of the export first.", "Spawning the planner for all of it.", "Done."]
)
def test_a_step_that_comes_next_is_no_result(place: NotePlace, said: str) -> None:
    place.session(FIRST, "Find out why the export fails", said=said)
    place("save")
    assert place.texts("result") == []


@pytest.mark.parametrize("refused", [True, False])
def test_what_led_to_a_plan_that_was_refused_is_no_result(place: NotePlace, *, refused: bool) -> None:
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Fix the export of empty files", 0)
    log.answer("The exporter drops tables without rows because the writer skips their headers.", 1)
    log.call("ExitPlanMode", 2, plan="# Plan: Export empty files\n\n## Steps\n1. Write the header")
    place.write_log(log.result("The user doesn't want to proceed", 3, failed=refused), FIRST)
    place("save")
    ended = "The session ended with a plan and began nothing of it: Export empty files"
    assert (place.texts("result") == [ended], place.texts("untried"), place.texts("next")) == (refused, [], [])


WORK = "The writer opens the target first, so that the export of empty files passes."


def worked(place: NotePlace) -> ClaudeLog:
    """A session that mended something and reported it."""
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Mend the export of empty files", 0)
    log.call("Write", 1, "a", file_path=f"{place.repo}/src/export.py", content="x").result("", 2, "a")
    log.call("Write", 3, "b", file_path=f"{place.repo}/src/try.py", content="x").result("", 4, "b")
    return log.call("Bash", 5, "c", command="rm src/try.py").result("", 6, "c").answer(WORK, 7)


def test_an_answer_is_told_with_its_question_and_behind_what_was_done(place: NotePlace) -> None:
    log = worked(place).prompt("does it keep the headers of tables without rows?", 8)
    place.write_log(log.answer("No, the headers are written by the reader, and it drops them.", 9), FIRST)
    place("save")
    answer = "No, the headers are written by the reader, and it drops them."
    assert place.texts("result") == [WORK, f"does it keep the headers of tables without rows? → {answer}"]
    assert place.texts("file") == ["src/export.py"]


def test_what_an_agent_says_before_it_is_interrupted_is_no_result(place: NotePlace) -> None:
    log = worked(place).prompt("Show the headers in the report as well, please", 8)
    log.answer("This is a different task from the export of the tables before.", 9)
    place.write_log(log.call("Read", 10, "d", file_path=f"{place.repo}/src/report.py"), FIRST)
    place("save")
    assert place.texts("result") == [WORK]


@pytest.mark.parametrize("said", ["Two tests fail elsewhere. Those need to be fixed in its repository.", ""])
def test_a_step_that_leans_on_what_was_said_before_or_repeats_the_goal_is_not_told(said: str, place: NotePlace) -> None:
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Find out why the export fails", 0)
    place.write_log(log.answer(said, 1) if said else log, FIRST)
    place("save")
    assert (place.goal(), place.texts("next")) == ("Find out why the export fails", [])


def test_what_is_only_weighed_or_proposed_is_no_part_of_the_environment(place: NotePlace) -> None:
    said = "### Cons\n- Requires Docker to be running\n\n<proposed_plan>\nThe build needs Redis to be running."
    place.session(FIRST, "What are the ways to ship the export?", said=said)
    place("save")
    assert place.texts("environment") == []


def test_a_check_that_was_pointed_nowhere_confirms_nothing(place: NotePlace) -> None:
    calls = (("SHOP_BIN=/nonexistent/path pytest -q", "1 skipped in 0.1s", PASSED),)
    place.session(FIRST, "Skip the tests of the shop without its program", calls=calls, said="They are skipped.")
    place("save")
    assert place.texts("confirmed") == []


def test_stars_in_code_are_no_marks(place: NotePlace) -> None:
    said = "The linter reads `**/*.md` + `**/*.mdx` of the **whole** folder from now on."
    place.session(FIRST, "Lint the pages of the docs too", said=said)
    place("save")
    assert place.texts("result") == [said.replace("**whole**", "whole")]


def test_a_check_before_the_last_change_of_a_program_confirms_nothing(place: NotePlace) -> None:
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Speed the export up", 0)
    log.call("Bash", 1, "a", command="pytest -q").result("3 passed", 2, "a")
    edited = f"{place.repo}/src/export.py"
    log.call("Edit", 3, "b", file_path=edited, old_string="x", new_string="y").result("", 4, "b")
    place.write_log(log.answer("The export is twice as fast since it reads ahead.", 5), FIRST)
    place("save")
    assert place.texts("confirmed") == []


def test_the_newest_evidence_is_kept_and_the_rest_counted(place: NotePlace) -> None:
    """C5: newest evidence, every trimmed item counted."""
    place.session(FIRST, "Test it all", calls=tuple((f"pytest tests/part{n}", "1 passed", PASSED) for n in range(12)))
    found = place("save")
    assert place.texts("confirmed") == [f"`pytest tests/part{n}` passed" for n in (11, 10, 9, 8, 7, 6)]
    assert found["latestContinuityDiagnostics"]["trimmedCounts"] == {"successfulCommands": 6}


@pytest.mark.parametrize("last", ["Continue", "go on", "继续", "Can you look into it?"])
def test_the_goal_survives_an_order_to_go_on(last: str, place: NotePlace) -> None:
    """C6: the goal survives."""
    place.session(FIRST, "Fix the export of empty files", last)
    place("save")
    assert place.goal() == "Fix the export of empty files"
    place.session(SECOND, last, begin=1000, modified=2_000_000_000)
    place("save")
    assert place.goal() == "Fix the export of empty files"


VAGUE = (
    "Continue", "resume please", "Run the checks again", "check again", "can you look into it?",
    "What about the tests?", "Where were we?", "wo waren wir?",
    "继续", "再跑一下测试", "能帮我看一下吗", "那测试呢", "mach weiter", "¿puedes revisarlo?",
)  # fmt: skip
CONCRETE = (
    "Why does the export of empty files fail on Windows?", "Continue the move of the billing tables to Postgres 16",
    "Check why the login test hangs", "修复导出空文件的错误",
)  # fmt: skip


@pytest.mark.parametrize("request_", VAGUE)
def test_a_vague_request_is_neither_goal_nor_next_step(request_: str, place: NotePlace) -> None:
    """C7: vague requests, in two languages and more."""
    assert is_vague(request_)
    place.session(FIRST, request_, request_)
    place("save")
    assert place.goal() is None
    assert not place.texts("next")


@pytest.mark.parametrize("request_", CONCRETE)
def test_a_concrete_question_is_a_goal(request_: str, place: NotePlace) -> None:
    """C7: a concrete question is one."""
    place.session(FIRST, "Continue", request_)
    place("save")
    assert request_ in str(place.goal())


def test_a_secret_is_masked_and_its_item_kept(place: NotePlace, capsys: pytest.CaptureFixture[str]) -> None:
    """C8: a secret in an item."""
    said = f"Next step: rotate the token {TOKEN} in the deploy job."
    log = place.session(FIRST, f"Deploy with {TOKEN} to staging", said=said)
    _, out, err = place.run("continuity", "save", "--json")
    assert TOKEN not in out + err
    (step,) = place.texts("next")
    assert "rotate the token [REDACTED:" in step
    assert "Deploy with [REDACTED:" in str(place.goal())
    place.edit(place.local, "- Next step", f"- My own {TOKEN}\n- Next step")
    for action in ("load", "status"):
        assert TOKEN not in place.run("continuity", action, "--json")[1]
    place("save", "--log", str(log))
    assert any(text.startswith("My own [REDACTED:") for text in place.texts("next"))
    written = [path for top in (place.home, place.repo) for path in top.rglob("*") if path.is_file()]
    assert not [path for path in written if TOKEN.encode() in path.read_bytes()]


PATCH = """*** Begin Patch
*** Add File: src/added.py
+x
*** Delete File: src/gone.py
*** Update File: src/old.py
*** Move to: src/new.py
*** End Patch"""
DIFF = """git apply <<'EOF'
diff --git a/lib/one.py b/lib/one.py
--- a/lib/one.py
+++ b/lib/one.py
diff --git a/lib/two.py b/lib/two.py
deleted file mode 100644
--- a/lib/two.py
+++ /dev/null
diff --git a/lib/three.py b/lib/four.py
rename from lib/three.py
rename to lib/four.py
EOF"""


def test_patches_diffs_and_arguments_name_the_files(place: NotePlace) -> None:
    """C9: patch parsing."""
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Reorder the sources", 0)
    log.call("apply_patch", 1, "a", input=PATCH).result("Done", 2, "a")
    log.call("Bash", 3, "b", command=DIFF).result("", 4, "b")
    log.call("Write", 5, "c", file_path=f"{place.repo}/docs/page.md", content="x").result("", 6, "c")
    log.call("Write", 7, "d", file_path="/elsewhere/page.md", content="x").result("", 8, "d")
    log.call("Bash", 9, "e", command="patch -p1 < x <<'E'\n--- a/lib/five.py\n+++ b/lib/five.py\nE").result("", 10, "e")
    place.write_log(log.answer("All moved.", 11), FIRST)
    found = place("save")
    files = place.texts("file", "local")
    assert files == [
        "lib/five.py", "docs/page.md", "lib/four.py", "lib/three.py (deleted)", "lib/two.py (deleted)", "lib/one.py",
        "src/new.py", "src/old.py (deleted)",
    ]  # fmt: skip
    assert found["latestContinuityDiagnostics"]["trimmedCounts"] == {"fileWrites": 2}


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "command-failed"),
        ("echo garbage", "invalid-json"),
        ("true", "invalid-json"),
        ("echo '[1]'", "invalid-json"),
        ("""echo '{"claims": "many"}'""", "invalid-structure"),
        ("""echo '{"claims": []}'""", "low-signal"),
        ("""echo '{"claims": [{"text": "Invented", "refs": ["f99"]}]}'""", "low-signal"),
    ],
)
def test_a_summarizer_that_fails_leaves_the_rules(script: str, reason: str, place: NotePlace) -> None:
    """C10: fallback with its reason."""
    configure(place, script)
    place.session(FIRST, "Fix the export", calls=(("pytest -q", "1 passed", PASSED),))
    found = place("save")["latestContinuityDiagnostics"]
    assert (found["preferredPath"], found["actualPath"]) == ("summarizer", "heuristic")
    assert (found["fallbackReason"], found["confidence"]) == (reason, "low")
    assert place.texts("confirmed") == ["`pytest -q` passed"]


def test_a_summarizer_that_answers_words_the_note(place: NotePlace) -> None:
    """C10: the other way."""
    configure(place, """echo '{"claims": [{"text": "The whole suite is green", "refs": ["f1"]}]}'""")
    place.session(FIRST, "Fix the export", calls=(("pytest -q", "1 passed", PASSED),))
    found = place("save")["latestContinuityDiagnostics"]
    assert (found["actualPath"], found["fallbackReason"], found["confidence"]) == ("summarizer", None, "high")
    assert place.texts("confirmed") == ["The whole suite is green"]


def test_without_a_summarizer_the_rules_are_what_is_configured(place: NotePlace) -> None:
    """C10: nothing configured."""
    place.session(FIRST, "Fix the export")
    assert place("save")["latestContinuityDiagnostics"]["fallbackReason"] == "configured-heuristic"


def test_a_second_save_keeps_older_items_behind_newer_ones(place: NotePlace) -> None:
    """C11: save merges, capped and without repeats."""
    place.session(
        FIRST, "One", calls=tuple((f"pytest tests/a{n}", "1 passed", PASSED) for n in range(5)), modified=1000
    )
    place("save")
    calls = tuple((f"pytest tests/b{n}", "1 passed", PASSED) for n in range(4))
    place.session(SECOND, "Two", calls=(*calls, ("pytest tests/a4", "ok, 1 passed", PASSED)), begin=1000, modified=2000)
    found = place("save")
    assert place.texts("confirmed") == [
        f"`pytest tests/{name}` passed" for name in ("a4", "b3", "b2", "b1", "b0", "a3", "a2", "a1")
    ]
    assert found["latestContinuityDiagnostics"]["trimmedCounts"] == {"successfulCommands": 1}


def test_a_refresh_replaces_what_was_there(place: NotePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """C12: the junk is gone, and at no moment was there no file."""
    place.session(FIRST, "Fix the export of empty files", calls=(("make test", "ok", PASSED),))
    place("save")
    place.edit(place.local, "## Goal", "## Goal\n\nJunk\n\n## Whatever\n\nJunk")
    place.edit(place.project, "- `make test` passed", "- Junk")
    paths = [str(place.local), str(place.project)]
    missing: list[str] = []

    def watch(event: str, args: tuple[object, ...]) -> None:
        if watching and event in ("os.remove", "os.rename") and not all(map(os.path.exists, paths)):
            missing.append(event)
        if watching and event == "os.remove" and args[0] in paths:
            missing.append(event)

    watching = True
    sys.addaudithook(watch)
    found = place("refresh")
    watching = False
    assert not missing
    assert (found["action"], found["writeMode"]) == ("refresh", "replace")
    for path in paths:
        assert "Junk" not in Path(path).read_text()
    assert place.texts("confirmed") == ["`make test` passed"]


class TestProvenance:
    """C13, C14 and C15: which session a note is made from."""

    def test_an_explicit_log_goes_before_all(self, place: NotePlace) -> None:
        old = place.session(FIRST, "Fix the export", modified=1000)
        place.session(SECOND, "Fix the import", modified=2000)
        selection = place("refresh", "--log", str(old))["rolloutSelection"]
        assert (selection["kind"], selection["rolloutPath"]) == ("explicit", str(old))
        assert place.goal() == "Fix the export"

    def test_a_subagent_counts_only_when_it_is_named(self, place: NotePlace) -> None:
        place.session(FIRST, "Fix the export", modified=1000)
        calls = (("pytest tests/export", "1 passed", PASSED),)
        agent = place.session(FIRST, "Find the callers", calls=calls, modified=3000, agent=f"{FIRST}/subagents/agent-7")
        assert place("save")["rolloutSelection"]["kind"] == "latest_primary"
        assert place.goal() == "Fix the export"
        found = place("refresh", "--log", str(agent))
        assert found["latestContinuityAuditEntry"]["provenanceKind"] == "subagent"
        assert {item.lane for item in place.layers().merged.items} == {"subagent"}

    def test_a_refresh_goes_back_to_the_last_audit_entry(self, place: NotePlace) -> None:
        old = place.session(FIRST, "Fix the export", modified=1000)
        place("save")
        new = place.session(SECOND, "Fix the import", begin=1000, modified=2000)
        selection = place("refresh")["rolloutSelection"]
        assert (selection["kind"], selection["rolloutPath"]) == ("audit", str(old))
        selection = place("save")["rolloutSelection"]
        assert (selection["kind"], selection["rolloutPath"]) == ("latest_primary", str(new))

    def test_a_save_without_a_session_falls_back_to_the_last_audit_entry(self, place: NotePlace) -> None:
        other = place.session(FIRST, "Fix the export", folder=place.folder)
        place("save", "--log", str(other))
        assert place("save")["rolloutSelection"]["kind"] == "audit"

    def test_a_recovery_marker_goes_before_the_rest(self, place: NotePlace) -> None:
        old = place.session(FIRST, "Fix the export", modified=1000)
        break_log(place)
        assert place.failed("save")["code"] == 6
        mend_log(place)
        place.session(SECOND, "Fix the import", begin=1000, modified=2000)
        for action in ("refresh", "save"):
            if action == "save":
                break_log(place)
                place.failed("refresh", "--log", str(old))
                mend_log(place)
            selection = place(action)["rolloutSelection"]
            assert (selection["kind"], selection["rolloutPath"]) == ("recovery", str(old))

    @pytest.mark.parametrize("kind", ["audit", "recovery"])
    def test_a_source_that_is_gone_is_an_error_and_no_other_one_is_taken(self, kind: str, place: NotePlace) -> None:
        """C14: fail closed."""
        old = place.session(FIRST, "Fix the export", modified=1000)
        place("save")
        if kind == "recovery":
            break_log(place)
            place.failed("refresh", "--log", str(old))
            mend_log(place)
        old.unlink()
        place.session(SECOND, "Fix the import", begin=1000, modified=2000)
        before = place.everything()
        found = place.failed("refresh")
        assert found["code"] == 8
        assert "log" in found["error"]
        assert place.everything() == before

    def test_an_entry_for_both_layers_does_not_stand_for_one(self, place: NotePlace) -> None:
        """C15: exact scope."""
        place.session(FIRST, "Fix the export", modified=1000)
        place("save")
        place.session(SECOND, "Fix the import", begin=1000, modified=2000)
        selection = place("refresh", "--scope", "project")["rolloutSelection"]
        assert selection["kind"] == "latest_primary"
        assert {"kind": "audit", "reason": "other_scope"} in selection["passedOver"]
        assert place("refresh", "--scope", "project")["rolloutSelection"]["kind"] == "audit"

    def test_a_refresh_changes_only_its_layer(self, place: NotePlace) -> None:
        place.session(FIRST, "Fix the export")
        place("save")
        before = place.local.read_bytes()
        place.edit(place.project, "Fix the export", "Junk")
        place("refresh", "--scope", "project")
        assert place.local.read_bytes() == before
        assert place.goal() == "Fix the export"


def test_where_one_note_cannot_be_written_neither_is(place: NotePlace) -> None:
    """C16: a pair or nothing."""
    place.session(FIRST, "Fix the export", calls=(("make test", "ok", PASSED),), modified=1000)
    place("save")
    before = place.project.read_bytes(), place.local.read_bytes()
    place.session(SECOND, "Fix the import", calls=(("make lint", "ok", PASSED),), begin=1000, modified=2000)
    hidden = place.local.with_name("kept")
    place.local.rename(hidden)
    place.local.mkdir()
    assert place.failed("refresh")["code"] != 0
    assert place.project.read_bytes() == before[0]
    place.local.rmdir()
    hidden.rename(place.local)
    break_log(place)
    assert place.failed("save")["code"] == 6
    mend_log(place)
    assert (place.project.read_bytes(), place.local.read_bytes()) == before


def test_every_writing_is_recorded_and_nothing_of_it_is_in_the_notes(place: NotePlace) -> None:
    """C17: the audit entry."""
    log = place.session(FIRST, "Fix the export", calls=(("make test", "ok", PASSED),))
    place("save")
    place("refresh", "--scope", "project", "--log", str(log))
    place("clear")
    folder = next((place.home / "work").iterdir())
    events = [event for event in read_log(folder).events if event.type.startswith("continuity_")]
    assert [event.type for event in events] == ["continuity_saved", "continuity_refreshed", "continuity_cleared"]
    entry = events[0].data
    expected = {
        "action": "save", "trigger": "manual-save", "mode": "merge", "scope": "both", "selection": "latest_primary",
        "preferred": "heuristic", "actual": "heuristic", "fallback": "configured-heuristic", "confidence": "medium",
        "lane": "primary", "session": f"session:claude:{FIRST}", "warnings": [], "worktree": place.place.worktree_id,
    }  # fmt: skip
    assert {name: entry[name] for name in expected} == expected
    assert entry["log"].startswith("~/.claude/projects/")
    assert entry["counts"]["confirmed"] == 1
    assert entry["files"][1] == ".aicx/continuity/active.md"
    assert "export" not in str([event.data for event in events]).replace(str(log), "")
    place("save")
    for path in (place.project, place.local):
        assert not [
            word for word in ("heuristic", "confidence", "manual-save", "latest_primary") if word in path.read_text()
        ]


def test_an_automatic_save_is_recorded_as_one(place: NotePlace) -> None:
    """C17: the automatic save."""
    place.session(FIRST, "Fix the export")
    save(place.settings, place.place, "both", NOW, trigger="auto-save", source="hook", summarizer=False)
    (event,) = read_log(next((place.home / "work").iterdir())).events
    assert (event.source, event.data["trigger"], event.data["action"]) == ("hook", "auto-save", "save")
    assert place("status")["latestContinuityAuditEntry"]["trigger"] == "auto-save"


def test_the_json_names_what_was_done(place: NotePlace) -> None:
    """C17: the fields of the answers."""
    place.session(FIRST, "Fix the export", said="Next step: write the changelog entry.")
    place.write("CLAUDE.md", "Run the tests.\n")
    found = place("save")
    assert (found["action"], found["writeMode"], found["rolloutSelection"]["kind"]) == (
        "save",
        "merge",
        "latest_primary",
    )
    entry, diagnostics = found["latestContinuityAuditEntry"], found["latestContinuityDiagnostics"]
    assert entry["trigger"] == "manual-save"
    assert diagnostics["evidenceCounts"]["nextSteps"] == 1
    assert "\nEvidence: 1 next step\n" in place.run("continuity", "load")[1]
    for action in ("load", "status"):
        shown = place(action)
        assert shown["resumeContext"] == {
            "goal": "Fix the export",
            "nextSteps": ["Next step: write the changelog entry."],
            "instructionFiles": ["CLAUDE.md"],
            "suggestedDurableRefs": [],
            "suggestedTeamEntries": [],
        }
        assert shown["latestContinuityAuditEntry"] == entry
        assert shown["latestContinuityDiagnostics"] == diagnostics
        assert shown["recentContinuityAuditEntries"] == []
    assert "merged" in place("load")
    assert "merged" not in place("status")


def test_what_could_not_be_recorded_leaves_a_marker_until_it_can(place: NotePlace) -> None:
    """C18: recovery markers."""
    one = place.session(FIRST, "Fix the export", modified=1000)
    two = place.session(SECOND, "Fix the import", modified=2000)
    break_log(place)
    for log in (one, two):
        place.failed("save", "--log", str(log))
    mend_log(place)

    def markers() -> list[str]:
        return [entry["entry"]["sourceSessionId"] for entry in place("status")["pendingContinuityRecovery"]]

    assert {*markers()} == {f"session:claude:{FIRST}", f"session:claude:{SECOND}"}
    assert place("status")["pendingContinuityRecovery"][0]["failedStage"] == "audit-write"
    place("save", "--log", str(one), "--scope", "project")
    assert len(markers()) == 2
    place("refresh", "--log", str(one))
    assert markers() == [f"session:claude:{SECOND}"]


def test_reading_changes_nothing(place: NotePlace) -> None:
    """C19: read-only views, also without what is known of the items."""
    place.session(FIRST, "Fix the export")
    for action in ("status", "load"):
        place(action)
    assert place.everything() == {
        str(place.repo / "src/export.py"): place.everything()[str(place.repo / "src/export.py")]
    }
    place("save")
    for _ in range(2):
        before = place.everything()
        for action in ("status", "load", "open"):
            place(action)
        assert place.everything() == before
        for path in place.home.glob("work/*/continuity/*.json"):
            path.unlink()


def test_memory_is_suggested_and_its_index_left_as_it_is(place: NotePlace) -> None:
    """C19: also where something was remembered."""
    place.session(FIRST, "Fix the export of empty files")
    place("save")
    refs = []
    for statement in ("Releases are cut on Mondays", "The export of empty files writes a header"):
        refs.append(place.json("memory", "put", statement)["entry"]["ref"])
        place.json("memory", "accept", refs[-1], "--by", "Ada", "--yes")
    place.json("memory", "put", "Nobody has agreed to the export of empty files")
    place.write("CLAUDE.md", "# Rules\n\n- Test the export of files first.\n- Be brief.\n")
    before = place.everything()
    for action in ("load", "status"):
        found = place(action)["resumeContext"]
        assert found["suggestedDurableRefs"] == [refs[1], refs[0]]
        assert [one["statement"] for one in found["suggestedTeamEntries"]] == ["Test the export of files first."]
        assert found["instructionFiles"] == ["CLAUDE.md"]
    assert place.everything() == before
    place.write("docs/team.md", "Decide on the export of files on Mondays.\n")
    place.write(".aicx/config.toml", 'team_files = ["docs/team.md", "docs/gone.md"]\n')
    found = place("load")["resumeContext"]["suggestedTeamEntries"]
    assert [one["statement"] for one in found] == [
        "Decide on the export of files on Mondays.",
        "Test the export of files first.",
    ]


def test_equal_writings_are_shown_as_one(place: NotePlace) -> None:
    """C20: the preview."""
    log = place.session(FIRST, "Fix the export")
    for _ in range(5):
        place("save", "--log", str(log))
    place("refresh", "--log", str(log))
    for _ in range(5):
        place("save", "--log", str(log))
    found = place("status")
    assert [(one["action"], one["count"]) for one in found["recentContinuityAuditEntries"]] == [
        ("save", 4), ("refresh", 1), ("save", 5),
    ]  # fmt: skip
    assert found["latestContinuityAuditEntry"]["action"] == "save"


@pytest.mark.parametrize(
    "damage",
    [
        b"\xff\xfe\x00",
        b"---\nstatus: active\n",
        b"---\nstatus: perhaps\n---\n\n## Goal\n\nX\n",
        b"## Goal\n\n<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\n",
        b"Only prose, and none of the headings.\n",
        b"## Goal\n\nX\n\n```\nnever closed\n\n## Tried and failed\n\n- Y\n",
        b"## Goal\n\n" + b"x" * 300_000,
    ],
)
@pytest.mark.parametrize("layer", ["project", "local"])
def test_a_note_broken_by_hand_is_reported_and_never_rewritten(damage: bytes, layer: str, place: NotePlace) -> None:
    """C31: an unsafe file."""
    place.session(FIRST, "Fix the export")
    place("save")
    path = place.project if layer == "project" else place.local
    path.write_bytes(damage)
    before = place.everything()
    for action in ("save", "refresh"):
        found = place.failed(action)
        assert found["code"] == 7
        assert str(path) in found["error"]
    (broken,) = place("load")["broken"]
    assert (broken["path"], broken["layer"]) == (str(path), layer)
    assert place.everything() == before


@pytest.mark.slow
def test_the_newest_session_among_thousands_of_logs_is_found_at_once(place: NotePlace) -> None:
    """C32: 2,000 logs of a megabyte each, on a file system that keeps no zeros."""
    wanted = place.session(THIRD, "Fix the export", modified=3_000_000)
    place.session(FIRST, "Find it", modified=4_000_000, agent=f"{THIRD}/subagents/agent-1")
    sessions = place.folder / "user/.codex/sessions/2026/01/31"
    sessions.mkdir(parents=True)
    for number in range(1000):
        other = place.session(f"{number:08d}-0000-4000-8000-000000000000", "Old", modified=1000 + number)
        head = {
            "id": f"019f1fc3-0000-7000-8000-{number:012d}",
            "timestamp": "2026-01-31T10:00:00Z",
            "cwd": "/elsewhere",
        }
        rollout = sessions / f"rollout-2026-01-31T10-00-00-{head['id']}.jsonl"
        rollout.write_bytes(
            orjson.dumps({"timestamp": head["timestamp"], "type": "session_meta", "payload": head}) + b"\n"
        )
        for path, modified in ((other, 1000 + number), (rollout, 2000 + number)):
            os.truncate(path, 1_000_000)
            os.utime(path, (modified, modified))
    settings, here = place.settings, place.place
    newest_primary(settings, here)
    times = []
    for _ in range(3):
        began = time.process_time()
        found = newest_primary(settings, here)
        times.append(time.process_time() - began)
    assert found is not None
    assert found[0].path == wanted
    assert min(times) < 0.2


def configure(place: NotePlace, script: str) -> None:
    """Makes a shell script the summarizer."""
    path = place.folder / "summarize.sh"
    path.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n")
    path.chmod(0o755)
    place.home.mkdir(exist_ok=True)
    (place.home / "config.toml").write_text(f'summarizer_command = "{path}"\n')


def break_log(place: NotePlace) -> None:
    """Puts a folder where the event log goes, so that nothing can be recorded."""
    for folder in (place.home / "work" / place.place.repo_id,):
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "events-0001.jsonl"
        if log.exists():
            log.rename(folder / "kept")
        log.mkdir()


def mend_log(place: NotePlace) -> None:
    folder = place.home / "work" / place.place.repo_id
    (folder / "events-0001.jsonl").rmdir()
    if (folder / "kept").exists():
        (folder / "kept").rename(folder / "events-0001.jsonl")
