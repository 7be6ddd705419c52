"""The steering block: what is read from it, and what is not taken for one."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.corpus.ingest.frontmatter import split_frontmatter
from tests.corpus.builders import chunks_of, entry, locator, tool_entry

FIELDS = {
    "run_id": "r-1",
    "prompt_id": "p-2",
    "status": "done",
    "model": "opus",
    "started_at": "2026-03-01T09:00:00Z",
    "completed_at": "2026-03-01T09:30:00Z",
    "workflow_phase": "build",
    "mode": "fast",
    "skill_code": "s7",
    "framework_version": "1.2",
}


def block(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", ""])


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_read(name):
    assert split_frontmatter(block(f"{name}: {FIELDS[name]}") + "Text") == ({name: FIELDS[name]}, "Text")


@pytest.mark.parametrize(("short", "long"), [("phase", "workflow_phase"), ("skill", "skill_code")])
def test_a_short_name_stands_for_the_long_one(short, long):
    assert split_frontmatter(block(f"{short}: x"))[0] == {long: "x"}


def test_dashes_and_capitals_in_a_name_are_understood():
    assert split_frontmatter(block("Run-ID: r-1"))[0] == {"run_id": "r-1"}


@pytest.mark.parametrize("value", ["1200", "1_200", "1,200", '"1200"'])
def test_a_number_is_read_as_a_number(value):
    assert split_frontmatter(block(f"token_usage: {value}"))[0] == {"token_usage": 1200}


@pytest.mark.parametrize("value", ["many", "-3", "1.5", "²", "1²", "9" * 30, "9" * 5000, "٣"])
def test_odd_numbers_never_stop_the_run(value):
    fields, _ = split_frontmatter(block("run_id: r-1", f"findings_count: {value}"))
    assert fields["run_id"] == "r-1"
    assert orjson.loads(orjson.dumps(fields)) == fields


@pytest.mark.parametrize(("word", "kind"), [("report", "reports"), ("Plans", "plans"), ("other", "other")])
def test_a_kind_is_read_in_either_number(word, kind):
    assert split_frontmatter(block(f"kind: {word}"))[0] == {"kind": kind}


def test_an_unknown_kind_is_left_out():
    assert split_frontmatter(block("run_id: r", "kind: poem"))[0] == {"run_id": "r"}


def test_unknown_fields_and_comments_go_with_the_block():
    assert split_frontmatter(block("# from the runner", "colour: red", "run_id: r") + "Text") == (
        {"run_id": "r"},
        "Text",
    )


def test_quotes_around_a_value_go():
    assert split_frontmatter(block("run_id: 'r: 1'"))[0] == {"run_id": "r: 1"}


@pytest.mark.parametrize("quoted", ["“{}”", "„{}“", "\u2018{}\u2019", "«{}»", "”{}”", '"{}"'])
def test_typographic_quotes_around_a_value_go(quoted):
    at = "2026-03-01T09:00:00Z"
    text = block(
        f"started_at: {quoted.format(at)}", f"completed_at: {quoted.format(at)}", f"token_usage: {quoted.format(7)}"
    )
    assert split_frontmatter(text)[0] == {"started_at": at, "completed_at": at, "token_usage": 7}


def test_quotes_that_do_not_belong_together_stay():
    assert split_frontmatter(block("run_id: “r-1»"))[0] == {"run_id": "“r-1»"}


def test_an_empty_value_says_nothing():
    assert split_frontmatter(block("run_id:", "status: done"))[0] == {"status": "done"}


def test_a_damaged_line_costs_itself():
    assert split_frontmatter(block("run_id: r", "- - -x", "status: done"))[0] == {"run_id": "r", "status": "done"}


def test_windows_line_ends_are_understood():
    assert split_frontmatter("---\r\nrun_id: r\r\n---\r\nText") == ({"run_id": "r"}, "Text")


@pytest.mark.parametrize(
    "text",
    [
        "---\nA rule, and then a text that goes on.\n---\nMore.",
        "---",
        "---\n---\nText",
        "---\nrun_id: r\nno end",
        "--- run_id: r ---",
        "Text\n---\nrun_id: r\n---\n",
        "----\nrun_id: r\n----\n",
        "---\nOne sentence.\nNote: that is prose.\nAnother sentence.\n---\n",
        "",
    ],
)
def test_text_outside_a_block_stays_whole(text):
    assert split_frontmatter(text) == ({}, text)


@given(st.text())
def test_no_text_is_lost_that_is_no_block(text):
    fields, rest = split_frontmatter(text)
    assert fields or rest == text


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_any_value_can_be_stored(value):
    fields, _ = split_frontmatter(f"---\nrun_id: r\ntoken_usage: {value}\nkind: {value}\n---\n")
    orjson.dumps(fields)


# In a session


def test_the_fields_land_in_every_sidecar_of_the_group():
    text = block("run_id: r-1", "findings_count: 3")
    chunks = chunks_of([entry(f"{text}Go"), *(entry("word " * 900, second) for second in range(1, 6))])
    assert len(chunks) > 2
    assert [(chunk.fields["run_id"], chunk.fields["findings_count"]) for chunk in chunks] == [("r-1", 3)] * len(chunks)


def test_the_fields_hold_on_the_next_day():
    one, other = chunks_of([entry(block("run_id: r-1", "status: open") + "Go"), entry("On", 24 * 3600)])
    assert (one.fields["date"], other.fields["date"]) == ("2026-03-01", "2026-03-02")
    assert [(chunk.fields["run_id"], chunk.fields["status"]) for chunk in (one, other)] == [("r-1", "open")] * 2


def test_the_fields_hold_in_another_repository():
    chunks = chunks_of(
        [entry(block("run_id: r-1") + "Go"), entry("Now the bees", 1, cwd="/srv/ada/apiary")],
        locate=locator(orbit="ada/orbit", apiary="ada/apiary"),
    )
    assert [(chunk.fields["project"], chunk.fields["run_id"]) for chunk in chunks] == [
        ("ada/orbit", "r-1"),
        ("ada/apiary", "r-1"),
    ]


def test_kind_and_model_are_stated_for_one_stretch():
    one, other = chunks_of(
        [entry(block("run_id: r", "kind: report", "model: opus") + "Go"), entry("On", 24 * 3600, model="haiku")]
    )
    assert (one.fields["kind"], one.fields["model"]) == ("reports", "opus")
    assert (other.fields["kind"], other.fields["model"]) == ("conversations", "haiku")


def test_the_block_is_stripped_from_the_chunk():
    chunk = chunks_of([entry(block("run_id: r-1") + "Go on")])[0]
    assert "run_id" not in chunk.markdown.decode()
    assert "Go on" in chunk.markdown.decode()


def test_the_title_is_what_was_asked_rather_than_the_block():
    chunk = chunks_of([entry(block("run_id: r-1") + "Fix the parser")])[0]
    assert chunk.fields["title"] == "Fix the parser"


def test_the_prompt_of_a_chunk_is_without_the_block():
    chunk = chunks_of([entry(block("run_id: r-1") + "Fix the parser")])[0]
    assert chunk.fields["prompt"] == "Fix the parser"


def test_a_message_that_was_nothing_but_the_block_is_left_out():
    chunk = chunks_of([entry(block("run_id: r-1")), entry("Done", 1, "assistant")])[0]
    assert [message["role"] for message in chunk.fields["messages"]] == ["assistant"]
    assert chunk.fields["run_id"] == "r-1"


def test_a_rule_is_kept_as_what_was_said():
    assert b"---\nProse here.\n---" in chunks_of([entry("---\nProse here.\n---\nMore")])[0].markdown


def test_a_block_in_a_later_prompt_counts_from_there_on():
    chunks = chunks_of(
        [
            entry(block("run_id: r-1", "prompt_id: p-1", "status: open") + "Go"),
            entry("Done", 1, "assistant"),
            entry(block("run_id: r-2") + "Go on", 2),
            entry("More", 3),
        ]
    )
    assert [(chunk.fields["run_id"], chunk.fields.get("prompt_id")) for chunk in chunks] == [
        ("r-1", "p-1"),
        ("r-2", None),
    ]
    assert "status" not in chunks[1].fields
    assert chunks[1].fields["prompt"] == "Go on"
    assert b"r-2" not in chunks[1].markdown


def test_a_later_block_without_a_run_is_a_further_prompt_of_the_run():
    one, other = chunks_of(
        [
            entry(block("run_id: r-1", "prompt_id: p-1", "status: open") + "Go"),
            entry(block("prompt_id: p-2") + "Go on", 1),
        ]
    )
    assert (one.fields["run_id"], one.fields["prompt_id"]) == ("r-1", "p-1")
    assert (other.fields["run_id"], other.fields["prompt_id"], other.fields.get("status")) == ("r-1", "p-2", None)


def test_a_later_block_without_run_and_prompt_says_more_of_both():
    _, other = chunks_of(
        [entry(block("run_id: r-1", "prompt_id: p-1") + "Go"), entry(block("phase: review") + "Go on", 1)]
    )
    assert [other.fields[name] for name in ("run_id", "prompt_id", "workflow_phase")] == ["r-1", "p-1", "review"]


def test_client_text_before_the_prompt_is_of_its_run():
    preamble = entry("Environment", role="system")
    (chunk,) = chunks_of([preamble, entry(block("run_id: r-1") + "Go", 1)])
    assert (chunk.fields["run_id"], len(chunk.fields["messages"])) == ("r-1", 2)


def test_a_closed_chunk_does_not_change_for_a_later_block():
    preamble = [entry(f"{number} " + "word " * 1500, number, "system") for number in range(4)]
    before = chunks_of(preamble)
    after = chunks_of([*preamble, entry(block("run_id: r-1") + "Go", 9)])
    assert len(before) > 1
    assert [chunk.sidecar for chunk in after[: len(before)]] == [chunk.sidecar for chunk in before]
    assert after[-1].fields["run_id"] == "r-1"


@pytest.mark.parametrize("role", ["assistant", "system", "artifact"])
def test_a_block_that_nobody_asked_with_does_not_change_the_run(role):
    text = block("run_id: r-9") + "A report"
    chunks = chunks_of([entry(block("run_id: r-1") + "Go"), entry(text, 1, role), entry("Thanks", 2)])
    assert chunks[-1].fields["run_id"] == "r-1"


def test_the_agent_that_a_block_states_stands_beside_the_true_one():
    fields = chunks_of([entry(block("run_id: r-1", "agent: codex") + "Go")])[0].fields
    assert (fields["agent"], fields["stated_agent"]) == ("claude", "codex")


def test_a_file_that_a_tool_shows_steers_nothing():
    """A page of somebody's blog must not decide what a session was."""
    chunk = chunks_of([tool_entry(block("status: draft", "kind: plan") + "A post"), entry("Thanks", 1)])[0]
    assert "status" not in chunk.fields
    assert chunk.fields["kind"] == "conversations"


def test_stated_times_do_not_replace_those_of_the_records():
    fields = chunks_of([entry(block("started_at: 2020-01-01T00:00:00Z") + "Go")])[0].fields
    assert fields["started_at"] == "2026-03-01T10:00:00.000Z"
    assert fields["stated_started_at"] == "2020-01-01T00:00:00Z"


def test_a_stated_kind_decides_folder_and_sidecar():
    chunk = chunks_of([entry(block("kind: report") + "Findings")])[0]
    assert chunk.fields["kind"] == "reports"
    assert "/reports/claude/" in chunk.stem
