"""docs/coming-from.md: what a row says another tool's word is called here exists here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from aicx.servers.described import Described, parts, reachable
from aicx.servers.mcp.server import TOOLS
from docs import generate_json
from tests.tree import meant, options_in

pytestmark = pytest.mark.needs("mcp")

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "coming-from.md"
_SYSTEM = re.compile(r"## From (.+)")
_SPAN = re.compile(r"`([^`]+)`")
_SCHEMA = re.compile(r"aicx\.[\w-]+/\d+")
_LEFT_OUT = "left out: "
_BEHAVIOURS = "\n## Row by row\n"


class Row(NamedTuple):
    """A word of another tool, and what the page says of it."""

    system: str
    there: str
    here: str

    @property
    def spans(self) -> list[str]:
        return _SPAN.findall(self.here)


def rows() -> Iterator[Row]:
    system = ""
    for line in PAGE.read_text("utf-8").partition(_BEHAVIOURS)[0].splitlines():
        if found := _SYSTEM.fullmatch(line):
            system = found[1]
        elif line.startswith("| ") and system:
            there, here = line.removeprefix("| ").removesuffix(" |").split(" | ")
            if (there, here) != ("There", "Here"):
                yield Row(system, there, here)


class Behaviour(NamedTuple):
    """An acceptance test of another tool by its number, its name here, and the tests of ours that try it."""

    number: str
    there: str
    here: str
    tried_by: list[str]


def behaviours() -> Iterator[Behaviour]:
    for line in PAGE.read_text("utf-8").partition(_BEHAVIOURS)[2].splitlines():
        if re.match(r"\| [ACFLX]\d+ ", line):
            number, there, here, tried_by = line.removeprefix("| ").removesuffix(" |").split(" | ")
            yield Behaviour(number, there, here, _SPAN.findall(tried_by))


ROWS = list(rows())
HELD = list(behaviours())
SYSTEMS = ("aicx (Loctree)", "AICTX", "AIT", "foxctl", "codex-auto-memory")
# How many acceptance tests of each have a row, by the letter of their numbers.
NUMBERS = {"L": 47, "X": 35, "A": 26, "F": 38, "C": 32}
COMMANDS = sorted(
    {span for row in ROWS for span in row.spans if span.startswith("aicx ") and span != "aicx --help"}
    | {span for row in HELD for span in _SPAN.findall(row.here) if span.startswith("aicx ")}
)


@cache
def schema(name: str) -> tuple[dict[type, list[Described]], list[type]]:
    """The classes of a JSON answer with their fields, and those of the answer itself."""
    answers = [answer for known, answers in generate_json.ANSWERS.values() if known == name for answer in answers]
    return reachable(*answers), answers


@cache
def other_pages() -> str:
    return "\n".join(page.read_text("utf-8") for page in sorted(DOCS.glob("*.md")) if page != PAGE)


def test_the_five_systems_have_a_table_each_in_which_no_word_comes_twice() -> None:
    assert {row.system for row in ROWS} == set(SYSTEMS)
    words = [(row.system, row.there) for row in ROWS]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_row_names_something_here_or_says_why_it_is_left_out(system: str) -> None:
    for row in (row for row in ROWS if row.system == system):
        if row.here.startswith(_LEFT_OUT):
            assert len(row.here.removeprefix(_LEFT_OUT).split()) > 2, row
        else:
            assert row.spans, f"neither a name nor a reason: {row}"


def test_a_command_of_the_page_exists_with_its_options() -> None:
    """That its help is printed is tested for every command in tests/commands/test_help.py."""
    for line in COMMANDS:
        path, found, left = meant(*line.split()[1:])
        options = options_in(found) | set(path.split())
        assert {word for word in left if word.startswith("--")} <= options | {"--json", "--help"}, line


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_names_of_a_row_are_known(system: str) -> None:
    """A field belongs to the schema in its cell; a file, a variable or a value is on another page."""
    for row in (row for row in ROWS if row.system == system):
        names = [span for span in row.spans if not span.startswith("aicx ")]
        of = [span for span in names if _SCHEMA.fullmatch(span)]
        assert len(of) <= 1, f"fields of one schema a row: {row}"
        for name in names:
            if of and name in of:
                assert schema(name)[1], f"there is no {name}"
            elif of:
                assert is_field(name, of[0]), f"{of[0]} has no field {name}"
            else:
                assert name in TOOLS or name in other_pages(), f"nothing else has {name}"


def test_every_number_of_the_five_has_a_row() -> None:
    assert [row.number for row in HELD] == [f"{of}{n}" for of, count in NUMBERS.items() for n in range(1, count + 1)]
    assert f"are the words, {len(ROWS)} rows" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("letter", NUMBERS)
def test_a_behaviour_is_tried_or_left_out_by_decision(letter: str) -> None:
    """What is measured by hand alone says so in its row."""
    for row in (row for row in HELD if row.number[0] == letter):
        if row.here.startswith(_LEFT_OUT):
            assert len(row.here.removeprefix(_LEFT_OUT).split()) > 2, row
            assert row.tried_by == [], row
            continue
        names = _SPAN.findall(row.here)
        assert names, row
        if "held by no test" in row.here:
            assert (DOCS.parent / names[-1]).is_file(), row
        else:
            assert row.tried_by, row
        for name in row.tried_by:
            path, _, test = name.partition("::")
            assert test in functions_in(path), f"there is no {name}"
        of = [span for span in names if _SCHEMA.fullmatch(span)]
        for name in (name for name in names if not name.startswith("aicx")):
            if of:
                assert is_field(name, of[0]), f"{of[0]} has no field {name}"
            else:
                assert name in TOOLS or name in other_pages() or (DOCS.parent / name).exists(), f"nothing has {name}"


@cache
def functions_in(path: str) -> frozenset[str]:
    return frozenset(re.findall(r"^ *def (\w+)\(", (DOCS.parent / path).read_text("utf-8"), re.MULTILINE))


def is_field(path: str, name: str) -> bool:
    """Whether the answers of a schema have a field at this path, such as ``capsule.next_action``."""
    known, kinds = schema(name)
    for word in path.split("."):
        kinds = [part for one in fields_of(kinds, known) if one.name == word for part in (*parts(one.type), bool)]
    return bool(kinds)


def fields_of(kinds: list[type], known: dict[type, list[Described]]) -> Iterator[Described]:
    """The fields of classes, and in place of one without a name those of the classes that may be there."""
    for one in (one for kind in kinds for one in known.get(kind, [])):
        yield from (one,) if one.name else fields_of(list(parts(one.type)), known)


def test_a_field_that_is_missing_is_told_from_one_that_is_there() -> None:
    assert is_field("capsule.next_action", "aicx.resume/1")
    assert not is_field("capsule.next_actions", "aicx.resume/1")


def test_what_the_page_leaves_out_is_said_to_be() -> None:
    left_out = " ".join(row.there for row in ROWS if row.here.startswith(_LEFT_OUT))
    for word in ("snapshot", "arbiter", "`advanced`", "RepoMap JSON", "metrics", "model"):
        assert word in left_out
