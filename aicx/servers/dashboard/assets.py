"""The files of the page, read once and looked up by name, so that no path is made from a request."""

from __future__ import annotations

from aicx.pages import load_files
from aicx.values import dataclass

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class Asset:
    body: bytes
    type: str


def load_page() -> dict[str, Asset]:
    """Every file of the page by its name."""
    return {
        name: Asset(body, found)
        for name, body in load_files("dashboard").items()
        if (found := _TYPES.get(f".{name.rpartition('.')[2]}"))
    }
