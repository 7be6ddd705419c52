"""`summarizer_command` in the settings, from the brief and the handoff that it is for."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from aicx.cli import run
from tests.lifecycle.conftest import Place


@pytest.fixture
def summarizer(place: Place, tmp_path):
    def configure(program: str) -> None:
        script = tmp_path / "summarizer.py"
        script.write_text(f"import json, sys\nasked = json.load(sys.stdin)\n{program}")
        command = shlex.join([sys.executable, str(script)])
        (place.user.corpus / "config.toml").write_text(f"summarizer_command = {json.dumps(command)}\n")

    return configure


CLAIM = "print(json.dumps({'claims': [{'text': 'The refresh is open', 'refs': ['f1']}, {'text': 'x', 'refs': []}]}))"


def test_without_a_command_rules_sum_up(place):
    answer = place("resume")
    assert answer["summary_by"] == "rules"
    assert "summary" not in answer


def test_the_brief_has_the_claims_with_their_evidence(place, summarizer, capsys):
    summarizer(CLAIM)
    answer = place("resume")
    assert answer["summary_by"] == "summarizer"
    (claim,) = answer["summary"]
    assert claim["text"] == "The refresh is open"
    assert claim["refs"]
    assert run(["resume"]) == 0
    out, err = capsys.readouterr()
    assert "## Summed up by a configured command, from what is quoted below\n- The refresh is open [" in out
    assert "note: summed up by the summarizer; 1 claim dropped" in err


def test_a_summarizer_that_fails_leaves_the_brief_as_it_is(place, summarizer, capsys):
    run(["resume"])
    before = capsys.readouterr().out
    summarizer("sys.exit(1)")
    assert run(["resume"]) == 0
    out, err = capsys.readouterr()
    assert out == before
    assert "note: summed up by rules: the summarizer failed, it ended with exit code 1" in err


def test_the_handoff_keeps_the_claims(place, summarizer):
    summarizer(CLAIM)
    done = place.finalize("The refresh is written")
    assert done["summary_by"] == "summarizer"
    assert "Summary: The refresh is open" in done["agent_summary_text"]
    (handoff,) = place("task", "handoffs", "--limit", "1")["items"]
    assert handoff["claims"] == ["The refresh is open"]
    assert handoff["done"] == ["The refresh is written"]


def test_a_handoff_by_rules_says_so(place, summarizer):
    summarizer("print('no json')")
    done = place.finalize("The refresh is written")
    assert done["summary_by"] == "rules"
    assert done["summary_note"] == "summed up by rules: the summarizer failed, its answer is not JSON"
