"""mypy and pyright."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Family, Found, Output

_MYPY = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,300}\.pyi?):(?P<line>\d+):(?:(?P<column>\d+):)?(?:\d+:\d+:)? "
    r"(?P<severity>error|warning): (?P<message>.+?)(?: +\[(?P<code>[\w-]+)\])?$"
)


def _tool(words: Sequence[str]) -> str | None:
    return words[0] if words[0] in ("mypy", "pyright") else None


def _matches(output: Output) -> Iterator[re.Match[str]]:
    return (match for line in output.lines if (match := _MYPY.match(line)))


def _parse(output: Output) -> Iterator[Found]:
    for match in _matches(output):
        column = match["column"]
        yield Found(
            match["message"],
            match["file"],
            int(match["line"]),
            int(column) if column else None,
            match["code"],
            phase="syntax" if match["code"] == "syntax" else "type",
            severity=match["severity"],
        )


FAMILY = Family("python_types", _tool, lambda output: sum(1 for _ in _matches(output)), _parse)
