"""The page in a real browser: it works from disk, asks nothing of the network, and keeps text text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from aicx.cli import run
from tests.reports.builders import write

pytestmark = pytest.mark.needs("test")

Show = Callable[..., Any]


def titles(page: Any) -> Any:
    return page.locator("#list .row strong")


def record(number: int = 1, **fields: Any) -> dict[str, Any]:
    found = {"id": f"{number:016x}", "title": f"Report {number}", "scanned_at": "2026-03-01T12:00:00Z"}
    return {**found, "date": "2026-03-01", "updated_at": "2026-03-01T10:00:00Z", "detail": "Text.", **fields}


def bundle(path: Path, *records: Any, **fields: Any) -> Path:
    return write(path, json.dumps({"schema": "aicx.reports/1", "records": records, **fields}))


def take_in(page: Any, *paths: Path) -> str:
    """Imports bundles by the file picker; returns what the page says of it."""
    page.evaluate("document.querySelector('#notice').hidden = true")  # what an earlier import said is not waited for
    page.set_input_files("#file", [str(path) for path in paths])
    page.wait_for_selector("#notice:not([hidden])")
    return str(page.locator("#notice p").inner_text())


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A page without a single report."""
    (tmp_path / "nothing").mkdir()
    assert run(["reports", str(tmp_path / "nothing"), "-o", str(tmp_path / "empty.html")]) == 0
    return tmp_path / "empty.html"


def page_of(tmp_path: Path, markdown: str) -> Path:
    write(tmp_path / "in" / "ada" / "orbit" / "2026_0131" / "x.md", markdown)
    assert run(["reports", str(tmp_path / "in"), "-o", str(tmp_path / "x.html")]) == 0
    return tmp_path / "x.html"


# Filters --------------------------------------------------------------------------------------------------------------


def test_reports_are_listed_newest_day_first(show: Show, dossier: Path) -> None:
    page = show(dossier)
    expect(titles(page)).to_have_count(5)
    assert titles(page).all_inner_texts()[-2:] == ["Loop 3", "Tides move the clock"]
    expect(page.locator("#count")).to_have_text("5 reports")


def test_workflow_is_filtered_by_text(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.fill("#workflow", "MARB")
    expect(titles(page)).to_have_text(["Loop 3"])
    expect(page.locator("#count")).to_have_text("1 of 5 reports")


def test_days_are_included(show: Show, dossier: Path) -> None:
    page = show(dossier)
    for since, count in (("2026-02-03", 1), ("2026-01-31", 2)):
        page.fill("#since", since)
        page.fill("#until", "2026-02-03")
        expect(titles(page)).to_have_count(count)


def test_choice_filters(show: Show, dossier: Path) -> None:
    page = show(dossier)
    choices = [("status", "failed", 1), ("status", "-", 2), ("agent", "codex", 2), ("project", "harbour/lamp", 3)]
    for name, value, found in choices:
        page.select_option(f"#{name}", value)
        expect(titles(page)).to_have_count(found)
        page.click("#clear")
        expect(titles(page)).to_have_count(5)


def test_search_wants_every_word_anywhere(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.fill("#text", "hours CLOCK")
    expect(titles(page)).to_have_text(["Tides move the clock"])


def test_clear_shows_everything_again(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.fill("#workflow", "marb")
    page.click("#clear")
    expect(page.locator(".row")).to_have_count(5)


def test_bar_of_a_day_asks_for_that_day(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.locator("#days g").first.click()
    expect(titles(page)).to_have_text(["Tides move the clock"])


def test_overview_counts_the_matching_reports_by_workflow(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.fill("#since", "2026-02-01")
    expect(titles(page)).to_have_count(4)
    rows = [row.split("\t") for row in page.locator(".overview tbody tr").all_inner_texts()]
    assert ["marbles", "1", "·", "1", "·", "2026-02-03"] in rows
    assert ["plan", "1", "·", "·", "1", "2026-02-10"] in rows


def test_workflow_of_the_overview_filters(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.locator(".overview").get_by_text("marbles").click()
    expect(titles(page)).to_have_text(["Loop 3"])


# The reader -----------------------------------------------------------------------------------------------------------


def test_click_opens_a_report(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.get_by_text("Tides move the clock").click()
    reader = page.locator("#reader")
    expect(reader.locator("h2")).to_have_text("Tides move the clock")
    expect(reader.locator("li")).to_have_text("clock.py assumed that every day has 24 hours.")
    assert "reading tides\nDone." in reader.locator("details pre").text_content()


def test_facts_of_a_report_are_shown(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.get_by_text("Loop 3").click()
    page.locator("#reader h2").wait_for()
    facts = dict(zip(page.locator("dt").all_inner_texts(), page.locator("dd").all_inner_texts(), strict=True))
    assert facts["Lane"] == "marbles/reports"
    assert facts["Took"] == "20 min"


def test_address_of_a_report_opens_it(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.get_by_text("Loop 3").click()
    again = show(dossier, page.evaluate("location.hash"))
    expect(again.locator("#reader h2")).to_have_text("Loop 3")


def test_back_closes_the_report(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.get_by_text("Loop 3").click()
    page.locator("#reader h2").wait_for()
    page.go_back()
    page.wait_for_selector("#reader .overview")


def test_missing_report_is_said(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.get_by_text("stopped", exact=True).click()
    expect(page.locator("#reader .warn")).to_contain_text("No report was written")


def test_problem_of_a_file_is_shown_with_its_report(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.get_by_text("Tides move the clock").click()
    expect(page.locator("#reader .warn")).to_contain_text("is not JSON")


def test_markdown_is_laid_out(show: Show, tmp_path: Path) -> None:
    text = "# X\n\n1. one\n   - in one\n2. two\n\n| a | b |\n|---|---|\n| `c` | **d** |\n\n> said\n\n~~~\n# code\n~~~\n"
    page = show(page_of(tmp_path, text))
    page.locator(".row").click()
    reader = page.locator("#reader .text")
    expect(reader.locator("ol > li")).to_have_count(2)
    expect(reader.locator("ol > li > ul > li")).to_have_text("in one")
    expect(reader.locator("td code")).to_have_text("c")
    expect(reader.locator("blockquote")).to_have_text("said")
    expect(reader.locator("pre")).to_have_text("# code")


def test_fence_that_never_ends_does_not_hang_the_page(show: Show, tmp_path: Path) -> None:
    page = show(page_of(tmp_path, "# X\n\n```\ncode\n\n- not a list\n|\n>\n#\n"))
    page.locator(".row").click()
    expect(page.locator("#reader pre")).to_contain_text("- not a list")


def test_line_of_marks_only_does_not_hang_the_page(show: Show, tmp_path: Path) -> None:
    marks = ("# " + "#" * 9000, "- " * 5000, "`" * 5000, "*a" * 5000, "|" * 5000, ">" * 2000)
    page = show(page_of(tmp_path, "\n\n".join(f"{line}x" for line in marks)))
    page.locator(".row").click()
    expect(page.locator("#reader .text")).to_have_count(1)


# Text stays text ------------------------------------------------------------------------------------------------------


def test_script_in_a_report_stays_text(show: Show, tmp_path: Path) -> None:
    evil = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    text = f"# Title {evil}\n\n{evil}\n\n```\n{evil}\n```\n\n- {evil}\n\n</script></body>{evil}\n"
    page = show(page_of(tmp_path, text))
    page.locator(".row").click()
    assert page.evaluate("window.hacked") is None
    expect(page.locator("img")).to_have_count(0)
    expect(page.locator("script")).to_have_count(2)
    assert evil in page.locator("#reader h2").inner_text()


def test_script_in_an_imported_bundle_stays_text(show: Show, empty: Path, tmp_path: Path) -> None:
    evil = "<img src=x onerror='window.hacked = 1'>"
    page = show(empty)
    names = ("title", "agent", "status", "workflow", "lane", "detail", "preview", "transcript_tail", "path", "org")
    take_in(page, bundle(tmp_path / "b.json", record(**dict.fromkeys(names, evil), problems=[evil]), folder=evil))
    page.locator(".row").click()
    expect(page.locator("img")).to_have_count(0)
    assert page.evaluate("window.hacked") is None


def test_script_that_gets_into_the_page_is_not_run(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.hacked = 1";
            document.body.append(script);
        }"""
    )
    assert page.evaluate("window.hacked") is None
    # Chromium says that it refused; that is what this test is for.
    show.complaints.clear()  # type: ignore[attr-defined]


def test_network_is_closed_to_the_page(show: Show, dossier: Path) -> None:
    page = show(dossier)
    asked = page.evaluate("fetch('https://example.invalid/').then(() => 'sent', (error) => error.name)")
    assert asked == "TypeError"
    assert any("Content Security Policy" in said for said in show.complaints)  # type: ignore[attr-defined]
    show.complaints.clear()  # type: ignore[attr-defined]


# Bundles --------------------------------------------------------------------------------------------------------------


def test_imported_reports_stand_beside_the_others(show: Show, dossier: Path, tmp_path: Path) -> None:
    page = show(dossier)
    assert take_in(page, bundle(tmp_path / "b.json", record(agent="kimi"))) == "b.json: 1 report: 1 new."
    expect(titles(page).first).to_have_text("Report 1")
    expect(page.locator("#agent option[value=kimi]")).to_have_count(1)


def test_dropped_bundle_is_taken_in(show: Show, empty: Path) -> None:
    page = show(empty)
    text = json.dumps({"schema": "aicx.reports/1", "records": [record()]})
    dropped = page.evaluate_handle(
        """(text) => {
            const moved = new DataTransfer();
            moved.items.add(new File([text], "b.json", { type: "application/json" }));
            return moved;
        }""",
        text,
    )
    page.dispatch_event("body", "drop", {"dataTransfer": dropped})
    page.wait_for_selector(".row")
    expect(titles(page)).to_have_text(["Report 1"])


def test_newer_report_takes_the_place_of_the_older(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    take_in(page, bundle(tmp_path / "a.json", record(title="Old")))
    newer = record(title="New", updated_at="2026-03-02T10:00:00Z", scanned_at="2026-02-01T00:00:00Z")
    assert "1 replaced by a newer one" in take_in(page, bundle(tmp_path / "b.json", newer))
    expect(titles(page)).to_have_text(["New"])


def test_older_report_is_left_out(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    older = record(title="Old", updated_at="2026-02-01T10:00:00Z", scanned_at="2026-04-01T00:00:00Z")
    said = take_in(page, bundle(tmp_path / "a.json", record(title="New")), bundle(tmp_path / "b.json", older))
    assert "b.json: 1 report: 1 older than here, left out." in said
    expect(titles(page)).to_have_text(["New"])


def test_later_scan_decides_between_reports_of_one_time(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    later = record(title="New", scanned_at="2026-04-01T00:00:00Z")
    take_in(page, bundle(tmp_path / "a.json", later), bundle(tmp_path / "b.json", record(title="Old")))
    expect(titles(page)).to_have_text(["New"])


def test_open_report_follows_the_import(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    take_in(page, bundle(tmp_path / "a.json", record(detail="Before.")))
    page.locator(".row").click()
    take_in(page, bundle(tmp_path / "b.json", record(detail="After.", updated_at="2026-03-02T10:00:00Z")))
    expect(page.locator("#reader .text")).to_have_text("After.")


def test_file_that_is_no_bundle_is_refused_with_its_reason(show: Show, dossier: Path, tmp_path: Path) -> None:
    page = show(dossier)
    for number, (body, reason) in enumerate(
        [
            ("{ torn", "is not JSON"),
            ("null", "is no bundle of aicx reports"),
            ('{"schema": "aicx.search/1", "records": []}', "is no bundle of aicx reports"),
            ('{"schema": "aicx.reports/1"}', "holds no records"),
        ]
    ):
        assert f"{number}.json {reason}" in take_in(page, write(tmp_path / f"{number}.json", body))
        expect(titles(page)).to_have_count(5)


def test_record_of_another_shape_is_left_out_and_named(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    shapes = [
        None,
        [],
        {"title": "no id"},
        record(id="__proto__"),
        record(title=7),
        record(detail={"toString": 1}),
        record(date="someday"),
        record(date="2026-99-99"),
        record(exit_code="0"),
        record(headings=[7]),
        record(problems="one"),
        record(files={"report": 7}),
        record(detail="x" * 200_001),
    ]
    for number, bad in enumerate(shapes, 1):
        said = take_in(page, bundle(tmp_path / f"{number}.json", bad, record(number + 1)))
        assert f"{number}.json: record 1 " in said, bad
        expect(titles(page)).to_have_count(number)


def test_field_of_a_later_version_is_kept(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    take_in(page, bundle(tmp_path / "b.json", record(mood="calm")))
    assert exported(page, tmp_path)["records"][0]["mood"] == "calm"


def exported(page: Any, folder: Path) -> dict[str, Any]:
    with page.expect_download() as download:
        page.click("#export")
    download.value.save_as(folder / "exported.json")
    found: dict[str, Any] = json.loads((folder / "exported.json").read_text())
    return found


def test_exported_bundle_holds_what_was_embedded_and_imported(show: Show, dossier: Path, tmp_path: Path) -> None:
    page = show(dossier)
    embedded = json.loads(page.locator("#bundle").text_content())["records"]
    take_in(page, bundle(tmp_path / "b.json", record()))
    page.fill("#workflow", "marb")  # what is filtered out is exported as well
    by_id = {found["id"]: found for found in exported(page, tmp_path)["records"]}
    assert by_id == {found["id"]: found for found in [*embedded, record()]}


def test_exported_bundle_imported_again_changes_nothing(show: Show, dossier: Path, tmp_path: Path) -> None:
    page = show(dossier)
    exported(page, tmp_path)
    assert take_in(page, tmp_path / "exported.json") == "exported.json: 5 reports: 5 here already."


# At hand --------------------------------------------------------------------------------------------------------------


def test_slash_leads_to_the_search(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"
    assert page.input_value("#text") == ""


def test_reports_are_walked_by_keys(show: Show, dossier: Path) -> None:
    page = show(dossier)
    for key, at in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(page.locator(".row").nth(at)).to_have_attribute("aria-current", "true")


def test_escape_closes_the_report(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.keyboard.press("j")
    page.locator("#reader h2").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator("#reader .overview")).to_be_visible()


def test_row_is_opened_by_enter(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.locator(".row").last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#reader h2")).to_have_text("Tides move the clock")


def brightness(page: Any) -> int:
    color = page.evaluate("getComputedStyle(document.querySelector('#reader')).backgroundColor")
    return sum(int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(","))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_until_changed(scheme: str, show: Show, dossier: Path) -> None:
    page = show(dossier, color_scheme=scheme)
    assert (brightness(page) > 380) == (scheme == "light")
    page.click("#theme")
    assert (brightness(page) > 380) == (scheme == "dark")


def test_telephone_shows_list_or_report_and_never_scrolls_sideways(show: Show, dossier: Path) -> None:
    page = show(dossier)
    page.set_viewport_size({"width": 360, "height": 700})
    assert not page.locator("#reader").is_visible()
    page.get_by_text("Tides move the clock").click()
    expect(page.locator("#reader")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.click("#back")
    expect(page.locator(".row").first).to_be_visible()


def test_long_list_is_made_in_parts(show: Show, empty: Path, tmp_path: Path) -> None:
    page = show(empty)
    take_in(page, bundle(tmp_path / "b.json", *(record(number) for number in range(1, 3001))))
    expect(page.locator(".row")).to_have_count(200)
    page.click("#more")
    expect(page.locator(".row")).to_have_count(400)


def test_page_says_so_when_its_own_bundle_is_damaged(show: Show, dossier: Path) -> None:
    dossier.write_text(dossier.read_text().replace('"schema":"aicx.reports/1"', '"schema":"other"', 1))
    page = show(dossier)
    expect(page.locator("#notice p")).to_contain_text("The bundle in this file is no bundle")
