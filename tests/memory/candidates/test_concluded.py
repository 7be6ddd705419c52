"""What counts as concluded by an agent: lasting limits, causes with their fix, choices with their reason."""

from __future__ import annotations

import pytest

from tests.evidence.stories import Story
from tests.memory.candidates.builders import proposed, statements


@pytest.mark.parametrize(
    "said",
    [
        "`orbitctl` does not support the `--watch` flag on Windows.",
        "Graphite v2.1 doesn't expose a field for retries.",
        "The staticcheck linter doesn't recognize that `t.Fatal` ends a test.",
        "`orbitctl seal` cannot be used with `orbitctl watch` in one run.",
        "`schema.json` is generated from the `settings.toml` file.",
        "`orbitctl --summary` requires the `--checkpoint` option in every call.",
    ],
)
def test_a_lasting_limit_of_something_named_is_a_fact(said: str) -> None:
    assert statements(Story().asks("why?").says(said)) == [("fact", said)]


@pytest.mark.parametrize(
    "said",
    [
        "It does not support the `--watch` flag on Windows.",
        "The function doesn't handle `None` as a value here.",
        "`orbitctl` probably does not support the `--watch` flag.",
        "`orbitctl` does not support that flag and exits with code 1.",
        "I think `orbitctl` does not support the `--watch` flag.",
        "`load_orbit` currently does not support two moons at once.",
        "Note: `test_moons` failed on this machine after the second run.",
        "Does `orbitctl` not support the `--watch` flag on Windows?",
        "The file is hidden, and `orbitctl` does not read hidden files at all.",
        "`orbitctl` does not read the settings in `/home/ada/.orbit/settings.toml`.",
        "In this branch `orbitctl` does not support the `--watch` flag.",
        "`--summary` requires `--checkpoint` - it is an error otherwise.",
        "Per Go's testing rules, `t.Setenv()` cannot be used with `t.Parallel()`.",
        "Latest orbitctl 0.79.6 does not expose the `--watch` flag.",
    ],
)
def test_a_guess_a_moment_and_what_leans_on_the_talk_are_none(said: str) -> None:
    assert statements(Story().asks("why?").says(said)) == []


CAUSE = "Root cause: `load_orbit` read the epoch as local time."


def test_a_cause_with_its_fix_is_a_failure() -> None:
    story = Story().asks("fix it").edits("/srv/ada/orbit/load.py").says(f"{CAUSE} I changed it to UTC in both readers.")
    assert statements(story) == [("failure", f"{CAUSE} I changed it to UTC in both readers.")]


def test_a_fix_that_the_person_then_calls_none_is_not_told() -> None:
    story = Story().asks("fix it").edits("/srv/ada/orbit/load.py").says(f"{CAUSE} I changed it to UTC in both readers.")
    assert len(statements(story)) == 1
    assert statements(story.asks("This is still not working, the first moon is wrong.").says("I see.")) == []


def test_a_cause_that_is_worded_again_is_one() -> None:
    first = "Root cause: `load_orbit` never calls `to_utc` for the epoch. Fix: Call `to_utc` in `load_orbit`."
    again = "Root cause: `load_orbit` read the epoch without `to_utc`. Fix: Added `to_utc` and a guard for years."
    story = Story().asks("fix it").edits("/srv/ada/orbit/load.py").says(first).says(again)
    assert statements(story) == [("failure", again)]


def test_a_cause_without_a_change_or_with_a_doubt_is_none() -> None:
    assert statements(Story().asks("why?").says(f"{CAUSE} I changed it to UTC in both readers.")) == []
    guess = "Root cause: `load_orbit` may read the epoch as local time. I changed it to UTC."
    assert statements(Story().asks("fix it").edits("load.py").says(guess)) == []


def test_a_change_of_an_earlier_prompt_is_not_the_fix() -> None:
    story = Story().asks("fix it").edits("load.py").asks("why?").says(f"{CAUSE} Fixed in both readers.")
    assert statements(story) == []


def test_the_files_changed_before_a_check_passed_are_a_fix() -> None:
    story = Story().asks("fix it").says(CAUSE).edits("src/load.py").runs("make test", "ok")
    (found,) = [one for one in proposed(story) if one.kind == "failure"]
    assert found.statement == f"{CAUSE} Fixed in `src/load.py`."
    assert found.anchors == ("src/load.py",)
    unproven = Story().asks("fix it").says(CAUSE).edits("src/load.py")
    assert statements(unproven) == []


def test_a_choice_between_two_ways_with_its_reason_is_a_decision() -> None:
    said = "I kept `parse` in the loader rather than in the model because the model must not import the reader."
    assert statements(Story().asks("go").says(said)) == [("decision", said)]
    planned = "I'll put `parse` into the loader because the model must not import the reader."
    assert statements(Story().asks("go").says(planned)) == []


def test_nothing_is_concluded_in_code_or_by_tools() -> None:
    story = Story().says("```\n`orbitctl` does not support the `--watch` flag.\n```")
    story.runs("cat notes.md", "`orbitctl` does not support the `--watch` flag on Windows.")
    assert statements(story) == []


def test_headings_of_a_plan_are_no_fact() -> None:
    limit = "`orbit import` must be run from `src` as it reads the settings there."
    assert ("fact", limit) in statements(Story().says(limit))
    assert statements(Story().says(f"Fix 1: {limit} Fix 2: the names")) == []
