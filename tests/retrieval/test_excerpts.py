"""Which lines of a text are quoted, what is marked in them, and how well the text is said to fit."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.analysis import term_streams
from retrieval.excerpts import Excerpt, SoughtQuestion, excerpt, reply_lines
from retrieval.lines import SoughtTerms, opening_lines
from retrieval.questions import parse_question


def sought(question: str) -> SoughtQuestion:
    return SoughtQuestion.of(parse_question(question))


def of(question: str, *texts: str, header: str = "", limit: int = 3) -> Excerpt:
    return excerpt(sought(question), texts, header, limit)


def lines(found: Excerpt) -> list[str]:
    return [line.text for line in found.lines]


def marked(found: Excerpt) -> list[str]:
    return [line.text[low:high] for line in found.lines for low, high in line.marks]


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1), st.text("abc ", max_size=60))
def test_of_beginnings_that_overlap_the_first_and_of_those_the_longest_is_found(words, text):
    terms = SoughtTerms(words, (), words)
    starts = sorted({start for found in terms.beginnings.values() for start in found}, key=len, reverse=True)
    assert terms.each_in(text) == [(found.start(), found[0]) for found in re.finditer("|".join(starts), text)]


# How well it fits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "text", "tier", "found", "asked"),
    [
        ("flaky login", "the login test is flaky", "exact", 2, 2),
        ("flaky login windows", "the login test is flaky", "partial", 2, 3),
        ("flaky login windows", "bread and water", "nearest", 0, 3),
        ("why is the login flaky", "login\nflaky", "exact", 2, 2),
        # A name counts once, and its words alone are not the name.
        ("parse_header", "see parse_header()", "exact", 1, 1),
        ("parse_header", "parse the header", "partial", 0, 1),
        ("ERR_TIMEOUT login", "it says err_timeout", "partial", 1, 2),
        ("parseheader", "see parseHeader()", "exact", 1, 1),
        # A phrase counts besides its words.
        ('"deploy failed"', "the deploy failed twice", "exact", 3, 3),
        ('"deploy failed"', "failed to deploy", "partial", 2, 3),
        ("Größe", "die grosse", "exact", 1, 1),
        ("日本語", "これは日本語です", "exact", 2, 2),
        # Without spaces each pair of letters counts, so that a sentence is not all or nothing.
        ("日本語の本", "これは日本語です", "partial", 2, 4),
        ("мой йогурт", "мой йогурт", "exact", 2, 2),
        ("έλεγχος", "ένας έλεγχος", "exact", 1, 1),
        ("cafe\u0301", "un café", "exact", 1, 1),
    ],
)
def test_the_tier_says_how_many_of_the_terms_are_there(question, text, tier, found, asked):
    result = of(question, text)
    assert (result.tier, result.found, result.asked) == (tier, found, asked)


def test_the_header_counts_for_the_fit_and_is_not_quoted():
    found = of("orbit login", "the login test", header="ada/orbit")
    assert (found.tier, lines(found)) == ("exact", ["the login test"])


def test_words_in_the_header_alone_quote_nothing():
    found = of("orbit", "the login test", header="ada/orbit")
    assert (found.tier, found.lines) == ("exact", ())


def test_terms_may_be_spread_over_texts():
    assert of("flaky login", "the login", "is flaky").tier == "exact"


def test_a_question_of_nothing_fits_everything():
    assert of("the of and", "anything") == Excerpt((), "exact")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("use", "by using it"),
        ("using", "we use it"),
        ("dry run", "a dry run"),
        ("try", "trying hard"),
        ("die", "it is dying"),
        ("policies", "one policy"),
        ("retries", "it will retry"),
        ("tty", "no tty here"),
    ],
)
def test_a_word_is_found_in_whatever_form_the_index_finds_it(question, text):
    assert of(question, text).tier == "exact"


def test_a_word_is_found_behind_lines_that_only_look_like_it():
    text = "\n".join([*(f"the user of bus {number}" for number in range(15)), "by using it"])
    found = of("use", text)
    assert (found.tier, lines(found)) == ("exact", ["by using it"])


def test_every_term_is_found_though_a_few_lines_hold_most_of_them():
    text = "\n".join([*(f"login flaky {number}" for number in range(30)), "windows", "and the socket"])
    assert of("login flaky windows socket", text).found == 4


@pytest.mark.parametrize("text", ["🎉", "CI"])
def test_a_line_of_a_character_or_two_is_found(text):
    assert of(text, text).tier == "exact"


# Which lines ----------------------------------------------------------------------------------------------------------


def test_the_lines_that_share_most_are_quoted_in_the_order_of_the_text():
    text = "only login here\nlogin is flaky on windows\nnothing\nflaky login\nwindows"
    assert lines(of("flaky login windows", text, limit=2)) == ["login is flaky on windows", "flaky login"]


def test_a_whole_name_is_worth_more_than_its_words():
    assert lines(of("parse_header", "parse the header, parse it\nparse_header", limit=1)) == ["parse_header"]


def test_a_phrase_is_worth_more_than_its_words():
    text = "failed because the deploy of docs was late\nthe deploy failed"
    assert lines(of('"deploy failed"', text, limit=1)) == ["the deploy failed"]


def test_of_equal_lines_those_of_tools_come_last():
    texts = ["needle one", "needle two", "needle three"]
    found = excerpt(sought("needle"), texts, "", 2, ["tool", "said", "said"])
    assert lines(found) == texts[1:]


def test_a_much_better_line_of_a_tool_is_quoted_before_a_worse_one():
    texts = ["needle in the hay of the barn", "needle"]
    assert lines(excerpt(sought("needle hay barn"), texts, "", 1, ["tool", "said"])) == texts[:1]


def test_what_the_agent_said_comes_before_the_question_repeated():
    texts = ["why does the gasket leak", "The gasket leaks because the washer is worn."]
    found = excerpt(sought("why does the gasket leak"), texts, "", 3, ["asked", "said"])
    assert (lines(found), found.answers) == (texts[1:], True)


def test_an_announcement_gives_way_to_what_came_of_it():
    text = "Let me check why the gasket leaks in winter.\nThe gasket was worn."
    found = of("why does the gasket leak in winter", text)
    assert (lines(found), found.answers) == (["The gasket was worn."], False)


def test_of_a_long_line_the_sentence_that_tells_is_quoted():
    hay, straw = "Hay is kept there. " * 12, "Straw is kept here. " * 12
    found = lines(of("gasket", f"Let me look at the gasket. {hay}The gasket leaks because it is worn. {straw}"))
    assert ["because it is worn" in line for line in found] == [True]
    assert "Let me" not in found[0]


def test_the_question_alone_is_quoted_and_said_to_tell_nothing():
    found = excerpt(sought("why does the gasket leak"), ["why does the gasket leak?"], "", 3, ["asked"])
    assert (lines(found), [line.tells for line in found.lines]) == (["why does the gasket leak?"], [False])
    assert (found.answers, found.place) == (False, 0)


def test_a_line_that_ends_in_a_colon_is_quoted_with_what_it_introduces():
    text = "The gasket leaks here:\n\n```\npump.py, line 7\n```"
    assert lines(of("gasket", text)) == ["The gasket leaks here: pump.py, line 7"]


def test_the_first_item_of_a_list_is_quoted_once_with_its_introduction():
    text = "The gasket leaks in two places:\n\n- the gasket washer is worn\n- the lid"
    assert lines(of("gasket", text)) == ["The gasket leaks in two places: the gasket washer is worn"]
    assert lines(of("gasket", "The gasket:\n  ```py\n  pump()\n  ```")) == ["The gasket: pump()"]


def test_what_is_for_the_client_alone_and_targets_of_links_to_files_are_not_quoted():
    text = '::git-push{branch="gasket"}\nThe gasket is in [pump.py](/Users/ada/pump/pump.py:7).'
    assert lines(of("gasket", text)) == ["The gasket is in pump.py."]
    assert lines(of("gasket", '::git-push{branch="gasket"}\n<!-- a comment on the gasket -->')) == []


def test_lines_that_say_far_less_are_left_out():
    assert lines(of("gasket leak washer worn", "the gasket leak: washer worn\nworn")) == [
        "the gasket leak: washer worn"
    ]


# What was said in the end ---------------------------------------------------------------------------------------------


def reply(question: str, text: str, limit: int = 2, *, related: bool = False) -> list[str]:
    return [line.text for line in reply_lines(sought(question), text, limit, related=related)]


def test_a_reply_is_quoted_by_what_it_says_about_the_question():
    text = "Done.\n\n## Summary\n\n- Swept the floor\n- The gasket is replaced\n\n```\ngasket\n```"
    assert reply("gasket", text, 1) == ["- The gasket is replaced"]


def test_a_reply_need_not_share_a_word_with_the_question():
    assert reply("why is it dark", "The wick was missing.") == ["The wick was missing."]
    assert reply("why is it dark", "The wick was missing.", related=True) == []


@pytest.mark.parametrize("text", ["Let me check that.", "Shall I go on?", "```\ncode\n```", "", "| a | b |"])
def test_a_reply_that_says_nothing_is_none(text):
    assert reply("gasket", text) == []


def test_a_line_that_comes_twice_is_quoted_once():
    assert lines(of("login", "the login\nthe login\nlogin again")) == ["the login", "login again"]


def test_white_space_around_a_line_is_left_out():
    assert lines(of("login", "\t  the login  \r\n")) == ["the login"]


# Marks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "text", "marks"),
    [
        ("flaky login", "the login test is flaky.", ["login", "flaky"]),
        ("failing", "it failed, fails and will fail", ["failed", "fails", "fail"]),
        ("parse_header", "call `parse_header(line)` twice", ["parse_header"]),
        ("water", '["bread","water","hay"]', ["water"]),
        ("strasse", "die Straße 7", ["Straße"]),
        ("cafe", "un café noir", ["café"]),
    ],
)
def test_marks_cover_what_matched_as_it_is_written(question, text, marks):
    assert marked(of(question, text)) == marks


def test_a_long_line_is_cut_around_what_matched():
    (line,) = of("needle", f"{'hay ' * 200}needle {'straw ' * 200}").lines
    assert len(line.text) <= 202
    assert (line.text[0], line.text[-1]) == ("…", "…")
    assert [line.text[low:high] for low, high in line.marks] == ["needle"]


def test_a_long_line_that_begins_with_what_matched_is_cut_behind_only():
    (line,) = of("needle", f"needle {'straw ' * 200}").lines
    assert line.text.startswith("needle")
    assert line.text.endswith("…")


def test_a_number_in_brackets_that_is_one_sign_ends_the_search():
    assert of("step ⑴ parser", "step (1) of the parser").lines[0].text == "step (1) of the parser"


def test_what_matched_far_inside_a_very_long_line_is_found():
    (line,) = of("needle", f"{'hay ' * 5000}needle {'straw ' * 5000}").lines
    assert [line.text[low:high] for low, high in line.marks] == ["needle"]


@given(st.text(max_size=400), st.text(min_size=1, max_size=40))
def test_marks_lie_inside_their_line_and_in_order(text, question):
    for line in of(question, text, f"{text} {question} " * 20).lines:
        ends = [end for mark in line.marks for end in mark]
        assert ends == sorted(ends)
        assert all(0 <= end <= len(line.text) for end in ends)


@given(st.text(max_size=300), st.text(max_size=40), st.integers(1, 4))
def test_no_more_lines_than_the_limit_and_none_too_long(text, question, limit):
    found = of(question, text, limit=limit)
    assert len(found.lines) <= limit
    assert all(len(line.text) <= 202 for line in found.lines)


@example("𖩰by")
@given(st.text(alphabet=st.characters(categories=["L", "Nd", "Zs"], include_characters="_-./:#()\n"), max_size=60))
def test_a_text_fits_a_question_that_is_itself(text):
    asked = sought(text)
    if not asked.question.empty:
        assert excerpt(asked, [text], "", 3).tier == "exact"


# Where no word matched ------------------------------------------------------------------------------------------------


def test_opening_lines_begin_at_their_place():
    texts = ["first\nsecond", "third\nfourth\nfifth\nsixth"]
    assert [line.text for line in opening_lines(texts, (1, 6), 2)] == ["fourth", "fifth"]


def test_opening_lines_skip_what_says_nothing():
    assert [line.text for line in opening_lines(["}\n\n  \nreal words"], (0, 0), 3)] == ["real words"]


@pytest.mark.parametrize("start", [(0, 0), (5, 0), (0, 10_000)])
def test_a_place_that_is_not_there_opens_nothing(start):
    assert opening_lines([""], start, 3) == ()


_STEMS = ("connect", "die", "happy", "parser", "possible", "run", "skies", "sky", "try", "use")
_ENDINGS = ("", "s", "ing", "ed", "ies", "ion", "ibilities", "_name", "/x.py", "Error", ".", "!")


@given(
    st.lists(st.sampled_from(_STEMS), min_size=1, max_size=4),
    st.lists(st.builds("{}{}".format, st.sampled_from((*_STEMS, "dy", "os", "the")), st.sampled_from(_ENDINGS))),
)
def test_only_the_runs_in_which_a_term_begins_can_share_it(asked: list[str], runs: list[str]) -> None:
    text = " ".join(runs)
    terms = sought(" ".join(asked)).terms
    words, names = term_streams(text)
    assert terms.shared_with(text) == (terms.words.intersection(words), terms.names.intersection(names))
