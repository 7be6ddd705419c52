"""Reads what calls of git and of the forges' clients printed about the repository of the folder they ran in.

A command line says where each such call ran. Only the lines in which these programs name a repository themselves
count: the remotes that git lists, where it pushed to and fetched from, the pull request that was opened. An address in
a commit message, a diff or an issue is nothing. Commits by hash and subject, and requests by number and title, are read
wherever they are listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from posixpath import normpath
from typing import NamedTuple
from zlib import crc32

from aicx.folders import FolderClue, is_absolute, on_drive_of, slashed

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


_ADDRESS = r"(?:https?://|ssh://|git://|[\w.-]+@|[\w.-]+:)[^\s'\"<>]+"
_LISTED = re.compile(rf"^(\S+)\t({_ADDRESS}) \((?:fetch|push)\)", re.MULTILINE)
_ALONE = re.compile(rf"^({_ADDRESS})$", re.MULTILINE)
_SHOWN = re.compile(rf"^\s+(?:Fetch|Push)\s+URL: ({_ADDRESS})$", re.MULTILINE)
_PUSHED = re.compile(rf"^To ({_ADDRESS})$", re.MULTILINE)
_FETCHED = re.compile(rf"^From ({_ADDRESS})$", re.MULTILINE)
_MOVED = re.compile(rf"^remote: This repository moved\..*\n(?:remote:\s*\n)*remote:\s+({_ADDRESS})", re.MULTILINE)
_MOVED_PROJECT = re.compile(r"^remote: Project '([\w./-]+)' was moved to '([\w./-]+)'", re.MULTILINE)
_CLONED = re.compile(r"^Cloning into (?:bare repository )?'([^'\n]+)'", re.MULTILINE)
_TREE = re.compile(
    r"^((?:[A-Za-z]:)?/\S.*?)\s+(?:[0-9a-f]{7,40}|\(bare\))(?: \(detached HEAD\)| \[[^\]\n]+\]|$)", re.MULTILINE
)
_PAGE = (
    r"(https?://[\w.-]+/[\w./-]+?)/(?:-/)?(?:pull|issues|merge_requests|actions/runs|pipelines|jobs)/\d+(?:/job/\d+)?"
)
_NAMED_PAGE = re.compile(rf"(?:^|\t|^url:\s+|\"url\":\s?\"){_PAGE}(?:\"|\t|$)", re.MULTILINE)
_OWNER_NAME = re.compile(r'^(?:name:\s+|\{"nameWithOwner":")?([\w.-]+/[\w.-]+)(?:"\})?$', re.MULTILINE)

_LISTING = frozenset({"log", "reflog", "commit", "reset", "stash"})
_MAX_OUTPUT = 20_000
# Options by which a call names its repository itself, whatever folder it runs in.
_NAMES_ITS_OWN = ("-R", "--repo")
PROGRAMS = frozenset({"git", "gh", "glab"})
# The actions whose output names a repository or lists commits; most calls (status, diff, add) are none of these.
_TELLING = re.compile(
    r"\b(?:git\b[^\n;&|]*?\b(?:remote|push|fetch|pull|clone|worktree|config|ls-remote|log|reflog|commit|reset|stash)"
    r"|(?:gh|glab)\s+(?:pr|mr|issue|run|repo))\b"
)
_WORD = re.compile(r"""(?:[^\s"'\\;&|()<>]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|&&|\|\||[;&|()\n]|[<>]+""", re.DOTALL)
_JOINTS = frozenset({"&&", "||", ";", "&", "|", "\n"})
_QUOTES = re.compile(r"""["']|\\(?=.)""")
# A backslash in such a word is a part of it, as PowerShell has it, and bash between quotes.
_OF_WINDOWS = re.compile(r"""["']?[A-Za-z]:\\""")
_WHOLE_QUOTES = re.compile(r"""["']""")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# They run what follows, here.
_WRAPPERS = frozenset({"do", "then", "else", "if", "!", "time", "sudo", "env", "command", "exec", "nohup", "{"})
# They run it on another machine or in another file system.
_ELSEWHERE = frozenset({"ssh", "docker", "podman", "kubectl", "wsl", "vagrant", "chroot"})
_MAX_LINE = 4000

Call = tuple[str, list[str]]


def read_printed(line: str, folder: str | None, output: str, *, failed: bool = False) -> list[FolderClue]:
    """Reads from the ``output`` of a command line facts about the folder that its calls of git ran in. Each thing once.

    ``failed`` says that the line ended with an error: what it was to change is then not known.
    """
    calls = git_calls(line, folder)
    if not calls or len({place for place, _ in calls}) > 1:
        return []  # nothing of the output says which call printed it
    output = output[:_MAX_OUTPUT].replace("\r", "\n")
    return list(dict.fromkeys(seen for call in calls for seen in _read_call(call, output, failed)))


def _read_call(call: Call, output: str, failed: bool) -> Iterator[FolderClue]:
    folder, (program, *words) = call
    action = words[0] if words else ""
    if program == "git" and action == "remote" and words[1:2] in (["add"], ["set-url"]):
        if not failed and words[-2] == "origin" and re.fullmatch(_ADDRESS, words[-1]):
            yield FolderClue(folder, "remote", words[-1])
    elif program == "git":
        yield from _read_git(folder, action, words[1:], output)
    elif not any(word.startswith(_NAMES_ITS_OWN) or "://" in word for word in words):
        yield from _read_forge(folder, words, output)


def _read_git(folder: str, action: str, words: Sequence[str], output: str) -> Iterator[FolderClue]:
    named = [word for word in words if re.fullmatch(_ADDRESS, word)]
    if action in ("remote", "config") or (action == "ls-remote" and "--get-url" in words):
        yield from _remotes(folder, action, words, output)
    elif action == "clone" and named:
        for place in _CLONED.findall(output)[:1]:
            yield FolderClue(_below(folder, place), "clone", named[0])
    elif action in ("push", "fetch", "pull"):
        # An address that the caller wrote says where they wanted to go, not what the folder is.
        if not named:
            yield from _transfers(folder, output)
    elif action == "worktree" and words[:1] in (["list"], ["add"]):
        trees = _TREE.findall(output) if words[0] == "list" else _added(folder, words[1:], output)
        yield from (FolderClue(folder, "worktree", tree) for tree in trees if tree != folder)
    elif action in _LISTING:
        yield from (FolderClue(folder, "commit", mark) for mark in commit_marks(output))


def _remotes(folder: str, action: str, words: Sequence[str], output: str) -> Iterator[FolderClue]:
    listed = dict(reversed(_LISTED.findall(output)))
    if listed:
        # Of several remotes `origin` is where the folder came from; without it none is more than another.
        if "origin" in listed or len(listed) == 1:
            yield FolderClue(folder, "remote", listed.get("origin") or next(iter(listed.values())))
    elif action == "remote" and words[:1] == ["show"]:
        yield from (FolderClue(folder, "remote", address) for address in _SHOWN.findall(output)[:1])
    elif "origin" in words or any(word.startswith("remote.origin.") for word in words):
        alone = set(_ALONE.findall(output))
        yield from (FolderClue(folder, "remote", address) for address in alone if len(alone) == 1)


def _transfers(folder: str, output: str) -> Iterator[FolderClue]:
    pushed, fetched = _PUSHED.findall(output), _FETCHED.findall(output)
    yield from (FolderClue(folder, "push", address) for address in pushed[:2])
    yield from (FolderClue(folder, "fetch", address) for address in fetched[:2])
    for new in _MOVED.findall(output)[:1]:
        yield from (FolderClue(folder, "moved", f"{old} {new}") for old in (*pushed, *fetched)[:1])
    for old, new in _MOVED_PROJECT.findall(output)[:1]:
        # GitLab names projects without their host; `from_remote` reads them in this form.
        yield FolderClue(folder, "moved", f"gitlab:{old} gitlab:{new}")


def _added(folder: str, words: Sequence[str], output: str) -> Iterator[str]:
    """The folder that `git worktree add` made: its first word that is no option or an option's value."""
    if "Preparing worktree" not in output:
        return
    rest = iter(words)
    for word in rest:
        if word in ("-b", "-B", "--reason"):
            next(rest, None)
        elif not word.startswith("-"):
            if not any(mark in word for mark in "$`*~"):
                yield _below(folder, word)
            return


def _read_forge(folder: str, words: Sequence[str], output: str) -> Iterator[FolderClue]:
    if words[:2] == ["repo", "view"] and not [word for word in words[2:] if "/" in word]:
        names = set(_OWNER_NAME.findall(output[:300]))
        yield from (FolderClue(folder, "remote", f"gh:{name}") for name in names if len(names) == 1)
        return
    if words[:1] not in (["pr"], ["mr"], ["issue"], ["run"]):
        return
    pages = set(_NAMED_PAGE.findall(output))
    if len(pages) == 1:
        created = words[0] in ("pr", "mr") and words[1:2] == ["create"]
        yield FolderClue(folder, "pull-request" if created else "page", pages.pop())


def _below(folder: str, path: str) -> str:
    return normpath(path if is_absolute(path) else f"{slashed(folder)}/{path}")


def is_telling(line: str) -> bool:
    """Whether what ``line`` prints may say anything of a repository; cheap, as it is asked of every command."""
    return "g" in line and _TELLING.search(line) is not None


def git_calls(line: str, folder: str | None) -> list[Call]:
    """The calls of git, gh and glab in ``line``, run from ``folder``: each one's folder and words, in order.

    Empty when a folder cannot be known (a variable, another machine), so that nothing is said of a wrong one.
    """
    if len(line) > _MAX_LINE or not is_telling(line):
        return []
    calls: list[Call] = []
    before: list[str | None] = []
    for words in _commands(line):
        if words == ["("]:
            before.append(folder)
        elif words == [")"]:
            folder = before.pop() if before else folder
        elif words[0] in ("cd", "pushd", "popd", "Set-Location", "Push-Location"):
            folder = _joined(folder, words[-1] if len(words) == 2 else "$")
        elif words[0] in _ELSEWHERE and PROGRAMS & set(words):
            return []
        elif words[0] in PROGRAMS:
            place, rest = _own_folder(folder, words)
            if place is None:
                return []
            calls.append((place, rest))
    return calls


def _commands(line: str) -> Iterator[list[str]]:
    """The simple commands of a line as words without their quotes; parentheses come as commands of their own."""
    words: list[str] = []
    # What follows a here-document is text.
    for found in _WORD.finditer(line.split("<<", 1)[0]):
        word = found[0]
        if word in _JOINTS or word in ("(", ")"):
            if words:
                yield words
            words = []
            if word in ("(", ")"):
                yield [word]
        elif words or not (_ASSIGNMENT.match(word) or word in _WRAPPERS):
            words.append(_WHOLE_QUOTES.sub("", word) if _OF_WINDOWS.match(word) else _QUOTES.sub("", word))
    if words:
        yield words


def _own_folder(folder: str | None, words: list[str]) -> tuple[str | None, list[str]]:
    """The folder of a call of git, which may name its own, and the call without the options before its action."""
    rest = words[1:]
    while words[0] == "git" and rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "-C" and rest:
            folder = _joined(folder, rest.pop(0))
        elif option == "-c" and rest:
            rest.pop(0)
        elif option.startswith(("--git-dir", "--work-tree")):
            folder = None
    return folder, [words[0], *rest]


def _joined(folder: str | None, path: str) -> str | None:
    """``path`` seen from ``folder``; None where it holds what only the shell knows."""
    if any(mark in path for mark in "$`*?~") or path == "-":
        return None
    if is_absolute(path):
        return normpath(on_drive_of(folder, path) if folder else slashed(path))
    return normpath(f"{slashed(folder)}/{path}") if folder else None
