"""What a session is called: lines that say something by themselves, and nothing for those that do not."""

from __future__ import annotations

import pytest

from aicx.titles import (
    MAX_TITLE,
    leans,
    name_given,
    name_of_prompt,
    name_of_session,
    name_of_work,
    names_number_alone,
    plan_of,
    shorten_title,
    subjects_of,
    with_work,
)


def named(text: str) -> str | None:
    found = name_of_prompt(text)
    return found.text if found else None


@pytest.mark.parametrize(
    "prompt",
    [
        "/clear",
        "/compact let us go on with the parser",
        "/review",
        "! git status",
        "continue",
        "Hi!",
        "ok, thanks",
        "commit",
        "q",
        "8",
        "resume please",
        "read the handoff and move on",
        "see HANDOFF.md and start the next task",
        "pick up where we left off",
        "let's go with option B",
        "https://example.org/a/b",
        "[image]",
        "[forgotten]",
        "",
    ],
)
def test_what_says_nothing_names_nothing(prompt: str) -> None:
    assert name_of_prompt(prompt) is None


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("Fix the lexer's buffer", "Fix the lexer's buffer"),
        ("ok, so now rotate the signing keys", "rotate the signing keys"),
        ("/quick write the migration protocol", "write the migration protocol"),
        ("Implement the following plan:\n\n# Plan: Bees in the hive view\n\n## Context", "Bees in the hive view"),
        ("```\nTraceback\n```\nThe hive loses its queen", "The hive loses its queen"),
        ("Low Severity\n\nThe hive loses its queen", "The hive loses its queen"),
        ("\u276f make hive\nerror: no bees\n\nthe hive target lost its bees", "the hive target lost its bees"),
        ("I get this while building:\n\u276f make hive\nerror: no bees", "I get this while building: make hive"),
        ("thoughts on https://github.com/ada/hive/discussions/12", "thoughts on ada/hive#12"),
        ("Summarise [the hive paper](https://example.org/x.pdf)", "Summarise the hive paper"),
        ("벌통 보기를 고쳐주세요", "벌통 보기를 고쳐주세요"),
    ],
)
def test_a_prompt_is_cleaned_of_what_was_pasted_with_it(prompt: str, name: str) -> None:
    assert named(prompt) == name


@pytest.mark.parametrize("prompt", ["continue with the parser of the hive", "read the handoff and fix the login flow"])
def test_going_on_with_something_named_names_it(prompt: str) -> None:
    assert named(prompt) == prompt


@pytest.mark.parametrize(
    "prompt",
    [
        'this should be hidden in "cloud" mode',
        "need a deep dive into this. these two tests were copied from",
        "should we have a new hive helper for this behavior?",
        "address pr feedback, also I'm curious whether the keeper of a locked hive is warned?",
    ],
)
def test_what_only_points_is_told_with_what_was_done(prompt: str) -> None:
    found = name_of_prompt(prompt)
    assert found is not None
    assert found.weak
    title = name_of_session(found.text, "weak", "fix(view): hide the bees")
    assert title is not None
    assert title.endswith(" — fix(view): hide the bees")


def test_comments_of_a_review_that_are_not_quoted_are_told_with_what_was_done() -> None:
    found = name_of_prompt("there are more valid comments from the keeper. one is about how cells are sealed")
    assert found is not None
    assert (found.weak, found.of_thing) == (True, True)


def test_what_points_at_an_address_below_is_not_passed_over_for_a_later_reply() -> None:
    found = name_of_prompt("find the root cause of this error:\nhttps://hive.example.org/runs/7\n\nguess nothing")
    assert found is not None
    assert (found.text, found.weak, found.of_thing) == ("find the root cause of this error", True, True)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("I get this error:\n\u276f hive open north\nthe door is held by wasps", "the door is held by wasps"),
        ("I get these errors:\nhive/a_test.go:76:31: invalid cell: wax in brood", "invalid cell: wax in brood"),
        ('I got this feedback: "The comb is cut by width and breaks"', "The comb is cut by width and breaks"),
    ],
)
def test_an_error_and_feedback_are_told_with_what_was_pasted(prompt: str, title: str) -> None:
    name = name_of_prompt(f"Since the keeper moved the brood chamber {prompt}")
    assert name is not None
    assert title in name.text
    assert not name.weak


def test_what_only_goes_about_a_branch_is_told_with_what_was_done() -> None:
    name = name_of_prompt("let's stash and get the latest updates, that will inform our approach")
    assert name is not None
    assert (name.weak, name.of_thing) == (True, True)


def test_a_merge_and_a_beginning_are_no_names_where_another_commit_says_more() -> None:
    assert name_of_work(["init", "Merge main into hive", "Seal the queen's cell"], (), ()) == (
        "Seal the queen's cell",
        "commit",
    )
    assert name_of_work(["init"], (), ()) is None


def test_an_issue_is_named_by_the_title_that_the_agent_tells() -> None:
    told = "Here is what is going on:\n\n**Title:** Wasps get in through the south door\n\n**Reporter:** Ada"
    assert name_of_work((), (), (), [told]) == ("Wasps get in through the south door", "words")


def test_a_request_that_points_at_what_is_below_is_told_with_it() -> None:
    found = name_of_prompt("Investigate this using a keeper of bees\n\nThe queen of the hive was never fed honey.")
    assert found is not None
    assert found.weak
    assert found.text == "Investigate this using a keeper of bees — The queen of the hive was never fed honey."


def test_an_approval_is_named_by_what_is_to_be_approved() -> None:
    asked = 'The following is the history of an agent.\n\nPlanned action JSON:\n\n{"command": ["sh", "-c", "git push"]'
    assert (
        named(asked + ', "justification": "May I push the branch of the hive?"}')
        == "approval: push the branch of the hive?"
    )
    assert named(asked + "}") == "approval: git push"


def test_a_task_whose_words_are_hidden_is_known_by_its_name() -> None:
    mail = (
        "[from /root to /root/hive_check]\nMessage Type: NEW_TASK\nTask name: /root/hive_check\nPayload:\n[encrypted]"
    )
    found = name_of_prompt(mail)
    assert found is not None
    assert (found.text, found.weak) == ("hive check", True)


@pytest.mark.parametrize(
    "said", ["All 12 tests pass.", "Committed and pushed.", "Lint is clean.", "Let me look at the hive."]
)
def test_what_is_true_of_any_work_names_none(said: str) -> None:
    assert name_of_work((), (), (), (said,)) is None


def test_the_label_of_a_task_is_not_its_title() -> None:
    assert named("Task name: /root/hive_check\n\nReview the queen of the hive") == "Review the queen of the hive"


def test_an_agent_that_describes_its_skill_names_no_work() -> None:
    said = [
        "This skill is for debugging the hive. It reads the logs of every hive.",
        "- `src/hive.py`",
        "The queen of the hive was never fed honey.",
    ]
    assert name_of_work((), (), (), said) == ("The queen of the hive was never fed honey", "words")


def test_a_prompt_that_only_refers_is_weak_and_shortens_the_address() -> None:
    found = name_of_prompt("why did this fail [https://forge.org/ada/orbit/pull/7](https://forge.org/ada/orbit/pull/7)")
    assert found is not None
    assert (found.text, found.weak, found.of_thing) == ("why did this fail ada/orbit#7", True, True)
    assert name_of_session(found.text, "thing", "fix(lexer): stop") == f"{found.text} — fix(lexer): stop"


def test_a_prompt_that_says_enough_needs_no_work_beside_it() -> None:
    assert name_of_session("Fix the lexer's buffer", "prompt", "fix(lexer): stop") == "Fix the lexer's buffer"
    assert name_of_session("Fix the lexer", "weak", "work on lexer.py", "files") == "Fix the lexer"
    assert name_of_session(None, None, "fix(lexer): stop") == "fix(lexer): stop"


def test_work_that_says_the_same_is_not_repeated() -> None:
    assert with_work("Stop the lexer", "stop the lexer") == "Stop the lexer"


def test_a_command_is_named_with_its_argument_though_it_is_a_number() -> None:
    assert named("/hive:plan-phase 12") == "hive:plan-phase: 12"


def test_this_issue_beside_its_address_says_too_little_in_a_long_sentence_too() -> None:
    found = name_of_prompt(
        "https://github.com/ada/orbit/issues/7 Investigate this issue again and try to find the root cause."
    )
    assert found is not None
    assert (found.weak, found.of_thing) == (True, True)
    told = name_of_prompt(
        "https://github.com/ada/orbit/issues/7 this issue says that the lexer drops commas in nested lists"
    )
    assert told is not None
    assert not told.weak


def test_what_another_agent_hands_over_is_named_by_its_input() -> None:
    assert named("<codex_delegation>\n  <source_thread_id>7</source_thread_id>\n</codex_delegation>") is None
    handed = (
        "<codex_delegation>\n  <source_thread_id>7</source_thread_id>\n  <input>Seal the queen cell.\n\n- wax</input>"
    )
    assert named(f"{handed}\n</codex_delegation>") == "Seal the queen cell."


def test_what_only_leads_to_a_list_gives_way_to_what_is_in_it() -> None:
    said = "Review of the lexer against `HEAD`:\n\n- No rule of the grammar is broken by the parser."
    assert name_of_work((), (), (), [said]) == ("No rule of the grammar is broken by the parser", "words")
    assert name_of_work((), (), (), ["Review of the lexer against `HEAD`:"]) == (
        "Review of the lexer against `HEAD`",
        "words",
    )


@pytest.mark.parametrize(
    ("title", "alone"),
    [
        ("orbit issue #7572", True),
        ("Issue 7660 analysis", True),
        ("ada/orbit#7", True),
        ("PR #2: Fix the lexer of nested lists", False),
        ("Phase 14 planning", False),
        ("Lexer of nested lists", False),
    ],
)
def test_a_number_is_no_name_by_itself(title: str, *, alone: bool) -> None:
    assert names_number_alone(title) is alone


def test_a_pasted_line_of_code_names_nothing() -> None:
    assert name_of_prompt('if cell.Kind == "queen" && cell.Wax != "" {') is None
    assert named('if cell.Kind == "queen" {\n\nwhy does the hive lose its queen') == "why does the hive lose its queen"


def test_what_a_program_orders_is_named_rather_than_the_role_it_gives() -> None:
    assert named("You are a keeper of bees.\nJudge the hive by its honey. Be brief.") == "Judge the hive by its honey."


@pytest.mark.parametrize(
    ("tool", "text", "plan"),
    [
        ("TodoWrite", 'TodoWrite\ntodos: [{"content":"Say \\"hum\\"","status":"pending"}]', ['Say "hum"']),
        ("update_plan", "update_plan\n- [pending] Feed the queen\n- [pending] Seal it", ["Feed the queen", "Seal it"]),
        ("TaskCreate", "TaskCreate\nsubject: Feed the queen\ndescription: x", ["Feed the queen"]),
        ("ExitPlanMode", "ExitPlanMode\nplan:\n# Plan: Feed the queen\n\n## Steps", ["Feed the queen"]),
        ("Bash", "Bash\n$ echo '- [x] Feed the queen'", []),
    ],
)
def test_a_plan_is_read_from_the_call_that_makes_it(tool: str, text: str, plan: list[str]) -> None:
    assert plan_of(tool, text) == plan


def test_what_everybody_does_first_is_no_item_that_names_a_session() -> None:
    assert name_of_work([], ["Explore the hive of bees", "Seal the queen's cell"], []) == (
        "Seal the queen's cell",
        "plan",
    )


def test_work_is_told_by_commits_then_words_then_files() -> None:
    said = ["I'll look at the hive first.", "Let me check. The queen cell was never sealed."]
    assert name_of_work(["fix(hive): seal the cell"], (), ["a/b.py"], said) == ("fix(hive): seal the cell", "commit")
    assert name_of_work([], (), ["a/b.py"], said) == ("The queen cell was never sealed", "words")
    assert name_of_work([], (), ["a/b.py", "c.py"], ["Done.", "Let me look."]) == ("work on b.py, c.py", "files")
    assert name_of_work([], [], [], ['{"verdict": "ok", "summary": "The queen cell was sealed"}']) == (
        "The queen cell was sealed",
        "words",
    )
    assert name_of_work([], [], []) is None


@pytest.mark.parametrize(
    ("command", "subjects"),
    [
        ('git add . && git commit -m "fix: seal the cell" && git push', ["fix: seal the cell"]),
        ("git commit -am 'fix: seal it'", ["fix: seal it"]),
        ("git commit -m \"$(cat <<'EOF'\nfix: seal the cell\n\nBody\nEOF\n)\"", ["fix: seal the cell"]),
        ("git commit -m @'\nfix: seal the cell\n\nBody\n'@", ["fix: seal the cell"]),
        ('gh pr create --title "Seal the cell" --body x', ["Seal the cell"]),
        ("git log", []),
    ],
)
def test_the_subject_of_a_commit_is_read_from_its_command(command: str, subjects: list[str]) -> None:
    assert subjects_of(command) == subjects


def test_a_title_that_somebody_gave_counts_where_it_says_something() -> None:
    assert name_given("Hive view") == "Hive view"
    assert name_given("/clear") is name_given("ok") is name_given("") is name_given(None) is None


def test_a_title_is_cut_between_words_and_never_in_a_mark() -> None:
    title = shorten_title("bees " * 18 + "[REDACTED:github-token] and more of them")
    assert len(title) <= MAX_TITLE
    assert "[REDACTED" not in title


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Look at the logo of the harbour. Here is the error:\n\n```\nx\n```", "Look at the logo of the harbour."),
        (
            "this button should be hidden in the cloud mode :\n\n[Image #1]",
            "this button should be hidden in the cloud mode",
        ),
        ("summarise the deploy log of pier:\nxxxx", "summarise the deploy log of pier"),
    ],
)
def test_what_leads_to_a_paste_is_left_out_of_a_title(prompt: str, title: str) -> None:
    assert named(prompt) == title


@pytest.mark.parametrize(
    ("topic", "source", "subject", "title"),
    [
        ("GitHub issue analysis", "agent", "fix(lexer): stop at nested braces", True),
        ("did the last build of the hive fail?", "prompt", "ci: align the toolchain of bees", True),
        # What the title says already, and what says nothing of the work.
        ("can you stop the lexer at the first comment?", "prompt", "fix(lexer): stop at the first comment", False),
        ("Hive view for gardens", "agent", "feat(hive): view of all gardens", False),
        ("Hive view for gardens", "agent", "Initial commit", False),
        ("Hive view for gardens", "agent", "chore: merge origin/main into feature/lexer", False),
    ],
)
def test_a_title_that_asks_or_speaks_of_something_else_is_told_with_the_commit(
    topic: str, source: str, subject: str, title: bool
) -> None:
    assert name_of_session(topic, source, subject, "commit") == (f"{topic} — {subject}" if title else topic)


def test_a_word_without_content_gives_way_to_what_was_done() -> None:
    assert name_of_session("recent", "weak", "Fix the tests of the hive", "plan") == "Fix the tests of the hive"
    assert name_of_session("have a look at linear BEE-98", "thing", "Move the help of the hive", "commit") == (
        "have a look at linear BEE-98 — Move the help of the hive"
    )


@pytest.mark.parametrize(
    "title",
    [
        "Can we use other colours?",
        "delete them — Deleted",
        "It picked up the hive",
        "create that because I want it",
        "still too hard.",
    ],
)
def test_a_reply_and_a_question_lean_on_what_was_said_before(title: str) -> None:
    assert leans(title)
    assert not leans("The gradient of the hive doesn't seem to colour the garden correctly")
