"""The target of `aicx why`: a commit, a file, some of its lines, a tag, a range, a pull request, issue or ticket."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Literal

from aicx.errors import AicxError, NotFound, UsageError
from aicx.git import Roots
from aicx.git.history import blame, find_commit, list_hashes, shallow_ends
from aicx.git.identity import find_repository, parts_of, remote_urls
from aicx.git.state import Git, GitState
from aicx.refs import Ref, file_place
from aicx.values import dataclass, regex

_NUMBER = regex(r"(?:[#!]|(?:PR|MR|pull request|merge request|issue|ticket|discussion) *[#!]?)(\d{1,9})", re.IGNORECASE)
_ADDRESS = regex(
    r"https?://[^/\s]+/([\w.-]+(?:/[\w.-]+)*?)/(?:-/)?(?:pull|issues|merge_requests|discussions)/(\d{1,9})(?:[/#?]\S*)?"
)
# Of a tracker such as Jira or Linear; in capitals, as they write it, and not the name of a standard.
_KEY = regex(r"(?!(?:ISO|RFC|SHA|UTF)-)[A-Z][A-Z0-9]{1,9}-\d{1,7}")


@dataclass(frozen=True, slots=True)
class Number:
    """``name`` is how it is written, such as `#12` or `ENT-109`; ``project`` the repository that an address names."""

    name: str
    project: str | None = None

    @property
    def in_messages(self) -> str:
        """The expression of git for what names it in a commit's message."""
        if self.name.startswith("#"):
            return rf"([#!]|/(pull|issues|merge_requests|discussions)/){self.name[1:]}([^0-9]|$)"
        return rf"(^|[^A-Za-z0-9]){self.name}([^0-9]|$)"

    @property
    def of_request(self) -> str:
        """The expression for the message of its own commit, rather than of one that mentions it."""
        if self.name.startswith("#"):
            return rf"(\({self.name}\)$|^Merge .*[#!]{self.name[1:]}([^0-9]|$))"
        return rf"^[^ ]*\[?{self.name}([^0-9]|$)"

    @property
    def in_logs(self) -> re.Pattern[bytes]:
        """The expression for what names it in a session."""
        if self.name.startswith("#"):
            said = rf"(?:[#!]|/(?:pull|issues|merge_requests|discussions)/){self.name[1:]}\b"
        else:
            said = rf"(?<![A-Za-z0-9]){self.name}(?![0-9])"
        return re.compile(said.encode(), re.IGNORECASE)

    @property
    def words(self) -> str:
        """The words that are searched for; the search takes signs for spaces, so `in_logs` decides."""
        digits = self.name.removeprefix("#")
        return f"#{digits} pull/{digits} issues/{digits} discussions/{digits}" if digits != self.name else self.name


def find_number(text: str) -> Number | None:
    """The request or issue that a target names: `#12`, `PR 12`, `!12` or an address; None for another text."""
    if found := _NUMBER.fullmatch(text.strip()):
        return Number(f"#{found[1]}")
    if found := _ADDRESS.fullmatch(text.strip()):
        return Number(f"#{found[2]}", found[1])
    return None


def find_key(text: str) -> Number | None:
    """The ticket that a target such as `ENT-109` names; a branch or a file may have that name too."""
    return Number(text) if _KEY.fullmatch(text) else None


def without_ends(hashes: list[str], git: Git, state: GitState) -> tuple[frozenset[str], list[str]]:
    """Those at which a shallow clone ends, and the others: who wrote what they seem to add is not known here."""
    common = find_repository(git.folder).common if state.shallow else None
    ends = shallow_ends(common).intersection(hashes) if common else frozenset[str]()
    return ends, [commit for commit in hashes if commit not in ends]


def has_line(place: Path, number: int) -> bool:
    """Whether a file of the working tree has a line of that number."""
    with suppress(OSError, ValueError):
        if place.is_file():
            with place.open("rb") as stream:
                return sum(1 for _ in islice(stream, number)) == number
    return False


def inner_place(place: Path, text: str, state: GitState) -> str | None:
    """Returns what to ask where a path is in a repository inside this one, such as a submodule."""
    with suppress(AicxError, OSError, ValueError):
        root = find_repository(place.parent).root
        if place.exists() and state.root is not None and os.path.realpath(root) != os.path.realpath(state.root):
            folder = os.path.relpath(os.path.realpath(place.parent), os.path.realpath(root))
            inner = Path(folder, text.rpartition("/")[2]).as_posix()
            return f"it is in a repository of its own: aicx why --repo {quote(str(root))} {quote(inner)}"
    return None


Kind = Literal["commit", "file", "lines", "tag", "range", "number", "subject"]

# Commits of one target that are followed, the newest first; each costs a look at the sessions of its time.
MAX_COMMITS = 8
# The hash that blame gives lines that are not committed yet.
UNCOMMITTED = regex("0{40,64}")
_LINES = regex(r"(?P<path>.+):(?P<first>\d{1,7})(?:-(?P<last>\d{1,7}))?")
_HASH = regex(r"[0-9a-fA-F]{7,64}")
_MAX_NAME = 4096
_OTHER_REPOSITORY = "the address is of another repository than this: only the logs are asked"
_SHALLOW = "the clone is shallow: who wrote what it begins with is not known here, only the logs are asked"
_NO_BLAME = "git could not say who wrote these lines here: the commits of the file are followed"
_NO_REPOSITORY = "no repository is at hand: only the logs are asked"


@dataclass(frozen=True, slots=True)
class WhyTarget:
    """The subject of a question. ``weights`` has the commits that it means, each with its share from 0 to 1.

    ``path`` is relative to the root where there is a repository. ``hash``, ``number`` and ``subject`` are what was
    asked for where git has no such commit, which a log may have. ``changed``: lines or a file that differ from what is
    committed. ``ends`` are commits at which a shallow clone ends, of which nothing is known but the message.
    """

    text: str
    kind: Kind
    weights: Mapping[str, float] = field(default_factory=dict)
    path: str | None = None
    lines: tuple[int, int] | None = None
    hash: str | None = None
    number: Number | None = None
    subject: str | None = None
    changed: bool = False
    ends: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def find_target(text: str, git: Git, state: GitState) -> WhyTarget:
    """Returns what ``text`` means in a repository, or without one.

    Raises UsageError for a text that names nothing, NotFound for an unknown name.
    """
    if not text.strip() or "\0" in text or "\n" in text or len(text) > _MAX_NAME:
        raise UsageError("name a commit, a file, FILE:LINE, #NUMBER, a tag or a range", hint="aicx why HEAD")
    if not _is_path(text, git):
        text = _without_prefix(text)
    if number := find_number(text):
        return _numbered(text, number, git, state)
    if state.usable and ".." in text and (found := _range(text, git)):
        return found
    if state.usable and not _is_path(text, git) and (commit := find_commit(git, text)):
        tagged = None if _HASH.fullmatch(text) else _tagged(text, commit, git)
        return tagged or WhyTarget(text, "commit", {commit: 1.0}, ends=without_ends([commit], git, state)[0])
    lines = _LINES.fullmatch(text)
    if lines and not _is_path(text, git):
        first, last = int(lines["first"]), int(lines["last"] or lines["first"])
        if not 0 < first <= last:
            raise UsageError(f"{text!r} names no lines", hint="write FILE:LINE or FILE:FIRST-LAST")
        return _lines_of(text, lines["path"], first, last, git, state)
    if _HASH.fullmatch(text) and not _is_path(text, git):
        return WhyTarget(text, "commit", hash=text.lower(), notes=(_unknown(text, state),))
    if (key := find_key(text)) and not _is_path(text, git):
        return _numbered(text, key, git, state)
    return _file(text, git, state)


def _without_prefix(text: str) -> str:
    """Returns what a reference to a commit, a file or its lines names, as it is written here."""
    if place := file_place(text):
        return place.path if place.first is None else f"{place.path}:{place.first}-{place.last}"
    ref = Ref.parse(text)
    return ref.value if ref.kind == "commit" else text


def _unknown(text: str, state: GitState) -> str:
    if not state.usable:
        return _NO_REPOSITORY
    shallow = "; the clone is shallow, older history is not here" if state.shallow else ""
    return f"this repository has no commit {text}{shallow}: only the logs are asked"


def _numbered(text: str, number: Number, git: Git, state: GitState) -> WhyTarget:
    """A pull request, issue or ticket: the commits whose messages name it."""
    # The repository of an address may be another one than this.
    asked = state.usable and (number.project is None or _is_remote(git, number.project))
    every = ("--all", "-i", "-E")
    hashes = list_hashes(git, MAX_COMMITS, *every, f"--grep={number.in_messages}") if asked else []
    # A subject that ends in the number is the request's own commit; other messages only mention it.
    own = list_hashes(git, MAX_COMMITS, *every, f"--grep={number.of_request}") if hashes else []
    weights = dict.fromkeys(hashes, 0.5) | dict.fromkeys(own, 1.0)
    unknown = f"no commit names {number.name}" if asked else _NO_REPOSITORY if not state.usable else _OTHER_REPOSITORY
    return WhyTarget(text, "number", weights, number=number, notes=() if weights else (unknown,))


def _is_remote(git: Git, project: str) -> bool:
    """Whether one of the repository's remotes is of that project."""
    named, common = parts_of(f"https://forge/{project}"), find_repository(git.folder).common
    return common is not None and any(parts_of(url) == named for url in remote_urls(common))


def _range(text: str, git: Git) -> WhyTarget | None:
    ends = [end for end in re.split(r"\.{2,3}", text) if end]
    if text.startswith("-") or not all(find_commit(git, end) for end in ends):
        return None
    return _several(text, "range", list_hashes(git, MAX_COMMITS + 1, "--no-merges", "--end-of-options", text))


def _tagged(text: str, commit: str, git: Git) -> WhyTarget | None:
    """A tag: what came since the tag before it; None where ``text`` is not a tag, or the first one."""
    if git.ask("show-ref", "--verify", "--quiet", f"refs/tags/{text}") is None:
        return None
    before = git.ask("describe", "--tags", "--abbrev=0", f"{commit}^")
    since = [f"^{before.strip()}"] if before and find_commit(git, before.strip()) else []
    return _several(text, "tag", list_hashes(git, MAX_COMMITS + 1, "--no-merges", "--end-of-options", commit, *since))


def _several(text: str, kind: Kind, hashes: list[str]) -> WhyTarget:
    notes = (f"only the newest {MAX_COMMITS} commits were followed",) if len(hashes) > MAX_COMMITS else ()
    notes = notes if hashes else (f"{text} holds no commit",)
    return WhyTarget(text, kind, dict.fromkeys(hashes[:MAX_COMMITS], 1.0), notes=notes)


def _file(text: str, git: Git, state: GitState) -> WhyTarget:
    path = _relative(text, git, state)
    if not state.usable:
        if _is_subject(text) and not _is_path(text, git):
            return WhyTarget(text, "subject", subject=text, notes=(_NO_REPOSITORY,))
        return WhyTarget(text, "file", path=path, changed=True, notes=(_NO_REPOSITORY,))
    found = list_hashes(git, MAX_COMMITS, "--follow", paths=[_from_root(path)])
    if not found and not _is_subject(text):
        # A partial clone has no contents by which to follow it.
        found = list_hashes(git, MAX_COMMITS, paths=[_from_root(path)])
    ends, hashes = without_ends(found, git, state)
    if ends and not hashes:
        return WhyTarget(text, "file", path=path, ends=ends, notes=(_SHALLOW,))
    changed = (Path(state.root or git.folder) / path).is_file() and bool(
        git.begin_status("--porcelain", "--", _from_root(path))()
    )
    if not hashes and not changed and _is_subject(text):
        named = list_hashes(git, MAX_COMMITS, "--all", "-i", "--fixed-strings", f"--grep={text}")
        notes = () if named else ("no commit of this repository has this subject: only the logs are asked",)
        return WhyTarget(text, "subject", dict.fromkeys(named, 1.0), subject=None if named else text, notes=notes)
    if not hashes and not changed:
        raise NotFound(
            f"{text!r} is not a commit, tag or file that this repository knows",
            hint=inner_place(git.folder / text, text, state) or "aicx why --help lists the targets",
        )
    # The newest commit says most of why a file is as it is.
    weights = {commit: 1.0 - place / (2 * MAX_COMMITS) for place, commit in enumerate(hashes)}
    return WhyTarget(text, "file", weights, path=path, changed=changed, notes=(_SHALLOW,) if ends else ())


def _lines_of(text: str, name: str, first: int, last: int, git: Git, state: GitState) -> WhyTarget:
    path = _relative(name, git, state)
    if not state.usable:
        return WhyTarget(text, "lines", path=path, lines=(first, last), changed=True, notes=(_NO_REPOSITORY,))
    top = os.path.realpath(state.root or git.folder)
    counts = blame(git, os.path.relpath(f"{top}/{path}", os.path.realpath(git.folder)), first, last)
    if not counts:
        committed = list_hashes(git, 1, paths=[_from_root(path)])
        if committed and has_line(Path(top, path), first):
            whole = _file(name, git, state)
            return replace(whole, text=text, kind="lines", lines=(first, last), notes=(*whole.notes, _NO_BLAME))
        hint = inner_place(git.folder / name, f"{name}:{first}", state) or "the file must be committed"
        raise NotFound(f"git knows no lines {first} to {last} of {name!r}", hint=hint)
    ends, hashes = without_ends(sorted(counts, key=lambda commit: -counts[commit]), git, state)
    kept = [commit for commit in hashes if not UNCOMMITTED.fullmatch(commit)][:MAX_COMMITS]
    weights = {commit: 0.5 + counts[commit] / sum(counts.values()) / 2 for commit in kept}
    changed = any(UNCOMMITTED.fullmatch(commit) for commit in counts)
    notes = (_SHALLOW,) if ends else ()
    lost = ends if not hashes else frozenset[str]()
    return WhyTarget(text, "lines", weights, path=path, lines=(first, last), changed=changed, ends=lost, notes=notes)


def _is_subject(text: str) -> bool:
    """Whether a text that names no file may be the first line of a commit's message: it has several words."""
    return len(text.split()) > 1


def _is_path(text: str, git: Git) -> bool:
    try:
        return os.path.lexists(git.folder / text)
    except ValueError:
        return False


def _relative(text: str, git: Git, state: GitState) -> str:
    """``text`` relative to the root; as it is where there is no repository. Raises UsageError for one outside it."""
    if state.root is None:
        return text.removeprefix("./")
    root = os.path.realpath(state.root)
    # Only the folder is followed: a link is a file of its own to git.
    name = git.folder / text
    place = str(Path(os.path.realpath(name.parent)) / name.name)
    found = Roots((root, str(state.root))).relative(place)
    if found is None:
        raise UsageError(f"{text!r} is not in the repository", hint="name a file of it, or use --repo FOLDER")
    return found


def _from_root(path: str) -> str:
    """A path of the repository as git takes it, wherever it is asked; without wildcards."""
    return f":(top,literal){path}"
