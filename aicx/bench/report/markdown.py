"""A result as Markdown, for a terminal, a pull request or docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Iterator

from aicx.bench.facts import Facts
from aicx.bench.report.cells import ReportTable
from aicx.bench.report.tables import DEFAULT_REFERENCE, sections
from aicx.bench.results import BenchResult


def markdown(result: BenchResult, reference: str = DEFAULT_REFERENCE, level: int = 2) -> str:
    """The whole result. ``level`` is how deep its headings begin."""
    return "\n".join(_lines(result, reference, level)) + "\n"


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


def _lines(result: BenchResult, reference: str, level: int) -> Iterator[str]:
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
