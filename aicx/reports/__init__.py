"""Workflow reports of a folder as records, a JSON bundle and one HTML page; `aicx reports`.

Here is the bundle, ``aicx.reports/1``: written record by record, so that its size does not matter. The HTML dossier is
one file around it that works from disk and asks nothing of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from datetime import datetime
from html import escape
from typing import Annotated

import orjson

from aicx.fields import INLINE, to_fields
from aicx.pages import bundle, load_files, policy_source
from aicx.reports.record import Report
from aicx.reports.scan import ReportSelection, ScanResult
from aicx.text import instant
from aicx.values import dataclass

SCHEMA = "aicx.reports/1"
TITLE = "Workflow reports"
# How every bundle of ours begins.
MARK = f'{{"schema":"{SCHEMA}"'.encode()

Write = Callable[[bytes], object]
# How every page of ours is known again.
PAGE_MARK = b'<meta name="generator" content="aicx reports">'
_DATA = "{{data}}"
_SCRIPTS = ("page", "bundles", "list", "reader", "elements")


@dataclass(frozen=True, slots=True)
class Bundle:
    """The form of `--bundle` and `--json`. Records may get further fields; the page keeps unknown ones."""

    title: Annotated[str, "the title of the page"]
    generated_at: str
    folder: Annotated[str, "the folder that was read, with `~` for the home"]
    filters: Annotated[dict[str, str], "the filters used: `workflow`, `since`, `until`, `org`, `repo`"]
    records: Annotated[list[Report], "newest day first"]
    outcome: ScanResult = field(metadata=INLINE)


def write_bundle(
    write: Write,
    reports: Iterable[Report],
    outcome: ScanResult,
    *,
    folder: str,
    selection: ReportSelection,
    now: datetime,
) -> None:
    """Writes the `Bundle` of ``reports`` in pieces, each report as it comes; ``outcome`` is read after the last one."""
    head = {"title": TITLE, "generated_at": instant(now, "seconds"), "folder": folder, "filters": selection.to_json()}
    write(orjson.dumps({"schema": SCHEMA, **head})[:-1])
    write(b',"records":[')
    for index, report in enumerate(reports):
        write(b"," if index else b"")
        write(orjson.dumps(report.to_json()))
    write(b"]," + orjson.dumps(to_fields(outcome))[1:])


def both(writers: Iterable[Write]) -> Write:
    """One function that writes to all of ``writers``."""
    targets = tuple(writers)

    def write(body: bytes) -> None:
        for target in targets:
            target(body)

    return write


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
