"""The HTML dossier: one file that works from disk and asks nothing of the network."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from aicx.reports.bundle import TITLE, Write

# How every page of ours is known again.
MARK = b'<meta name="generator" content="aicx reports">'
_DATA = "{{data}}"
_SCRIPTS = ("page", "bundles", "list", "reader", "markdown", "elements")


def frame() -> tuple[bytes, bytes]:
    """What stands before and behind the bundle. The page may run its own script and style, known by hash, no other."""
    folder = files("aicx") / "data" / "reports"
    page, style = (folder.joinpath(name).read_text("utf-8") for name in ("page.html", "page.css"))
    script = "\n".join(folder.joinpath(f"{name}.js").read_text("utf-8") for name in _SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    for name, value in {"policy": policy, "title": escape(TITLE), "style": style, "script": script}.items():
        page = page.replace(f"{{{{{name}}}}}", value)
    before, _, behind = page.partition(_DATA)
    return before.encode(), behind.encode()


def embedded(write: Write) -> Write:
    """``write`` for a bundle inside a page: nothing in it can end its element or begin another."""
    return lambda body: write(body.replace(b"<", b"\\u003c"))


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
