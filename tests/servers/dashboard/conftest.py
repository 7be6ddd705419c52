"""One dashboard of the small corpus, for all tests that only ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.corpus.builders import Home
from tests.servers.dashboard.http_client import serving
from tests.servers.dashboard.works import Worked


@pytest.fixture(scope="session")
def address(stored: Home) -> Iterator[str]:
    """Where a server of the small corpus answers."""
    with serving(**stored.environ) as (_, address):
        yield address


@pytest.fixture(scope="session")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Worked:
    """For tests that change nothing."""
    return Worked(tmp_path_factory.mktemp("worked"))


@pytest.fixture(scope="session")
def worked_address(worked: Worked) -> Iterator[str]:
    with serving("--rate", "10000", **worked.environ) as (_, found):
        yield found
