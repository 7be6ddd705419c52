"""A client that has run with aicx, and may have rewritten its configuration, knows nothing of it after its removal."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from aicx.agents.table import SERVERS
from aicx.cli import run
from aicx.config import load_settings
from tests.clients.real.running import RealClient

pytestmark = pytest.mark.needs("mcp")


def test_what_the_client_wrote_itself_stays(client: RealClient, client_home: Path, tmp_path: Path) -> None:
    client.run(client_home, [client.call("aicx_index_status", {})], cwd=tmp_path)
    row = SERVERS[client.name]
    file = row.file(load_settings({"HOME": str(client_home)}))

    def held() -> dict[str, Any]:
        found: dict[str, Any] = {".json": json.loads, ".toml": tomllib.loads}[file.suffix](file.read_text())
        return found

    before = held()
    assert list(before.pop(row.key)) == ["aicx"]
    assert run(["install", client.name, "--remove", "--yes"]) == 0
    assert held() == before
    assert not list(file.parent.glob("*.bak"))
