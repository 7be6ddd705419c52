"""Commits as git knows them: message, times, files, added lines; read in bounded amounts, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path

from aicx.git.state import Git
from aicx.values import dataclass, regex

# Of a commit that adds a whole vendored tree, the beginning tells enough.
_MAX_BYTES = 8_000_000
# Files of one commit that are compared with those of sessions.
_MAX_FILES = 500
# Each with a sign before it, so that no field is empty.
_FIELDS = ("=%H", "=%P", "=%an", "=%ae", "=%at", "=%ct", "=%s", "=%b")
# An empty field begins a commit: names and messages hold no NUL, and no path is empty.
_HEAD = "\0\0"
_PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all")
_HASH = regex(r"[0-9a-f]{40,64}")
_HUNK = regex(r"@@ -\S+ \+\S+ @@")
# A line of fewer signs, such as a closing bracket, is in every file.
_MIN_LINE = 10
_LATEST = 7_258_118_400  # the year 2200


@dataclass(frozen=True, slots=True)
class HistoryCommit:
    """A commit. ``files`` are relative to the repository's root, names before a rename among them."""

    hash: str
    parents: tuple[str, ...]
    author: str
    email: str
    authored_at: datetime
    committed_at: datetime
    subject: str
    body: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitPatch:
    """The change of a commit: ``id`` is the same for the same change on another base, ``added`` its telling lines."""

    id: str
    added: frozenset[str] = field(default_factory=frozenset)


def find_commit(git: Git, name: str) -> str | None:
    """The whole hash of the commit that a name, a tag or an abbreviated hash means; None where there is none."""
    said = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return said.strip() if said and _HASH.fullmatch(said.strip()) else None


def list_hashes(git: Git, limit: int, *selection: str, paths: Sequence[str] = ()) -> list[str]:
    """The newest commits that ``git log selection -- paths`` gives, at most ``limit``."""
    said = git.ask("log", f"--max-count={limit}", "--format=%H", *selection, "--", *paths)
    return [line for line in (said or "").split() if _HASH.fullmatch(line)]


def shallow_ends(common: Path) -> frozenset[str]:
    """The commits at which a shallow clone ends: to git they seem to add every file. ``common`` is git's own folder."""
    with suppress(OSError), (common / "shallow").open("rb") as stream:
        return frozenset(stream.read(_MAX_BYTES).decode("ascii", "replace").split())
    return frozenset()


def read_changes(git: Git, hashes: Sequence[str]) -> list[HistoryCommit]:
    """The named commits in the order given; a merge with what it brought to its first parent."""
    if not hashes:
        return []
    # A partial clone has no contents in which to recognise a renamed file, and may lack the names of files too.
    for names in (("-M", "--name-status"), ("--no-renames", "--name-status"), ("--no-patch",)):
        said = git.ask_some(
            _MAX_BYTES,
            *("log", "--no-walk=unsorted", "-z", "-m", "--first-parent", *names, *_PLAIN_DIFF),
            f"--format=%x00%x00{'%x00'.join(_FIELDS)}",
            *("--end-of-options", *hashes, "--"),
        )
        if said is not None:
            break
    found = {change.hash: change for block in (said or "").split(_HEAD) if (change := _read_change(block))}
    return [found[name] for name in hashes if name in found]


def read_patches(git: Git, hashes: Sequence[str]) -> dict[str, CommitPatch]:
    """Reads the changes of the named commits, by hash; what a partial clone lacks is left out."""
    if not hashes:
        return {}
    said = git.ask_some(
        _MAX_BYTES,
        *("log", "--no-walk=unsorted", "-p", "-m", "--first-parent", "-M", "--unified=0", *_PLAIN_DIFF),
        *("--format=%x00%H", "--end-of-options", *hashes, "--"),
    )
    found = {}
    for block in (said or "").split("\0"):
        name, _, diff = block.partition("\n")
        if name in hashes:
            found[name] = _read_patch(diff)
    return found


def read_log(git: Git, since: datetime, until: datetime) -> Iterator[HistoryCommit]:
    """Every commit of that time that any branch or reflog still has, without its body and files."""
    fields = "%x00".join(_FIELDS[:-1])
    window = (f"--since=@{int(since.timestamp())}", f"--until=@{int(until.timestamp())}")
    said = git.ask_some(_MAX_BYTES, "log", "--all", "--reflog", *window, f"--format=%x00%x00{fields}%x00", "--")
    for block in (said or "").split(_HEAD):
        if change := _read_change(block):
            yield change


def blame(git: Git, path: str, first: int, last: int) -> dict[str, int]:
    """How many of the lines ``first`` to ``last`` of a file each commit wrote, moved lines followed.

    Lines that are not committed are under a hash of zeros.
    """
    environ = git.unfiltered()  # git would run the filters that the settings name
    said = environ and git.ask_some(
        _MAX_BYTES,
        *("blame", "-w", "-M", "-C", "--porcelain", "--no-textconv", "--ignore-revs-file=", f"-L{first},{last}"),
        *("--", path),
        environ=environ,
    )
    found: dict[str, int] = {}
    for line in (said or "").splitlines():
        words = line.split(" ")
        if not line.startswith("\t") and len(words) in (3, 4) and _HASH.fullmatch(words[0]) and words[1].isdigit():
            found[words[0]] = found.get(words[0], 0) + 1
    return found


def branches_with(git: Git, commit: str, limit: int = 10) -> list[str]:
    """The branches, of remotes too, whose history holds a commit."""
    said = git.ask(
        *("for-each-ref", f"--contains={commit}", f"--count={limit}", "--format=%(refname)"),
        *("refs/heads", "refs/remotes"),
    )
    full = [line for line in (said or "").splitlines() if line.count("/") >= 2]
    names = (ref.split("/", 2)[2] if ref.startswith("refs/heads/") else ref.split("/", 3)[-1] for ref in full)
    return list(dict.fromkeys(names))


def _read_change(block: str) -> HistoryCommit | None:
    parts = block.strip("\0").split("\0")
    if len(parts) < len(_FIELDS) - 1 or not _HASH.fullmatch(parts[0][1:]):
        return None
    commit, parents, author, email, authored, committed, subject, body, *rest = (
        *(part[1:] for part in parts[: len(_FIELDS)]),
        *([""] if len(parts) < len(_FIELDS) else []),
        *parts[len(_FIELDS) :],
    )
    return HistoryCommit(
        commit,
        tuple(parents.split()),
        author,
        email,
        _at(authored),
        _at(committed),
        subject,
        body.strip(),
        tuple(dict.fromkeys(_paths(rest)))[:_MAX_FILES],
    )


def _paths(parts: Sequence[str]) -> Iterator[str]:
    """The names in what ``--name-status -z`` prints: a letter, then one name, or two of a rename."""
    left = iter(part.lstrip("\n") for part in parts)
    for status in takewhile(bool, left):
        for _ in range(2 if status[0] in "RC" else 1):
            if name := next(left, ""):
                yield name


def _read_patch(diff: str) -> CommitPatch:
    digest = blake2b(digest_size=16)
    added = set()
    for line in diff.splitlines():
        if line.startswith("index ") or _HUNK.match(line):
            continue  # these say where the change was applied, not what it is
        digest.update("".join(line.split()).encode("utf-8", "surrogateescape"))
        if line.startswith("+") and not line.startswith("+++ ") and len(line.strip("+ \t")) >= _MIN_LINE:
            added.add(line[1:].strip())
    return CommitPatch(digest.hexdigest() if diff.strip() else "", frozenset(added))


def _at(seconds: str) -> datetime:
    # A commit may claim any time. Sessions are from between these, and other times can be added to them.
    claimed = int(seconds) if seconds.lstrip("-").isdecimal() else 0
    return datetime.fromtimestamp(min(max(claimed, 0), _LATEST), UTC)
