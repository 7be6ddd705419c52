"""Shells, tracebacks, and what no other family reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Family, Found, Output

_TOOLS = frozenset({"bash", "sh", "zsh", "python", "python3", "node", "git", "curl", "docker", "terraform", "pip"})
_ERROR = re.compile(r"(?:error|fatal|Error|ERROR): (.+)")


def _tool(words: Sequence[str]) -> str | None:
    return words[0] if words and words[0] in _TOOLS else None


def _parse(output: Output) -> Iterator[Found]:
    for line in output.lines:
        if match := _ERROR.match(line):
            yield Found(match[1], phase="runtime")


FAMILY = Family("generic", _tool, lambda _output: 0, _parse)
