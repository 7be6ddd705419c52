"""From entries to messages: redacted first, shortened after, and known again at every reading."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.corpus.files import FORGOTTEN
from aicx.corpus.ingest.drafts import MAX_TOKENS, blank_message, draft_entries, split_draft
from aicx.redaction import redact
from aicx.sources.items import ToolUse
from aicx.text import estimate_tokens
from aicx.types import Redacted
from tests.corpus.builders import draft, drafts_of, entry, tool_entry

SECRET = "s3cret-of-the-house"
PLACEHOLDER = "[REDACTED:house-secret]"
MARK = re.compile(r"\n\[… (\d+) characters, (\d+) line breaks left out …\]\n")


def hide(text: str) -> Redacted:
    """A redactor with one rule."""
    found = text.count(SECRET)
    return Redacted(text.replace(SECRET, PLACEHOLDER), {"house-secret": found} if found else {})


class TestKeys:
    def test_the_key_does_not_depend_on_the_text(self):
        assert draft("one").key == draft("two").key

    def test_the_same_id_with_another_text_gets_another_key(self):
        one, other = drafts_of([entry("one", record_id="r"), entry("two", record_id="r")])
        assert one.key != other.key

    def test_the_same_record_read_twice_keeps_its_key(self):
        one, _, again = drafts_of(entry(text, record_id="r") for text in ("one", "two", "one"))
        assert one.key == again.key

    def test_two_agents_never_share_a_key(self):
        assert draft("one").key != draft("one", agent="codex").key

    def test_a_record_without_an_id_is_known_by_session_time_and_role(self):
        first = draft("one", 1, record_id=None)
        assert first.key == draft("another text", 1, record_id=None).key
        others = [
            draft("one", 2, record_id=None),
            draft("one", 1, "assistant", record_id=None),
            draft("one", 1, record_id=None, session_id="other"),
        ]
        assert first.key not in {other.key for other in others}

    def test_the_key_is_the_same_in_any_folder_and_on_any_branch(self):
        assert draft("one", cwd="/a", branch="x").key == draft("one", cwd="/b", branch="y").key

    def test_keys_of_the_first_messages_stay_when_more_follow(self):
        entries = [entry(f"text {index % 3}", index % 2, record_id=None) for index in range(8)]
        keys = [item.key for item in drafts_of(entries)]
        assert [item.key for item in drafts_of(entries[:5])] == keys[:5]


class TestRedaction:
    def test_the_secret_is_in_neither_text_nor_body(self):
        found = drafts_of([entry(f"It is {SECRET}.")], hide)[0]
        assert found.entry.text == found.body.decode() == f"It is {PLACEHOLDER}."

    def test_replaced_secrets_are_counted(self):
        assert drafts_of([entry(f"{SECRET} {SECRET}")], hide)[0].redactions == {"house-secret": 2}

    def test_redaction_comes_before_the_cut(self):
        """A secret that straddles the cut would otherwise leave half of itself."""
        body = "a" * 1590 + SECRET + "b" * 5000
        found = drafts_of([tool_entry(body)], hide)[0]
        assert SECRET[:8] not in found.body.decode()
        assert found.redactions == {"house-secret": 1}

    def test_a_control_character_inside_a_secret_does_not_hide_it(self):
        found = drafts_of([entry(SECRET[:4] + "\x00" + SECRET[4:])], hide)[0]
        assert found.body.decode() == PLACEHOLDER

    def test_two_texts_with_different_secrets_are_one_text(self):
        assert draft(PLACEHOLDER).text_key == drafts_of([entry(SECRET)], hide)[0].text_key

    @pytest.mark.parametrize("phase", ["call", "result"])
    def test_no_placeholder_is_torn_by_the_cut(self, phase):
        head, tail = (3000, 800) if phase == "call" else (1600, 800)
        texts = ["a" * (head - before) + PLACEHOLDER + "b" * 5000 for before in range(len(PLACEHOLDER) + 2)]
        texts += ["a" * 5000 + PLACEHOLDER + "b" * (tail - after) for after in range(len(PLACEHOLDER) + 2)]
        for text in texts:
            rest = draft_of_tool(text, phase).replace(PLACEHOLDER, "")
            assert "REDACTED" not in rest
            assert "secret]" not in rest

    def test_no_placeholder_is_torn_between_parts(self):
        for before in range(5800, 5880):
            parts = split_draft(draft("a" * before + PLACEHOLDER + "b" * 900))
            assert any(PLACEHOLDER in part.body.decode() for part in parts), before

    def test_redacting_a_stored_text_again_changes_nothing(self):
        once = redact("export GITHUB_TOKEN=ghp_" + "aB3dE6gH9" * 4).text
        assert "[REDACTED:" in once
        assert redact(once).text == once


class TestShortening:
    def test_a_long_result_keeps_its_head_and_tail(self):
        text = "first line\n" + "x" * 9000 + "\nlast line"
        body = draft_of_tool(text)
        assert body.startswith("first line\n")
        assert body.endswith("\nlast line")

    def test_the_mark_counts_what_was_left_out(self):
        text = "".join(f"line {number}\n" for number in range(2000)).strip()
        body = draft_of_tool(text)
        match = MARK.search(body)
        assert match is not None
        head, tail = body[: match.start()], body[match.end() :]
        assert int(match[1]) == len(text) - len(head) - len(tail)
        assert int(match[2]) == text.count("\n") - head.count("\n") - tail.count("\n")

    def test_a_result_a_little_over_the_limit_stays_whole(self):
        assert draft_of_tool("x" * 2500) == "x" * 2500

    def test_shortening_never_makes_a_text_longer(self):
        for length in range(2300, 2800, 7):
            assert len(draft_of_tool("x" * length)) <= length

    def test_a_call_keeps_more_than_a_result(self):
        assert draft_of_tool("x" * 3900, "call") == "x" * 3900
        assert len(draft_of_tool("x" * 3900)) < 3900

    @pytest.mark.parametrize("role", ["user", "assistant", "reasoning", "system", "artifact"])
    def test_only_tools_are_shortened(self, role):
        assert draft("x" * 20_000, role=role).body == b"x" * 20_000

    def test_the_text_key_is_of_the_whole_text(self):
        one, other = draft("a" * 5000 + "b", role="tool"), draft("a" * 5000 + "c", role="tool")
        assert one.text_key != other.text_key


class TestSplitting:
    @given(st.text(st.sampled_from("ab é…🙂\n"), min_size=0, max_size=3000), st.integers(1, 8))
    @settings(max_examples=40, deadline=None)
    def test_the_parts_join_to_the_whole_and_each_is_valid_text(self, text, times):
        whole = replace(draft(), body=(text * times).encode())
        parts = split_draft(whole)
        assert b"".join(part.body for part in parts) == whole.body
        assert "".join(part.body.decode() for part in parts) == text * times

    @pytest.mark.parametrize("letter", ["x", "é", "中", "🙂"])
    def test_a_text_without_any_break_is_cut_between_characters(self, letter):
        parts = split_draft(draft(letter * 20_000))
        assert "".join(part.body.decode() for part in parts) == letter * 20_000
        assert all(part.tokens <= MAX_TOKENS for part in parts)

    def test_the_cut_is_at_a_paragraph_where_there_is_one(self):
        parts = split_draft(draft(("word " * 300 + "\n\n") * 12))
        assert len(parts) > 1
        assert all(part.body.endswith(b"\n\n") for part in parts[:-1])

    def test_a_short_message_stays_itself(self):
        found = draft("short")
        assert split_draft(found) == [found]

    def test_secrets_of_a_cut_message_are_counted_once(self):
        whole = drafts_of([entry(f"{SECRET} " + "word " * 9000)], hide)[0]
        assert [part.redactions for part in split_draft(whole)[:2]] == [{"house-secret": 1}, {}]

    def test_only_the_first_part_opens_a_turn(self):
        assert [part.opens_turn for part in split_draft(draft("word " * 4000))] == [True, False, False, False]


class TestEntries:
    def test_an_entry_without_text_is_no_message(self):
        assert drafts_of([entry("  \n\x00 "), entry("there", 1)])[0].index == 1

    def test_white_space_around_a_text_goes(self):
        assert draft("\n  there \n").body == b"there"

    def test_control_characters_go_and_line_breaks_stay(self):
        assert draft("a\x07b\x1b[0m\tc\nd").body == b"ab\tc\nd"

    def test_tokens_are_a_quarter_of_the_bytes_rounded_up(self):
        assert [estimate_tokens(b"x" * size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]

    def test_a_forgotten_message_keeps_its_place_and_nothing_else(self):
        found = blank_message(drafts_of([tool_entry("secret plans", files=("/a",), command="cat /a")], hide)[0])
        assert (found.body.decode(), found.entry.text) == (FORGOTTEN, FORGOTTEN)
        assert found.entry.tool == ToolUse("Bash", "result")
        assert found.key == draft("x", role="tool").key


def draft_of_tool(text: str, phase: str = "result") -> str:
    return drafts_of([tool_entry(text, phase=phase)])[0].body.decode()


def own_answer(command, name="Bash"):
    call = replace(tool_entry("ran it", 1), tool=ToolUse(name, "call", "c1", command=command))
    result = replace(tool_entry("an answer full of old text", 2), tool=ToolUse(name, "result", "c1"))
    return [draft.echo for draft in draft_entries([call, result], Redacted)]


@pytest.mark.parametrize(
    "command",
    ["aicx search migration", "cd x && aicx show abc --full", ".venv/bin/aicx steer", "aicx sessions restore"],
)
def test_an_answer_of_ours_is_an_echo(command):
    assert own_answer(command) == [False, True]


def test_an_answer_through_the_tool_server_is_an_echo():
    assert own_answer(None, name="mcp__aicx__aicx_search") == [False, True]


@pytest.mark.parametrize("command", ["aicx store", "grep -r aicx docs", "make aicx-search"])
def test_another_command_is_no_echo(command):
    assert own_answer(command) == [False, False]
