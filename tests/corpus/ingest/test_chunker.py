"""Packing: every message once and in order, within the limit, and closed chunks that stay closed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.corpus.ingest.drafts import MAX_TOKENS, OVERLAP_MESSAGES, TARGET_TOKENS, MessageDraft, pack, split_draft
from aicx.sources.items import SessionEvent, TimelineEntry
from tests.corpus.builders import chunks_of, draft, drafts_of, entry, tool_entry

pytestmark = pytest.mark.slow

# Sizes in tokens, around everything that decides: small talk, the overlap, the target, the limit, far beyond.
SIZES = st.one_of(
    st.integers(1, 60),
    st.integers(250, 650),
    st.integers(TARGET_TOKENS - 60, TARGET_TOKENS + 20),
    st.integers(MAX_TOKENS - 60, 3 * MAX_TOKENS),
)
DAY = 24 * 3600


def said(index: int, size: int, typed: bool) -> TimelineEntry:
    text = f"{index} " + "word " * (size * 4 // 5)
    return entry(text, index, "user" if typed else "assistant")


@st.composite
def sessions(draw: st.DrawFn) -> list[TimelineEntry]:
    shapes = draw(st.lists(st.tuples(SIZES, st.booleans()), max_size=24))
    return [said(index, size, typed) for index, (size, typed) in enumerate(shapes)]


def identities(drafts: list[MessageDraft]) -> list[tuple[int, Any]]:
    return [(item.index, item.part) for item in drafts]


@given(sessions())
@settings(max_examples=30, deadline=None)
def test_every_message_is_some_windows_own_exactly_once_and_in_order(entries):
    drafts = drafts_of(entries)
    own = [item for window in pack(drafts) for item in window.own]
    assert identities(own) == identities([part for item in drafts for part in split_draft(item)])
    assert b"".join(item.body for item in own) == b"".join(item.body for item in drafts)


@given(sessions())
@settings(max_examples=30, deadline=None)
def test_no_window_exceeds_the_limit(entries):
    assert all(window.tokens <= MAX_TOKENS for window in pack(drafts_of(entries)))


@given(sessions(), st.integers(0, 24))
@settings(max_examples=60, deadline=None)
def test_growth_changes_the_last_window_only(entries, count):
    drafts = drafts_of(entries)
    before, after = pack(drafts[:count]), pack(drafts)
    closed = before[:-1]
    assert [(identities(window.repeated), identities(window.own)) for window in closed] == [
        (identities(window.repeated), identities(window.own)) for window in after[: len(closed)]
    ]


@given(sessions())
@settings(max_examples=30, deadline=None)
def test_repeated_messages_are_the_end_of_the_window_before(entries):
    packed = pack(drafts_of(entries))
    assert not any(window.repeated for window in packed[:1])
    for before, after in pairwise(packed):
        assert len(after.repeated) <= OVERLAP_MESSAGES
        tail = before.own[len(before.own) - len(after.repeated) :]
        assert identities(after.repeated) == identities(tail)


@given(sessions())
@settings(max_examples=30, deadline=None)
def test_a_turn_that_fits_into_a_window_is_not_torn(entries):
    drafts = drafts_of(entries)
    turns: list[list[MessageDraft]] = []
    for item in drafts:
        if item.opens_turn or not turns:
            turns.append([])
        turns[-1] += split_draft(item)
    window_of = {identity: number for number, window in enumerate(pack(drafts)) for identity in identities(window.own)}
    for turn in turns:
        if sum(item.tokens for item in turn) <= MAX_TOKENS:
            assert len({window_of[identity] for identity in identities(turn)}) == 1


def test_small_neighbours_share_two_messages():
    packed = pack(drafts_of(said(index, 100, index % 2 == 0) for index in range(40)))
    assert len(packed) > 1
    assert all(len(window.repeated) == 2 for window in packed[1:])


def test_nothing_is_repeated_where_it_would_only_fill_the_window():
    packed = pack(drafts_of([said(0, 1000, True), said(1, 1000, True), said(2, 1000, True)]))
    assert [len(window.repeated) for window in packed] == [0, 0]


def test_nothing_gives_no_window():
    assert pack([]) == []


def test_packing_twice_gives_the_same():
    drafts = drafts_of(said(index, 400, index % 3 == 0) for index in range(20))
    assert pack(drafts) == pack(drafts)


def test_windows_hold_about_the_target():
    packed = pack(drafts_of(said(index, 90, index % 2 == 0) for index in range(200)))
    sizes = [window.tokens for window in packed[:-1]]
    assert min(sizes) >= TARGET_TOKENS
    assert max(sizes) <= TARGET_TOKENS + 2 * 120


def test_a_message_of_many_windows_is_cut_into_numbered_parts():
    packed = pack([draft("word " * 8000)])
    parts = [item.part for window in packed for item in window.own]
    assert parts == [(number, len(parts)) for number in range(1, len(parts) + 1)]


# The same law where it counts: in the bytes that are written.

FOLDERS = ("/srv/ada/orbit", "/srv/ada/lamp", "/srv/ada/orbit/src", "/nowhere", None)


@st.composite
def timelines(draw: st.DrawFn) -> tuple[list[TimelineEntry], list[tuple[int, SessionEvent]]]:
    """Sessions that change folder, day, branch and title, with frontmatter and tools in them."""
    entries = []
    seconds = 0
    for index in range(draw(st.integers(1, 14))):
        seconds += draw(st.sampled_from((1, 30, DAY // 3)))
        folder = draw(st.sampled_from(FOLDERS))
        text = f"{index} " + "word " * draw(SIZES)
        kind = draw(st.sampled_from(("user", "user", "task", "assistant", "tool", "frontmatter")))
        if kind == "tool":
            files = (f"{folder}/f{index}.py",)
            made = tool_entry(text, seconds, draw(st.sampled_from(("call", "result"))), files=files, command="ls")
        elif kind == "frontmatter":
            made = entry(f"---\nrun_id: r-{index}\nkind: report\n---\n" + draw(st.sampled_from(("", text))), seconds)
        elif kind == "task":
            made = entry(text, seconds, origin="agent")
        else:
            made = entry(text, seconds, kind)
        branch = draw(st.sampled_from(("main", "feature/x", None)))
        entries.append(replace(made, cwd=folder, branch=branch))
    places = sorted(draw(st.lists(st.integers(0, len(entries)), max_size=3)))
    facts = [(at, SessionEvent("s", title=f"Title {at}", commit=f"c{at}")) for at in places]
    return entries, facts


@given(timelines(), st.integers(1, 14))
@settings(max_examples=40, deadline=None)
def test_growth_rewrites_the_bytes_of_the_open_chunk_only(timeline, count):
    entries, facts = timeline
    before = chunks_of(entries[:count], [fact for fact in facts if fact[0] <= count])
    after = chunks_of(entries, facts)
    closed = max(len(before) - 1, 0)
    assert [(chunk.stem, chunk.markdown, chunk.sidecar) for chunk in before[:closed]] == [
        (chunk.stem, chunk.markdown, chunk.sidecar) for chunk in after[:closed]
    ]


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_cutting_twice_gives_the_same_bytes(timeline):
    one, other = chunks_of(*timeline), chunks_of(*timeline)
    assert [(chunk.markdown, chunk.sidecar) for chunk in one] == [(chunk.markdown, chunk.sidecar) for chunk in other]
