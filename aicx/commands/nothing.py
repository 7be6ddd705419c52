"""What a command that found nothing tells a person to do next."""

from __future__ import annotations

from aicx import console
from aicx.config import load_settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import NotFound

NOTHING_STORED = "Nothing is stored yet. Next: aicx store"


def notify_nothing(found: str) -> None:
    """Prints ``found``, a sentence for a search of what is stored; or, where nothing is, how to store something."""
    console.notify(NOTHING_STORED if _is_empty() else found)


def _is_empty() -> bool:
    try:
        with open_catalog(load_settings().layout) as opened:
            return not opened.catalog.rows("SELECT 1 FROM chunks LIMIT 1")
    except NotFound:
        return True
