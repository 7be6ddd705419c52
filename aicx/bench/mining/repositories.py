"""The commits of one's repositories with the sessions that made them, and questions mined from both."""

from __future__ import annotations

import math
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random

from aicx import git as gitcall
from aicx.bench.dataset import COUNTED, Query
from aicx.bench.mining import MinedSession, latest
from aicx.bench.mining.questions import is_elsewhere, words_of
from aicx.evidence.patterns import command_rules
from aicx.git.subjects import plain_subject
from aicx.values import dataclass
from retrieval.analysis import analyze

# People commit a while after they are done, and go on after they commit.
_AFTERWARDS = timedelta(hours=1)
# More sessions at once on the same files, and which one made the commit is a guess.
MAX_SESSIONS = 3
_SECONDS = 30.0  # for git on one repository
_AGENT = re.compile(r"\b(?:claude|codex|copilot|cursor|gemini|amp|opencode|aider|devin)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MinedCommit:
    """A commit on disk. ``files`` are relative to its repository, ``added`` those of them that it began.

    ``by_agent``: the subject is an agent's wording, as one ran the commit, or the commit names one. ``sessions`` are
    those that made it; several where each may have, and none where none is known.
    """

    repository: Path
    id: str
    at: datetime
    subject: str
    files: frozenset[str]
    added: frozenset[str]
    by_agent: bool
    sessions: tuple[MinedSession, ...] = ()


def read_history(
    sessions: Sequence[MinedSession], repositories: Path | None = None, *, seconds: float = math.inf
) -> list[MinedCommit]:
    """Every commit of the repositories that the sessions worked in, repository by repository, newest first.

    They are where the sessions were, or below ``repositories`` by the name of the project, ``owner/name``. Git has
    ``seconds`` for all of them; those that it does not come to are left out.
    """
    until = time.monotonic() + seconds
    printed = _printed(sessions)
    found: dict[str, MinedCommit] = {}
    for repository, working in _repositories(sessions, repositories).items():
        for commit in commits(repository, min(_SECONDS, until - time.monotonic())):
            # Either git said so in a log, or they were at work on the commit's files at that time.
            if said := [session for session in working if session.key in _sayers(commit, printed)]:
                found[commit.id] = replace(commit, sessions=tuple(said), by_agent=True)
            else:
                likely = tuple(session for session in working if _at_work(session, commit))
                found[commit.id] = replace(commit, sessions=likely)
    return list(found.values())


def commits(repository: Path, seconds: float = _SECONDS) -> Iterator[MinedCommit]:
    """The commits of all branches, merges left out. A repository that git cannot read in ``seconds`` has none."""
    form = "--format=%x01%H%x00%ct%x00%s%x00%(trailers:key=Co-authored-by,valueonly,separator=%x2C)"
    arguments = ("log", "--all", "--no-merges", "-M", "--name-status", form)
    for record in _output(repository, *arguments, seconds=seconds).split("\x01")[1:]:
        head, _, lines = record.partition("\n")
        commit_id, epoch, subject, authors = head.split("\x00")
        changes = [line.split("\t") for line in lines.splitlines() if "\t" in line]
        yield MinedCommit(
            repository,
            commit_id,
            datetime.fromtimestamp(int(epoch), UTC),
            subject,
            frozenset(names[-1] for _, *names in changes),
            frozenset(names[-1] for status, *names in changes if status == "A"),
            bool(_AGENT.search(authors)),
        )


def added_lines(repository: Path, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines that each of these commits adds, with its id."""
    commit = ""
    for line in _output(repository, "show", "--no-ext-diff", "--no-textconv", "--format=%x01%H", "-U0", *ids).split(
        "\n"
    ):
        if line.startswith("\x01"):
            commit = line[1:]
        elif line.startswith("+") and not line.startswith("+++"):
            yield commit, line[1:]


def _output(repository: Path, *arguments: str, seconds: float = _SECONDS) -> str:
    command = gitcall.command(repository, *arguments)
    if seconds <= 0:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=seconds, env=gitcall.environment())
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")


def _printed(sessions: Sequence[MinedSession]) -> Mapping[str, set[str]]:
    """The sessions in which git printed a commit being made, by the beginning of its hash and by its subject."""
    found: dict[str, set[str]] = {}
    for session in sessions:
        for text in session.tool_texts:
            for name, subject in command_rules().commit.findall(text) if "[" in text else ():
                for said in (name[:_SHORTEST], plain_subject(subject)):
                    found.setdefault(said, set()).add(session.key)
    return found


_SHORTEST = 7  # what git abbreviates a hash to at least


def _sayers(commit: MinedCommit, printed: Mapping[str, set[str]]) -> set[str]:
    """A rebase changes the hash and keeps the subject."""
    by_hash = printed.get(commit.id[:_SHORTEST], set())
    by_subject = printed.get(plain_subject(commit.subject), set())
    return by_hash or (by_subject if len(by_subject) == 1 else set())


def _repositories(sessions: Sequence[MinedSession], given: Path | None) -> dict[Path, list[MinedSession]]:
    """The repositories that sessions worked in. A session in a subfolder worked in the whole of it."""
    found: dict[Path, list[MinedSession]] = {}
    for session in sessions:
        roots = [
            next((place for place in (path, *path.parents) if (place / ".git").exists()), None)
            for path in map(Path, sorted(session.folders))
        ]
        if given is not None:
            roots += [given / name for name in sorted(session.projects) if (given / name / ".git").exists()]
        for root in dict.fromkeys(filter(None, roots)):
            found.setdefault(root, []).append(session)
    return found


def _at_work(session: MinedSession, commit: MinedCommit) -> bool:
    if not session.started_at <= commit.at <= session.completed_at + _AFTERWARDS:
        return False
    roots = (str(commit.repository), *session.folders)
    return any(_relative(path, roots) in commit.files for path in session.files)


def _relative(path: str, roots: Sequence[str]) -> str:
    for root in roots:
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    return path.removeprefix("./")


VERBATIM, AGENTS = "subject stands in the log", "subject by an agent"
_MIN_SUBJECT_WORDS = 3


def mine_subjects(
    history: Sequence[MinedCommit], sessions: Sequence[MinedSession], limit: int, random: Random
) -> list[Query]:
    """At most ``limit`` subjects of commits, those that count first: the session that made one answers it.

    A subject that an agent wrote restates its session in the session's words, and stands in the log besides; one that
    a person wrote asks for it from outside. So only those of people count.
    """
    now = latest(sessions)
    folded: dict[str, str] = {}
    found: list[Query] = []
    for made in history:
        subject = made.subject
        if not 0 < len(made.sessions) <= MAX_SESSIONS or len(set(analyze(subject).words)) < _MIN_SUBJECT_WORDS:
            continue
        for session in made.sessions:
            if session.key not in folded:
                folded[session.key] = " ".join(" ".join(session.texts).split()).casefold()
        said = any(plain_subject(subject) in folded[session.key] for session in made.sessions)
        part = VERBATIM if said else AGENTS if made.by_agent else COUNTED
        relevant = {session.key: 1 for session in made.sessions}
        found.append(Query(f"commit-{made.id[:12]}", subject, relevant, now=now, part=part))
    random.shuffle(found)
    order = (COUNTED, AGENTS, VERBATIM)
    return sorted(found, key=lambda query: order.index(query.part))[:limit]


BEGUN = "names that a commit began"
# A name is defined by these words in most languages; short and plain ones are those of many things.
_DEFINED = re.compile(
    r"^\s*(?:export |public |pub |async |static |default )*"
    r"(?:def|class|func|function|fn|struct|interface|type|enum|trait)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{7,60})\b"
)
_PARTS = re.compile(r"[A-Z]?[a-z]{3,}")
_MAX_READ = 300  # commits of a repository whose lines are read


def mine_changes(
    history: Sequence[MinedCommit], sessions: Sequence[MinedSession], limit: int, random: Random
) -> list[Query]:
    """At most ``limit`` files and symbols that commits began, half of them files, asked for by name.

    The session that made the commit is the answer. Only names that other sessions hold too are asked for: what one
    session alone holds, any index finds (see `mine_identifiers`).
    """
    lowered = {session.key: [text.lower() for text in session.texts] for session in sessions}
    now = latest(sessions)
    queries: list[Query] = []
    files = _once((path, made) for made in history for path in made.added)
    pools = {"file": files, "symbol": _symbols(history)}
    for kind, pool in pools.items():
        random.shuffle(pool)
        asked = ((name, made) for name, made in pool if _held_by_others(name, made, lowered))
        for name, made in islice(asked, limit - len(queries) if kind == "symbol" else limit // 2):
            relevant = {session.key: 1 for session in made.sessions}
            number = f"begun-{kind}-{len(queries)}"
            queries.append(Query(number, name, relevant, "identifier", now, part=BEGUN))
    return queries


def mine_controls(
    history: Sequence[MinedCommit], sessions: Sequence[MinedSession], limit: int, random: Random
) -> list[Query]:
    """At most ``limit`` questions that nothing answers, in the words and names of one's own repositories.

    A third each: files that never were in folders that are, symbols joined from halves of others, and subjects of
    commits that no session had a part in and of whose words none holds more than half.
    """
    texts = [text.lower() for session in sessions for text in session.texts]
    names = [name for name, _ in _symbols(history)]
    paths = sorted({path for made in history for path in made.files if "/" in path and "." in path})
    held = [words_of(session) for session in sessions]
    alone = sorted({made.subject for made in history if not made.sessions})
    random.shuffle(alone)
    symbols = _joined(names or [Path(path).stem for path in paths], random)
    files = (
        f"{Path(path).parent}/{name.lower()}{Path(path).suffix}"
        for path, name in zip(
            random.sample(paths, len(paths)),
            _joined(names or [Path(path).stem for path in paths], random),
            strict=False,
        )
    )
    pools = (
        (name for name in files if not any(Path(name).stem in text for text in texts)),
        (name for name in symbols if not any(name.lower() in text for text in texts)),
        (subject for subject in alone if is_elsewhere(subject, held)),
    )
    now = latest(sessions)
    found = [name for pool in pools for name in islice(pool, limit // len(pools))]
    return [Query(f"never-{number}", name, type="negative", now=now) for number, name in enumerate(found)]


def _symbols(history: Sequence[MinedCommit]) -> list[tuple[str, MinedCommit]]:
    """Names that the lines of one commit alone define, of the newest commits of each repository."""
    found: list[tuple[str, MinedCommit]] = []
    for repository in dict.fromkeys(made.repository for made in history):
        mine = {made.id: made for made in history if made.repository == repository}
        ids = list(islice(mine, _MAX_READ))
        defined = ((line, commit) for commit, line in added_lines(repository, ids) if commit in mine)
        found += [(name[1], mine[commit]) for line, commit in defined if (name := _DEFINED.match(line))]
    return _once(found)


def _once(pairs: Iterable[tuple[str, MinedCommit]]) -> list[tuple[str, MinedCommit]]:
    """Names that come from one commit only, in their order."""
    holders: dict[str, MinedCommit | None] = {}
    for name, made in pairs:
        holders[name] = made if holders.get(name, made) is made else None
    return [(name, made) for name, made in sorted(holders.items()) if made]


def _held_by_others(name: str, made: MinedCommit, lowered: dict[str, list[str]]) -> bool:
    """Whether its session is known and holds it, and some other does."""
    if not 0 < len(made.sessions) <= MAX_SESSIONS:
        return False
    sought = name.lower()
    makers = {session.key for session in made.sessions}
    holders = {key for key, texts in lowered.items() if any(sought in text for text in texts)}
    return bool(holders & makers) and bool(holders - makers)


def _joined(names: Sequence[str], random: Random) -> Iterator[str]:
    """New names of the first word of one and the last of another, in the usual two styles in turns."""
    halves = [parts for name in names if len(parts := _PARTS.findall(name)) > 1]
    random.shuffle(halves)
    for number, (first, last) in enumerate(zip(halves, halves[1:] + halves[:1], strict=True)):
        one, other = first[0].lower(), last[-1].lower()
        if one != other:
            yield f"{one}_{other}" if number % 2 else f"{one}{other.capitalize()}"
