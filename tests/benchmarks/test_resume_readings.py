"""Which moments are read, and how a line keeps its label."""

from __future__ import annotations

from datetime import UTC, datetime

from benchmarks.resume_readings import SETS, Moment, drawn, lines_of

BRIEF = """# ada/orbit: what a new session needs to know

```` quoted-history
## Now
- branch `main` at `217f9f38e`; no changes

## Decided
- Keep the old field [chunk:claude:0b7c1f6e:001]
````
"""


def moments(count: int, place: str = "ada/orbit") -> list[Moment]:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return [Moment("claude", f"{number:036x}", place, "/srv/orbit", None, at, "fix it") for number in range(count)]


def test_sets_have_no_moment_in_common_and_are_drawn_the_same_again() -> None:
    found = {place: moments(count, place) for place, count in (("ada/orbit", 70), ("bob/apiary", 3), ("eve/notes", 60))}
    sets = drawn(found)
    assert sets == drawn(found)
    assert {name: len(of) for name, of in sets.items()} == SETS
    every = [(moment.place, moment.session) for of in sets.values() for moment in of]
    assert len(every) == len(set(every)) == sum(SETS.values())


def test_every_other_brief_has_a_task() -> None:
    asked = [bool(moment.task) for moment in drawn({"ada/orbit": moments(200)})["tuning"]]
    assert asked == [False, True] * (SETS["tuning"] // 2)


def test_line_keeps_its_label_when_only_its_references_change() -> None:
    one, other = (list(lines_of(text)) for text in (BRIEF, BRIEF.replace(":001]", ":002]")))
    assert [(section, text) for section, _, text in one] == [
        ("Now", "branch `main` at `217f9f38e`; no changes"),
        ("Decided", "Keep the old field [chunk:claude:0b7c1f6e:001]"),
    ]
    assert [line for _, line, _ in one] == [line for _, line, _ in other]
