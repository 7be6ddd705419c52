"""One real client at a time, with a home of its own, in which `aicx init --mcp` has registered the MCP server."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.cli import run
from tests.clients.real.running import CLIENTS, RealClient, install
from tests.corpus.builders import Home
from tests.servers.mcp.planting import planted_home


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker("clients")


@pytest.fixture(scope="session", params=CLIENTS)
def client(request: pytest.FixtureRequest) -> RealClient:
    """Each client in turn; skips, with its reason, one that cannot be installed."""
    # Once, and so before a test has a home of its own: npm reads which registry to ask in the real one.
    found = CLIENTS[request.param]
    install(found)
    return found


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A corpus that holds characters which no model may get."""
    return planted_home(tmp_path_factory.mktemp("planted"))


@pytest.fixture
def client_home(client: RealClient, planted: Home, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's home folder, with the planted corpus registered."""
    monkeypatch.setenv("AICX_HOME", str(planted.corpus))
    assert run(["install", client.name, "--yes"]) == 0
    return home
