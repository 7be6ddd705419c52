"""`--summary llm` and `llm_cleanup`: the configured summarizer is held to the pack, and where it fails rules sum up."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable

import pytest

from tests.packs.builders import PackPlace

pytestmark = pytest.mark.slow

CLAIMS = "say({'claims': [{'text': 'The writer is next', 'refs': ['f2']}, {'text': 'Made up', 'refs': ['f999']}]})"


@pytest.fixture
def summarizer(worked: PackPlace) -> Callable[[str], None]:
    def configure(program: str) -> None:
        script = worked.folder / "summarizer.py"
        script.write_text(
            "import json, sys\nasked = json.load(sys.stdin)\n"
            f"def say(answer): print(json.dumps(answer))\nassert asked['purpose'] == 'pack'\n{program}"
        )
        command = shlex.join([sys.executable, str(script)])
        (worked.home / "config.toml").write_text(f"summarizer_command = {json.dumps(command)}\n")

    return configure


def test_rules_sum_up_where_nobody_asks_for_more(worked: PackPlace, summarizer: Callable[[str], None]) -> None:
    summarizer("sys.exit(1)")
    found = worked("task")["summary"]
    assert (found["requested"], found["by"], found["note"]) == ("deterministic", "rules", "")


@pytest.mark.parametrize("what", ["task", "family"])
def test_llm_shows_the_claims_alone_and_leaves_the_pack_as_it_is(
    worked: PackPlace, summarizer: Callable[[str], None], what: str
) -> None:
    before = worked(what)
    summarizer(CLAIMS)
    answer = worked(what, "--summary", "llm")
    found = answer["summary"]
    assert found["by"] == "summarizer"
    assert "1 claim dropped" in found["note"]
    (line,) = (line for line in found["text"].splitlines() if line.startswith("- "))
    assert line.startswith("- The writer is next")
    assert "Made up" not in found["text"]
    assert answer["artifact"] == before["artifact"]


def test_llm_cleanup_keeps_the_lines_that_no_claim_rests_on(
    worked: PackPlace, summarizer: Callable[[str], None]
) -> None:
    before = worked("task", "--budget", "5000")["summary"]["text"]
    assert "- Change the writer" in before  # the second fact
    summarizer("say({'claims': [{'text': 'The writer is next', 'refs': ['f2']}]})")
    text = worked("task", "--budget", "5000", "--summary", "llm_cleanup")["summary"]["text"]
    lines = [line for line in before.splitlines() if line.startswith("- ")]
    kept = [line for line in text.splitlines() if line.startswith("- ")]
    assert kept[0].startswith("- The writer is next")
    assert set(lines) - set(kept) == {"- Change the writer"}


@pytest.mark.parametrize("mode", ["llm", "llm_cleanup"])
@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("sys.exit(1)", "it ended with exit code 1"),
        ("print('no')", "its answer is not JSON"),
        ("say({'claims': [{'text': 'Made up', 'refs': []}]})", "without a reference"),
    ],
)
def test_a_summarizer_that_fails_leaves_the_text_of_the_rules_and_says_why(
    worked: PackPlace, summarizer: Callable[[str], None], mode: str, program: str, why: str
) -> None:
    before = worked("task")["summary"]
    summarizer(program)
    found = worked("task", "--summary", mode)["summary"]
    assert (found["text"], found["by"]) == (before["text"], "rules")
    assert why in found["note"]


def test_without_a_configured_command_rules_sum_up_and_it_is_said(worked: PackPlace) -> None:
    found = worked("task", "--summary", "llm")["summary"]
    assert (found["by"], found["text"]) == ("rules", worked("task")["summary"]["text"])
    assert "no summarizer_command is configured" in found["note"]
