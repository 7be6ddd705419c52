"""The small corpus that the MCP server's tests ask too, and servers for a whole file of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.corpus.builders import Home
from tests.servers.dashboard.http_client import serving
from tests.servers.mcp.conftest import environment as environment
from tests.servers.mcp.conftest import stored as stored


@pytest.fixture(scope="module")
def address(stored: Home) -> Iterator[str]:
    """Where a server of the small corpus answers."""
    with serving(**stored.environ) as (_, address):
        yield address
