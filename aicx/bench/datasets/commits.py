"""Commits to sessions: find the session that made a commit, asked with the commit's subject.

A JSON Lines file of commits, each with ``query`` (the subject), ``relevant_sessions``, ``query_verbatim_in_session``
and ``informative``, and a home folder with the logs of those sessions. With the repositories at hand, a commit is also
what `aicx why` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.bench.dataset import COUNTED, Dataset, Query, session_key
from aicx.bench.datasets.files import read_bytes, read_lines, wrong_form
from aicx.bench.stores import Notify, stored_documents, stored_home
from aicx.errors import UsageError

VERBATIM, UNINFORMATIVE = "subject stands in the log", "subject says too little"
# In a folder of repositories: a line a commit of question id, repository and hash, with tabs between them.
_PLACES = "commits.tsv"


def part_of(row: Mapping[str, Any]) -> str:
    """Where the subject itself stands in the log, any index of words wins for free."""
    if row["query_verbatim_in_session"]:
        return VERBATIM
    return COUNTED if row["informative"] else UNINFORMATIVE


def load(
    path: Path,
    user_home: Path,
    cache: Path,
    notify: Notify,
    repositories: Path | None = None,
    *,
    name: str = "commits",
    part: Callable[[Mapping[str, Any]], str] = part_of,
) -> Dataset:
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
    places = read_places(repositories) if repositories else {}
    queries = []
    unknown = 0
    try:
        for number, row in enumerate(rows):
            sessions = {session_key(session): 1 for session in row["relevant_sessions"]}
            relevant = {session: 1 for session in sessions if session in known}
            if relevant:
                qid = str(row.get("qid", number))
                place, commit = places.get(qid, (None, None))
                query = Query(qid, row["query"], relevant, now=now, part=part(row), target=commit, place=place)
                queries.append(query)
            else:
                unknown += 1
    except (KeyError, TypeError, AttributeError) as error:
        raise wrong_form(path, "the commit file", error) from error
    notes = [f"{unknown} commits left out: none of their sessions is among the stored ones"] if unknown else []
    return Dataset(name, queries, {"all": documents}, "session", home, notes=notes)


def read_places(repositories: Path) -> dict[str, tuple[Path, str]]:
    """The repository and the hash of each commit, by question id."""
    table = repositories / _PLACES
    try:
        rows = [line.split("\t") for line in read_bytes(table).decode("utf-8", "replace").splitlines()]
        return {qid: (repositories / repository, commit) for qid, repository, commit in rows}
    except ValueError as error:
        raise UsageError(f"{table} does not have three fields in each line", hint="see docs/benchmarks.md") from error
