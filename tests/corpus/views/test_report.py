"""Local reports: pages that read well and cannot be broken by what they quote, and JSON under the exported names."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.corpus.views.report import entry_list, message_list, render_markdown, write_reports
from aicx.errors import StoreUnwritable
from aicx.fields import to_fields
from tests.corpus.builders import OTHER, SESSION, entry, tool_entry

NOW = datetime(2026, 3, 2, 8, 30, 5, tzinfo=UTC)

PAGE = f"""# Lamps

2 sessions, 5 messages. All times are UTC.

## claude · /srv/ada/orbit · 2026-03-01

Session {SESSION}: 4 messages, 10:00 to 10:02. Branch main.

### 10:00:00 user

Why is it dark?

### 10:00:05 tool · Bash

```
ls wicks
```

### 10:00:06 tool · Bash failed

```
no such folder
```

### 10:02:00 assistant

There is no wick.

## codex · no project folder · 2026-03-01

Session {OTHER}: 1 message, 10:01 to 10:01.

### 10:01:00 user

hello
"""


def headings(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("### ")]


def test_page_has_a_part_for_each_session_and_every_message_with_time_and_role() -> None:
    entries = [
        entry("Why is it dark?", 0),
        entry("hello", 60, agent="codex", session_id=OTHER, cwd=None, branch=None),
        tool_entry("ls wicks", 5, "call"),
        tool_entry("no such folder", 6, failed=True),
        entry("There is no wick.", 120, "assistant"),
    ]
    assert render_markdown(entries, "Lamps") == PAGE


def test_oldest_session_comes_first_whatever_was_read_first() -> None:
    page = render_markdown([entry("late", 90, session_id=OTHER), entry("early", 1)], "Lamps")
    assert page.index("early") < page.index("late")


def test_messages_keep_the_order_of_their_log() -> None:
    page = render_markdown([entry("second by the clock", 9), entry("first by the clock", 3)], "Lamps")
    assert page.index("second by the clock") < page.index("first by the clock")


def test_date_is_said_again_when_it_changes() -> None:
    page = render_markdown([entry("before", 0), entry("after", 86_400), entry("still", 86_401)], "Lamps")
    assert headings(page) == ["### 10:00:00 user", "### 2026-03-02 10:00:00 user", "### 10:00:01 user"]


def test_every_folder_and_branch_of_a_session_is_named() -> None:
    page = render_markdown([entry("a", 0), entry("b", 1, cwd="/srv/ada/sail", branch="dev")], "Lamps")
    assert "Branches main, dev. It also worked in /srv/ada/sail." in page


def test_compaction_summary_is_told_from_what_people_said() -> None:
    page = render_markdown([entry("summary", 0, "system", origin="compaction")], "Lamps")
    assert headings(page) == ["### 10:00:00 system · compaction"]


@given(st.text(alphabet="`~ab\n ", max_size=60))
def test_fence_of_tool_text_is_longer_than_any_inside(text: str) -> None:
    lines = render_markdown([tool_entry(text or "x", 0), entry("after", 1)], "Lamps").splitlines()
    fence = lines[lines.index("### 10:00:00 tool · Bash result") + 2]
    closing = lines.index(fence, lines.index(fence) + 1)
    assert lines[closing + 1 : closing + 3] == ["", "### 10:00:01 user"]


@pytest.mark.parametrize(
    ("text", "closing"),
    [("look:\n```py\nx = 1", "```"), ("````\n```\n", "````"), ("~~~\n```\n", "~~~"), ("  ```\ncut", "```")],
)
def test_fence_left_open_in_a_message_is_closed(text: str, closing: str) -> None:
    page = render_markdown([entry(text, 0), entry("after", 1)], "Lamps")
    assert f"\n{closing}\n\n### 10:00:01 user\n" in page


@pytest.mark.parametrize("text", ["```py\nx\n```", "``` not `a` fence", "a ```b``` c"])
def test_text_without_an_open_fence_stays_as_it_is(text: str) -> None:
    assert f"\n\n{text}\n\n### 10:00:01" in render_markdown([entry(text, 0), entry("after", 1)], "Lamps")


def test_terminal_commands_in_a_text_are_taken_out() -> None:
    assert "\x1b" not in render_markdown([entry("red \x1b[31malert", 0, cwd="/srv/\x1b[2J")], "A\x1b]0;title\x07")


def test_line_break_in_a_title_does_not_start_a_message() -> None:
    assert headings(render_markdown([entry("a", 0)], "Lamps\n### 00:00:00 user")) == ["### 10:00:00 user"]


def test_page_of_nothing_says_so() -> None:
    assert "0 sessions, 0 messages" in render_markdown([], "Lamps")


def test_entry_is_exported_under_the_known_names() -> None:
    [found] = to_fields(entry_list([entry("Hello", 1.5, "assistant", branch=None)]))["entries"]
    assert found == {
        "timestamp": "2026-03-01T10:00:01.500Z",
        "agent": "claude",
        "session_id": SESSION,
        "role": "assistant",
        "message": "Hello",
        "frame_kind": "agent_reply",
        "cwd": "/srv/ada/orbit",
    }


def test_message_of_a_conversation_has_every_name_also_where_nothing_is_known() -> None:
    [found] = to_fields(message_list([entry("Hello", 0, cwd=None, branch=None)], {}))["messages"]
    assert found == {
        "timestamp": "2026-03-01T10:00:00.000Z",
        "agent": "claude",
        "session_id": SESSION,
        "role": "user",
        "message": "Hello",
        "repo_project": None,
        "source_path": None,
        "branch": None,
    }


def test_both_reports_are_written_into_a_new_folder_under_the_time(tmp_path: Path) -> None:
    paths = write_reports(tmp_path / "new" / "reports", "claude", [entry("Hello")], NOW)
    assert [path.name for path in paths] == ["claude-20260302T083005Z.md", "claude-20260302T083005Z.json"]
    assert all(path.exists() for path in paths)


def test_json_report_counts_what_it_lists(tmp_path: Path) -> None:
    _, path = write_reports(tmp_path, "claude", [entry("Hello"), entry("again", 1)], NOW)
    report = json.loads(path.read_bytes())
    assert report["schema"] == "aicx.report/1"
    assert report["total_entries"] == len(report["entries"]) == 2
    assert report["sessions"] == [SESSION]


def test_second_report_of_the_same_second_replaces_nothing(tmp_path: Path) -> None:
    first = write_reports(tmp_path, "claude", [entry("one")], NOW)
    second = write_reports(tmp_path, "claude", [entry("two")], NOW)
    assert not set(first) & set(second)
    assert "one" in first[0].read_text()


def test_folder_that_is_a_file_is_an_error_people_can_read(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("mine")
    with pytest.raises(StoreUnwritable):
        write_reports(tmp_path / "reports", "claude", [entry("Hello")], NOW)


def test_a_page_has_local_times_and_names_their_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        page = render_markdown([entry("Hello", 0)], "Talk")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "All times are JST (UTC+09:00)." in page
    assert "\n### 19:00:00 user\n" in page
