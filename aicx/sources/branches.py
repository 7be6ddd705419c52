"""The branch that a command left its folder on, where a log does not say it: git prints it when it changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from aicx.sources.items import SourceItem, TimelineEntry

_PRINTED = re.compile(
    r"^(?:\[(?P<commit>[^\s\]]+)(?: \(root-commit\))? [0-9a-f]{7,40}\] \S"
    r"|Switched to (?:a new )?branch '(?P<switched>[^'\s]+)'\s*$|## (?P<status>\S+?)\.\.\.\S+(?: \[.+\])?\s*$)",
    re.MULTILINE,
)
_GIT = re.compile(r"\bgit\s")
# A command that may be about another folder than the session's.
_ELSEWHERE = re.compile(
    r"(?:^|[;&|(]\s*|\n\s*)(?:cd|pushd)\s|\bgit\s+(?:-\S+\s+)*(?:-C|--git-dir|--work-tree|clone|worktree)\b"
)
_FOLDER = re.compile(r"""\bworkdir["']?\s*[:=]\s*["']?([^"'\n,}]+)""")


def asks_git_here(text: str, command: str | None, cwd: str | None) -> bool:
    """Whether a call, with ``text`` as it is stored and its shell ``command``, runs git in the session's folder."""
    if not command or not _GIT.search(command) or _ELSEWHERE.search(command):
        return False
    return all(folder.strip() == cwd for folder in _FOLDER.findall(text))


def printed_branch(output: str) -> str | None:
    """The branch that the last of git's words in ``output`` names: a commit, a switch, or a short status."""
    named = [found["commit"] or found["switched"] or found["status"] for found in _PRINTED.finditer(output)]
    return named[-1] if named else None


def with_branches(items: Iterable[SourceItem]) -> Iterator[SourceItem]:
    """Gives entries that have no branch the one that git printed last in their folder."""
    asked: set[str] = set()
    branches: dict[str | None, str] = {}
    for item in items:
        if isinstance(item, TimelineEntry) and item.branch is None:
            tool = item.tool
            if tool is not None and tool.call_id and tool.phase == "call":
                if asks_git_here(item.text, tool.command, item.cwd):
                    asked.add(tool.call_id)
            elif tool is not None and tool.call_id in asked and (printed := printed_branch(item.text)):
                branches[item.cwd] = printed
            if (branch := branches.get(item.cwd)) is not None:
                item = replace(item, branch=branch)
        yield item
