"""A result as one HTML page that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from aicx.bench.report.cells import Table
from aicx.bench.report.markdown import made_with
from aicx.bench.report.plot import quality_against_latency
from aicx.bench.report.tables import DEFAULT_REFERENCE, sections
from aicx.bench.results import Result

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.6rem; } h2 { margin-top: 3rem; border-bottom: 1px solid #ddd; } h3 { margin-bottom: .2rem; }
nav a { margin-right: 1rem; } .made, .note, li { color: #555; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .2rem .7rem; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #999; font-weight: 600; vertical-align: bottom; white-space: normal; min-width: 3.5rem; }
td:first-child, th:first-child { text-align: left; font-family: ui-monospace, monospace; }
tr:nth-child(even) td { background: #f6f6f6; }
svg { max-width: 52rem; width: 100%; height: auto; }
"""


def page(result: Result, reference: str = DEFAULT_REFERENCE) -> str:
    """The whole result as HTML."""
    return "\n".join(_lines(result, reference)) + "\n"


def _lines(result: Result, reference: str) -> Iterator[str]:
    found = sections(result, reference)
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>aicx bench</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{_STYLE}</style></head><body>"
    yield "<h1>Rankers compared</h1>"
    yield f'<p class="made">{"<br>".join(map(escape, made_with(result)))}</p>'
    yield "<nav>" + "".join(f'<a href="#{_anchor(s.dataset)}">{escape(s.dataset)}</a>' for s in found) + "</nav>"
    for section in found:
        yield f'<h2 id="{_anchor(section.dataset)}">{escape(section.dataset)}</h2>'
        yield "<ul>" + "".join(f"<li>{escape(fact)}</li>" for fact in section.facts) + "</ul>"
        if section.tables and section.plotted:
            yield quality_against_latency(result, section.dataset)
        for table in section.tables:
            yield from _table(table)
        if section.conclusion:
            yield f"<p><strong>{escape(section.conclusion)}</strong></p>"
    yield "</body></html>"


def _table(table: Table) -> Iterator[str]:
    yield f"<h3>{escape(table.title)}</h3>"
    if table.note:
        yield f'<p class="note">{escape(table.note)}</p>'
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(f"<th>{escape(name)}</th>" for name in table.head)
    yield "</tr></thead><tbody>"
    for row in table.rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


def _anchor(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)
