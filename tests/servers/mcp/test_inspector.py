"""The MCP inspector's command line, a client that somebody else wrote, where it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.builders import SESSION, Home
from tests.servers.mcp.mcp_client import AICX, serving

INSPECTOR = shutil.which("mcp-inspector")

pytestmark = [
    pytest.mark.needs("mcp"),
    pytest.mark.process,
    pytest.mark.skipif(
        INSPECTOR is None, reason="no mcp-inspector on PATH; npm install -g @modelcontextprotocol/inspector"
    ),
]


def inspect(*arguments: str) -> dict[str, Any]:
    assert INSPECTOR is not None
    done = subprocess.run([INSPECTOR, "--cli", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


ARGUMENTS = ("query=lexer", "limit=2", "structured=true")
CALL = ("--method", "tools/call", "--tool-name", "aicx_search", "--tool-arg", *ARGUMENTS)


def test_it_lists_the_tools_on_stdio(environment: Path) -> None:
    listed = inspect(*AICX, "serve", "--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]][:2] == ["aicx_search", "aicx_steer"]


def test_it_is_answered_on_stdio(environment: Path) -> None:
    found = inspect("-e", f"AICX_HOME={environment}", *AICX, "serve", *CALL)
    assert found["structuredContent"]["items"][0]["session_id"] == SESSION


def test_it_is_answered_on_http(stored: Home) -> None:
    # Without a token: not every version of the inspector's command line can show one.
    with serving("--no-token", **stored.environ) as (_, address):
        found = inspect(address, "--transport", "http", *CALL)
    assert found["structuredContent"]["items"][0]["session_id"] == SESSION
