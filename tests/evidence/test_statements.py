"""What counts as a request, as something left to do, as a question, and as a decision."""

from __future__ import annotations

import pytest

from aicx.evidence.statements import (
    COMPACTION,
    asks_for_something,
    conclusion,
    decisions,
    is_done,
    is_step,
    left_open,
    names_its_subject,
    own_choices,
    requests,
    says_passing,
    says_resolved,
    telling,
    weigh,
    without_open,
)
from tests.evidence.stories import Story

# Requests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "prompts"),
    [
        # Says nothing, in any language.
        (
            0,
            ["continue", "Yes, please!", "ok thanks", "1", "weiter", "sí, continúa", "/exit", "/clear", "👍", "go on…"],
        ),
        (0, ["请继续", "continúa por favor", "continue s'il te plaît", "계속해", "продолжай"]),
        # Leans on what came before.
        (1, ["make a pr", "commit the changes", "run the tests again", "merge it", "stash and fetch the latest main"]),
        (1, ["can you look into it?", "can you take a look?", "what about the other one?", "check again"]),
        (
            1,
            [
                "what's next?",
                "看一下",
                "再检查一下",
                "那这个呢",
                "もう一度確認して",
                "다시 확인해줘",
                "посмотри",
                "проверь ещё раз",
            ],
        ),
        (1, ["schau mal", "kannst du dir das ansehen?", "prüfe nochmal", "revisa otra vez", "¿y esto?", "regarde ça"]),
        (1, ["réessaie"]),
        # Says something by itself.
        (2, ["fix the login", "continue with the parser", "why is CI red on arm64?", "yes, but keep v1"]),
        (2, ["why does the login fail after a minute?", "登录为什么失败?", "look into the memory leak"]),
        (2, ["schau dir den Login an", "mira el inicio de sesión"]),
    ],
)
def test_a_request_counts_by_what_it_says_itself(level: int, prompts: list[str]) -> None:
    assert {prompt: weigh(prompt).level for prompt in prompts} == dict.fromkeys(prompts, level)


def test_what_a_client_puts_before_a_prompt_is_not_the_prompt() -> None:
    found = weigh("# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request for Codex:\nfix the icon")
    assert found.text == "fix the icon"


def test_only_what_a_person_typed_is_a_request() -> None:
    story = Story().asks("fix the login").says("continue with the parser")
    story._add("user", "injected", "fix the cache")
    assert [weight.text for weight, _ in requests(story.steps)] == ["fix the login"]


# What is left -------------------------------------------------------------------------------------------------------


def ahead(text: str) -> list[str]:
    return [statement.text for statement in left_open(Story().says(text).steps[0])[0]]


def asked(text: str) -> list[str]:
    return [statement.text for statement in left_open(Story().says(text).steps[0])[1]]


@pytest.mark.parametrize("heading", ["Validated", "Verified with", "I changed the reader.\n\nTested locally"])
def test_what_a_check_was_to_show_is_not_left_to_do(heading: str) -> None:
    assert ahead(f"{heading}:\n\n- The old hive file still fails.\n- A new one passes.") == []


def test_what_was_not_checked_is_left_to_do() -> None:
    assert ahead("Not verified yet:\n\n- The old hive file still fails.") == ["The old hive file still fails."]


def test_a_prompt_that_was_stopped_and_said_again_in_better_words_counts_once() -> None:
    story = (
        Story().asks("have a look at HIVE-108, we work on it here").asks("have a look at COMB-108, we work on it here")
    )
    assert [weight.text for weight, _ in requests(story.steps)] == ["have a look at COMB-108, we work on it here"]


def test_a_prompt_that_says_nearly_the_same_after_an_answer_counts_too() -> None:
    story = Story().asks("use the hive with combs").says("Used it.").asks("use the hive with frames")
    assert len(requests(story.steps)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "The branch still needs to be merged.",
        "Next, I\u2019ll wire the cache in.",
        "The tags are still stale until the release workflow is dispatched.",
        "CI is pending, and the branch still needs to be merged.",
        "Since the last push, the build is still failing.",
        "The release workflow is pending your approval.",
        "The slow tests still need running.",
        "The migration has not been run yet.",
        "Windows remains untested and remains to be checked.",
        "Renaming the field is out of scope here.",
        "The remaining failure is in the nightly build.",
    ],
)
def test_sentence_that_says_what_is_to_be_done_is_kept(text: str) -> None:
    assert ahead(f"Fixed the parser. {text}") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "No remaining failures.",
        "The only remaining red is the nightly build, an unrelated crash of the compiler.",
        "The remaining failure is in the nightly build, not this PR\u2019s code.",
        "There are no unresolved reviews.",
        "No unresolved review threads remain.",
        "0 unaddressed comments.",
        "There aren\u2019t any open questions.",
        "Pushed, with no further blocking issues pending.",
        "Addressed all follow-up comments.",
        "The button stands next to the field.",
        "0 pending checks.",
        "CI is pending.",
        "Full PR CI is still running.",
        "No failing checks; six CI jobs remain pending.",
        "CI restarted after the push; lint is green, with heavier jobs still pending.",
        "New files appear as \u201cuntracked\u201d because they are not committed.",
        "If the branch is not merged yet, the page shows a hint.",
        "The cache keeps entries that have not been verified.",
        "`name` remains only a label.",
        "All tests pass.",
        "Removed the nested view, which was still missing its tests.",
        "Docs - Deleted the section on exports (not implemented).",
        "The field still needs a cast, but now keeps its type.",
        "The checks were queued/pending after the push.",
        "Nothing else is blocked on it; five files are not committed.",
        "The analysis is now in the first brief, pending its review.",
    ],
)
def test_sentence_that_only_sounds_like_it_is_not(text: str) -> None:
    assert ahead(text) == []


@pytest.mark.parametrize("label", ["Next", "Open", "Still open", "Nächster Schritt", "Prochaine étape"])
def test_what_a_label_calls_next_is_next_without_the_label(label: str) -> None:
    assert ahead(f"Fixed the parser. {label}: show the discount.") == ["show the discount."]


def test_a_label_before_a_number_is_no_next_step() -> None:
    assert ahead("Open: `67`") == []


def test_everything_under_next_steps_is_next() -> None:
    assert ahead("Done.\n\n## Next steps\n1. Merge the branch\n2. Tell the team\n\n## Notes\n- Nothing") == [
        "Merge the branch",
        "Tell the team",
    ]


def test_words_of_the_client_behind_a_summary_are_no_next_step() -> None:
    tail = (
        "If you need specific details from before compaction (like exact code), read the full transcript at: /x.jsonl\n"
        "Continue the conversation from where it left off without asking the user any further questions. Resume "
        "directly — do not acknowledge the summary, do not recap. Pick up the last task as if the break never happened."
    )
    older = (
        "Please continue the conversation from where we left it off. Continue with the last task that you were asked "
        "to work on."
    )
    assert ahead(f"## Next step\n- Merge the branch\n\n{tail}") == ["Merge the branch"]
    assert ahead(f"## Next steps\n- Merge the branch\n{older}") == ["Merge the branch"]


@pytest.mark.parametrize(
    "text", ["Want me to commit this?", "Should I keep the old name?", "Let me know which one you prefer."]
)
def test_question_to_the_person_is_kept_as_one(text: str) -> None:
    assert asked(f"Fixed. {text}") == [text]


def test_advice_on_what_a_person_may_want_is_no_question() -> None:
    assert asked("If you want to see it hosted, commit the setting.") == []
    assert asked("If you want, I can commit the setting.") == ["If you want, I can commit the setting."]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (["I looked around.", "Fixed the login."], "Fixed the login."),
        # What was found, and not what was to be done next.
        (["The token lives five minutes.", "Okay, let me look at the cache."], "The token lives five minutes."),
        (["The token lives five minutes.", "I have everything I need."], "The token lives five minutes."),
        (["The token lives five minutes.", "Now I have enough context."], "The token lives five minutes."),
        (["The token lives five minutes.", "Good. Let me run the tests."], "The token lives five minutes."),
        (["I\u2019ll look at the cache."], "I\u2019ll look at the cache."),  # where nothing else was said
    ],
)
def test_conclusion_is_the_last_thing_that_the_agent_found(said: list[str], found: str) -> None:
    story = Story()
    for text in said:
        story.says(text)
    told = conclusion(story.asks("/exit").steps)
    assert told is not None
    assert told.text == found


def test_choice_in_a_summary_is_the_agents() -> None:
    story = Story()._add("system", COMPACTION, "We kept the old name because clients depend on it.")
    assert chosen(story) == ["We kept the old name because clients depend on it."]
    assert decided(story) == []


@pytest.mark.parametrize("text", ["The conflict is resolved.", "Resolved the merge conflicts and pushed."])
def test_word_that_a_conflict_is_over_is_recognised(text: str) -> None:
    assert says_resolved(Story().says(text).steps[0])


def test_conflict_that_is_to_be_resolved_is_not_over() -> None:
    assert not says_resolved(Story().says("Once the conflict is resolved, I can push.").steps[0])


def test_session_in_which_the_agent_never_spoke_has_no_conclusion() -> None:
    assert conclusion(Story().asks("fix the login").steps) is None


@pytest.mark.parametrize(
    "text",
    [
        *("Done. The login works.", "I fixed the login.", "All 12 tests pass.", "PR opened."),
        *("Erledigt: die Anmeldung geht wieder.", "Terminé.", "README.md に単位を追加しました。"),
    ],
)
def test_report_of_finished_work_is_recognised(text: str) -> None:
    assert is_done(Story().says(text).steps[0])


def test_announcement_is_no_report() -> None:
    assert not is_done(Story().says("I\u2019m going to look at the login next.").steps[0])


def test_word_of_joy_before_a_report_is_left_out() -> None:
    assert telling("Perfect! The login works.") == "The login works."
    assert telling("Done.") == "Done."


@pytest.mark.parametrize("text", ["All tests pass.", "All 12 tests are green.", "The full test suite passes now."])
def test_word_that_all_tests_pass_is_recognised(text: str) -> None:
    assert says_passing(Story().says(f"Done. {text}").steps[0], "test")


@pytest.mark.parametrize(
    "text",
    [
        "All unit tests pass.",
        "The new tests pass.",
        "Not all tests pass.",
        "Do all tests pass?",
        "Let me make sure all tests pass.",
        "I\u2019ll push once all tests pass.",
        "All tests pass except the slow one.",
        "Lint is clean.",
    ],
)
def test_word_that_some_tests_pass_is_not_that_all_do(text: str) -> None:
    assert not says_passing(Story().says(text).steps[0], "test")


def test_word_that_lint_is_clean_is_recognised() -> None:
    assert says_passing(Story().says("Tests pass and lint is clean.").steps[0], "lint")


# Decisions ----------------------------------------------------------------------------------------------------------


def decided(story: Story) -> list[str]:
    return [statement.text for statement in decisions(story.steps, 8)]


def chosen(story: Story) -> list[str]:
    return [statement.text for statement in own_choices(story.steps, 8)]


@pytest.mark.parametrize(
    "text",
    [
        "I kept the old name because clients depend on it.",
        "Decision: store times as UTC to avoid surprises with daylight saving.",
        "I put the constants in `core` rather than in `api`, which would have been a circular import.",
        "Entscheidung: Zeiten bleiben UTC, weil die Datenbank sie so speichert.",
        "Nous avons gardé l\u2019ancien nom parce que des clients en dépendent.",
        "Hemos elegido UTC porque la base de datos lo guarda así.",
        "Escolhemos UTC porque o banco de dados o guarda assim.",
        "Мы решили хранить время в UTC, чтобы избежать сюрпризов.",
        "我们决定统一使用协调世界时\uff0c因为数据库就是这样保存的。",
        "時刻は協定世界時で保存することにしました、データベースがそうするため。",
    ],
)
def test_choice_of_the_agent_is_its_own_and_no_decision(text: str) -> None:
    assert chosen(Story().says(text)) == [text]
    assert decided(Story().says(text)) == []


ASKS = "Which way should the export go?"


@pytest.mark.parametrize(
    ("settled", "later", "kept"),
    [
        ("let's make the old export command hidden", "thinking again: let's drop the export altogether", False),
        ("let's make the old export command hidden", "thinking again: let's write a page about prices", True),
        ("let's make the old export command hidden", "now write a page about prices", True),
        ("let's keep prices of old invoices as text", "prices of old invoices: drop the text", False),
        ('"What about PR #22, which moves prices?"="hold it"', "start with PR #22 now", False),
        ('"What about PR #22, which moves prices?"="hold it"', "is PR #22 big?", True),
        (f'"{ASKS}"="read by id and use timestamp filtering"', "I replaced timestamp filtering", False),
        (f'"{ASKS}"="read by id and use timestamp filtering"', "I replaced the filtering of ids", True),
    ],
)
def test_a_decision_that_was_spoken_of_again_is_none(settled: str, later: str, *, kept: bool) -> None:
    story = Story().asks("export the invoices")
    if settled.startswith('"'):
        story.calls("AskUserQuestion").gets("AskUserQuestion", f"Your questions have been answered: {settled}")
    else:
        story.asks(settled)
    story = story.says("Noted.")
    found = decided(story.says(later) if later.startswith("I ") else story.asks(later))
    assert any(line != later for line in found) is kept


def test_reason_may_stand_in_the_next_sentence() -> None:
    assert chosen(
        Story().says("I\u2019m keeping the explicit lock here. That avoids a new dependency for one test.")
    ) == ["I\u2019m keeping the explicit lock here. That avoids a new dependency for one test."]


@pytest.mark.parametrize(
    "text",
    [
        "I kept the old name for the exported function.",
        "I\u2019m keeping the verification running because this change touches releases.",
        "I left the server running in the background because the tests need it.",
        "I\u2019m keeping an eye on it, since the remaining signal comes from the long tests.",
        "I\u2019m using the review workflow because you asked for a review.",
        "I\u2019ll check the logs first because they are short.",
        "Should I keep it because clients depend on it?",
        "The cache is slow because it is on a network disk.",
        "Root cause: the cache key leaves out the locale, because it was added later.",
        "I\u2019m sorry, I removed the field because I misread the request.",
        "You\u2019re right, I should have used the lock to avoid the race.",
        "I removed them because I didn\u2019t find them in the docs.",
        "The linter wanted a template instead of a concatenation because of its new rule.",
        "I\u2019ll use a temporary clone to keep the checkout clean.",
        "I\u2019m searching the templates, because the snippet may be generated instead of committed.",
        "I left the help aside, so I\u2019m doing a tiny option probe to avoid a guess.",
        "Because the thread is live, I\u2019ll verify it instead of guessing.",
        "But I would not add that by design, because the index is cleaner.",
        "I\u2019ll use a lock file, since two processes may write at once.",
        "The cache key leaves out the locale on purpose, because it is the same for all.",
        "The only change I made was raising the log level, which is fine since it was broken.",
        "The simplest fix is to remove the fence entirely since it is only a note.",
        "The daemon is a child of the shell by design, so the dialog will always appear.",
        "Then I\u2019ll go on with one follow-up: make the line required rather than optional, since it should be.",
        "I\u2019m flagging it rather than fixing it, because it is not part of this change.",
        "The tests are switched to the fixed audience. I\u2019m updating the docs now to avoid confusion.",
        "`Languages`), and we kept the rest because clients depend on it.",
        "The URL form is clearer and keeps the current validation, so we preferred because of that:",
    ],
)
def test_statement_without_choice_or_reason_is_no_choice(text: str) -> None:
    assert chosen(Story().says(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "let's drop the legacy endpoint entirely",
        "let's go with the second option",
        "don't touch the public API",
        "we removed the session commands on purpose",
        "use true and false instead of on and off",
        "no need to deprecate it first",
        "behalte die alten Namen überall bei, bitte",
        "utilise une base locale plutôt que le réseau",
        "nunca uses la red en las pruebas",
        "используй локальную базу вместо сети здесь",
        "测试里不要使用网络\uff0c只用本地数据库",
    ],
)
def test_order_of_a_person_is_a_decision_by_itself(text: str) -> None:
    assert decided(Story().asks(text)) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "validate that the totals are kept instead of being computed twice",
        "please check whether it uses the cache instead of the file",
        "can you look at why we keep two lists rather than one",
        "Double-check that the list must never be empty",
        "investigate why the export uses floats instead of decimals",
        "let's run the tests again now",
        "ok let's move to the next one",
        "then let's add some sort of log output to the command",
        "instead of using the file to start can it just create a key",
        "I give up, let's go back to it tomorrow",
        "should we not use the new API?",
        "let's go with option 2 and be quick",
        "if we keep the index, wouldn't it be better to drop the copy instead of both",
        "if (!never) { always(); }",
        "fix the login " * 200,
    ],
)
def test_question_request_to_check_code_and_pasted_text_are_no_decisions(text: str) -> None:
    assert decided(Story().asks(text)) == []


def test_answered_question_is_a_decision() -> None:
    story = Story().gets("AskUserQuestion", 'User has answered: "Which database?"="SQLite (Recommended)". Go on.')
    assert decided(story) == ["Which database? → SQLite (Recommended)"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which database?", "Not sure"),
        ("Does the hive log rotate by itself?", "No / Not sure"),
        ("Which way shall the import go?", "You decide"),
        ("When should the old table go?", "Later"),
        ("Do you know which hive sent it?", "The third one"),
        ("Can you reproduce it on the runner?", "Yes, every time"),
        ("The plan is ready. What would you like to do next?", "Run the review"),
    ],
)
def test_answer_that_settles_nothing_about_the_work_is_no_decision(question: str, answer: str) -> None:
    assert decided(Story().gets("AskUserQuestion", f'User has answered: "{question}"="{answer}".')) == []


def test_answer_that_leaves_a_part_out_is_a_decision() -> None:
    answered = 'User has answered: "What about the old import?"="Skip the old import".'
    assert decided(Story().gets("AskUserQuestion", answered)) == [
        "What about the old import? \u2192 Skip the old import"
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "got this feedback:\n\nThe sum is wrong. We should always count the empty combs rather than the full ones.",
        "Copilot says the following about it:\nnever open the hive twice, keep the handle",
        "# Review findings:\n\nThe import should never open a hive twice.\n\n## My request for Codex:\nfix the lint",
        "The import opens the hive by its name instead of by its number, and so a renamed one is lost.",
    ],
)
def test_pasted_findings_of_somebody_else_are_no_decision(prompt: str) -> None:
    assert decided(Story().asks(prompt)) == []


def test_order_before_pasted_findings_is_a_decision() -> None:
    prompt = "let's keep the numbers of the hives.\nThe reviewer wrote:\n\nnumbers should never be used as names"
    assert decided(Story().asks(prompt)) == ["let's keep the numbers of the hives."]


def test_answer_is_told_whole_behind_a_long_question() -> None:
    question = "Which of these ways should the nightly export take " * 5
    [text] = decided(Story().gets("AskUserQuestion", f'User has answered: "{question}?"="Through the queue".'))
    assert text.endswith("\u2192 Through the queue")


def test_later_answer_to_a_question_takes_the_place_of_the_earlier() -> None:
    story = Story()
    for answer in ("SQLite", "Postgres"):
        story.gets("AskUserQuestion", f'User has answered: "Which database?"="{answer}".')
    assert decided(story) == ["Which database? \u2192 Postgres"]


@pytest.mark.parametrize(
    "later",
    [
        "Replaced the Redis cache with a local file.",
        "The Redis cache did not work on the runner.",
        "I switched from the Redis cache to a local file.",
        "The export now writes a local file instead of the Redis cache.",
    ],
)
def test_choice_that_was_replaced_later_is_no_decision(later: str) -> None:
    story = Story().gets("AskUserQuestion", 'User has answered: "Where are sums kept?"="Redis cache (Recommended)".')
    assert decided(story) == ["Where are sums kept? \u2192 Redis cache (Recommended)"]
    assert decided(story.says(later)) == []


@pytest.mark.parametrize(
    "later", ["Replaced the local file with the Redis cache.", "Replaced the tests of the old exporter.", "It works."]
)
def test_choice_that_took_the_place_of_another_stays(later: str) -> None:
    story = Story().gets("AskUserQuestion", 'User has answered: "Where are sums kept?"="Redis cache".')
    assert decided(story.says(later)) == ["Where are sums kept? \u2192 Redis cache"]


def test_order_to_drop_something_stays_when_it_was_dropped() -> None:
    story = Story().asks("let's drop the legacy endpoint entirely").says("Dropped the legacy endpoint.")
    assert decided(story) == ["let's drop the legacy endpoint entirely"]


@pytest.mark.parametrize("heading", ["Verification", "Testing", "How to verify", "Test plan", "3. Verification steps"])
def test_what_a_plan_lists_to_be_verified_is_no_decision(heading: str) -> None:
    plan = (
        "# Totals\n\n## Shape\n- always keep the totals in cents\n\n"
        f"## {heading}\n- never shows two lists at once\n### By hand\nOpen it:\n"
        "- the old rows show sums instead of blanks\n"
    )
    assert decided(Story().asks(f"Implement the following plan:\n\n{plan}")) == ["always keep the totals in cents"]


def test_decision_said_twice_is_kept_once_and_latest_first() -> None:
    story = (
        Story()
        .asks("don't touch the public API")
        .asks("keep the old names everywhere")
        .asks("Don't touch the public API!")
    )
    assert decided(story) == ["Don't touch the public API!", "keep the old names everywhere"]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Add a test for empty combs", True),
        ("The reader of combs still needs a test.", True),
        ("Der Leser muss leere Waben annehmen.", True),
        ("Il reste à vérifier la reine.", True),
        ("Falta la prueba del lector.", True),
        ("Осталось проверить улей.", True),
        ("还要检查蜂箱", True),
        ("Amended into the feature commit, now `1a2b3c4`, still unpushed.", False),
        ("Fix subagent still running, report when done.", False),
        ("So the most likely explanation is an empty comb.", False),
        ("Those need to be fixed in the Hive codebase.", False),
        ("Not pushed, say the word if you want that too.", False),
        ("Angles remain out of scope as agreed; if someone asks, the reader makes them feasible.", False),
    ],
)
def test_a_step_says_what_is_to_be_done_and_of_what(text: str, holds: bool) -> None:
    assert is_step(text) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("could you also add a document about the schema of combs", True),
        ("https://example.org/hive/12 analyse and implement this", True),
        ("Why don't we have a trusted reader of combs instead?", True),
        ("Kannst du die leeren Waben melden", True),
        ("ajoute un essai pour la ruche", True),
        ("arregla el lector", True),
        ("исправь чтение сот", True),
        ("帮我检查蜂箱", True),
        ("refreshing the page solves the problem with the hive being displayed.", False),
        ("the hive is empty after the second start", False),
        ("/code-review medium the commit", False),
        ("/hive:quick the lid is gone since we moved the frames. can you get it back?", True),
        ("/compact", False),
        ("!git status", False),
    ],
)
def test_a_request_asks_for_something_and_is_no_remark_or_command(text: str, holds: bool) -> None:
    assert asks_for_something(text) is holds


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("Should the reader skip empty combs or report an error?", True),
        ("Want me to delete them?", False),
        ("Ready to commit.", False),
        ("Let me know if you'd like me to open a PR for this.", False),
        ("Soll ich es löschen?", False),
        ("Which one?", False),
    ],
)
def test_a_question_that_leans_on_its_conversation_is_known_as_such(question: str, holds: bool) -> None:
    assert names_its_subject(question) is holds


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("The parser reads brackets. Want me to push it?", "The parser reads brackets."),
        ("The parser reads brackets. PR #45 needs your merge.", "The parser reads brackets."),
        ("The parser reads brackets. Nothing is committed yet.", "The parser reads brackets."),
        ("Done:\n\n- The parser reads brackets\n- It is fast", "Done:\n\n- The parser reads brackets\n- It is fast"),
        ("Shall I merge it?", ""),
    ],
)
def test_what_was_left_or_asked_can_be_taken_out_of_a_report(said: str, left: str) -> None:
    assert without_open(said) == left
