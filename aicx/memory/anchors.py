"""A record and its repository: the lines and files that it rests on, and the values that it claims, compared with both.

Anchors are taken when it is stated and compared when it is read. Size and times come before content: a file that is as
it was when it was last compared is not opened.

A claim's key may name a value in a file (``pyproject.toml#project.requires-python``), a file that is there or not
(``file:PATH`` with ``exists`` or ``absent``), or what the lock files show (``package-manager``).
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import orjson

from aicx.errors import NotFound, UsageError
from aicx.git import inside
from aicx.memory.record import Anchor
from aicx.memory.seal import keyed
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.git.state import Git


_LINES = re.compile(r"(?P<path>.+?)#L(?P<first>\d+)(?:-L?(?P<last>\d+))?")
_MAX_BYTES = 8 << 20
_MAX_COMMITS = 8  # that git is asked about when files are gone
_MAX_LISTED = 1 << 20
_MAX_UNTRACKED = 200  # files that are looked into for what a file that is gone had, each at most so large
_MAX_UNTRACKED_BYTES = 1 << 20
_SECONDS = 1.0  # for listing them

State = Literal["current", "relocated", "changed", "missing", "moved", "unreadable", "unchecked"]
# Size, times of modification and of the last change of anything, and inode: a file with the same is the same.
Stamp = str


@dataclass(frozen=True, slots=True)
class AnchorState:
    """The state of an anchor. ``first`` and ``last`` are the lines' place where they moved, ``path`` a new name."""

    state: State
    first: int | None = None
    last: int | None = None
    path: str | None = None

    def encode(self) -> str:
        return f"{self.state}.{self.first or ''}.{self.last or ''}"

    @classmethod
    def decode(cls, text: str) -> AnchorState:
        """Raises ValueError."""
        state, first, last = text.split(".")
        if state not in get_args(State):
            raise ValueError(text)
        return cls(state, int(first) if first else None, int(last) if last else None)  # type: ignore[arg-type]


@dataclass(slots=True)
class Compared:
    """The states found at stamps of files: by key the stamp, an encoded `AnchorState` and a mark of all three.

    ``new`` is what is not in the index yet. ``secret`` is the home's key: another hand's row counts for nothing.
    """

    known: dict[str, tuple[Stamp, str, int]] = field(default_factory=dict)
    new: dict[str, tuple[Stamp, str, int]] = field(default_factory=dict)
    secret: bytes = b""

    def look_up(self, key: str, stamp: Stamp) -> AnchorState | None:
        """Returns the state found at ``stamp``; None where that is not known, or the row is damaged."""
        row = self.known.get(key)
        if row is None or row[0] != stamp or row[2] != self._mark(key, stamp, row[1]):
            return None
        return _CURRENT if row[1] == _SAME else AnchorState.decode(row[1])

    def learn(self, key: str, stamp: Stamp, found: AnchorState) -> AnchorState:
        text = found.encode()
        self.known[key] = self.new[key] = stamp, text, self._mark(key, stamp, text)
        return found

    def _mark(self, key: str, stamp: Stamp, text: str) -> int:
        return keyed(self.secret, f"{key}\0{stamp}\0{text}".encode("utf-8", "surrogatepass"))


_CURRENT = AnchorState("current")
_SAME = _CURRENT.encode()
_UNCHECKED = AnchorState("unchecked")


def parse_anchor(text: str) -> tuple[str, int | None, int | None]:
    """Path and lines of ``PATH`` or ``PATH#L1-L9``. Raises UsageError."""
    match = _LINES.fullmatch(text)
    if match is None:
        if not text or "#L" in text:
            raise UsageError(f"{text!r} is no anchor", hint="write PATH or PATH#L10-L20")
        return text, None, None
    first = int(match["first"])
    last = int(match["last"] or first)
    if not 1 <= first <= last:
        raise UsageError(f"{text!r} names no lines", hint="write PATH#L10-L20, the first line before the last")
    return match["path"], first, last


def take_anchor(root: Path, folder: Path, text: str, commit: str | None) -> Anchor:
    """The anchor that ``text`` writes, relative to ``folder`` or to the repository's ``root``, by what is there now.

    Raises NotFound where there is no such file or no such lines, UsageError for one outside the repository.
    """
    written, first, last = parse_anchor(text)
    for place in (folder / written, root / written):
        try:
            relative = Path(os.path.abspath(place)).relative_to(os.path.abspath(root))  # noqa: PTH100  links stay
        except ValueError:
            continue
        if inside(root, str(relative)):
            return _taken(root, str(relative), first, last, commit)
        if os.path.lexists(place):
            raise UsageError(f"{written} is no file inside the repository {root}", hint="anchor to a file of its own")
    raise NotFound(f"there is no file {written} in {root}", hint="anchors name a file of the repository")


def _taken(root: Path, path: str, first: int | None, last: int | None, commit: str | None) -> Anchor:
    body = _read(root / path)
    if body is None:
        raise UsageError(f"{path} is too large to anchor to, or cannot be read")
    if first is None or last is None:
        return Anchor(path, sha256(body).hexdigest(), commit=commit)
    lines = _lines(body)
    if last > len(lines):
        raise NotFound(f"{path} has {len(lines)} lines", hint="anchor to lines that are there")
    return Anchor(path, _digest(lines[first - 1 : last]), first, last, commit)


def compare(root: Path | None, anchors: Iterable[Anchor], compared: Compared) -> dict[Anchor, AnchorState]:
    """Compares each anchor with its file. Without a repository at hand nothing is known of any."""
    if root is None:
        return dict.fromkeys(anchors, _UNCHECKED)
    top = str(root)
    found: dict[Anchor, AnchorState] = {}
    stamps: dict[str, Stamp | None] = {}
    gone: list[Anchor] = []
    for anchor in anchors:
        path = anchor.path
        stamp = stamps[path] if path in stamps else stamps.setdefault(path, _stamp(f"{top}/{path}"))
        if stamp is None:
            gone.append(anchor)
            continue
        key = key_of(top, anchor)
        found[anchor] = compared.look_up(key, stamp) or compared.learn(key, stamp, _look(root, anchor))
    return found | _renamed(root, gone)


def key_of(top: str, anchor: Anchor) -> str:
    """Returns the key for the state of an anchor in the repository at ``top``."""
    return f"{top}\0{anchor.path}\0{anchor.first}\0{anchor.last}\0{anchor.sha256}"


def _look(root: Path, anchor: Anchor) -> AnchorState:
    body = _read(root / anchor.path) if inside(root, anchor.path) else None
    if body is None:
        return AnchorState("unreadable")
    if anchor.first is None or anchor.last is None:
        return _CURRENT if sha256(body).hexdigest() == anchor.sha256 else AnchorState("changed")
    lines = _lines(body)
    if _digest(lines[anchor.first - 1 : anchor.last]) == anchor.sha256:
        return _CURRENT
    before, count = anchor.first - 1, anchor.last - anchor.first + 1
    starts = sorted(range(len(lines) - count + 1), key=lambda start: abs(start - before))
    for start in starts:  # the nearest place first, where the same lines are there more than once
        if _digest(lines[start : start + count]) == anchor.sha256:
            return AnchorState("relocated", start + 1, start + count)
    return AnchorState("changed")


def _renamed(root: Path, gone: list[Anchor]) -> dict[Anchor, AnchorState]:
    """Anchors whose file is gone, and the name that git says it has now."""
    if not gone:
        return {}
    commits = sorted({anchor.commit for anchor in gone if anchor.commit})[:_MAX_COMMITS]
    from aicx.git.state import Git  # imported here: only a file that is gone needs it

    git = Git(root)
    names = {commit: _names_now(git, commit) for commit in commits}
    named = {one: new for one in gone if (new := names.get(one.commit or "", {}).get(one.path))}
    found = {one: AnchorState("moved", path=new) for one, new in named.items()}
    unknown = [one for one in gone if one not in found]
    if unknown:
        found |= dict.fromkeys(unknown, AnchorState("missing")) | _among_untracked(root, Git(root, _SECONDS), unknown)
    return found


def _among_untracked(root: Path, git: Git, gone: list[Anchor]) -> dict[Anchor, AnchorState]:
    """The new files with the ending of the old one that have what each anchor had: renamed, and git not told yet."""
    said = git.ask_some(_MAX_LISTED, "ls-files", "--others", "--exclude-standard", "-z") or ""
    endings = {Path(anchor.path).suffix for anchor in gone}
    paths = [path for path in said.split("\0")[:-1] if Path(path).suffix in endings][:_MAX_UNTRACKED]
    found: dict[Anchor, AnchorState] = {}
    for path in paths:
        stamp = _stamp(f"{root}/{path}")
        if stamp is None or int(stamp.partition(".")[0]) > _MAX_UNTRACKED_BYTES:
            continue
        for one in gone:
            if one not in found and Path(one.path).suffix == Path(path).suffix:
                there = _look(root, replace(one, path=path))
                if there.state in ("current", "relocated"):
                    found[one] = AnchorState("moved", there.first, there.last, path)
    return found


def _names_now(git: Git, commit: str) -> Mapping[str, str]:
    """Old name -> new name of the files that were renamed since ``commit``, staged renames among them."""
    if not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        return {}
    said = git.ask_some(
        _MAX_LISTED,
        *("diff", "--cached", "--name-status", "-z", "-M", "--diff-filter=R", "--no-ext-diff", "--no-textconv"),
        *("--relative", "--end-of-options", commit, "--"),
    )
    fields = (said or "").split("\0")
    return {fields[at + 1]: fields[at + 2] for at in range(0, len(fields) - 2, 3)}


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116  thousands a look: a `Path` would take longer than the call
    except (OSError, ValueError):
        return None
    return f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_ino}"


def _read(path: Path) -> bytes | None:
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        return path.read_bytes()
    except OSError:
        return None


def _lines(body: bytes) -> list[bytes]:
    """The lines of a file without the white space at their ends, which says nothing."""
    lines = [line.rstrip() for line in body.split(b"\n")]
    return lines[:-1] if lines and not lines[-1] else lines


def _digest(lines: list[bytes]) -> str:
    return sha256(b"\n".join(lines)).hexdigest()


_MAX_PARSED = 1 << 20
_FORMATS = (".toml", ".json")
_LOCKS = {
    "package-lock.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "Pipfile.lock": "pipenv",
    "Cargo.lock": "cargo",
}


def normal(value: str) -> str:
    """A claim's key or value as it is compared."""
    return " ".join(unicodedata.normalize("NFKC", value).split()).casefold()


def claim_marks(topic: str, claims: Mapping[str, str]) -> dict[str, str]:
    """The claims as hashes: of topic and key, and of the value. Equal marks with another value are a conflict."""
    return {_mark(f"{normal(topic)}\0{normal(key)}"): _mark(normal(value)) for key, value in sorted(claims.items())}


def place_mark(kind: str, repository: str | None) -> str:
    """Marks a record that claims something, so that it is known when its files are gone: its kind, and its place."""
    return f"{kind}:{'' if repository is None else _mark(repository)}"


def _mark(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def repository_says(root: Path | None, keys: Iterable[str]) -> dict[str, frozenset[str]]:
    """Key -> the values that the repository has for it now, normal; without the keys of which it says nothing."""
    if root is None:
        return {}
    found = {key: _says(root, key) for key in set(keys)}
    return {key: frozenset(map(normal, values)) for key, values in found.items() if values}


def _says(root: Path, key: str) -> set[str]:
    if key == "package-manager":
        return {manager for lock, manager in _LOCKS.items() if (root / lock).is_file()}
    if key.startswith("file:"):
        path = key.removeprefix("file:")
        return {"exists" if inside(root, path) else "absent"} if path else set()
    path, mark, dotted = key.partition("#")
    if not mark or not path.endswith(_FORMATS) or not inside(root, path):
        return set()
    value = _value_at(_parsed(root / path), dotted)
    return set() if value is None else {value}


def _parsed(path: Path) -> Any:
    try:
        if path.stat().st_size > _MAX_PARSED:
            return None
        body = path.read_bytes()
        if path.suffix == ".json":
            return orjson.loads(body)
        import tomllib  # imported here: few claims name such a file

        return tomllib.loads(body.decode())
    except (OSError, ValueError):  # the errors of both parsers are ValueErrors
        return None


def _value_at(value: Any, dotted: str) -> str | None:
    """The text, number or flag at a path of keys; None for anything else, which no claim can be compared with."""
    for part in dotted.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
