"""Asking in the page: answers as one types, filters, the address, and what is shown when there is nothing to show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from aicx.cli import run
from tests.corpus.builders import Home
from tests.servers.dashboard.http_client import TOKEN
from tests.servers.dashboard.page.browsers import HOSTILE, LEXER, LONG

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]


def sessions_shown(page: Any) -> list[str]:
    return list(page.eval_on_selector_all(".result", "rows => rows.map((row) => row.dataset.session)"))


def ask(page: Any, question: str) -> None:
    page.fill("#question", question)
    page.wait_for_selector(".why meter")


def test_before_anything_is_asked_the_newest_sessions_of_each_repository_are_listed(visit: Visit) -> None:
    page = visit()
    assert sessions_shown(page) == [LONG, HOSTILE, LEXER]
    assert page.locator(".group h2").all_inner_texts() == ["ada/apiary", "ada/orbit"]


def test_a_repositorys_heading_leads_to_all_its_sessions(visit: Visit) -> None:
    page = visit()
    page.locator(".group a", has_text="ada/orbit").click()
    expect(page.locator(".found strong")).to_have_text("2 sessions")
    assert sessions_shown(page) == [HOSTILE, LEXER]


def test_all_sessions_can_be_listed_by_time(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="All sessions, newest first").click()
    expect(page.locator(".found strong")).to_have_text("3 sessions")
    expect(page.locator(".group")).to_have_count(0)


def test_runs_of_a_program_are_one_row_that_counts_them(visit: Visit) -> None:
    named = """async () => {
      const { sessionRow } = await import("/assets/results.js");
      const item = { agent: "claude", project: "ada/orbit", messages: 2, automated: true, runs: 42 };
      return sessionRow(item, "#").querySelector(".facts").textContent;
    }"""
    facts = visit().evaluate(named)
    assert "run by a program" in facts
    assert "42 runs of this prompt" in facts


def test_answers_come_while_typing_with_the_questions_words_marked(visit: Visit) -> None:
    page = visit()
    page.locator("#question").press_sequentially("dropped token")
    expect(page.locator(".matches mark").first).to_have_text("drops")
    assert "token" in page.locator(".matches mark").all_inner_texts()


def test_what_was_stated_is_quoted_above_the_answers_as_text(visit: Visit) -> None:
    statement = {
        "ref": "work:0123456789ab",
        "by": "claude",
        "at": "2026-03-01T10:00:00Z",
        "age": "2 hours ago",
        "project": "ada/orbit",
        "lines": ["failure: The lexer <b>drops</b> it", "next: Count again"],
    }

    def with_statement(route: Any) -> None:
        answer = route.fetch().json() | {"stated": [statement]}
        route.fulfill(body=json.dumps(answer), content_type="application/json")

    page = visit()
    page.route("**/api/search/**", with_statement)
    ask(page, "lexer drops")
    stated = page.locator(".found .stated")
    expect(stated).to_contain_text("Stated by claude at the end of a session of ada/orbit, 2 hours ago, not checked")
    expect(stated.locator("div")).to_have_text(["failure: The lexer <b>drops</b> it", "next: Count again"])
    expect(stated.locator("mark")).to_have_text(["lexer", "drops"])


def test_answers_are_those_of_the_command_line_in_its_order(
    visit: Visit, sessions: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions.used(monkeypatch)
    run(["search", "chapter quince", "-n", "20", "--json"])
    expected = [item["id"] for item in json.loads(capsys.readouterr().out)["items"]]
    page = visit("/?q=chapter+quince&group=chunk")
    assert page.eval_on_selector_all(".result", "rows => rows.map((row) => row.dataset.chunk)") == expected


def test_a_session_is_one_answer_unless_the_box_is_cleared(visit: Visit) -> None:
    page = visit("/?q=chapter+quince")
    assert sessions_shown(page) == list(dict.fromkeys(sessions_shown(page)))
    page.get_by_label("one per session").uncheck()
    expect(page.locator(".result").nth(1)).to_be_visible()
    assert len(set(sessions_shown(page))) < len(sessions_shown(page))


def test_an_answer_says_why_it_is_there(visit: Visit) -> None:
    page = visit("/?q=lexer+token")
    expect(page.locator(".why").first).to_have_text("all 2 words")


def test_an_answer_found_both_ways_says_both(visit: Visit) -> None:
    page = visit()

    def found_both_ways(route: Any) -> None:
        fields = route.fetch().json()
        places = {"lexical": {"rank": 1, "score": 9.1, "worth": 0.7}, "dense": {"rank": 3, "score": 0.6, "worth": 0.1}}
        fields["items"][0]["contributions"] = places
        route.fulfill(body=json.dumps(fields), content_type="application/json")

    page.route("**/api/search/**", found_both_ways)
    ask(page, "lexer")
    expect(page.locator(".why").first).to_contain_text("close in meaning")


def test_what_the_server_notes_about_a_question_is_shown(visit: Visit) -> None:
    page = visit("/?q=lexer&project=nowhere")
    expect(page.locator(".found .note").last).to_contain_text("no project or folder matches 'nowhere'")


def test_a_filter_narrows_the_answers_and_stands_in_the_address(visit: Visit) -> None:
    page = visit("/?q=chapter+token")
    page.select_option("[name=agent]", "claude")
    expect(page.locator(".result[data-session^=codex]")).to_have_count(0)
    assert set(sessions_shown(page)) == {LEXER}
    assert "agent=claude" in page.url


def test_recent_answers_can_be_preferred_as_steer_does(
    visit: Visit, sessions: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions.used(monkeypatch)
    run(["steer", "chapter", "quince", "--json"])
    expected = [item["id"] for item in json.loads(capsys.readouterr().out)["items"]]
    page = visit("/?q=chapter+quince&group=chunk")
    with page.expect_response(lambda response: "decay=gentle" in response.url):
        page.select_option("[name=sort]", "recent")
    page.wait_for_selector("#found:not([aria-busy])")
    assert page.eval_on_selector_all(".result", "rows => rows.map((row) => row.dataset.chunk)") == expected


def test_a_time_filter_leaves_out_what_is_older(visit: Visit) -> None:
    page = visit("/?since=2026-03-02")
    expect(page.locator(".state")).to_contain_text("No session fits these filters")


def test_clearing_the_filters_brings_everything_back(visit: Visit) -> None:
    page = visit("/?agent=codex")
    page.get_by_role("button", name="Clear filters").click()
    expect(page.locator(".result")).to_have_count(3)
    assert "agent" not in page.url


def test_the_back_button_brings_back_what_was_asked_before(visit: Visit) -> None:
    page = visit("/?q=lexer")
    page.select_option("[name=agent]", "codex")
    expect(page.locator(".state")).to_contain_text("Nothing matches: 'lexer'")
    assert page.inner_text("main").count("'lexer'") == 1
    page.go_back()
    expect(page.locator(".result")).not_to_have_count(0)
    expect(page.locator("[name=agent]")).to_have_value("")


def test_going_back_from_a_session_leads_to_the_answers(visit: Visit) -> None:
    page = visit("/?q=lexer")
    page.locator(".result a.title").first.click()
    expect(page.locator("#reader h1")).to_be_visible()
    page.go_back()
    expect(page.locator("#reader")).to_be_hidden()
    expect(page.locator("#question")).to_have_value("lexer")


def test_a_link_opens_the_same_question_with_mode_and_filters(visit: Visit) -> None:
    page = visit("/?q=chapter&mode=lexical&agent=codex&group=session")
    expect(page.locator("#question")).to_have_value("chapter")
    expect(page.get_by_label("Words")).to_be_checked()
    expect(page.locator("[name=agent]")).to_have_value("codex")
    assert sessions_shown(page) == [LONG]


def test_typing_a_question_is_one_step_in_the_history(visit: Visit) -> None:
    page = visit()
    page.locator("#question").press_sequentially("lexer token", delay=5)
    page.wait_for_selector(".why meter")
    page.go_back()
    expect(page.locator("#question")).to_have_value("")


def test_an_answer_that_comes_too_late_is_not_shown(visit: Visit) -> None:
    page = visit()
    held = []
    page.route(re.compile("q=lexer"), lambda route: held.append(route))
    page.fill("#question", "lexer")
    page.wait_for_timeout(250)
    ask(page, "quince")
    assert held
    page.unroute_all()
    page.wait_for_timeout(150)
    assert set(sessions_shown(page)) == {LONG}


def test_where_nothing_matches_the_next_step_is_offered(visit: Visit) -> None:
    page = visit("/?q=lexer&agent=codex")
    page.get_by_role("button", name="Search without filters").click()
    assert LEXER in sessions_shown(page) or page.wait_for_selector(f".result[data-session='{LEXER}']")


def test_asking_by_meaning_without_an_index_says_how_to_make_one(visit: Visit) -> None:
    page = visit("/?q=lexer&mode=dense")
    expect(page.locator(".state")).to_contain_text("aicx index")
    page.get_by_role("button", name="Search by words").click()
    expect(page.locator(".result")).not_to_have_count(0)


def test_a_server_that_is_gone_is_said_with_the_command_that_starts_it(visit: Visit) -> None:
    page = visit()
    page.route("**/api/**", lambda route: route.abort())
    page.fill("#question", "lexer")
    expect(page.locator(".state")).to_contain_text("The server does not answer")
    expect(page.locator(".state code")).to_have_text("aicx serve page")


def test_trying_again_asks_again(visit: Visit) -> None:
    page = visit()
    page.route("**/api/search/**", lambda route: route.abort())
    page.fill("#question", "lexer")
    expect(page.locator(".state")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(f".result[data-session='{LEXER}']").first).to_be_visible()


def test_without_the_token_the_page_says_where_it_is(window: Callable[..., Any], address: str) -> None:
    page = window()
    page.goto(address)
    expect(page.locator(".state")).to_contain_text("Open the address that aicx serve page prints")


def test_the_token_leaves_the_address_at_once(window: Callable[..., Any], address: str) -> None:
    page = window()
    page.goto(f"{address}/#token={TOKEN}")
    expect(page.locator(".result")).to_have_count(3)
    assert "token" not in page.url


def test_the_number_of_answers_is_announced(visit: Visit) -> None:
    page = visit("/?q=lexer")
    expect(page.get_by_role("status")).to_have_text(re.compile("answer"))


def test_where_there_is_no_repository_a_row_has_the_folders_name(visit: Visit) -> None:
    rows = [
        ("non-repository-contexts", "/home/ada/recipes/", "recipes"),
        ("non-repository-contexts", "C:\\Users\\ada\\recipes", "recipes"),
        ("non-repository-contexts", None, "no repository"),
        ("non-repository-contexts", "/", "no repository"),
        ("ada/orbit", "/home/ada/orbit", "ada/orbit"),
    ]
    named = """async (rows) => {
      const { sessionRow } = await import("/assets/results.js");
      return rows.map(([project, cwd]) =>
        sessionRow({ agent: "claude", project, cwd }, "#").querySelector(".agent + span").textContent);
    }"""
    assert visit().evaluate(named, rows) == [shown for _, _, shown in rows]


def test_every_printable_character_may_be_part_of_a_question(visit: Visit) -> None:
    marked = """async (characters) => {
      const { patternOf } = await import("/assets/highlight.js");
      return characters.filter((each) => {
        const word = `quince${each}jam`;
        return ![word, `"${word}"`].every((question) => each === '"' || patternOf(question).test(`more ${word} here`));
      });
    }"""
    printable = [chr(code) for code in range(0x21, 0x7F)] + list("äßéñ東한·…“”€")
    assert visit().evaluate(marked, printable) == []


def test_a_question_with_a_hyphen_is_answered_and_marked(visit: Visit) -> None:
    page = visit("/?q=next_token+AES-CTR")
    expect(page.locator(".result").first).to_be_visible()


def test_an_excerpt_is_drawn_without_its_marks_of_markdown(visit: Visit) -> None:
    shown = """async (lines) => {
      const { answerRow } = await import("/assets/results.js");
      const item = { agent: "claude", session_id: "s", id: "c", matches: lines, contributions: {} };
      return [...answerRow(item, "#", null).querySelectorAll(".matches p")].map((line) => line.innerHTML);
    }"""
    lines = ["## Cause: `next_token`", "- **one** early", "> 1. quoted", "a - b, 3 > 2", "| a | `b` |"]
    assert visit().evaluate(shown, lines) == [
        "Cause: <code>next_token</code>",
        "<strong>one</strong> early",
        "quoted",
        "a - b, 3 &gt; 2",
        "a · <code>b</code>",
    ]


def test_an_address_that_cannot_be_used_says_so_in_a_persons_words(visit: Visit) -> None:
    state = visit("/?q=lexer&mode=magic").locator("#found .state")
    expect(state.locator("h2")).to_have_text("This address holds a value for “mode” that cannot be used.")
    expect(state).to_contain_text("Clear the filters, or go back to Search.")
