"""Summaries by a configured command: only claims that rest on what it was given, and rules where there are none."""

from __future__ import annotations

import shlex
import sys

import pytest

from aicx.work.summarizer import MAX_CLAIMS, Fact, summarize

FACTS = [Fact("failures", "test_export fails", ("chunk:claude:a:001", "commit:abcd1234")), Fact("next", "mend it", ())]


def answering(program: str) -> str:
    return shlex.join([sys.executable, "-c", f"import json, sys\nasked = json.load(sys.stdin)\n{program}"])


def claims(*found: tuple[str, list[str]]) -> str:
    return answering(f"print(json.dumps({{'claims': {[{'text': text, 'refs': refs} for text, refs in found]!r}}}))")


def test_a_claim_has_the_references_of_the_facts_that_it_names():
    found = summarize(claims(("It fails", ["f1"]), ("It fails still", ["commit:abcd1234"])), "brief", "", FACTS)
    assert found.by == "summarizer"
    assert [(claim.text, claim.refs) for claim in found.claims] == [
        ("It fails", ("chunk:claude:a:001", "commit:abcd1234")),
        ("It fails still", ("chunk:claude:a:001", "commit:abcd1234")),
    ]


@pytest.mark.parametrize("refs", [[], ["f3"], ["f0"], ["chunk:claude:other:001"], [""]])
def test_a_claim_without_a_reference_to_what_was_given_is_dropped(refs):
    found = summarize(claims(("It fails", ["f1"]), ("All is well", refs)), "brief", "", FACTS)
    assert [claim.text for claim in found.claims] == ["It fails"]
    assert found.note == ("summed up by the summarizer; 1 claim dropped, without a reference to what it was given")


def test_rules_decide_where_every_claim_is_dropped():
    found = summarize(claims(("All is well", ["f9"])), "brief", "", FACTS)
    assert (found.by, found.claims) == ("rules", ())
    assert found.note.startswith("summed up by rules: 1 claim dropped")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("/no/such/command", "it does not start"),
        (answering("sys.exit(2)"), "it ended with exit code 2"),
        (answering("print('{}')"), "its answer does not fit the schema"),
        (answering("print(json.dumps({'claims': ['text']}))"), "its answer does not fit the schema"),
        (answering("print(json.dumps({'claims': [{'text': 1, 'refs': ['f1']}]}))"), "does not fit the schema"),
        (answering("print(json.dumps({'claims': []}))"), "the summarizer claims nothing"),
    ],
)
def test_rules_decide_where_it_fails_and_the_note_says_why(command, reason):
    found = summarize(command, "handoff", "", FACTS)
    assert (found.by, found.claims) == ("rules", ())
    assert reason in found.note


def test_a_slow_command_is_stopped():
    found = summarize(answering("import time; time.sleep(60)"), "brief", "", FACTS, seconds=0.6)
    assert found.note == "summed up by rules: the summarizer failed, no answer within 0.6 s"


def test_claims_are_few_short_and_free_of_secrets_and_sequences():
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    found = summarize(claims((f"\x1b[31muse {token}\n{'x' * 900}", ["f1"]), *[(f"{n}", ["f1"]) for n in range(20)]),
                      "brief", "", FACTS)  # fmt: skip
    assert len(found.claims) == MAX_CLAIMS
    assert token not in found.claims[0].text
    assert "\x1b" not in found.claims[0].text
    assert "\n" not in found.claims[0].text
    assert len(found.claims[0].text) <= 300


def test_a_secret_is_taken_out_before_the_command_is_asked(tmp_path):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    asked = tmp_path / "asked"
    program = f"open({str(asked)!r}, 'w').write(json.dumps(asked)); print('{{}}')"
    summarize(answering(program), "brief", f"use {token}", [Fact("next", f"try {token}", (f"file:{token}",))])
    assert token not in asked.read_text()
    assert '"kind": "next"' in asked.read_text()
