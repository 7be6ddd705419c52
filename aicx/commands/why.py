"""`aicx why`: from a commit, a file or a line to the session that made it and its reason."""

from __future__ import annotations

from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.paths import user_path
from aicx.questions import PATH, Argument
from aicx.share import sessions_of_team


def command(
    target: Annotated[
        str,
        Argument(
            metavar="TARGET",
            click_type=PATH,
            help="COMMIT, FILE, FILE:LINE, FILE:10-30, a tag, a range A..B, or #12, its address or a ticket as ORB-12.",
        ),
    ],
    repo: options.Repo = None,
    limit: options.Limit = 5,
    team: options.Team = False,
) -> options.Answered:
    """Find the sessions that made a commit, a file or a line, and quote why.

    Git names the commits with their dates and files; renames, moved lines, rebased and squashed copies are followed.
    The sessions are ranked by stated evidence: what git printed in them, the files they changed, when and where they
    worked, and what was said. Without the repository only the logs are asked. Writes nothing.

    Example: aicx why HEAD
    Example: aicx why src/parser.py:10-30
    Example: aicx why '#12' --json
    Example: aicx why v1.2.0..v1.3.0 --limit 10
    """
    from aicx.why.answer import SCHEMA, answer_why
    from aicx.why.run import WhyQuery

    settings = load_settings()
    share = sessions_of_team(settings, team=team)
    query = WhyQuery(target, options.now(), user_path(repo or "."), limit, team=share)
    answer = answer_why(settings, query)
    yield SCHEMA, answer
    from aicx.why.answer import why_markdown

    console.out_bytes(why_markdown(answer).encode("utf-8", "replace"))
    console.notify_notes(answer.notes)
