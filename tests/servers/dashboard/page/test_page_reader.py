"""Reading a session: the way to the hit, what is folded, where it is from, and that no long session is loaded whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.servers.dashboard.page.browsers import LEXER, LONG, SESSION

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]


def test_opening_an_answer_shows_its_session(visit: Visit) -> None:
    page = visit("/?q=lexer")
    page.locator(".result a.title").first.click()
    expect(page.locator("#reader h1")).to_have_text("Lexer loses a token")


def test_the_reader_goes_to_the_line_that_answers(visit: Visit) -> None:
    page = visit("/?q=quince&group=session")
    page.locator(".result a.title").first.click()
    expect(page.locator(".turn.hit")).to_contain_text("The secret ingredient is quince.")
    expect(page.locator(".turn.hit mark").first).to_be_in_viewport()


def test_the_next_hit_may_lie_many_parts_further(visit: Visit) -> None:
    page = visit("/?q=quince")
    page.locator(".result a.title").first.click()
    expect(page.locator(".places")).to_contain_text("of 2 hits")
    first = page.locator(".turn.hit").inner_text()
    page.keyboard.press("n")
    expect(page.locator(".turn.hit")).not_to_have_text(first)
    expect(page.locator(".turn.hit mark").first).to_be_in_viewport()


def test_a_tool_call_is_folded_to_a_line_that_tells_what_and_how_it_ended(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    call = page.locator("details.turn.tool").nth(1)
    expect(call).not_to_have_attribute("open", "")
    expect(call.locator("summary")).to_contain_text("pytest -q tests/test_lexer.py")
    expect(call.locator("summary")).to_contain_text("done, 2 lines")


def test_a_failed_call_is_told_apart(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    expect(page.locator("details.turn.tool").first.locator("summary")).to_contain_text("failed")


def test_unfolding_shows_the_call_and_its_output(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    call = page.locator("details.turn.tool").nth(1)
    call.locator("summary").click()
    expect(call.locator("pre.output")).to_have_text("1 passed\nin 0.2 s")
    call.locator("summary").click()
    expect(call.locator("pre.output")).to_be_hidden()


def test_all_calls_unfold_and_fold_with_one_key(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    page.wait_for_selector("details.turn")
    page.keyboard.press("u")
    expect(page.locator("details.turn:not([open])")).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("details.turn[open]")).to_have_count(0)


def test_what_an_agent_wrote_in_markdown_is_laid_out(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    answer = page.locator(".turn.assistant").first
    expect(answer.get_by_role("heading", name="Cause")).to_be_visible()
    assert answer.locator("code").all_inner_texts() == ["next_token", "<="]
    expect(answer.locator("strong")).to_have_text("one character")
    expect(answer.locator("li")).to_have_count(2)


def test_what_stands_for_a_secret_is_shown_as_such(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    expect(page.locator(".turn .redacted")).to_have_text("[REDACTED:github-token]")
    expect(page.locator(".provenance summary .redacted")).to_have_text("1 redacted")
    page.locator(".provenance summary").first.click()
    expect(page.locator(".provenance dl")).to_contain_text("github-token 1")


def test_the_source_of_a_part_names_its_log_and_the_place_in_it(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    page.locator(".provenance summary").first.click()
    told = page.locator(".provenance dl").first
    expect(told).to_contain_text(f"{SESSION}.jsonl")
    expect(told).to_contain_text(re.compile(r"\d+ records from \d+ to [\d,]+"))
    expect(told).to_contain_text(f"{LEXER}:001")


def test_the_command_that_resumes_a_session_is_copied(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the command that resumes this session").click()
    expect(page.locator(".command button").first).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"claude --resume {SESSION}"


def test_a_long_session_is_loaded_as_it_is_read(visit: Visit) -> None:
    page = visit(f"/?session={LONG}")
    page.wait_for_selector(".part")
    loaded = page.locator(".part").count()
    assert "later part" in page.locator(".more button").inner_text()
    page.locator(".part").last.scroll_into_view_if_needed()
    expect(page.locator(".part").nth(loaded)).to_be_attached()


def test_earlier_parts_come_without_moving_what_is_read(visit: Visit) -> None:
    page = visit(f"/?session={LONG}&chunk={LONG}:012")
    place = page.locator(f".part[data-chunk='{LONG}:012']")
    place.scroll_into_view_if_needed()
    before = place.bounding_box()["y"]
    page.get_by_role("button", name="earlier part").evaluate("button => button.click()")
    page.wait_for_selector(f".part[data-chunk='{LONG}:001']", state="attached")
    assert place.bounding_box()["y"] == pytest.approx(before, abs=4)


def test_a_session_that_is_not_there_says_so(visit: Visit) -> None:
    page = visit("/?session=claude:00000000-dead-4000-8000-000000000000")
    expect(page.locator("#reader .state")).to_contain_text("no session")


def test_parallel_calls_are_paired_with_their_own_results_by_id(visit: Visit) -> None:
    drawn = """async (turns) => {
      const { drawTurns } = await import("/assets/turns.js");
      return drawTurns(turns, null).map((node) => [...node.querySelectorAll("pre")].map((each) => each.textContent));
    }"""
    shape = {"role": "tool", "at": "2026-03-01T10:00:00Z", "title": "tool", "folded": True, "part": None, "echo": False}
    said = [("a", "call"), ("b", "call"), (None, "call"), ("b", "result"), ("a", "failed"), (None, "result")]
    turns = [
        {**shape, "text": f"{outcome} {key}", "tool": {"name": "Read", "call_id": key, "outcome": outcome}}
        for key, outcome in said
    ]
    assert visit().evaluate(drawn, turns) == [
        ["call a", "failed a"],
        ["call b", "result b"],
        ["call None", "result None"],
    ]


def test_a_session_shows_when_what_happened(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    page.locator(".session").get_by_text("When was it").click()
    picture = page.get_by_role("img", name="What happened when")
    expect(picture.locator(".mark.asked")).to_have_count(2)
    expect(picture.locator(".mark.failed title")).to_contain_text("failed: Edit")
    page.locator(".timeline").get_by_text("As a table").click()
    expect(page.locator(".timeline tbody tr").first).to_contain_text("The lexer drops the last token, why?")


def test_a_call_stays_with_its_result_though_a_part_ends_between_them(visit: Visit) -> None:
    drawn = """async () => {
      const { drawPart } = await import("/assets/parts.js");
      const { joinAcross } = await import("/assets/turns.js");
      const turn = (outcome, text) => ({ role: "tool", at: "2026-03-01T10:00:00Z", title: "Bash", text, folded: true,
        part: null, echo: false, tool: { name: "Bash", call_id: "call_9", outcome } });
      const part = (number, turns) => drawPart({ id: `x:${number}`, number, started_at: "2026-03-01T10:00:00Z",
        sources: [], path: "", problem: null, turns }, null, null);
      const parts = document.createElement("div");
      parts.append(part(2, [turn("call", "$ make")]), part(3, [turn("failed", "no rule")]));
      joinAcross(parts, null, () => {});
      return [...parts.children].map((one) => one.querySelectorAll(".turn").length)
        .concat(parts.querySelector(".turn").dataset.outcome, parts.querySelector(".output").textContent);
    }"""
    assert visit().evaluate(drawn) == [1, 0, "failed", "no rule"]


def test_a_session_begins_with_what_was_asked(visit: Visit) -> None:
    drawn = """async () => {
      const { drawPart } = await import("/assets/parts.js");
      const turn = (text, folded) => ({ role: "user", at: "2026-03-01T10:00:00Z", title: "user", text, folded,
        part: null, echo: false, tool: null });
      const part = drawPart({ id: "x:1", number: 1, started_at: "2026-03-01T10:00:00Z", sources: [], path: "",
        problem: null, turns: [turn("/clear", true), turn("Mend the lexer", false)] }, null, null);
      return [part.querySelector(".before > summary").textContent, part.querySelector(".before").open,
        part.lastElementChild.textContent.includes("Mend the lexer")];
    }"""
    assert visit().evaluate(drawn) == ["1 entry before it", False, True]
