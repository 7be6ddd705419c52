"""Finds what a text names of a repository: commits by their subject, hash or number, a tag, a branch, a file.

`may_name` looks at a few files and starts no git, so that a question that names nothing costs next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from aicx.git import inside
from aicx.git.subjects import may_be_subject, near_lines
from aicx.values import dataclass, regex

if TYPE_CHECKING:
    from aicx.git.history import HistoryCommit
    from aicx.git.state import Git

Kind = Literal["subject", "hash", "number", "tag", "branch", "file"]

# What naming it tells of when the work was done, from 0 to 1. A subject or a hash means one commit. A branch or a file
# is named for what it is, and was worked on in many sessions.
_WEIGHTS: dict[Kind, float] = {"subject": 1.0, "hash": 1.0, "number": 1.0, "tag": 0.5, "branch": 0.25, "file": 0.125}
# A commit that only mentions the number.
_MENTIONS = 0.5
# The newest subjects that are read: a fraction of a second of git's time, while the indexes are searched.
_MAX_SUBJECTS, _MAX_BYTES = 20_000, 4_000_000
# A subject of more commits ("fix tests") does not tell when the work was done.
_MAX_COMMITS = 8
# Of each kind of name in one text.
_MAX_NAMES = 4
# Of a longer text, a pasted one, the beginning is looked at.
MAX_TEXT = 1000
_HASH = regex(r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b")
_NUMBER = regex(
    r"(?:(?<![\w#])#|\b(?:PR|MR|pull request|merge request|issue|ticket)\s+#?)(\d{1,9})(?![\w-])", re.IGNORECASE
)
_ADDRESS = regex(r"([\w.-]+)/(?:-/)?(?:pull|issues|merge_requests)/(\d{1,9})\b")
_TOKEN = regex(r"[\w@+.][\w@+./-]*[\w@+]")
_REF = regex(r"\b(?:branch|tag)\s+([\w@+.][\w@+./-]*[\w@+])|([\w@+.][\w@+./-]*[\w@+])\s+(?:branch|tag)\b")
_FILE_NAME = regex(r"[\w@+.-]*[\w@+-]{2}\.[A-Za-z]\w{0,7}")
_MAIN_NAMES = frozenset({"main", "master", "trunk", "develop", "HEAD"})


@dataclass(frozen=True, slots=True)
class NamedCommits:
    """A part of a text, and the commits it names: of a file the newest that changed it.

    ``weight``, from 0 to 1, is how much that tells of when and where the work was done. ``path`` is that of a file.
    """

    kind: Kind
    name: str
    weight: float
    commits: tuple[HistoryCommit, ...]
    path: str | None = None


def may_name(text: str, root: Path, common: Path) -> bool:
    """Whether ``text`` may name something of the repository at ``root``, whose git folder is ``common``.

    No for most plain questions.
    """
    if may_be_subject(text) or _HASH.search(text) or _NUMBER.search(text) or _ADDRESS.search(text):
        return True
    names = _some(_names(text))
    return any(_FILE_NAME.fullmatch(name) or inside(root, name) for name in names) or _may_be_refs(names, common)


def find_named(
    git: Git, root: Path, text: str, since: datetime, repository: Collection[str] = ()
) -> list[NamedCommits]:
    """Finds the commits of the repository at ``root`` that ``text`` names, the surest first.

    Commits from before ``since`` are left out.

    ``repository`` has the names that a pull request's address may have for it. Git is called two or three times as a
    rule, some twenty at most.
    """
    # Imported here: most questions name nothing.
    from aicx.git.history import find_commit, list_hashes, read_changes

    begin = f"--since=@{int(since.timestamp())}"
    found: list[tuple[Kind, str, float, list[str], str | None]] = []
    if may_be_subject(text):
        found += [("subject", text, near, hashes, None) for near, hashes in _by_subject(git, text, begin)]
    exact = any(near == 1 for _, _, near, _, _ in found)
    for name in _some(_HASH.findall(text)):
        found += [("hash", name, 1.0, [commit], None)] if (commit := find_commit(git, name)) else []
    numbers = [*_NUMBER.findall(text), *(number for name, number in _ADDRESS.findall(text) if name in repository)]
    for number in () if exact else _some(numbers):
        own = rf"(\(#{number}\)$|^Merge .*[#!]{number}([^0-9]|$))"
        for weight, pattern in ((1.0, own), (_MENTIONS, rf"([#!]|/(pull|issues|merge_requests)/){number}([^0-9]|$)")):
            if hashes := list_hashes(git, _MAX_COMMITS, "--all", begin, "-E", f"--grep={pattern}"):
                found.append(("number", f"#{number}", weight, hashes, None))
                break
    found += _by_ref(git, text)
    for path in () if exact else _some(_paths(git, root, text)):
        hashes = list_hashes(git, _MAX_COMMITS, begin, "--follow", paths=[f":(top,literal){path}"])
        found.append(("file", path, 1.0, hashes, path))
    changes = {change.hash: change for change in read_changes(git, _some((h for item in found for h in item[3]), 32))}
    return [
        NamedCommits(kind, name, _WEIGHTS[kind] * weight, tuple(changes[h] for h in hashes if h in changes), path)
        for kind, name, weight, hashes, path in found
    ]


def _names(text: str) -> Iterator[str]:
    """The parts of a text that may be a hash, a branch, a tag or a file: no plain words."""
    yield from _HASH.findall(text)
    yield from (one or other for one, other in _REF.findall(text))
    yield from (token for token in _TOKEN.findall(text) if re.search(r"[-/_.\d]", token) and not token.isdecimal())


def _may_be_refs(names: Collection[str], common: Path) -> bool:
    """Whether one of the names is a branch or a tag; also where only git can tell."""
    try:
        if not names or (common / "reftable").exists():
            return bool(names)
        remotes = common / "refs/remotes"
        places = [common / "refs/heads", common / "refs/tags", *(remotes.iterdir() if remotes.is_dir() else ())]
        if any((place / name).is_file() for place in places for name in names):
            return True
        with (common / "packed-refs").open("rb") as stream:
            packed = stream.read(_MAX_BYTES)
        return any(f"/{name}\n".encode("utf-8", "surrogateescape") in packed for name in names)
    except (OSError, ValueError):  # no packed refs, or none that may be read
        return False


def _by_subject(git: Git, text: str, begin: str) -> list[tuple[float, list[str]]]:
    said = git.ask_some(
        _MAX_BYTES, "log", "--all", "--reflog", begin, f"--max-count={_MAX_SUBJECTS}", "--format=%H %s", "--"
    )
    near = dict(near_lines(said or "", text))
    best = max(near.values(), default=0.0)
    hashes = [commit for commit, nearness in near.items() if nearness == best]
    return [(best, hashes)] if 0 < len(hashes) <= _MAX_COMMITS else []


def _by_ref(git: Git, text: str) -> list[tuple[Kind, str, float, list[str], str | None]]:
    names = [name for name in _some(_names(text)) if name not in _MAIN_NAMES and ".." not in name]
    if not names:
        return []
    patterns = [f"{place}{name}" for name in names for place in ("refs/heads/", "refs/remotes/*/", "refs/tags/")]
    said = git.ask("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", *patterns) or ""
    found: dict[tuple[Kind, str], str] = {}
    for ref, *objects in map(str.split, said.splitlines()):
        kind: Kind = "tag" if ref.startswith("refs/tags/") else "branch"
        name = ref.split("/", 3)[-1] if ref.startswith("refs/remotes/") else ref.split("/", 2)[-1]
        if name in names:  # git also lists what is below a pattern
            found.setdefault((kind, name), objects[-1])
    return [(kind, name, 1.0, [commit], None) for (kind, name), commit in found.items()]


def _paths(git: Git, root: Path, text: str) -> Iterator[str]:
    tokens = [token.removeprefix("./") for token in _TOKEN.findall(text) if "/" in token or "." in token]
    for token in _some(tokens):
        if inside(root, token):
            yield token
        elif _FILE_NAME.fullmatch(token):
            said = git.ask_some(_MAX_BYTES, "ls-files", "-z", "--", f":(top,glob)**/{token}")
            listed = [path for path in (said or "").split("\0") if path]
            yield from listed if len(listed) <= _MAX_NAMES else ()


def _some(names: Iterator[str] | Collection[str], limit: int = _MAX_NAMES) -> list[str]:
    return list(dict.fromkeys(names))[:limit]
