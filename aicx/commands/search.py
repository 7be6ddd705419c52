"""`aicx search`: the passages that answer a question."""

from __future__ import annotations

import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from aicx import console, options
from aicx.brief import of_member
from aicx.commands.results import notify_nothing, print_explanation, print_lines
from aicx.config import Settings, load_settings
from aicx.corpus.files.read import ALTERED
from aicx.engine.index_manifest import stale_indexes
from aicx.engine.search import MAX_RERANKED, RERANKED, Group, Hit, Mode, SearchQuery, SearchReport, Sort, search
from aicx.errors import UsageError
from aicx.filters import EVERYTHING, Filters
from aicx.questions import Argument, Option
from aicx.share import passages_of_team
from aicx.sources import reopen_command
from aicx.text import ago, local, shorten
from retrieval.decay import parse_decay

if TYPE_CHECKING:
    from aicx.engine.search_answer import StatedMatch

_FEW, _MANY = 5, 10
_MAX_NAMED = 6
_PLACE_LENGTH = 18


@options.filtered()
def command(
    query: Annotated[list[str], Argument(help="A question, an identifier, or a quoted phrase.")],
    mode: Annotated[
        Mode,
        Option("--mode", "-m", help="Which retrievers to use; auto takes those available and names them."),
    ] = "auto",
    group: Annotated[
        Group | None,
        Option(
            "--group",
            "-g",
            help="One answer per chunk, or one per session, ranked by all its chunks. Without it, chunks are"
            " ranked, and further chunks of a session are named under its best.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        Option(
            "--limit", "-n", min=1, max=1000, metavar="N", help=f"Maximum number of results: {_FEW}, as JSON {_MANY}."
        ),
    ] = None,
    sort: Annotated[Sort, Option("--sort", help="The order of the answers.")] = "relevance",
    decay: options.Decay = "off",
    min_score: Annotated[
        float,
        Option(
            "--min-score", min=0, max=10, metavar="N", help="Only chunks that `aicx search --worth` scores N or more."
        ),
    ] = 0,
    repo: options.Repo = None,
    everywhere: options.Everywhere = False,
    rerank: Annotated[
        str,
        Option(
            "--rerank",
            metavar="N",
            help="How many of the best answers are compared with the question token by token, up to"
            f" {MAX_RERANKED}; or off. Up to five times as many where their passages are short or the model is static,"
            " in the same time. Takes a vector index.",
        ),
    ] = str(RERANKED),
    scope: Annotated[
        Literal["chunks", "memories"],
        Option("--scope", help="What is searched: stored sessions, or the memory as `aicx search --in memory`."),
    ] = "chunks",
    team: options.Team = False,
    filters: Filters = EVERYTHING,
    explain: Annotated[
        bool, Option("--explain", help="Show each retriever's rank and score, and what else counted.")
    ] = False,
    verbose: Annotated[
        bool,
        Option(
            "--verbose",
            "-v",
            help="Show each chunk's path and the command that reopens its session.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    no_pager: options.NoPager = False,
    json: options.Json = False,
) -> None:
    """Find the passages that answer a question, in the conversations with every agent.

    Any word may match; more matches, and rarer ones, count more. Identifiers, paths and markers such as #12-40 are
    matched whole; a "quoted phrase" must occur. A time in the question ("january 2026", 2026-01-15, last week, in
    march, before the release of 0.5) limits the answers to it. A misspelt word that occurs nowhere is searched for as
    it was probably meant. A filter that takes a name may be given several times: any of the names matches.

    What was done in the repository you are in counts a little more. Where the question is nearly the subject of one of
    its commits, or names one by hash or number, or a tag, branch or file, sessions from the time of that commit come
    first.

    An answer shows what the agent said in the end: a line with ↳ names the later chunk that it is from. `aicx show`
    opens what an answer names. On a terminal, what does not fit goes through AICX_PAGER, PAGER or less.

    Example: aicx search why did the migration fail
    Example: aicx search '"could not compile" last week'
    Example: aicx search ERR_CONN_REFUSED -p myrepo --since 30d
    Example: aicx search "retry policy in january 2026" --group session --explain
    Example: aicx search how are exports authorised --scope memories
    """
    if scope == "memories":
        _recall(" ".join(query), filters, mode, limit, repo, everywhere=everywhere, json=json)
        return
    settings = load_settings()
    asked = SearchQuery(
        text=" ".join(query),
        now=options.now(),
        filters=filters,
        mode=mode,
        group=group or "chunk",
        limit=limit or (_MANY if json else _FEW),
        sort=sort,
        fold=group is None and not json,
        decay=parse_decay(decay),
        min_score=min_score,
        place=options.place(repo, everywhere=everywhere),
        rerank=_parse_rerank(rerank),
        team=passages_of_team(settings, team=team),
    )
    report, stated = _search(settings, asked)
    if json:
        # Imported here: to make the classes of its many fields costs as much as printing the passages as text.
        from aicx.engine.search_answer import SCHEMA, search_answer

        console.out_answer(SCHEMA, search_answer(report, stated))
        return
    note = report.evidence_note
    with console.paged(wanted=not no_pager):
        if note and report.hits:
            console.out(note)
        for match in stated:
            _print_stated(match)
        for hit in report.hits:
            _print(hit, settings.layout.home, explain=explain)
            if verbose:
                _print_places(hit, settings.layout.home)
            console.out()
    _print_summary(report, note)


def _search(settings: Settings, asked: SearchQuery) -> tuple[SearchReport, list[StatedMatch]]:
    if not any(settings.layout.work.glob("*/handoffs")):
        return search(settings, asked), []
    from aicx.work.stated_search import search_and_stated  # imported here: many never stated anything

    return search_and_stated(settings, asked, partial(search, settings))


def _parse_rerank(text: str) -> int:
    count = 0 if text == "off" else int(text) if text.isdecimal() else -1
    if not 0 <= count <= MAX_RERANKED:
        raise UsageError(f"{text!r} is not a number up to {MAX_RERANKED}", hint="--rerank N, or --rerank off")
    return count


def _recall(
    text: str, filters: Filters, mode: Mode, limit: int | None, repo: str | None, *, everywhere: bool, json: bool
) -> None:
    """The same question to the memory."""
    # Imported here: most questions are to the sessions.
    from aicx.commands.memory.recall import print_answer
    from aicx.memory.reading import find_scope
    from aicx.memory.recall.asking import DEFAULT_LIMIT, RecallQuery
    from aicx.memory.recall.asking import SCHEMA as RECALL_SCHEMA
    from aicx.memory.recall.run import recall

    if filters != EVERYTHING or mode != "auto":
        raise UsageError("filters and --mode are for stored sessions", hint="aicx search --in memory --help")
    settings = load_settings()
    place = find_scope(settings, options.folder(repo))
    asked = RecallQuery(text, options.now(), place, limit or DEFAULT_LIMIT, everywhere)
    answer = recall(settings, asked)
    if json:
        console.out_answer(RECALL_SCHEMA, answer)
    else:
        print_answer(answer)


def _print(hit: Hit, store: Path, *, explain: bool) -> None:
    style, fields = console.style, hit.sidecar.fields
    started = local(fields["started_at"])
    title = console.title({"title": hit.title})
    if sys.stdout.isatty():
        title = shorten(title, console.terminal_size().columns - len("10  "))
    console.out(f"{style(f'{hit.rank:>2}', fg='yellow')}  {style(title, bold=True)}")
    place = console.place(fields["project"], fields.get("cwd"))
    if sys.stdout.isatty():
        place = shorten(place, _PLACE_LENGTH)
    facts = [place, fields["agent"], console.when(started), *_fit(hit)]
    if fields.get("branch") and not sys.stdout.isatty():
        facts.insert(1, f"branch {fields['branch']}")
    if hit.chunks > 1:
        facts.append(console.plural(hit.chunks, "chunk"))
    if fields.get("lane") == "subagent":
        facts.append("subagent")
    facts += console.runs(len(hit.runs))
    said = " · ".join(("", *facts)).lstrip()
    if sys.stdout.isatty():
        said = shorten(said, console.terminal_size().columns - len(f"    {hit.ref} "))
    ref = console.link(style(hit.ref, fg="green"), store / hit.path)
    console.out(f"    {ref} {style(said, fg='cyan')}")
    if hit.member is not None:
        age = ago(datetime.fromisoformat(fields["started_at"]), options.now())
        console.out(f"    {style(of_member(hit.member, age), fg='magenta')}")
    if hit.altered:
        console.out(f"    {style(ALTERED, fg='red')}")
    print_lines([line for line in hit.lines if line.tells or not hit.reply])
    if hit.reply:
        console.out(f"    {style('↳', dim=True)} {style(hit.reply.ref, fg='green')}")
        print_lines(hit.reply.lines)
    if hit.more:
        named = ", ".join([hit.more[0], *(f":{ref.rpartition(':')[2]}" for ref in hit.more[1:_MAX_NAMED])])
        rest = ", …" if len(hit.more) > _MAX_NAMED else ""
        console.out(style(f"    + {len(hit.more)} more in this session: {named}{rest}", dim=True))
    if explain:
        print_explanation(hit)


def _print_stated(match: StatedMatch) -> None:
    place = f" · {match.project}" if match.project else ""
    said = f"stated by {match.by} at the end of a session{place} · {match.age}, not checked"
    console.out(f"    {console.style(match.ref, fg='green')} {console.style(said, fg='cyan')}")
    for line in match.lines:
        console.out(f"    {console.style('│', dim=True)} {line}")
    console.out()


def _print_places(hit: Hit, store: Path) -> None:
    fields = hit.sidecar.fields
    console.out(f"    {console.link(console.style(str(store / hit.path), dim=True), store / hit.path)}")
    lane = str(fields.get("lane") or "primary")
    if reopen := reopen_command(fields["agent"], fields["session_id"], lane, fields.get("parent_session")):
        console.out(f"    {console.style(reopen, fg='green')}")


def _fit(hit: Hit) -> list[str]:
    """How good an answer is, in words. A score only compares answers to one question, so it is for those who ask."""
    if not hit.terms_asked:
        return []
    if hit.tier != "partial":
        return [hit.tier]
    share = f"{hit.terms_found} of {hit.terms_asked} terms"
    return [share if sys.stdout.isatty() else f"partial ({share})"]


def _print_summary(report: SearchReport, missing: str | None) -> None:
    status = report.oracle_status
    if status["fallback_reason"]:
        console.warn(status["fallback_reason"])
    for sentence in stale_indexes(status["freshness"]):
        console.warn(sentence)
    console.notify_notes(report.notes)
    served = " + ".join(status["rankers"])
    if not report.hits:
        found = missing or f"Nothing matches ({served})."
        notify_nothing(f"{found} Fewer or other words may match; `aicx status --projects` lists what is stored.")
    else:
        answers = console.plural(len(report.hits), "answer")
        console.notify(f"{answers} of {console.plural(report.matched, 'candidate')}, ranked by {served}.")
        console.say_zone()
