"""`aicx sessions show`: one session, what it came from and what came of it."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.sessions.common import Agent, Session, edge_line, find_named, meant, print_node, viewing
from aicx.sessions.answers import SCHEMA, SessionAnswer
from aicx.sessions.summarize import open_session
from aicx.sessions.summary_answer import windows_answer
from aicx.sessions.turns import turns_of
from aicx.sessions.view import work_of


@options.either("session")
def command(
    session: Session = None,
    agent: Agent = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Show a session: what it did, the sessions it came from and those that came from it, and whether it is open.

    A session is closed where that was stated (`aicx sessions close`), where another goes on with it, and after 24 hours
    without a message. The last two are inferred: they say nothing of how it ended.

    Example: aicx sessions show 4f2a81c0
    Example: aicx sessions show --json     the session that asks, and how it was found
    """
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    with viewing(desk) as viewer:
        key = meant(viewer, named)
        node = viewer.node(key)
        reader = open_session(desk.settings, ":".join(key)) if node.stored else None
        found = SessionAnswer(
            found_by=named.rule or "",
            node=node,
            kept=viewer.kept(key),
            work=work_of(desk.settings.layout, viewer.catalog, key),
            windows=windows_answer(reader).windows if reader else [],
            turns=turns_of([step for part in reader.steps for step in part]) if reader and json else [],
            older=viewer.family.older([node.ref]),
            newer=viewer.family.newer(node.ref),
            notes=viewer.notes(),
        )
    if json:
        console.out_answer(SCHEMA, found)
        return
    print_node(found.node)
    for work in found.work:
        console.out_list("Goal", [work.goal] if work.goal else [])
        console.out_list("Next", work.next)
        console.out_list("Commits", work.commits)
        console.out_list("Files", work.files)
    console.out_list("From", [edge_line(edge) for edge in found.older])
    console.out_list("To", [edge_line(edge, towards_newer=True) for edge in found.newer])
    if len(found.windows) > 1:
        console.out_list(
            "Windows", [f"#w{one.index}, {console.plural(one.messages, 'message')}" for one in found.windows]
        )
    console.notify_notes(found.notes)
    if named.rule != "explicit":
        console.notify(f"Found by {named.rule}.")
