"""Stretches of one repository and one UTC day, and the kind of each chunk."""

from __future__ import annotations

import pytest

from aicx.corpus.ingest.segments import segment
from aicx.paths import NON_REPOSITORY
from tests.corpus.builders import chunks_of, drafts_of, entry, locator, tool_entry

NOON_TO_MIDNIGHT = 14 * 3600  # sessions begin at ten


def stretches(*entries):
    known = locator(orbit="ada/orbit", lamp="ada/lamp")
    found = segment(drafts_of(entries), known)
    return [(part.date, part.identity and part.identity.project, len(part.drafts)) for part in found]


def at(seconds, name):
    return entry(f"at {seconds}", seconds, cwd=name and f"/srv/ada/{name}")


def test_one_folder_is_one_stretch():
    assert stretches(at(0, "orbit"), at(1, "orbit/src")) == [("2026-03-01", "ada/orbit", 2)]


def test_a_session_that_goes_and_comes_back_keeps_every_message():
    assert stretches(at(0, "orbit"), at(1, "lamp"), at(2, "lamp"), at(3, "orbit")) == [
        ("2026-03-01", "ada/orbit", 1),
        ("2026-03-01", "ada/lamp", 2),
        ("2026-03-01", "ada/orbit", 1),
    ]


def test_a_scratch_folder_does_not_end_a_stretch():
    assert stretches(at(0, "orbit"), at(1, "scratch"), at(2, "orbit")) == [("2026-03-01", "ada/orbit", 3)]


def test_an_entry_without_a_folder_belongs_to_the_one_before():
    assert stretches(at(0, "lamp"), at(1, None)) == [("2026-03-01", "ada/lamp", 2)]


def test_before_the_first_repository_there_is_none():
    assert stretches(at(0, "scratch"), at(1, "orbit")) == [
        ("2026-03-01", None, 1),
        ("2026-03-01", "ada/orbit", 1),
    ]


def test_words_about_a_folder_do_not_count():
    said = entry("cd /srv/ada/orbit && git remote -v\norigin git@github.com:ada/lamp.git", cwd="/somewhere")
    assert stretches(said) == [("2026-03-01", None, 1)]


def test_midnight_in_utc_ends_a_stretch():
    assert stretches(at(NOON_TO_MIDNIGHT - 0.001, "orbit"), at(NOON_TO_MIDNIGHT, "orbit")) == [
        ("2026-03-01", "ada/orbit", 1),
        ("2026-03-02", "ada/orbit", 1),
    ]


def test_the_repository_lasts_over_midnight():
    assert stretches(at(0, "orbit"), at(NOON_TO_MIDNIGHT, "scratch"))[1] == ("2026-03-02", "ada/orbit", 1)


def test_an_entry_out_of_order_around_midnight_is_filed_under_its_own_day():
    dates = [date for date, _, _ in stretches(at(NOON_TO_MIDNIGHT, "orbit"), at(NOON_TO_MIDNIGHT - 1, "orbit"))]
    assert dates == ["2026-03-02", "2026-03-01"]


def test_a_segment_remembers_what_its_folders_were_taken_for():
    part = segment(drafts_of([at(0, "orbit"), at(1, "scratch")]), locator(orbit="ada/orbit"))[0]
    assert {cwd: found and found.source for cwd, found in part.folders.items()} == {
        "/srv/ada/orbit": "learned",
        "/srv/ada/scratch": None,
    }


# Kinds


def kinds(*entries):
    return [chunk.fields["kind"] for chunk in chunks_of(list(entries))]


def test_an_exchange_is_a_conversation():
    assert kinds(entry("Hello")) == ["conversations"]


def test_a_chunk_without_anybody_speaking_is_other():
    assert kinds(tool_entry("output")) == ["other"]


def test_a_chunk_stays_what_it_was_when_somebody_speaks_later():
    days = [tool_entry("output", 0), tool_entry("more", 24 * 3600), entry("Hello", 48 * 3600)]
    assert kinds(*days) == ["other", "other", "conversations"]


def test_tool_output_within_a_conversation_is_part_of_it():
    assert kinds(entry("Hello"), tool_entry("output", 24 * 3600)) == ["conversations"] * 2


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("Artifact task.md (task)", "plans"),
        ("Artifact plan.md (implementation plan): what to do", "plans"),
        ("Artifact walkthrough.md (walkthrough)", "reports"),
        ("ARTIFACT_TYPE_OTHER", "other"),
    ],
)
def test_an_artifact_is_filed_as_what_it_calls_itself(type_, kind):
    assert kinds(entry(f"{type_}\n\n- [ ] one", role="artifact")) == [kind]


@pytest.mark.parametrize("kind", ["conversations", "plans", "reports", "other"])
def test_folder_and_sidecar_agree_on_the_kind(kind):
    chunk = chunks_of([entry(f"---\nkind: {kind}\n---\nText")])[0]
    assert chunk.fields["kind"] == kind
    assert f"/{kind}/" in chunk.stem


def test_no_repository_is_filed_outside_the_store():
    chunk = chunks_of([entry("Hello", cwd="/tmp/x")])[0]
    assert chunk.fields["project"] == NON_REPOSITORY
    assert chunk.stem.startswith("non-repository-contexts/2026_0301/conversations/claude/2026_0301_claude_")
    assert "repo_source" not in chunk.sidecar.decode()
