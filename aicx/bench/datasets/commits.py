"""Commits to sessions: find the session that made a commit, asked with the commit's subject.

A JSON Lines file of commits, each with ``query`` (the subject), ``relevant_sessions``, ``query_verbatim_in_session``
and ``informative``, and a home folder with the logs of those sessions.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.bench.dataset import COUNTED, Dataset, Query, session_key
from aicx.bench.datasets.files import read_lines, wrong_form
from aicx.bench.stores import Notify, stored_documents, stored_home

_VERBATIM, _UNINFORMATIVE = "subject stands in the log", "subject says too little"


def load(path: Path, user_home: Path, cache: Path, notify: Notify) -> Dataset:
    """The commits of a file over all sessions of a home folder; the logs are stored below ``cache`` first.

    Every question is asked on the day after the newest session: with the commit's own time, the newest session before
    it would be the answer without a look at the question.
    """
    rows = read_lines(path)
    home = stored_home(user_home, cache, notify)
    documents = stored_documents(home)
    known = {session_key(str(document.columns["session_id"])) for document in documents}
    newest = max(int(document.columns["completed_at"] or 0) for document in documents)
    now = datetime.fromtimestamp(newest, UTC) + timedelta(days=1)
    queries = []
    unknown = 0
    try:
        for number, row in enumerate(rows):
            sessions = {session_key(session): 1 for session in row["relevant_sessions"]}
            relevant = {session: 1 for session in sessions if session in known}
            if relevant:
                queries.append(Query(str(row.get("qid", number)), row["query"], relevant, now=now, part=_part(row)))
            else:
                unknown += 1
    except (KeyError, TypeError, AttributeError) as error:
        raise wrong_form(path, "the commit file", error) from error
    notes = [f"{unknown} commits left out: none of their sessions is among the stored ones"] if unknown else []
    return Dataset("commits", queries, {"all": documents}, "session", home, notes=notes)


def _part(row: dict[str, Any]) -> str:
    """Where the subject itself stands in the log, any index of words wins for free."""
    if row["query_verbatim_in_session"]:
        return _VERBATIM
    return COUNTED if row["informative"] else _UNINFORMATIVE
