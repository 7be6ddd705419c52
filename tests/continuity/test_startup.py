"""The startup block: within its lines, the goal and the next step last to go, and everything left out counted."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from aicx.config import MAX_LINES, MIN_LINES
from aicx.continuity.note import KINDS, Kind, Layer, Layers, Note, NoteItem, merged
from aicx.continuity.startup import MIN_BYTES, Extra, StartupManifest, startup_block
from aicx.errors import UsageError
from aicx.text import shorten

LIMITS = range(MIN_LINES, MAX_LINES + 1)
NAMES: dict[Layer, str] = {
    "project": "~/.aicx/work/orbit/continuity/project.md",
    "local": ".aicx/continuity/active.md",
}
EXTRA: Extra = {
    "instructionFiles": ["CLAUDE.md", "docs/agents.md"],
    "stagedCandidates": ["mem:aaaa", "mem:bbbb", "mem:cccc"],
    "agreedMemory": ["Exports need a check."],
    "teamEntries": ["docs/handbook.md"],
}
PATHS: dict[Layer, Path] = {"local": Path("/srv/orbit/active.md"), "project": Path("/home/ada/project.md")}


def note(layer: Layer, goal: str | None = None, **sections: list[str]) -> Note:
    items = {kind: tuple(NoteItem(text, kind, layer) for text in sections[kind]) for kind in KINDS if kind in sections}
    return Note(NoteItem(goal, "goal", layer) if goal else None, items)


def layers(local: Note | None, project: Note | None = None) -> Layers:
    found: dict[Layer, Note | None] = {"local": local, "project": project}
    paths = {layer: PATHS[layer] for layer, one in found.items() if one is not None}
    return Layers(project, local, merged(project, local), paths=paths)


def full(count: int = 8) -> Layers:
    def items(kind: str) -> list[str]:
        return [f"{kind} number {number}" for number in range(count)]

    own = note("local", "Mend the lexer", next=items("next"), file=items("file"))
    shared = {kind: items(kind) for kind in KINDS if kind not in ("next", "file")}
    return layers(own, note("project", **shared))


def shown(block: StartupManifest) -> list[str]:
    """The lines between the fences that are no headings."""
    inside = block.text.split("quoted-history\n")[1].rpartition("\n````")[0]
    return [line for line in inside.splitlines() if line.startswith(("- ", "Goal", "Notes"))]


texts = some.text(min_size=1, max_size=500)
notes = some.builds(
    lambda goal, sections: (goal, sections),
    some.none() | texts,
    some.dictionaries(some.sampled_from(KINDS), some.lists(texts, max_size=12), max_size=7),
)


@pytest.fixture(scope="module")
def blocks() -> list[StartupManifest]:
    """The same notes within every budget."""
    return [startup_block(full(12), NAMES, EXTRA, limit) for limit in LIMITS]


def test_for_every_budget_nothing_is_too_long_and_all_that_was_dropped_is_counted(
    blocks: list[StartupManifest],
) -> None:
    """C21: for every budget from 10 to 200."""
    wanted = len(full(12).merged.items) + 1 + 2 + 3 + 1 + 1
    for limit, block in zip(LIMITS, blocks, strict=True):
        assert block.text.count("\n") + 1 == block.lineCount <= limit
        assert len(shown(block)) + sum(block.omissionCounts.values()) == wanted
        left = {one.section: one.count for one in block.omissions}
        assert left == block.omissionCounts
        assert all((one.stage, one.reason) == ("fitting", "line_limit") for one in block.omissions)


@given(some.sampled_from(LIMITS), notes, notes, some.integers(MIN_BYTES, 20_000))
def test_whatever_the_notes_say_the_block_keeps_its_budget(
    limit: int,
    local: tuple[str | None, dict[Kind, list[str]]],
    project: tuple[str | None, dict[Kind, list[str]]],
    limit_bytes: int,
) -> None:
    """C21: hostile text in every section, lines and bytes bounded."""
    found = layers(note("local", local[0], **local[1]), note("project", project[0], **project[1]))
    block = startup_block(found, NAMES, EXTRA, limit, limit_bytes=limit_bytes)
    assert block.lineCount == len(block.text.split("\n")) * bool(block.text)
    assert block.lineCount <= limit
    assert len(block.text.encode()) <= limit_bytes
    if block.text:
        # What came from logs is between one pair of fences, which nothing in it closes.
        fence = re.findall(r"^(`{4,}) quoted-history$", block.text, re.MULTILINE)[0]
        assert [line for line in block.text.splitlines() if line == fence] == [fence]
        inside = block.text.split("quoted-history\n")[1].split(f"\n{fence}")[0].split("\n")
        kept = sum(line.startswith(("- ", "Goal: ", "Notes: ")) for line in inside)
        wanted = sum(bool(shorten(item.text, 240)) for item in found.merged.items) + 1 + 2 + 3 + 1 + 1
        assert kept + sum(block.omissionCounts.values()) == wanted


@pytest.mark.slow
def test_the_goal_and_next_steps_are_the_last_to_go(blocks: list[StartupManifest]) -> None:
    """C22: at small budgets the goal and the next step survive before what succeeded."""
    for block in blocks:
        assert "Goal: Mend the lexer" in block.text
        assert "- next number 0\n" in block.text
        if "incompleteNext" in block.omissionCounts:
            assert block.continuitySectionKinds == ["goal", "incompleteNext"]


def test_a_larger_budget_shows_no_less(blocks: list[StartupManifest]) -> None:
    for less, more in pairwise(blocks):
        assert not Counter(shown(less)) - Counter(shown(more))
    assert blocks[-1].omissions == []


def test_the_smallest_budget_of_bytes_holds_the_longest_goal_and_step() -> None:
    signs = "\U0001f600" * 1000
    found = layers(note("local", signs, next=[signs], confirmed=["it runs"]))
    block = startup_block(found, NAMES, {}, MIN_LINES, limit_bytes=MIN_BYTES)
    assert len(block.text.encode()) <= MIN_BYTES
    assert {"goal", "incompleteNext"} <= set(block.continuitySectionKinds)


def test_bytes_that_were_too_many_are_named_as_the_reason() -> None:
    found = layers(
        note("local", "Goal", next=["short"], confirmed=["ä" * 240] * 1 + [f"{n} " + "ö" * 230 for n in range(9)])
    )
    block = startup_block(found, NAMES, {}, MAX_LINES, limit_bytes=MIN_BYTES)
    [left] = block.omissions
    assert (left.section, left.reason) == ("confirmedWorking", "byte_limit")


def test_the_parts_are_in_a_fixed_order() -> None:
    """C25: continuity, instruction files, staged candidates, agreed memory, team."""
    text = startup_block(full(1), NAMES, EXTRA, MAX_LINES).text
    parts = ["# Session Continuity", "evidence to check", "Goal: ", "Next:", "Instruction files:", "- docs/agents.md"]
    parts += [
        "Waiting for a decision, not agreed:",
        "- mem:bbbb",
        "Agreed:",
        "- Exports need",
        "Of the team:",
        "- docs/h",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_its_sources_are_named() -> None:
    block = startup_block(full(1), NAMES, EXTRA, 60)
    said = block
    assert said.sourceFiles == said.candidateSourceFiles[::-1] == [NAMES["project"], NAMES["local"]]
    assert said.continuitySourceKinds == ["project", "local"]
    assert (said.continuityMode, said.continuityProvenanceKind) == ("startup", "temporary-continuity")
    assert all(said.sectionsRendered[name] for name in (*said.continuitySectionKinds, "sources"))
    assert said.futureCompactionSeam.sections == said.continuitySectionKinds


def test_a_note_of_which_nothing_fits_is_a_candidate_alone() -> None:
    local = note("local", "Mend the lexer", next=[f"step {number}" for number in range(9)])
    said = startup_block(layers(local, note("project", confirmed=["it runs"])), NAMES, EXTRA, MIN_LINES)
    assert said.continuitySourceKinds == ["local"]
    assert said.sourceFiles == [NAMES["local"]]
    assert len(said.candidateSourceFiles) == 2


def test_a_note_that_cannot_be_understood_is_named() -> None:
    found = full(1)
    broken = Layers(None, found.local, merged(None, found.local), {"project": "x"}, PATHS)
    [left] = startup_block(broken, NAMES, EXTRA, 60).omissions
    assert (left.target, left.reason, left.path) == ("sourceFile", "broken_note", NAMES["project"])


def test_without_a_note_there_is_no_block() -> None:
    """C24: nothing is shown of what nobody wrote."""
    block = startup_block(layers(None), NAMES, EXTRA, 60)
    assert (block.text, block.lineCount, block.omissions) == ("", 0, [])


def test_a_state_other_than_active_is_said() -> None:
    paused = Note(NoteItem("Mend the lexer", "goal", "local"), status="paused")
    assert "Goal (paused): Mend the lexer" in startup_block(layers(paused), NAMES, {}, 10).text


def test_the_word_of_a_subagent_is_marked() -> None:
    item = NoteItem("use a queue", "untried", "local", "subagent")
    assert (
        "- use a queue (of a subagent)" in startup_block(layers(Note(None, {"untried": (item,)})), NAMES, {}, 10).text
    )


@pytest.mark.parametrize("limit", [MIN_LINES - 1, MAX_LINES + 1])
def test_other_limits_are_refused(limit: int) -> None:
    with pytest.raises(UsageError):
        startup_block(full(), NAMES, EXTRA, limit)
