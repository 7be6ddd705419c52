"""PHPStan, Psalm, PHP_CodeSniffer and PHP CS Fixer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic
from aicx.toolchains.json_documents import documents, number, rows, word
from aicx.toolchains.places import place

_STAN_FILE = re.compile(r"\s+Line\s{1,10}(?P<file>\S.{0,300}?\.php)\b(?: \(in context.*)?$")
_STAN_ROW = re.compile(r"\s{1,4}(?P<line>\d+)\s{2,}(?P<message>\S.*)$")
_STAN_MORE = re.compile(r"\s{7,}(?P<mark>🪪|💡|✏️|at |tip: )?\s*(?P<message>\S.*)$")
_STAN_RAW = re.compile(r"(?P<file>/?[^\s:][^:\n]{0,300}\.php):(?P<line>\d+):(?P<message>[A-Z].*)$")
_ANNOTATION = re.compile(
    r"::(?P<level>error|warning) file=(?P<file>[^,]{1,300}),line=(?P<line>\d+)(?:,col="
    r"(?P<column>\d+))?[^:]{0,100}::(?P<message>.+)$"
)
_PSALM = re.compile(
    r"(?P<level>ERROR|INFO): (?P<code>\w+)(?: - |\s+at )(?P<file>\S[^:\n]{0,300}\.php):(?P<line>\d+):"
    r"(?P<column>\d+)(?: - (?P<message>.+))?$"
)
_SNIFF_FILE = re.compile(r"FILE: (?P<file>\S.*)$")
_SNIFF = re.compile(r"\s*(?P<line>\d+) \| (?P<level>ERROR|WARNING)\s*\| (?:\[.\] )?(?P<message>\S.*)$")
_SNIFF_MORE = re.compile(r"\s*\|\s{5,9}\|\s+(?P<message>\S.*)$")
_SNIFF_RULE = re.compile(r" \((?P<code>\w+(?:\.\w+)+)\)$")
_EMACS = re.compile(
    r"(?P<file>/?[^\s:][^:\n]{0,300}\.php):(?P<line>\d+):(?P<column>\d+): (?P<level>error|warning) - (?P<message>\S.*)$"
)
_LINES = (_PSALM, _ANNOTATION, _EMACS, _STAN_RAW)
_FIXED = re.compile(r"\s+\d+\) (?P<file>\S+\.php)(?: \((?P<rules>[\w ,]+)\))?$")


def analysis(text: str) -> Iterator[Diagnostic]:
    """The JSON styles of PHPStan and PHP_CodeSniffer."""
    for document in (row for value in documents(text) for row in rows(value) if "totals" in row):
        files = document.get("files")
        for file, row in files.items() if isinstance(files, dict) else ():
            for each in rows(row.get("messages") if isinstance(row, dict) else []):
                severity = "warning" if each.get("type") == "WARNING" else "error"
                code = word(each.get("identifier")) or word(each.get("source"))
                yield Diagnostic(
                    str(each.get("message")),
                    file,
                    number(each.get("line")),
                    number(each.get("column")),
                    code,
                    "lint",
                    severity,
                )
        errors = document.get("errors")
        yield from (
            Diagnostic(each, phase="lint") for each in (errors if isinstance(errors, list) else ()) if word(each)
        )


def analysed(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """PHPStan's table and lines, Psalm, PHP_CodeSniffer and PHP CS Fixer."""
    stan: str | None = None
    sniffed: str | None = None
    for at, line in enumerate(lines):
        if match := _STAN_FILE.match(line):
            stan = match["file"]
        elif stan and (match := _STAN_ROW.match(line)):
            said, code = _continued(match["message"], lines, at + 1)
            yield Diagnostic(said, stan, int(match["line"]), code=code, phase="type", tool="phpstan")
        elif match := next((match for pattern in _LINES if (match := pattern.match(line))), None):
            groups = match.groupdict()
            below = lines[at + 1].strip() if at + 1 < len(lines) else ""
            column = groups.get("column")
            severity = "warning" if groups.get("level") in ("INFO", "warning") else "error"
            yield Diagnostic(
                groups["message"] or below,
                *place(match),
                int(column) if column else None,
                groups.get("code"),
                "type",
                severity,
            )
        elif match := _SNIFF_FILE.match(line):
            sniffed = match["file"]
        elif match := _SNIFF.match(line):  # its file may be cut off
            level = match["level"].lower()
            said, code = _sniffed(match, lines[at + 1 : at + 8])
            yield Diagnostic(said, sniffed, int(match["line"]), None, code, "lint", level, tool="phpcs")
        elif match := _FIXED.match(line):
            said = f"not formatted: {match['rules']}" if match["rules"] else "not formatted"
            yield Diagnostic(said, match["file"], phase="format", tool="php-cs-fixer")


def _sniffed(match: re.Match[str], below: Sequence[str]) -> tuple[str, str | None]:
    """A message of PHP_CodeSniffer that goes on in the next lines, and the rule at its end."""
    said = match["message"]
    for line in below:
        if not (more := _SNIFF_MORE.match(line)):
            break
        said += f" {more['message']}"
    rule = _SNIFF_RULE.search(said)
    return (said[: rule.start()], rule["code"]) if rule else (said, None)


def _continued(said: str, lines: Sequence[str], start: int) -> tuple[str, str | None]:
    """A message that the table's width broke, and the rule below it."""
    code = None
    for line in lines[start : start + 12]:
        if not (match := _STAN_MORE.match(line)):
            break
        if match["mark"] == "🪪":
            code = match["message"].strip()
        elif not match["mark"] and code is None:
            said = f"{said.rstrip()} {match['message'].strip()}"
    return said.strip(), code
