"""aicx_read opens what briefs cite as `work:…`: tasks and handoffs, quoted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.memory.builders import Place
from tests.servers.mcp.mcp_client import HOSTILE, ask

pytestmark = pytest.mark.needs("mcp")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)


def _read(place: Place, ref: str, folder: Path | None) -> tuple[Any, str]:
    result = ask(
        place.settings,
        lambda client: client.call_tool("aicx_read", {"structured": True, "ref": ref}),
        folder=folder,
    )
    [content] = result.content
    return result, content.text


def _made(place: Place, *arguments: str) -> Any:
    code, out, err = place.run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_a_task_is_opened_by_its_reference(place: Place) -> None:
    made = _made(place, "task", "start", "Fix the export", "--next", "Read the log")
    ref = made["task"]["ref"]
    _made(place, "task", "update", "--risk", HOSTILE)
    result, text = _read(place, ref, place.repo)
    assert result.structured_content["task"]["ref"] == ref
    assert f"work={ref} status=in_progress" in text
    assert "next: Read the log" in text
    fence = "`" * 9  # longer than what the risk has
    updated = result.structured_content["task"]["updated_at"]
    head = f"{fence} quoted-history work={ref} status=in_progress origin=stated updated={updated}"
    assert [line for line in text.splitlines() if line.startswith(fence)] == [head, fence]


def test_a_handoff_is_opened_by_its_reference(place: Place) -> None:
    done = _made(place, "finalize", "--status", "success", "--summary", "The export works", "--agent-id", "codex")
    _, text = _read(place, done["handoff"], place.repo)
    assert "The export works" in text


def test_what_is_not_there_cannot_be_opened(place: Place) -> None:
    result, text = _read(place, "work:000000000000", place.repo)
    assert result.is_error
    assert "000000000000" in text


def test_a_server_without_a_folder_says_that_it_knows_no_repository(place: Place) -> None:
    with pytest.RaisesGroup(pytest.RaisesExc(MCPError, match="which repository"), flatten_subgroups=True):
        _read(place, "work:000000000000", None)
