"""`aicx sessions list`, and `aicx sessions`: lists stored sessions."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.nothing import notify_nothing
from aicx.config import load_settings
from aicx.corpus.catalog.sessions import SCHEMA, SessionItem, Sort, browse, sessions_answer, sessions_page
from aicx.filters import EVERYTHING, Filters
from aicx.text import local


@options.filtered()
def command(
    filters: Filters = EVERYTHING,
    sort: Annotated[Sort, typer.Option("--sort", help="The order; size is the number of chunks.")] = "newest",
    limit: options.Limit = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Skip the first N.")] = 0,
) -> options.Answered:
    """List sessions with their titles, the newest first.

    A session is listed if one of its chunks passes the filters; its figures cover the whole session. A filter that
    takes a name may be given several times: any of the names matches. Runs of one prompt that a program started are
    one item; --automated lists each.

    Example: aicx sessions --since 7d
    Example: aicx sessions -p myrepo --branch 'fix/*'
    Example: aicx sessions --file src/parser.py --sort oldest
    """
    found = sessions_answer(sessions_page(browse(load_settings().layout, filters, sort, limit, offset)))
    yield SCHEMA, found
    for item in found.items:
        _print(item)
    if found.items:
        console.say_zone()
    console.notify_notes(found.notes)
    last = offset + found.results
    if not found.items:
        notify_nothing("Nothing matches. `aicx status --projects` lists what there is; `aicx store` adds new sessions.")
    elif last < found.matched:
        console.notify(f"{offset + 1:,} to {last:,} of {found.matched:,}; --offset {last} shows what comes next.")


def _print(item: SessionItem) -> None:
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
