"""What a session is called and whether a program ran it, where that depends on other sessions too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.catalog.query import open_catalog, steer
from aicx.corpus.catalog.sessions import browse
from aicx.corpus.views.rank import rank_chunks
from aicx.fields import to_fields
from aicx.filters import Filters
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home

ROLE = "You are the keeper of the hive and judge what changed in it. " * 5
SDK = {"entrypoint": "sdk-cli", "promptSource": "sdk"}
WORDS = ("one", "two", "three", "four", "five")
EVERY = Filters()


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    return Home(tmp_path)


def session(number: int) -> str:
    return f"{number:08x}-3d52-4a8e-9a3c-5f0a1b2c3d4e"


def facts(home: Home) -> dict[str, tuple[str | None, str | None]]:
    with open_catalog(home.settings.layout) as opened:
        rows = opened.catalog.rows("SELECT session_id, title, automated_why FROM sessions")
    return {row["session_id"]: (row["title"], row["automated_why"]) for row in rows}


def listed(home: Home, filters: Filters = EVERY) -> list[dict[str, Any]]:
    return [to_fields(item) for item in browse(home.settings.layout, filters, "newest", 50, 0).items]


def runs(home: Home, count: int, **fields: Any) -> None:
    for number in range(count):
        log = ClaudeLog(session(number)).prompt(f"{ROLE}Diff {number}", 60 * number, **fields)
        home.claude(log.answer(f"Cell number {WORDS[number]} was sealed by bees", 60 * number + 1))


class TestTitles:
    def test_the_agents_own_title_counts_first(self, home):
        home.claude(ClaudeLog().prompt("Seal the queen's cell", 0).title("Queen cell sealed"))
        home.store()
        assert facts(home)[SESSION][0] == "Queen cell sealed"

    def test_a_title_of_a_number_alone_is_told_with_what_was_done(self, home):
        log = ClaudeLog().prompt("Seal the queen's cell", 0).call("Bash", 1, command="git commit -m 'Seal it with wax'")
        home.claude(log.result("[main 1a2b3c4] Seal it with wax", 2).title("orbit issue #7"))
        home.store()
        assert facts(home)[SESSION][0] == "orbit issue #7 \u2014 Seal it with wax"

    def test_a_client_s_title_of_what_was_only_quoted_gives_way_to_what_was_asked(self, home):
        log = ClaudeLog().prompt("Let any hive be described in the settings, as for the wasps", 0)
        log.call("Bash", 1, command="git commit -m 'Describe hives in the settings'").result("[main 1a2b3c4] x", 2)
        home.claude(log.title("Wolf support"))
        home.store()
        title = "Let any hive be described in the settings, as\u2026 \u2014 Describe hives in the settings"
        assert facts(home)[SESSION][0] == title

    @pytest.mark.parametrize("given", ["mise run lint fails", "Fixed lint errors in Go files"])
    def test_checks_that_fail_are_told_with_what_was_mended(self, home, given):
        home.claude(ClaudeLog().prompt("fix lint", 0).answer("The queen was named twice in the hive.", 2).title(given))
        home.store()
        assert facts(home)[SESSION][0] == f"{given} \u2014 The queen was named twice in the hive"

    def test_an_own_title_that_says_nothing_gives_way_to_the_prompt(self, home):
        home.claude(ClaudeLog().prompt("Seal the queen's cell", 0).title("/clear"))
        home.store()
        assert facts(home)[SESSION][0] == "Seal the queen's cell"

    def test_the_first_prompt_that_says_something_counts(self, home):
        log = ClaudeLog().prompt("continue", 0).answer("Going on.", 1).prompt("Seal the queen's cell", 2)
        home.claude(log.prompt("Now count the drones in the hive", 3))
        home.store()
        assert facts(home)[SESSION][0] == "Seal the queen's cell"

    def test_actions_name_a_session_whose_prompts_say_nothing(self, home):
        log = ClaudeLog().prompt("commit", 0).call("Bash", 1, command='git commit -m "fix(hive): seal the cell"')
        home.claude(log.result("done", 2))
        home.store()
        assert facts(home)[SESSION][0] == "fix(hive): seal the cell"

    def test_sessions_with_one_prompt_are_told_apart_by_what_was_done(self, home):
        for session_id, subject in ((SESSION, "fix: seal it"), (OTHER, "feat: open it"), (THIRD, "")):
            log = ClaudeLog(session_id).prompt("Look after the queen's cell", 0)
            if subject:
                log.call("Bash", 1, f"toolu_{session_id[:4]}", command=f'git commit -m "{subject}"')
            home.claude(log)
            home.store()
        titles = [title for title, _ in facts(home).values()]
        assert sorted(title for title in titles if title) == [
            "Look after the queen's cell",
            "Look after the queen's cell — feat: open it",
            "Look after the queen's cell — fix: seal it",
        ]

    def test_forks_of_one_title_are_told_apart_by_what_was_asked_and_not_by_what_the_agent_said_first(self, home):
        for number, asked in enumerate(("Seal the queen's cell", "Paint the landing board of the hive")):
            log = ClaudeLog(session(number)).prompt(asked, 60 * number)
            log.answer("Diagnosis: the battery of the hive scale discharges overnight", 60 * number + 1)
            home.claude(log.title("Hive overview"))
        home.store()
        assert {title for title, _ in facts(home).values()} == {
            "Hive overview — Seal the queen's cell",
            "Hive overview — Paint the landing board of the hive",
        }

    def test_a_reply_tells_no_fork_from_another(self, home):
        for number, asked in enumerate(("Seal the queen's cell", "Paint the landing board of the hive")):
            log = ClaudeLog(session(number)).prompt(("delete them", "why is it so dark?")[number], 60 * number)
            home.claude(log.answer("Done.", 60 * number + 1).prompt(asked, 60 * number + 2).title("Hive overview"))
        home.store()
        assert {title for title, _ in facts(home).values()} == {
            "Hive overview — Seal the queen's cell",
            "Hive overview — Paint the landing board of the hive",
        }

    @pytest.mark.parametrize("edits", [True, False])
    def test_a_client_does_not_say_that_something_was_built_where_nothing_was(self, home, edits):
        log = ClaudeLog().prompt("Which of two bees reviews the hive better?", 0)
        if edits:
            log.call("Write", 1, file_path="/srv/hive.py", content="x").result("", 2)
        other = ClaudeLog(OTHER).prompt("Two", 50)
        named = {"type": "summary", "summary": "Review of bees implemented", "leafUuid": log.records[0]["uuid"]}
        other.records.insert(0, named)
        home.claude(log)
        home.claude(other)
        home.store()
        assert (facts(home)[SESSION][0] == named["summary"]) is edits

    def test_a_command_that_was_taken_back_names_no_session(self, home):
        log = ClaudeLog().prompt("/study winter honey", 0).answer("I look for honey in winter.", 1)
        log.prompt("[Request interrupted by user]", 2).prompt("Seal the queen's cell", 3)
        home.claude(log.answer("The cell is sealed with wax now.", 4))
        home.store()
        assert facts(home)[SESSION][0] == "Seal the queen's cell"

    def test_a_rebuilt_catalogue_says_the_same(self, home):
        runs(home, 4)
        home.claude(ClaudeLog(OTHER).prompt("Seal the queen's cell", 9000).title("Queen cell sealed"))
        home.store()
        before = facts(home)
        for path in home.corpus.glob("catalog.sqlite*"):
            path.unlink()
        assert facts(home) == before

    def test_a_chunk_says_what_is_in_it(self, home):
        log = ClaudeLog().prompt("Seal the queen's cell " + "wax " * 2000, 0).answer("Sealed. " + "wax " * 1500, 1)
        home.claude(log.prompt("Now count the drones in the hive", 2))
        home.store()
        items = steer(home.settings.layout, EVERY, 10).items
        assert items[0]["chunk_title"] == "count the drones in the hive"
        assert {item["title"] for item in items} == {facts(home)[SESSION][0]}

    def test_hidden_chunks_name_no_session(self, home):
        log = ClaudeLog().prompt("continue", 0).answer("The cell of the queen is sealed with wax.", 1)
        home.claude(log.prompt("Count the drones in the hive", 24 * 3600))
        home.store()
        assert listed(home)[0]["title"] == "Count the drones in the hive"
        (home.corpus / ".aicxignore").write_text("*_002.md\n")
        (item,) = listed(home)
        assert item["title"] == "continue — The cell of the queen is sealed with wax"
        home.store()
        assert listed(home)[0]["title"] == item["title"]

    def test_a_prompt_without_content_gives_way_to_what_was_planned_or_changed(self, home):
        log = ClaudeLog().prompt("q", 0).answer("The queen looks well to me in every cell.", 1)
        home.claude(log.call("Read", 2, "t1", file_path="/w/hive.py").result("x", 3, "t1"))
        home.store()
        assert listed(home)[0]["title"] == "q"
        home.claude(
            log.call("Edit", 4, "t2", file_path="/w/queen.py", old_string="x", new_string="y").result("", 5, "t2")
        )
        home.store()
        assert listed(home)[0]["title"] == "work on queen.py"
        todos = [
            {"content": "Explore the hive", "status": "pending"},
            {"content": "Feed the queen", "status": "pending"},
        ]
        home.claude(log.call("TodoWrite", 6, "t3", todos=todos).result("", 7, "t3"))
        home.store()
        assert listed(home)[0]["title"] == "Feed the queen"

    def test_a_prompt_that_only_points_is_told_with_what_was_found(self, home):
        home.claude(ClaudeLog().prompt("this looks wrong", 0).answer("The queen of the hive was never fed honey.", 1))
        home.store()
        assert listed(home)[0]["title"] == "this looks wrong — The queen of the hive was never fed honey"

    def test_a_request_that_points_at_a_branch_is_told_with_the_branch_and_what_was_found(self, home):
        log = ClaudeLog(branch="feat/honey").prompt("Review the changes on this branch", 0)
        home.claude(log.answer("The frames of the upper hive are never counted.", 1))
        home.store()
        title = "Review the changes on this branch — feat/honey: The frames of the upper hive are never counted"
        assert listed(home)[0]["title"] == title

    def test_sessions_with_one_prompt_and_one_result_do_not_say_it_twice(self, home):
        asked = "Count the drones of every hive in the upper garden before they leave"
        for number in range(2):
            log = ClaudeLog(session(number)).prompt(asked, 60 * number)
            home.claude(log.answer("The upper garden has twelve drones.", 60 * number + 1))
        home.store()
        told = "Count the drones of every hive in the upper… — The upper garden has twelve drones"
        assert {title for title, _ in facts(home).values()} == {told}

    def test_a_reply_does_not_replace_a_request_that_points_at_a_branch(self, home):
        log = ClaudeLog(branch="feat/honey").prompt("Weigh the honey of this branch", 0)
        home.claude(log.answer("Nothing to say.", 1).prompt("Put the frames of the hive in order", 2))
        home.store()
        assert listed(home)[0]["title"] == "Weigh the honey of this branch — feat/honey"

    def test_what_an_agent_is_about_to_do_names_no_session(self, home):
        log = ClaudeLog().prompt("q", 0).answer("The frames of the hive are old. I'm counting them now.", 1)
        home.claude(log)
        home.store()
        assert listed(home)[0]["title"] == "q"


class TestAutomated:
    def test_the_log_is_evidence(self, home):
        home.claude(ClaudeLog().prompt("Seal the queen's cell", 0, **SDK))
        home.store()
        assert facts(home)[SESSION][1] == "started by claude -p (entrypoint sdk-cli)"
        assert home.sidecars()[0]["automated_why"] == "started by claude -p (entrypoint sdk-cli)"

    def test_a_session_that_a_person_goes_on_with_is_theirs(self, home):
        home.claude(ClaudeLog().prompt("Seal the queen's cell", 0, **SDK).prompt("And the drones' cells", 1))
        home.store()
        assert facts(home)[SESSION][1] is None

    def test_a_prompt_that_begins_many_sessions_is_a_programs(self, home):
        runs(home, 4)
        home.store()
        assert {why for _, why in facts(home).values()} == {"the same prompt began 4 sessions of one prompt each"}

    def test_three_sessions_are_not_many_and_a_second_prompt_is_a_persons(self, home):
        runs(home, 3)
        home.claude(ClaudeLog(session(9)).prompt(f"{ROLE}Diff 9", 900).prompt("And the drones' cells", 901))
        home.store()
        assert {why for _, why in facts(home).values()} == {None}

    def test_the_fourth_run_marks_those_that_were_stored_before(self, home):
        runs(home, 3)
        home.store()
        assert {why for _, why in facts(home).values()} == {None}
        runs(home, 4)
        home.store()
        assert len({why for _, why in facts(home).values()}) == 1
        assert None not in {why for _, why in facts(home).values()}

    def test_runs_of_one_prompt_are_told_with_what_each_found(self, home):
        runs(home, 4, **SDK)
        home.store()
        asked = "You are the keeper of the hive and judge what\u2026"
        found = [f"{asked} \u2014 Cell number {word} was sealed by bees" for word in WORDS[:4]]
        assert sorted(str(title) for title, _ in facts(home).values()) == sorted(found)

    def test_runs_of_one_prompt_are_told_apart_by_what_they_were_given(self, home):
        for number in range(2):
            given = f"Judge the change of the hive.\n\n---\n\nChange: seal cell {WORDS[number]} with wax\nFiles:\na.py"
            log = ClaudeLog(session(number)).prompt(f"{ROLE}\n{given}", 60 * number, **SDK)
            home.claude(log.answer('{"verdict": "The bees are fine"}', 60 * number + 1))
        home.store()
        titles = {title for title, _ in facts(home).values()}
        assert titles == {"Judge: seal cell one with wax", "Judge: seal cell two with wax"}


class TestLists:
    @pytest.fixture
    def home(self, home: Home) -> Home:
        runs(home, 5, **SDK)
        home.claude(ClaudeLog(OTHER).prompt("Seal the queen's cell", 30).answer("Sealed, decision: wax.", 31))
        home.store()
        return home

    def test_runs_of_one_prompt_are_one_item_in_sessions(self, home):
        items = listed(home)
        assert [(item["session_id"], item["automated"], item["runs"]) for item in items] == [
            (session(4), True, 5),
            (OTHER, False, 1),
        ]
        assert sorted(items[0]["run_ids"]) == [session(number) for number in range(5)]
        assert items[1]["run_ids"] == []

    def test_runs_of_one_prompt_are_called_by_what_they_share(self, home):
        title = "You are the keeper of the hive and\u2026"
        some = "Cell number five was sealed\u2026; Cell number four was sealed\u2026"
        assert listed(home)[0]["title"] == f"{title} \u2014 {some}"

    @pytest.mark.parametrize(
        ("given", "title"),
        [
            (
                'Planned action JSON:\n{{"justification": "May I seal cell {}?"}}',
                "approval \u2014 seal cell two?; seal cell one?",
            ),
            (
                "Judge the change.\n\n---\n\nChange: seal cell {} with wax",
                (
                    "You are the judge of what changed\u2026 \u2014 "
                    "Judge: seal cell two with wax; Judge: seal cell one with wax"
                ),
            ),
        ],
    )
    def test_runs_that_share_no_title_are_called_by_their_prompt(self, home, given, title):
        for number in range(2):
            asked = (
                f"You are the judge of what changed in the hive. {'Be strict. ' * 25}\n{given.format(WORDS[number])}"
            )
            home.claude(ClaudeLog(session(number + 7)).prompt(asked, 900 + number, **SDK).answer("Fine.", 902 + number))
        home.store()
        assert title in {item["title"] for item in listed(home) if item["runs"] == 2}

    def test_each_run_is_an_item_where_that_is_asked(self, home):
        items = listed(home, Filters(automated=True))
        assert len(items) == 6
        assert {item["runs"] for item in items} == {1}
        assert sum(item["automated"] for item in items) == 5

    def test_steer_folds_and_lists_each(self, home):
        found = steer(home.settings.layout, EVERY, 20)
        assert [(item["session_id"], item["runs"]) for item in found.items] == [(session(4), 5), (OTHER, 1)]
        assert len(steer(home.settings.layout, Filters(automated=True), 20).items) == 6

    def test_rank_folds_and_lists_each(self, home):
        layout = home.settings.layout
        folded = rank_chunks(layout, "/srv/ada/orbit", since=None, strict=False, top=10).items
        assert sorted(item["runs"] for item in folded) == [1, 5]
        assert len(rank_chunks(layout, "/srv/ada/orbit", since=None, strict=False, top=10, automated=True).items) == 6

    def test_the_filters_limit_what_a_folded_item_speaks_for(self, home):
        (item,) = listed(home, Filters(session=session(2)))
        assert (item["session_id"], item["runs"]) == (session(2), 1)
