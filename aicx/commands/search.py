"""`aicx search`: the passages that answer a question."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

import typer

from aicx import console, options
from aicx.api.filters import EVERYTHING, Filters
from aicx.api.freshness import stale_indexes
from aicx.config import load_settings
from aicx.corpus.files.read import ALTERED
from aicx.engine.search import Hit, SearchQuery, SearchReport, search
from aicx.sources.reopen import reopen_command
from retrieval.decay import parse_decay
from retrieval.excerpts import Line

# What stands before a quoted line, and the narrowest it is set in.
_GUTTER, _NARROWEST = len("    │ "), 20


class Mode(StrEnum):
    auto = "auto"
    lexical = "lexical"
    dense = "dense"
    hybrid = "hybrid"
    scan = "scan"


class Group(StrEnum):
    chunk = "chunk"
    session = "session"


class Sort(StrEnum):
    relevance = "relevance"
    newest = "newest"
    oldest = "oldest"


@options.filtered()
def command(
    query: Annotated[list[str], typer.Argument(help="A question, an identifier, or a quoted phrase.")],
    mode: Annotated[
        Mode, typer.Option("--mode", "-m", help="Which retrievers to use; auto takes those available and names them.")
    ] = Mode.auto,
    group: Annotated[
        Group, typer.Option("--group", "-g", help="One answer per chunk, or one per session.")
    ] = Group.chunk,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, metavar="N", help="Maximum number of results.")
    ] = 10,
    sort: Annotated[Sort, typer.Option("--sort", help="The order of the answers.")] = Sort.relevance,
    decay: options.Decay = "off",
    min_score: Annotated[
        float,
        typer.Option("--min-score", min=0, max=10, metavar="N", help="Only chunks that `aicx rank` scores N or more."),
    ] = 0,
    filters: Filters = EVERYTHING,
    explain: Annotated[bool, typer.Option("--explain", help="Show each retriever's rank and score.")] = False,
    json: options.Json = False,
) -> None:
    """Find the passages that answer a question, in the conversations with every agent.

    Any word may match; more matches, and rarer ones, count more. Identifiers, paths and markers such as #12-40 are
    matched whole; a "quoted phrase" must occur. A time in the question ("january 2026", 2026-01-15, last week, in
    march, before the release of 0.5) limits the answers to it. A misspelt word that occurs nowhere is searched for as
    it was probably meant. A filter that takes a name may be given several times: any of the names matches.

    Example: aicx search why did the migration fail
    Example: aicx search '"could not compile" last week'
    Example: aicx search ERR_CONN_REFUSED -p myrepo --since 30d
    Example: aicx search "retry policy in january 2026" --group session --explain
    """
    asked = SearchQuery(
        text=" ".join(query),
        now=options.now(),
        filters=filters,
        mode=mode.value,
        group=group.value,
        limit=limit,
        sort=sort.value,
        decay=parse_decay(decay),
        min_score=min_score,
    )
    settings = load_settings()
    report = search(settings, asked)
    if json:
        from aicx.api.answers.search import SCHEMA, search_answer

        console.out_answer(SCHEMA, search_answer(report))
        return
    from aicx.api.answers.search import evidence_note

    if note := evidence_note(report.evidence, report.missing_words):
        (console.out if report.hits else console.notify)(note)
    for hit in report.hits:
        _print(hit, settings.layout.home, explain)
    _print_summary(report)


def _print(hit: Hit, store: Path, explain: bool) -> None:
    style, fields = console.style, hit.sidecar.fields
    started = datetime.fromisoformat(fields["started_at"]).astimezone()
    title = console.title(fields)
    console.out(f"{style(f'{hit.rank:>2}', fg='yellow')}  {style(title, bold=True)}")
    place = console.place(fields["project"], fields.get("cwd"))
    facts = [place, fields["agent"], f"{started:%Y-%m-%d %H:%M}", *_fit(hit)]
    if fields.get("branch"):
        facts.insert(1, f"branch {fields['branch']}")
    if hit.chunks > 1:
        facts.append(console.plural(hit.chunks, "chunk"))
    if fields.get("lane") == "subagent":
        facts.append("subagent")
    console.out(f"    {style(' · '.join(facts), fg='cyan')}")
    if hit.altered:
        console.out(f"    {style(ALTERED, fg='red')}")
    for line in hit.lines:
        for row in _rows(line):
            console.out(f"    {style('│', dim=True)} {row}")
    console.out(f"    {style(str(store / hit.path), dim=True)}")
    lane = str(fields.get("lane") or "primary")
    if reopen := reopen_command(fields["agent"], fields["session_id"], lane, fields.get("parent_session")):
        console.out(f"    {style(reopen, fg='green')}")
    if explain:
        votes = [f"{name}: rank {vote.rank}, score {vote.score:.3f}" for name, vote in hit.votes.items()]
        ranked = f"score {hit.score:.2f}: {', '.join(votes)}" if votes else "by date"
        reasons = f"{ranked}; decay x{hit.decay_factor:.2f}"
        console.out(f"    {style(reasons, fg='magenta')}")
    console.out()


def _fit(hit: Hit) -> list[str]:
    """How good an answer is, in words. A score only compares answers to one question, so it is for those who ask."""
    if not hit.terms_asked:
        return []
    return [f"{hit.tier} ({hit.terms_found} of {hit.terms_asked} terms)" if hit.tier == "partial" else hit.tier]


def _rows(line: Line) -> Iterator[str]:
    """A quoted line with its marks, in rows that fit into the terminal; in one row where there is none."""
    width = get_terminal_size().columns - _GUTTER if sys.stdout.isatty() else len(line.text)
    low = 0
    while low < len(line.text):
        high = _end_of_row(line.text, low, max(width, _NARROWEST))
        yield _highlighted(line.text, line.marks, low, high)
        low = high + (line.text[high : high + 1] == " ")


def _end_of_row(text: str, low: int, width: int) -> int:
    """Where a row that begins at ``low`` ends: at a space, if there is one in its second half."""
    if len(text) - low <= width:
        return len(text)
    space = text.rfind(" ", low + width // 2, low + width + 1)
    return space if space > low else low + width


def _highlighted(text: str, marks: tuple[tuple[int, int], ...], low: int, high: int) -> str:
    """The part of a text from ``low`` to ``high``, with what is marked in it."""
    pieces = []
    at = low
    for start, end in marks:
        start, end = max(start, low), min(end, high)
        if start < end:
            pieces += [text[at:start], console.style(text[start:end], fg="red", bold=True)]
            at = end
    return "".join([*pieces, text[at:high]])


def _print_summary(report: SearchReport) -> None:
    status = report.oracle_status
    if status["fallback_reason"]:
        console.warn(status["fallback_reason"])
    for sentence in stale_indexes(status["freshness"]):
        console.warn(sentence)
    for note in report.notes:
        console.notify(f"note: {note}")
    served = " + ".join(status["rankers"])
    if not report.hits:
        console.notify(f"Nothing matches ({served}). Fewer or other words may; `aicx refs` lists what is stored.")
    else:
        answers = console.plural(len(report.hits), "answer")
        console.notify(f"{answers} of {console.plural(report.matched, 'candidate')}, ranked by {served}.")
