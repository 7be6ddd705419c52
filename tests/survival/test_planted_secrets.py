"""Secrets planted through commands, names and logs are readable nowhere: part of `benchmarks.attack secrets`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.attack.secrets import SENTENCE_PLACES, WORD_PLACES, WORDS, plant_all, readable

pytestmark = [pytest.mark.slow, pytest.mark.process]

PLACES = (
    *("prepare --task", "resume --task", "run --task", "finalize --decision", "finalize --summary", "task start"),
    *(
        "memory put",
        "memory put --evidence",
        "memory hold --by",
        "cas put",
        "prepare --agent-id",
        "prepare --session-id",
    ),
    *("finalize --session-id", "finalize --files-edited", "AICX_SESSION_ID", "a branch", "the name of a file"),
    *("projects assign", "a hook's session", "the session of a log", "sessions open --session", "a note"),
)


@pytest.mark.parametrize(("kind", "places"), [("github token", PLACES[::2]), ("login of curl", PLACES[1::2])])
def test_no_planted_secret_is_readable(kind: str, places: tuple[str, ...], tmp_path: Path) -> None:
    world, planted = plant_all(tmp_path, [kind], places)
    assert readable(world, planted) == {}
    assert world.failed() == []


def test_a_secret_that_is_there_is_found(tmp_path: Path) -> None:
    world, planted = plant_all(tmp_path, ["github token"], ["task start"])
    (world.home / "left.txt").write_text(next(iter(planted.values())))
    assert readable(world, planted) == {"corpus/left.txt": ["github token in task start"]}


def test_the_long_attack_has_a_hundred_places() -> None:
    assert len(SENTENCE_PLACES) + len(WORD_PLACES) >= 95
    assert len(SENTENCE_PLACES) * 6 + len(WORD_PLACES) * len(WORDS) > 400
