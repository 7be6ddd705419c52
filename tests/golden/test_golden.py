"""Help, answers and kept files are byte for byte what the golden files say; `make golden` writes those again."""

from __future__ import annotations

import subprocess
import sys
from difflib import unified_diff
from inspect import unwrap
from pathlib import Path

import pytest

from tests.golden.story import NOT_RUN, STORY
from tests.tree import commands, options_of

pytestmark = [pytest.mark.slow, pytest.mark.needs("semantic", "bench", "code", "mcp", "test", "git")]

GOLDEN = Path(__file__).parent


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    command = [sys.executable, "-m", "tests.golden", folder]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=GOLDEN.parents[1])
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.mark.parametrize("name", ["help", "answers", "files"])
def test_users_see_what_they_saw(name: str, now: Path) -> None:
    before, after = ((folder / f"{name}.txt").read_text("utf-8") for folder in (GOLDEN, now))
    lines = (text.replace(',"', ',\n"').splitlines() for text in (before, after))
    if changes := "\n".join(unified_diff(*lines, "golden", "now", "", "", 2)):
        pytest.fail(f"tests/golden/{name}.txt differs; where that is wanted, `make golden`\n{changes}", pytrace=False)
    assert before == after


def test_every_command_with_json_is_asked() -> None:
    asked = {name for name in commands() if f" {name} " in STORY.replace("\n", " \n ")} | set(NOT_RUN)
    done = {unwrap(commands()[name].callback) for name in asked}  # under whichever name
    answering = [name for name in commands() if "--json" in options_of(name)]
    assert [name for name in answering if unwrap(commands()[name].callback) not in done] == []
    assert set(NOT_RUN) <= set(answering)
