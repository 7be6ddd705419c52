"""The small corpus that the MCP server's tests ask too, and servers for a whole file of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.corpus.building import Home
from tests.mcp.conftest import environment as environment
from tests.mcp.conftest import stored as stored
from tests.web.asking import serving


@pytest.fixture(scope="module")
def address(stored: Home) -> Iterator[str]:
    """Where a server of the small corpus answers."""
    with serving(**stored.environ) as (_, address):
        yield address
