"""An output as a terminal shows it in the end."""

from __future__ import annotations

import pytest

from aicx.toolchains.terminal import HEAD, TAIL, plain, unprefixed


def test_colours_links_and_titles_are_gone() -> None:
    output = "\x1b[1;31mfail\x1b[0m \x1b]8;;https://example.invalid\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07end"
    assert plain(output) == "fail link end"


def test_colours_that_lost_their_escape_sign_are_gone() -> None:
    assert plain("[31m- a[39m\n[2mb[22m") == "- a\nb"
    assert plain("values[0] and [1m] stay") == "values[0] and [1m] stay"


def test_text_written_over_is_gone() -> None:
    assert plain("10 %\r55 %\rdone\r\nnext") == "done\nnext"
    assert plain("spin\x1b[1G\x1b[0Kerror: x") == "error: x"
    assert plain("ab\x08c") == "ac"


def test_of_a_long_output_the_beginning_and_the_end_are_read() -> None:
    output = "first\n" + "x" * 99 + "\n"
    output += ("y" * 99 + "\n") * ((HEAD + TAIL) // 100 + 1) + "last"
    read = plain(output)
    assert read.startswith("first\n")
    assert read.endswith("\nlast")
    assert len(read) < HEAD + TAIL + 1000
    assert {len(line) for line in read.split("\n")} <= {5, 99, 4}


def test_prefixes_of_wrappers_are_taken_off() -> None:
    lines = ["web-1  | a.py:1:1: F401 x", "web-1  | ", "web-1  | Found 1 error.", "web-1  | done"]
    assert unprefixed(lines) == ["a.py:1:1: F401 x", "", "Found 1 error.", "done"]
    clock = [f"2026-01-02T03:04:0{second}.123Z line {second}" for second in range(5)]
    assert unprefixed(clock) == [f"line {second}" for second in range(5)]


@pytest.mark.parametrize("line", ["src/a.py:7: error: wrong  [misc]", "[warn] a.css", "[ERROR] wrong", "[error] wrong"])
def test_places_and_levels_of_errors_are_no_prefixes(line: str) -> None:
    assert unprefixed([line] * 9) == [line] * 9
