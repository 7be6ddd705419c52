"""mypy and pyright, and the newer checkers that print alike: basedpyright, ty, pyrefly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from aicx.toolchains.family import Diagnostic, Output, ToolFamily
from aicx.toolchains.json_documents import documents, number, rows, word

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{0,400}?\.(?:pyi?|ipynb)|<string>)"
_MYPY = re.compile(
    rf"{_FILE}(?::(?P<line>\d+)(?::(?P<column>\d+))?(?::\d+:\d+)?)?: (?P<severity>error|warning): (?P<message>.*)$"
)
_CODE = re.compile(r" +\[(?P<code>[a-z][\w-]{0,60})\]$")
_PYRIGHT = re.compile(rf"\s*{_FILE}:(?P<line>\d+):(?P<column>\d+) - (?P<severity>error|warning): ?(?P<message>.*)$")
_RULE = re.compile(r" \((?P<code>report\w+|\w+)\)$")
_TY = re.compile(
    rf"{_FILE}:(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning)\[(?P<code>[\w-]+)\] (?P<message>.*)$"
)
_TY_HEAD = re.compile(
    r"(?P<severity>error|warning|ERROR|WARN)(?:\[(?P<code>[\w-]+)\]:?)? (?P<message>.+?)(?: \[(?P<late>[\w-]+)\])?$"
)
_ARROW = re.compile(rf"\s*--> {_FILE}:(?P<line>\d+):(?P<column>\d+)")
_PYREFLY = re.compile(
    rf"(?P<severity>ERROR|WARN) {_FILE}:(?P<line>\d+):(?P<column>\d+)(?:-[\d:]+)?: (?P<message>.+?)(?: \[(?P<code>[\w-]+)\])?$"
)
_CANNOT_RUN = (
    re.compile(r"(?P<tool>mypy): (?P<message>(?:error: |can't |\"|fatal ).+)"),
    re.compile(
        r"(?P<message>(?:File or directory \".*\" does not exist|No source files found|Config file \".*\" .*|error: Unable to .*)\.?.*)"
    ),
    re.compile(r"(?P<file>(?:\S*/)?(?:setup\.cfg|mypy\.ini|\.mypy\.ini|pyproject\.toml)): (?P<message>.+)"),
    re.compile(
        r"(?P<message>(?:There are no \.py\[i\] files in|Unexpected (?:argument|option) |Cannot find config file|Invalid value for option).*)"
    ),
)
_TOTALS = re.compile(
    r"(?:Found (?P<mypy>\d+) errors? in \d+ files?|(?P<ok>Success: no issues found)"
    r"|(?P<pyright>\d+) errors?, \d+ warnings?, \d+ |Found (?P<ty>\d+) diagnostics?$|(?P<none>All checks passed!))"
)
_PROGRAMS = {
    "mypy": "mypy", "dmypy": "mypy", "pyright": "pyright", "basedpyright": "basedpyright", "pyrefly": "pyrefly",
    "pytype": "pytype", "pyre": "pyre", "ty": "ty", "stubtest": "mypy",
}  # fmt: skip
_MAX_WRAPPED = 12  # lines of one message


def _tool(words: Sequence[str]) -> str | None:
    return _PROGRAMS.get(words[0]) if words else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = output.lines
    nothing = True
    for position, line in enumerate(lines):
        if not ("error" in line or "warning" in line or line.startswith(("ERROR ", "WARN "))):
            continue
        each = _at(lines, position)
        if each:
            nothing = False
            yield each
    for each in _from_json(output.text):
        nothing = False
        yield each
    if nothing:
        for line in lines:
            match = next((match for pattern in _CANNOT_RUN if (match := pattern.match(line))), None)
            if match:
                yield Diagnostic(match["message"], match.groupdict().get("file"), phase="setup")


def _at(lines: Sequence[str], position: int) -> Diagnostic | None:
    """Reads the report in the line at ``position``, with the lines by which its message goes on."""
    line = lines[position]
    if match := _TY.match(line) or _PYREFLY.match(line):
        return _found(match, match["message"], match["code"])
    if match := _MYPY.match(line):
        message, code = _split(match["message"], _CODE)
        if code is None and match["line"]:
            message, code = _wrapped(message, lines[position + 1 : position + 1 + _MAX_WRAPPED], pretty=True)
        return _found(match, message, code)
    if match := _PYRIGHT.match(line):
        message, code = _split(match["message"], _RULE)
        if code is None:
            indent = len(line) - len(line.lstrip())
            more = list(lines[position + 1 : position + 1 + _MAX_WRAPPED])
            message, code = _wrapped(message, more, indent=indent)
        return _found(match, message, code, syntax=code is None)
    if (head := _TY_HEAD.match(line)) and position + 1 < len(lines) and (arrow := _ARROW.match(lines[position + 1])):
        return Diagnostic(
            head["message"],
            arrow["file"],
            int(arrow["line"]),
            int(arrow["column"]),
            head["code"] or head["late"],
            phase="type",
            severity="error" if head["severity"].lower() == "error" else "warning",
        )
    return None


def _found(match: re.Match[str], message: str, code: str | None, syntax: bool = False) -> Diagnostic:
    first = message.partition("\n")[0]
    return Diagnostic(
        message,
        match["file"],
        int(match["line"]) if match["line"] else None,
        int(match["column"]) if match["column"] else None,
        code,
        phase="syntax" if syntax or code in ("syntax", "invalid-syntax") else "type",
        severity="error" if match["severity"].lower() == "error" else "warning",
        identity=first,
    )


def _split(text: str, pattern: re.Pattern[str]) -> tuple[str, str | None]:
    match = pattern.search(text)
    return (text[: match.start()].rstrip(), match["code"]) if match else (text.strip(), None)


def _wrapped(message: str, more: Sequence[str], pretty: bool = False, indent: int = 0) -> tuple[str, str | None]:
    """A message with the lines after it, up to the one that names its rule; alone when none does."""
    lines = [message]
    for line in more:
        if _MYPY.match(line) or _PYRIGHT.match(line) or not line.strip():
            break
        if pretty and line.startswith("  ") and not _CODE.search(f" {line}"):
            break  # the source line
        if not pretty and len(line) - len(line.lstrip()) <= indent:
            break
        text, code = _split(f" {line.strip()}", _CODE if pretty else _RULE)
        lines.append(text.strip())
        if code:
            return (" " if pretty else "\n").join(filter(None, lines)), code
    return (message if pretty else "\n".join(lines)), None


def _from_json(text: str) -> Iterator[Diagnostic]:
    for document in documents(text):
        for row in rows(document):
            if "generalDiagnostics" in row:
                for each in rows(row["generalDiagnostics"]):
                    yield from _of_pyright(each)
            elif word(row.get("file")) and word(row.get("severity")) in ("error", "warning") and "hint" in row:
                line, column = number(row.get("line")), number(row.get("column"))
                code = word(row.get("code"))
                yield Diagnostic(
                    str(row.get("message", "")),
                    word(row["file"]),
                    line if line and line > 0 else None,
                    column if column is None or column >= 0 else None,
                    code,
                    phase="syntax" if code == "syntax" else "type",
                    severity=row["severity"],
                )


def _of_pyright(row: dict[str, Any]) -> Iterator[Diagnostic]:
    if row.get("severity") not in ("error", "warning"):
        return
    span = row.get("range")
    start = span.get("start") if isinstance(span, dict) else None
    place = start if isinstance(start, dict) else {}
    line, column = number(place.get("line")), number(place.get("character"))
    message = str(row.get("message", ""))
    yield Diagnostic(
        message,
        word(row.get("file")) or word(row.get("uri")),
        None if line is None else line + 1,  # counted from 0
        None if column is None else column + 1,
        word(row.get("rule")),
        phase="type" if row.get("rule") else "syntax",
        severity=row["severity"],
        identity=message.partition("\n")[0],
    )


def _failed(output: Output) -> bool | None:
    for line in reversed(output.lines[-200:]):
        if match := _TOTALS.match(line):
            count = match["mypy"] or match["pyright"] or match["ty"]
            return bool(count and int(count))
    return None


def _looks_like(output: Output) -> int:
    count = 0
    for line in output.lines:
        if "error" in line or "warning" in line:
            count += bool(_MYPY.match(line) or _PYRIGHT.match(line) or _TY.match(line))
            count += bool(_TOTALS.match(line)) and "All checks" not in line
        elif line.startswith("Success: no issues found in "):
            count += 1
    mypy = '"hint": ' in output.text and '"severity": "' in output.text
    return count + mypy + ('"generalDiagnostics"' in output.text)


FAMILY = ToolFamily("python_types", _tool, _looks_like, _parse, _failed)
