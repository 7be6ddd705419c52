"""Commits by hash and subject, and requests by number and title, as git and the forges' clients print them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

_COMMIT_LINE = re.compile(
    r"^[*|/\\_ ]*(?:HEAD is now at |Saved working directory and index state WIP on [^:\n]+: )?([0-9a-f]{7,40})"
    # not `git blame`, whose brackets hold a date
    r" (?!\([^)\n]* \d{4}-\d\d-\d\d )(?:\([^)\n]*\) )?(\S[^\n]{2,}?)[ \t]*$"
    r"|^\[[^\]\n]*?([0-9a-f]{7,40})\] (\S[^\n]{2,})$"
    r"|^commit ([0-9a-f]{40})\b[^\n]*\n(?:[A-Z][^\n]*\n){1,6}\n    (\S[^\n]{2,})$",
    re.MULTILINE,
)
_TITLE = r'"((?:[^"\\\n]|\\.){3,400})"'
_REQUEST = re.compile(
    # `gh pr list` and `gh issue list`
    r"^(\d{1,7})\t(\S[^\t\n]{2,400})\t[^\t\n]*\t(?:OPEN|MERGED|CLOSED|DRAFT)\b"
    r"|^(\d{1,7})\t(?:OPEN|CLOSED)\t(\S[^\t\n]{2,400})\t"
    r"|[Pp]ull request (?:[\w.-]+/[\w.-]+)?#(\d{1,7}) \((\S[^\n]{2,400})\)$"
    rf'|"number": ?(\d{{1,7}})\b[^{{}}]{{0,300}}?"title": ?{_TITLE}',
    re.MULTILINE,
)
_VIEWED = re.compile(r"^title:\t(\S[^\n]{2,400})\n(?:[a-z]+:[^\n]*\n){1,12}?number:\t(\d{1,7})$", re.MULTILINE)
_CREATES = re.compile(r"\b[pm]r create\b[^;&|]*? (?:--title|-t)[ =](?:\"([^\"`$]{3,400})\"|'([^']{3,400})')")
_CREATED = re.compile(r"^https?://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/(\d{1,7})\s*$", re.MULTILINE)
# One of them is in everything that the two match.
_SIGNS = ("OPEN", "MERGED", "CLOSED", "DRAFT", "ull request ", '"number":', "\nnumber:\t")
_QUOTED = 8  # the group with a title in JSON
_MARKED = 10  # characters: "fix", "wip" and the like say nothing
_MAX_LISTED = 60  # of one output


class ListedChange(NamedTuple):
    """A commit, or a pull request or issue, whose ``name`` is then its number with a `#`."""

    name: str
    subject: str
    made: bool = False  # by the command that printed it


def listed_commits(output: str) -> list[ListedChange]:
    """The commits that an output names together with their subjects, each once."""
    found: dict[str, ListedChange] = {}
    for line in _COMMIT_LINE.finditer(output):
        short, subject, made, own, whole, title = line.groups()
        # `[main 1f2e3d4] subject` is what `git commit` answers; a log may print `[1f2e3d4]`.
        is_made = bool(made) and output[line.start(3) - 1] == " "
        name = short or made or whole
        # Numbers alone are those of processes, sizes and dates.
        if is_made or whole or not name.isdigit():
            found.setdefault(name, ListedChange(name, subject or own or title, is_made))
    return list(found.values())[:_MAX_LISTED]


def listed_requests(output: str) -> list[ListedChange]:
    """The pull requests and issues that an output names together with their titles, each once."""
    found: dict[str, ListedChange] = {}
    if not any(sign in output for sign in _SIGNS):
        return []
    for line in _REQUEST.finditer(output):
        number, title = filter(None, line.groups())
        found.setdefault(number, ListedChange(f"#{number}", _unquoted(title) if line.lastindex == _QUOTED else title))
    for title, number in _VIEWED.findall(output):
        found.setdefault(number, ListedChange(f"#{number}", title))
    return list(found.values())[:_MAX_LISTED]


def created_request(command: str, output: str) -> ListedChange | None:
    """The pull request that a command opened under a title that it names itself."""
    asked, answered = _CREATES.search(command), _CREATED.search(output)
    if asked is None or answered is None:
        return None
    return ListedChange(f"#{answered[1]}", asked[1] or asked[2], made=True)


def commit_marks(output: str) -> Iterable[str]:
    """A short mark for each commit that a listing shows by hash and subject: the same in every clone of a history."""
    found = (tuple(filter(None, groups)) for groups in _COMMIT_LINE.findall(output))
    marks = (f"{name[:7]}{crc32(subject.encode()):08x}" for name, subject in found if len(subject) >= _MARKED)
    return list(dict.fromkeys(marks))[:_MAX_LISTED]


def _unquoted(quoted: str) -> str:
    with suppress(ValueError):
        return str(json.loads(f'"{quoted}"'))
    return quoted  # an escape that JSON does not have
