"""The commits of one's repositories with the sessions that made them, as git and the logs tell."""

from __future__ import annotations

import math
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aicx.bench.mining.sessions import MinedSession
from aicx.evidence.patterns import command_rules
from aicx.git import command as gitcall
from aicx.git.subjects import plain_subject
from aicx.values import dataclass

# People commit a while after they are done, and go on after they commit.
_AFTERWARDS = timedelta(hours=1)
# More sessions at once on the same files, and which one made the commit is a guess.
MAX_SESSIONS = 3
_SECONDS = 30.0  # for git on one repository
_AGENT = re.compile(r"\b(?:claude|codex|copilot|cursor|gemini|amp|opencode|aider|devin)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MinedCommit:
    """A commit on disk. ``files`` are relative to its repository, ``added`` those of them that it began.

    ``by_agent``: it says that an agent had a part in it.
    """

    id: str
    at: datetime
    subject: str
    files: frozenset[str]
    added: frozenset[str]
    by_agent: bool


@dataclass(frozen=True, slots=True)
class MadeCommit:
    """A commit and the sessions that made it; several where each may have. None is known for one without.

    ``printed``: git said so in a log. Else the sessions were at work on the commit's files at that time.
    """

    commit: MinedCommit
    repository: Path
    sessions: tuple[MinedSession, ...]
    printed: bool

    @property
    def by_agent(self) -> bool:
        """Whether the subject is an agent's wording: it ran the commit, or the commit names it."""
        return self.printed or self.commit.by_agent


def read_history(
    sessions: Sequence[MinedSession], repositories: Path | None = None, *, seconds: float = math.inf
) -> list[MadeCommit]:
    """Every commit of the repositories that the sessions worked in, repository by repository, newest first.

    They are where the sessions were, or below ``repositories`` by the name of the project, ``owner/name``. Git has
    ``seconds`` for all of them; those that it does not come to are left out.
    """
    until = time.monotonic() + seconds
    printed = _printed(sessions)
    found: dict[str, MadeCommit] = {}
    for repository, working in _repositories(sessions, repositories).items():
        for commit in commits(repository, min(_SECONDS, until - time.monotonic())):
            said = [session for session in working if session.key in _sayers(commit, printed)]
            if said:
                found[commit.id] = MadeCommit(commit, repository, tuple(said), printed=True)
                continue
            likely = tuple(session for session in working if _at_work(session, commit, repository))
            found[commit.id] = MadeCommit(commit, repository, likely, printed=False)
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


def _at_work(session: MinedSession, commit: MinedCommit, repository: Path) -> bool:
    if not session.started_at <= commit.at <= session.completed_at + _AFTERWARDS:
        return False
    roots = (str(repository), *session.folders)
    return any(_relative(path, roots) in commit.files for path in session.files)


def _relative(path: str, roots: Sequence[str]) -> str:
    for root in roots:
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    return path.removeprefix("./")
