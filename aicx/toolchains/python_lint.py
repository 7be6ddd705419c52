"""ruff, flake8, pylint, black, isort, bandit and those that print as they do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from aicx.toolchains.family import Diagnostic, Output, ToolFamily
from aicx.toolchains.json_documents import below, documents, number, rows, sarif, word

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{0,400}?)"
_CODE = r"(?P<code>[A-Z]{1,7}\d{2,5}|invalid-syntax|unformatted|syntax-error|io-error|[a-z]{3,}(?:-[a-z]+){1,6})"
_CONCISE = re.compile(
    rf"{_FILE}:(?P<line>\d+):(?:(?P<column>\d+):)? (?:(?:error|warning)\[)?{_CODE}:?\]? (?:\[(?:\*|-)\] )?(?P<message>.+)$"
)
_GITHUB = re.compile(
    r"::(?P<severity>error|warning|notice) (?:title=(?P<title>[^,:]*(?:\([\w-]+\))?),?)?file=(?P<file>[^,\n]+),line=(?P<line>\d+)"
    r"(?:,col=(?P<column>\d+))?[^:\n]*::(?P<message>.*)$"
)
_GROUP = re.compile(r"(?P<file>[^\s:].*):$")
_GROUPED = re.compile(rf"\s+(?P<line>\d+):(?P<column>\d+) +{_CODE}:? (?:\[(?:\*|-)\] )?(?P<message>.+)$")
_HEAD = re.compile(rf"(?:(?P<severity>error|warning)\[)?{_CODE}\]?:? (?:\[(?:\*|-)\] )?(?P<message>.+)$")
_ARROW = re.compile(r"\s*--> (?P<file>[^\n]+?):(?:cell \d+:)?(?P<line>\d+):(?P<column>\d+)$")
_PARSEABLE = re.compile(rf"{_FILE}:(?P<line>\d+): \[(?P<code>[A-Z]+\d+)(?:\([\w-]+\))?(?:, [^\]]*)?\] (?P<message>.+)$")
_AZURE = re.compile(
    r"##vso\[task\.logissue type=(?P<severity>\w+);sourcepath=(?P<file>[^;]+);linenumber=(?P<line>\d+);"
    r"columnnumber=(?P<column>\d+);code=(?P<code>[^;\]]*);?\](?P<message>.*)$"
)
_SYMBOL = re.compile(r" \((?P<symbol>[a-z][\w-]+)\)$")
_FORMAT = (
    re.compile(r"[Ww]ould reformat:? (?P<file>\S.*?)(?: \(.*\))?$"),
    re.compile(r"ERROR: (?P<file>\S.*?) Imports are incorrectly sorted"),
)
_UNPARSED = (
    re.compile(
        r"error: cannot format (?P<file>.+?): Cannot parse(?: for target version [\w.]+)?: (?P<line>\d+):(?P<column>\d+): (?P<message>.*)"
    ),
    re.compile(r"error: cannot format (?P<file>.+?): (?P<message>.+)"),
    re.compile(r"error: Failed to (?:parse|format|lint) (?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)"),
    re.compile(r"error: Failed to (?:parse|format|lint|read) (?P<file>[^:]+): (?P<message>.+)"),
)
_CANNOT_RUN = (
    re.compile(r"(?P<message>ruff failed)$"),
    re.compile(r"error: (?P<message>.+)"),
    re.compile(r"(?P<message>There was a critical error during execution of Flake8:.*)"),
    re.compile(r"(?:Usage|Error): (?P<message>(?!black|flake8|pylint|ruff).+)"),
    re.compile(r"(?:flake8|pylint|black|isort|bandit|ruff): error: (?P<message>.+)"),
)
_CAUSE = re.compile(r"\s+Cause: (?P<message>.+)")
_BANDIT = re.compile(r">> Issue: \[(?P<code>B\d+)(?::\w+)?\] (?P<message>.+)")
_LOCATION = re.compile(r"\s+Location: (?P<file>\S+?):(?P<line>\d+)(?::(?P<column>\d+))?$")
_DOCSTYLE = re.compile(r"(?P<file>\S+\.py):(?P<line>\d+) (?:at|in) .*:$")
_TOTALS = re.compile(
    r"(?:Found (?P<found>\d+) errors?\b|(?P<ok>All checks passed!|All done! )|(?P<reformat>\d+) files? would be reformatted"
    r"|Oh no! |Your code has been rated at (?P<rated>[-\d.]+)/10|(?P<formatted>\d+ files? already formatted))"
)
_PROGRAMS = frozenset(
    {"ruff", "flake8", "pylint", "black", "isort", "pycodestyle", "pydocstyle", "pyflakes", "bandit", "autopep8"}
    | {"vulture", "codespell", "interrogate", "darglint", "pylama", "prospector", "blue", "autoflake", "yapf"}
)
_PYFLAKES = re.compile(r"(?P<file>\S[^:\n]{0,400}\.py):(?P<line>\d+):(?:(?P<column>\d+):?)? (?P<message>[^\s\[].+)$")
_STATISTICS = re.compile(r"\s*\d+\t(?P<code>[A-Z]{1,7}\d{2,5})\t(?:\[.\] ?)? *(?P<message>\S.*)$")


def _tool(words: Sequence[str]) -> str | None:
    return words[0] if words and words[0] in _PROGRAMS else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    found = [*_lines(output), *_from_json(output.text)]
    if found:
        yield from found
        return
    if output.words and output.words[0] in ("pyflakes", "vulture", "codespell", "pylama"):
        for line in output.lines:
            if match := _PYFLAKES.match(line):
                yield _place(match, match["message"], None)
        return
    yield from _cannot_run(output.lines)


def _lines(output: Output) -> Iterator[Diagnostic]:
    """Reads what is printed for people, in every style."""
    lines = output.lines
    group: str | None = None
    for position, line in enumerate(lines):
        if not line.strip():
            continue
        if not line[0].isspace():
            group = match["file"] if (match := _GROUP.match(line)) else None
        elif group and (match := _GROUPED.match(line)):
            yield _place(match, match["message"], match["code"], group)
            continue
        if match := _CONCISE.match(line) or _PARSEABLE.match(line):
            yield _place(match, match["message"], match["code"])
        elif line.startswith("::") and (match := _GITHUB.match(line)):
            yield _of_github(match)
        elif line.startswith("##vso") and (match := _AZURE.match(line)):
            yield _place(match, match["message"], match["code"])
        elif match := next((match for pattern in _FORMAT if (match := pattern.match(line))), None):
            yield Diagnostic("File would be reformatted", match["file"], phase="lint", code=None)
        elif match := next((match for pattern in _UNPARSED if (match := pattern.match(line))), None):
            yield _unparsed(match)
        elif after := next((text for text in lines[position + 1 : position + 2] if "-->" in text), None):
            if (match := _HEAD.match(line)) and (arrow := _ARROW.match(after)):
                yield _place(arrow, match["message"], match["code"])
        elif match := _STATISTICS.match(line):
            yield Diagnostic(match["message"], code=match["code"], phase="lint")
        elif line.startswith("--- ") and position + 1 < len(lines) and lines[position + 1].startswith("+++ "):
            yield Diagnostic(
                "File would be reformatted", line[4:].partition("\t")[0].removesuffix(":before"), phase="lint"
            )
        elif match := _BANDIT.match(line):
            place = next(
                (found for text in lines[position + 1 : position + 6] if (found := _LOCATION.match(text))), None
            )
            if place:
                yield _place(place, match["message"], match["code"])
        elif (match := _DOCSTYLE.match(line)) and position + 1 < len(lines):
            head = _HEAD.match(lines[position + 1].strip())
            if head:
                yield _place(match, head["message"], head["code"])


def _place(match: re.Match[str], message: str, code: str | None, file: str | None = None) -> Diagnostic:
    groups = match.groupdict()
    column = groups.get("column")
    symbol = _SYMBOL.search(message)
    advice = bool(code and (symbol or match.re is _PARSEABLE) and re.fullmatch(r"[CRWI]\d{4}", code))
    syntax = code in ("invalid-syntax", "syntax-error", "E999", "E0001") or message.startswith("SyntaxError:")
    return Diagnostic(
        message,
        file or groups["file"],
        int(groups["line"]),
        int(column) if column else None,
        code,
        phase="syntax" if syntax else "lint",
        severity="warning" if advice else "error",
    )


def _of_github(match: re.Match[str]) -> Diagnostic:
    message = match["message"].replace("%0A", "\n").replace("%0D", "").replace("%25", "%").partition("\n")[0]
    if concise := _CONCISE.match(message):
        return _place(match, concise["message"], concise["code"])
    code = re.search(r"\(([\w-]+)\)", match["title"] or "")
    return _place(match, message, code[1] if code else None)


def _unparsed(match: re.Match[str]) -> Diagnostic:
    groups = match.groupdict()
    line = groups.get("line")
    return Diagnostic(groups["message"], groups["file"], int(line) if line else None, phase="syntax")


def _from_json(text: str) -> Iterator[Diagnostic]:
    for document in documents(text):
        for result, message, file, line, level in sarif(document):
            severity = "warning" if level in ("warning", "note") and "ruff" not in text else "error"
            yield Diagnostic(message, file, line, code=word(result.get("ruleId")), phase="lint", severity=severity)
        inner = document
        for name in ("messages", "results", "diagnostics"):
            inner = inner.get(name, inner) if isinstance(inner, dict) else inner
        for row in rows(inner):
            if found := _row(row):
                yield found


def _row(row: dict[str, Any]) -> Diagnostic | None:
    """One object of the JSON of ruff, pylint or bandit, of a review service or of a report on code quality."""
    place = below(row, "location")
    message = str(row.get("message") or row.get("description") or row.get("issue_text") or "")
    if file := word(row.get("filename")):
        rule = word(row.get("test_id")) or word(row.get("code")) or "invalid-syntax"
        line, column = number(place.get("row")) or number(row.get("line_number")), number(place.get("column"))
        return Diagnostic(message, file, line, column, rule, "syntax" if rule == "invalid-syntax" else "lint")
    if (file := word(row.get("path"))) and word(row.get("symbol")):
        code = word(row.get("message-id")) or word(row.get("messageId")) or word(row.get("symbol"))
        severity = "error" if row.get("type") in ("error", "fatal") else "warning"
        return Diagnostic(message, file, number(row.get("line")), number(row.get("column")), code, "lint", severity)
    if file := word(place.get("path")):
        code = word(row.get("check_name")) or word(below(row, "code").get("value"))
        begin = below(place, "positions", "begin") or below(place, "range", "start") or below(place, "lines")
        line = number(begin.get("line")) or number(begin.get("begin"))
        return Diagnostic(message.removeprefix(f"{code}: "), file, line, number(begin.get("column")), code, "lint")
    return None


def _cannot_run(lines: Sequence[str]) -> Iterator[Diagnostic]:
    causes = [match["message"] for line in lines if (match := _CAUSE.match(line))]
    for line in lines:
        match = next((match for pattern in _CANNOT_RUN if (match := pattern.match(line))), None)
        if match:
            message = match["message"]
            yield Diagnostic("\n".join([message, *causes]) if message == "ruff failed" else message, phase="setup")


def _failed(output: Output) -> bool | None:
    for line in reversed(output.lines[-200:]):
        if match := _TOTALS.match(line):
            if match["found"]:
                return int(match["found"]) > 0 and "0 remaining" not in line
            return None if match["rated"] else not (match["ok"] or match["formatted"])
    return None


def _looks_like(output: Output) -> int:
    count = 0
    for line in output.lines:
        if (
            (match := _CONCISE.match(line)) and re.search(r"\.(?:py|pyi|ipynb|toml)$", match["file"])
        ) or line.startswith(
            ("All checks passed!", "Oh no! ", "would reformat ", "Would reformat: ", "::error title=ruff")
        ):
            count += 1
        elif line.startswith(("************* Module ", "Your code has been rated at")):
            count += 2
        elif ("-->" in line and _ARROW.match(line) and re.search(r"\.pyi?:\d", line)) or (
            line[:1].isspace() and _GROUPED.match(line)
        ):
            count += 1
    return count + ('"end_location"' in output.text and '"filename"' in output.text)


FAMILY = ToolFamily("python_lint", _tool, _looks_like, _parse, _failed)
