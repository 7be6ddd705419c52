"""A result as one HTML page that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from html import escape
from logging import NullHandler, getLogger
from typing import Any

from aicx.bench.report.tables import DEFAULT_REFERENCE, sections
from aicx.bench.results import BenchResult, Facts
from aicx.bench.summary import PRIMARY, ReportTable, costs_of, quality_of
from aicx.errors import MissingExtra

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
_COLOURS = {"aicx": "#d1495b", "lexical": "#00798c", "dense": "#b8860b", "weighted": "#3f7d5a", "rrf": "#8d6a9f"}
_OTHERS = "#6c757d"


# A ranker's name, the point it belongs to, its colour.
_Label = tuple[str, tuple[float, float], str]
# Where a label may stand beside its point, and how much room one takes, in points.
_PLACES = (4, -12, 16, -24, 28, -36)
_ROOM = (80, 11)


def page(result: BenchResult, reference: str = DEFAULT_REFERENCE) -> str:
    """The whole result as HTML."""
    return "\n".join(_lines(result, reference)) + "\n"


def _lines(result: BenchResult, reference: str) -> Iterator[str]:
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


def _table(table: ReportTable) -> Iterator[str]:
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


def quality_against_latency(result: BenchResult, dataset: str) -> str:
    """The primary measure with its interval over the median warm latency, a point for each ranker."""
    getLogger("matplotlib").addHandler(NullHandler())  # that it looks for fonts is of no interest
    try:
        import matplotlib as mpl
        import matplotlib.ticker
    except ImportError as error:
        raise MissingExtra("The report's plots", "bench") from error
    mpl.use("svg")
    from matplotlib import pyplot as plt

    latency = {line.ranker: line.warm_p50 for line in costs_of(result, dataset)}
    settings = {
        "svg.fonttype": "none",  # text stays text: it can be read, searched and scaled
        "svg.hashsalt": "aicx",  # ids that are the same in every run
        "font.family": "sans-serif",
        "font.size": 9,
    }
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(figsize=(8.0, 4.2))
        labels: list[_Label] = []
        for line in quality_of(result, dataset):
            around = line.measures[PRIMARY]
            ends = [[around.mean - around.low], [around.high - around.mean]]
            color = _COLOURS.get(line.ranker.partition(":")[0], _OTHERS)
            at = (latency[line.ranker], around.mean)
            axes.errorbar(*at, yerr=ends, fmt="o", color=color, capsize=3, elinewidth=1)
            labels.append((line.ranker, at, color))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%g"))
        axes.set_xlabel("warm latency, median (ms, log scale)")
        axes.set_ylabel(f"{PRIMARY} with 95 % interval")
        axes.grid(alpha=0.25)
        axes.margins(x=0.18)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        figure.tight_layout()
        _write_labels(axes, labels)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        plt.close(figure)
    svg = buffer.getvalue()
    # The page is HTML, so what comes before the element goes; width and height give way to the view box.
    svg = svg[svg.index("<svg") :]
    return re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", svg, count=1)


def _write_labels(axes: Any, labels: Sequence[_Label]) -> None:
    """Each name beside its point, at the first place where it covers no other."""
    taken: list[tuple[float, float]] = []
    for name, at, color in labels:
        x, y = (pixels * 72 / axes.figure.dpi for pixels in axes.transData.transform(at))
        near = [v - y for u, v in taken if abs(x - u) < _ROOM[0]]
        free = (place for place in _PLACES if all(abs(place - other) >= _ROOM[1] for other in near))
        place = next(free, _PLACES[0])
        taken.append((x, y + place))
        axes.annotate(name, at, xytext=(6, place), textcoords="offset points", color=color)


def markdown(result: BenchResult, reference: str = DEFAULT_REFERENCE, level: int = 2) -> str:
    """The whole result. ``level`` is how deep its headings begin."""
    return "\n".join(_markdown_lines(result, reference, level)) + "\n"


def made_with(result: BenchResult) -> list[str]:
    """Describes in sentences how a result was made."""
    facts = result.facts
    machine, settings = facts.machine, facts.settings
    packages = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    processor = machine.processor or machine.architecture
    where = f"{machine.cores} cores of {processor}, {machine.memory_gb:.0f} GB, {machine.system}"
    return [
        f"Made {facts.made_at[:16].replace('T', ' ')} UTC {_of_what(facts)}, on {where}.",
        f"Versions: {packages}.",
        f"Seed {settings.seed}, {settings.resamples:,} resamples; {settings.depth} answers a question.",
        *(f"Not measured: {row.name}, since {row.reason}." for row in facts.skipped),
    ]


def _of_what(facts: Facts) -> str:
    """The commit of the checkout that was measured, or the version where aicx was installed."""
    return f"at commit {facts.commit}" if facts.commit else f"with aicx {facts.versions['aicx']}, installed"


def _markdown_lines(result: BenchResult, reference: str, level: int) -> Iterator[str]:
    yield from made_with(result)
    for section in sections(result, reference):
        yield ""
        yield f"{'#' * level} {section.dataset}"
        yield ""
        yield from (f"- {fact}" for fact in section.facts)
        for table in section.tables:
            yield ""
            yield f"{'#' * (level + 1)} {table.title}"
            yield ""
            yield from table_lines(table)
        if section.conclusion:
            yield ""
            yield f"**{section.conclusion}**"


def table_lines(table: ReportTable) -> Iterator[str]:
    """A table as Markdown, without its title."""
    if table.note:
        yield table.note
        yield ""
    yield f"| {' | '.join(map(_cell, table.head))} |"
    yield "|---" + "|--:" * (len(table.head) - 1) + "|"
    for row in table.rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
