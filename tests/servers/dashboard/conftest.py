"""One dashboard of the small corpus, for all tests that only ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.corpus.builders import Home
from tests.servers.dashboard.http_client import serving


@pytest.fixture(scope="session")
def address(stored: Home) -> Iterator[str]:
    """Where a server of the small corpus answers."""
    with serving(**stored.environ) as (_, address):
        yield address
