"""Short ways to write the page into a file and to read what is in it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aicx.filters import Filters
from aicx.servers.dashboard.export import write_page
from tests.corpus.builders import Home

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


def export(user: Home, path: Path, cap: int = 20_000_000, **filters: Any) -> tuple[int, int, int, int]:
    return write_page(user.settings, path, NOW, Filters(**filters), cap)


def data_of(path: Path) -> Any:
    """What is embedded in a file."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])
