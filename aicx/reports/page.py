"""The HTML dossier: one file that works from disk and asks nothing of the network."""

from __future__ import annotations

from html import escape

from aicx.pages import bundle, load_files, policy_source
from aicx.reports.bundle import TITLE, Write

# How every page of ours is known again.
MARK = b'<meta name="generator" content="aicx reports">'
_DATA = "{{data}}"
_SCRIPTS = ("page", "bundles", "list", "reader", "elements")


def frame() -> tuple[bytes, bytes]:
    """Returns the page before and behind the bundle. It may run its own script and style alone, known by hash."""
    sources = {name: body.decode("utf-8") for name, body in load_files("reports").items()}
    page, style = sources["page.html"], sources["page.css"]
    # The page's own scripts share their state, so they are one module.
    sources["page.js"] = "\n".join(sources[f"{name}.js"] for name in _SCRIPTS)
    script = bundle(sources, "page.js")
    policy = (
        f"default-src 'none'; script-src {policy_source(script)}; style-src {policy_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    for name, value in {"policy": policy, "title": escape(TITLE), "style": style, "script": script}.items():
        page = page.replace(f"{{{{{name}}}}}", value)
    before, _, behind = page.partition(_DATA)
    return before.encode(), behind.encode()


def embedded(write: Write) -> Write:
    """``write`` for a bundle inside a page: nothing in it can end its element or begin another."""
    return lambda body: write(body.replace(b"<", b"\\u003c"))
