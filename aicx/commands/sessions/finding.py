"""`aicx sessions list` and `aicx search --in windows`: finds sessions and their windows by filters or a question."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from aicx import console, options
from aicx.commands.results import notify_nothing
from aicx.config import load_settings
from aicx.corpus.catalog.sessions import SCHEMA, SessionItem, Sort, browse, sessions_answer
from aicx.errors import UsageError
from aicx.filters import EVERYTHING, Filters
from aicx.questions import Argument, Option
from aicx.text import local

if TYPE_CHECKING:
    from aicx.sessions.recall import SessionMatch


@options.filtered()
def list_sessions(
    filters: Filters = EVERYTHING,
    sort: Annotated[Sort, Option("--sort", help="The order; size is the number of chunks.")] = "newest",
    limit: options.Limit = 20,
    offset: Annotated[int, Option("--offset", min=0, metavar="N", help="Skip the first N.")] = 0,
) -> options.Answered:
    """List sessions with their titles, the newest first.

    A session is listed if one of its chunks passes the filters; its figures cover the whole session. A filter that
    takes a name may be given several times: any of the names matches. Runs of one prompt that a program started are
    one item; --automated lists each.

    Example: aicx sessions --since 7d
    Example: aicx sessions -p myrepo --branch 'fix/*'
    Example: aicx sessions --file src/parser.py --sort oldest
    """
    found = sessions_answer(browse(load_settings().layout, filters, sort, limit, offset))
    yield SCHEMA, found
    for item in found.items:
        _print_session(item)
    if found.items:
        console.say_zone()
    console.notify_notes(found.notes)
    last = offset + found.results
    if not found.items:
        notify_nothing("Nothing matches. `aicx status --projects` lists what there is; `aicx store` adds new sessions.")
    elif last < found.matched:
        console.notify(f"{offset + 1:,} to {last:,} of {found.matched:,}; --offset {last} shows what comes next.")


def _print_session(item: SessionItem) -> None:
    style, session = console.style, item.facts
    started, completed = map(local, (session.started_at, session.completed_at))
    until = f"{completed:%H:%M}" if started.date() == completed.date() else console.when(completed)
    console.out(
        f"{style(console.when(started), fg='cyan')}  {style(console.title({'title': session.title}), bold=True)}"
    )
    facts = [console.place(session.project, session.cwd), session.agent]
    if len(session.projects) > 1:
        facts[0] += f" and {len(session.projects) - 1} more"
    if session.branch:
        facts.append(f"branch {session.branch}")
    if session.lane == "subagent":
        facts.append("subagent")
    if session.automated:
        facts += console.runs(session.runs) or [session.automated_why or "automated"]
    facts += [f"until {until}", console.plural(session.chunks, "chunk"), console.plural(session.messages, "message")]
    console.out(f"  {' · '.join(facts)}")
    console.out(f"  {style(item.reopen or session.session_id, fg='green')}")


class Granularity(StrEnum):
    session = "session"
    window = "window"
    chunk = "chunk"


@options.filtered()
def recall_windows(
    question: Annotated[list[str], Argument(help="A question, an identifier, or a quoted phrase.")],
    filters: Filters = EVERYTHING,
    granularity: Annotated[
        list[Granularity] | None,
        Option("--granularity", "-g", help="What an answer is: a session, a context window of one, or a chunk."),
    ] = None,
    limit: options.Limit = 5,
    repo: options.Repo = None,
    everywhere: options.Everywhere = False,
) -> options.Answered:
    """Find the sessions, or the context windows or chunks of them, that answer a question.

    Each answer names what it is in and what is in it: a session its windows and chunks, a chunk its window and session.
    The search is that of `aicx search`; it works without a model, and says how it was done.

    Example: aicx search --in windows why did the migration fail
    Example: aicx search --in windows retry policy --granularity window --limit 3 --json
    """
    from aicx.sessions.recall import SCHEMA, recall

    kinds = list(dict.fromkeys(granularity or [Granularity.session]))
    if len(kinds) > 1:
        named = " and ".join(f"--granularity {one.value}" for one in kinds)
        raise UsageError(f"{named} exclude each other", hint="name one of them")
    found = recall(
        load_settings(),
        " ".join(question),
        kinds[0].value,
        options.now(),
        limit=limit,
        filters=filters,
        place=options.place(repo, everywhere=everywhere),
    )
    yield SCHEMA, found
    for number, match in enumerate(found.matches, 1):
        _print_match(number, match)
    if found.method.get("fallback_reason"):
        console.warn(str(found.method["fallback_reason"]))
    console.notify_notes(found.notes)
    served = " + ".join(found.method.get("rankers", ()))
    if not found.matches:
        notify_nothing(f"Nothing matches ({served}). Fewer or other words may match.")
    else:
        console.notify(f"{console.plural(len(found.matches), 'answer')}, ranked by {served}.")
        console.say_zone()


def _print_match(number: int, match: SessionMatch) -> None:
    style = console.style
    console.out(f"{style(f'{number:>2}', fg='yellow')}  {style(console.title({'title': match.title}), bold=True)}")
    started = local(match.started_at)
    facts = [match.project, console.when(started), f"score {match.score:.2f}"]
    console.out(f"    {style(match.ref, fg='green')} · {' · '.join(facts)}")
    if match.ref.startswith("session:") and "#w" not in match.ref:
        for one in match.windows:
            chunks = ", ".join(f":{chunk.rpartition(':')[2]}" for chunk in one.chunks)
            console.out(style(f"    #w{one.window.index} score {one.score:.2f}, chunks {chunks}", dim=True))
    for line in match.lines:
        console.out(f"      {line}")
