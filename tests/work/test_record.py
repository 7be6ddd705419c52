"""The record and its JSON: bounded and redacted on the way in, unknown fields kept, damage reported."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.errors import UsageError
from aicx.text import printable
from aicx.work.files import Undecodable, decode, encode
from aicx.work.patch import NewItem, Patch, apply, parse_patch
from aicx.work.record import (
    MAX_ITEMS,
    MAX_TEXT,
    SECTIONS,
    STATUSES,
    GitContext,
    Item,
    WorkRecord,
    clean,
    slug_of,
    title_of,
)
from tests.work.builders import NOW

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one
ID = "0123456789ab"
RECORD = WorkRecord(ID, "thread", "Fix it", "Fix it", "widgets-1", "widgets-2", NOW, NOW)

TEXTS = st.text(max_size=20).map(printable)
ITEMS = st.builds(
    Item,
    section=st.sampled_from([*SECTIONS, "a_section_of_the_future"]),
    text=TEXTS,
    at=st.just(NOW),
    evidence=st.lists(TEXTS, max_size=2).map(tuple),
    confidence=st.sampled_from([None, "low"]),
    needs_validation=st.sampled_from([None, True, False]),
    extra=st.sampled_from([{}, {"weight": 3}]),
)
RECORDS = st.builds(
    WorkRecord,
    id=st.just(ID),
    kind=st.sampled_from(["thread", "handoff", "attempt"]),
    title=TEXTS,
    goal=TEXTS,
    repo_id=TEXTS,
    worktree_id=TEXTS,
    created_at=st.just(NOW),
    updated_at=st.just(NOW),
    status=st.sampled_from(STATUSES),
    project=st.none() | TEXTS,
    git_context=st.none()
    | st.builds(GitContext, available=st.booleans(), captured_at=st.just(NOW), branch=st.none() | TEXTS),
    items=st.lists(ITEMS, max_size=4, unique_by=lambda item: item.id).map(tuple),
    sources=st.lists(TEXTS, max_size=2).map(tuple),
    extra=st.sampled_from([{}, {"contract": {"first_action": "look"}}]),
)


@given(RECORDS)
def test_a_record_is_the_same_after_it_was_written_and_read(record: WorkRecord) -> None:
    assert decode(encode(record), ID) == record


def test_fields_that_this_version_does_not_know_survive_a_change() -> None:
    fields = orjson.loads(encode(RECORD))
    fields |= {"contract": {"scope": ["src"]}, "items": [{**orjson.loads(encode(item_record()))["items"][0], "x": 1}]}
    changed = apply(decode(orjson.dumps(fields), ID), Patch(next_action="go on"), NOW, str).record
    found = orjson.loads(encode(changed))
    assert (found["contract"], found["items"][0]["x"], found["next_action"]) == ({"scope": ["src"]}, 1, "go on")


def item_record() -> WorkRecord:
    return apply(RECORD, Patch(said={"verified": ["it works"]}), NOW, str).record


@pytest.mark.parametrize("name", ["branch", "head", "dirty"])
def test_where_a_task_was_written_has_to_be_said_whole(name: str) -> None:
    fields = orjson.loads(encode(replace(RECORD, git_context=GitContext(True, NOW, "main", "a" * 40, False))))
    del fields["git_context"][name]
    with pytest.raises(Undecodable, match=f"without '{name}'"):
        decode(orjson.dumps(fields), ID)


def test_who_said_an_item_has_to_be_said() -> None:
    body = encode(item_record())
    assert decode(body, ID).items
    with pytest.raises(Undecodable, match="without 'origin'"):
        decode(body.replace(b'"origin"', b'"from"'), ID)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "a field that does not fit"),
        (b'{"schema": "aicx.work/9"}', "schema aicx.work/9"),
        (encode(RECORD).replace(b'"in_progress"', b'"done"'), "a field that does not fit"),
        (encode(RECORD).replace(b'"goal"', b'"aim"'), "without 'goal'"),
        (encode(RECORD).replace(ID.encode(), b"ffffffffffff"), "not the task that its name says"),
        (encode(RECORD).replace(b'"rev": 1', b'"rev": true'), "a field that does not fit"),
        (encode(RECORD).replace(b'"sequence": 0', b'"sequence": -1'), "a field that does not fit"),
        # Without these a task would look as if a person had stated it, or as if it could be gone on with anywhere.
        (encode(RECORD).replace(b'"status"', b'"state"'), "without 'status'"),
        (encode(RECORD).replace(b'"goal_source"', b'"source"'), "without 'goal_source'"),
        (encode(RECORD).replace(b'"git_context"', b'"git"'), "without 'git_context'"),
    ],
)
def test_a_damaged_file_says_why_it_is_no_record(damage: bytes, why: str) -> None:
    with pytest.raises(Undecodable, match=why):
        decode(damage, ID)


class TestClean:
    def test_secrets_are_taken_out_before_the_text_is_cut(self) -> None:
        text = "x" * (MAX_TEXT - 10) + f" {TOKEN}"
        assert "ghp_" not in clean(text)
        assert clean(f"the key is {TOKEN}") == "the key is [REDACTED:github-token]"

    def test_a_key_on_several_lines_is_a_secret(self) -> None:
        key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow" + "A" * 64 + "\n-----END RSA PRIVATE KEY-----"
        assert "MIIE" not in clean(f"use\n{key}")

    def test_text_is_one_bounded_line_that_no_terminal_obeys(self) -> None:
        found = clean("a\x1b[31m\nb\u202e" + " word" * 1000)
        assert found.startswith("a b word")
        assert len(found) <= MAX_TEXT
        assert found.isprintable()


class TestPatch:
    def test_scalars_are_set_and_lists_grow_without_saying_a_thing_twice(self) -> None:
        first = apply(RECORD, Patch(hypothesis="x", said={"risks": ["a", "a", "b"]}), NOW, str)
        assert first.changed_fields == ("hypothesis", "risks")
        second = apply(first.record, Patch(hypothesis="y", said={"risks": ["b", "c"]}), NOW + timedelta(days=1), str)
        assert second.changed_fields == ("hypothesis", "risks")
        assert (second.record.hypothesis, second.record.texts("risks")) == ("y", ["a", "b", "c"])

    def test_the_same_update_again_changes_nothing(self) -> None:
        patch = Patch(
            next_action="go", said={"verified": [NewItem("it works", ("commit:abc",))]}, sources=["session:x:1"]
        )
        once = apply(RECORD, patch, NOW, str).record
        assert apply(once, patch, NOW + timedelta(days=1), str) == (once, (), {})

    def test_further_evidence_is_another_sighting(self) -> None:
        once = apply(RECORD, Patch(said={"verified": [NewItem("it works", ("commit:a",))]}), NOW, str).record
        twice = apply(once, Patch(said={"verified": ["it works"]}, evidence=["commit:b"]), NOW, str)
        assert twice.changed_fields == ("verified",)
        assert [(item.evidence, item.seen) for item in twice.record.items] == [(("commit:a", "commit:b"), 2)]

    def test_what_is_verified_is_not_unverified_any_more(self) -> None:
        before = apply(RECORD, Patch(said={"unverified": ["it works", "it is fast"]}), NOW, str).record
        after = apply(before, Patch(said={"verified": ["it works"]}), NOW, str)
        assert after.record.texts("unverified") == ["it is fast"]
        assert set(after.changed_fields) == {"verified", "unverified"}

    def test_a_full_list_keeps_its_oldest_items_and_says_what_was_left_out(self) -> None:
        full = apply(RECORD, Patch(said={"risks": [f"risk {n}" for n in range(MAX_ITEMS + 2)]}), NOW, str)
        assert full.left_out == {"risks": [f"risk {MAX_ITEMS}", f"risk {MAX_ITEMS + 1}"]}
        assert full.record.texts("risks")[0] == "risk 0"
        freed = apply(full.record, Patch(said={"risks": ["a new one"]}, drop=["risk 0"]), NOW, str)
        assert (freed.left_out, freed.record.texts("risks")[-1]) == ({}, "a new one")

    def test_what_somebody_states_wins_over_what_was_derived(self) -> None:
        derived = apply(RECORD, Patch(said={"verified": ["it works"]}, origin="derived"), NOW, str).record
        stated = apply(derived, Patch(said={"verified": ["it works"]}), NOW, str).record
        assert [item.origin for item in stated.items] == ["stated"]
        again = apply(stated, Patch(said={"verified": ["it works"]}, origin="derived"), NOW, str).record
        assert [item.origin for item in again.items] == ["stated"]

    def test_files_outside_the_repository_are_left_out(self) -> None:
        found = apply(RECORD, Patch(said={"active_files": ["in", "/etc/passwd"]}), NOW, {"in": "in"}.get)
        assert (found.record.texts("active_files"), found.left_out) == (["in"], {"active_files": ["/etc/passwd"]})

    def test_a_new_goal_gives_a_new_title_unless_that_was_said_by_itself(self) -> None:
        assert apply(RECORD, Patch(goal="Mend it"), NOW, str).record.title == "Mend it"
        named = apply(RECORD, Patch(title="Mine"), NOW, str).record
        assert apply(named, Patch(goal="Mend it"), NOW, str).record.title == "Mine"

    def test_a_patch_takes_the_names_that_other_tools_use(self) -> None:
        found = parse_patch(
            {
                "current_hypothesis": "h",
                "recommended_commands": ["make test"],
                "uncertainties": [{"claim": "c", "confidence": "low", "needs_validation": True}],
                "verified": "one alone",
            }
        )
        assert found.hypothesis == "h"
        assert found.said == {
            "verified": [NewItem("one alone")],
            "uncertainties": [NewItem("c", (), "low", True)],
            "commands": [NewItem("make test")],
        }

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ([], "one JSON object"),
            ({"colour": "red"}, "no field 'colour'"),
            ({"status": "resolved"}, "does not change the status"),
            ({"next_action": 3}, "is a text, not int"),
            ({"verified": {"a": 1}}, "is a list"),
            ({"verified": [3]}, "takes texts"),
            ({"uncertainties": [{"claim": "c", "confidence": "so so"}]}, "is not a confidence"),
            ({"uncertainties": [{"confidence": "low"}]}, "is a text"),
        ],
    )
    def test_a_patch_that_does_not_fit_is_refused_by_name(self, fields: object, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            parse_patch(fields)


def test_the_title_is_the_first_sentence_and_the_slug_its_words() -> None:
    assert title_of("Fix the export. It fails on Windows") == "Fix the export."
    assert len(title_of("word " * 100)) <= 80
    assert slug_of("Fix the Export (again)!") == "fix-the-export-again"
    assert slug_of("修复 导出") == "修复-导出"
