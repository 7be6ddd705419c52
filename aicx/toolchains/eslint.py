"""ESLint in each of its formats, and the linters and formatters of JavaScript that print alike or are run beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains import javascript_errors
from aicx.toolchains.family import Diagnostic, Output, ToolFamily
from aicx.toolchains.json_documents import documents, number, rows, sarif, word
from aicx.values import replace

_RULE = r"(?P<code>@?[a-zA-Z][\w@-]*(?:/[\w@-]+){0,4})"
_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{0,500}?)"
_PATH = re.compile(r"(?P<file>(?:[A-Za-z]:[\\/]|\.{0,2}/)?\S[^:\n]{0,500}\.[\w]{1,10})\s*$")
_STYLISH = re.compile(
    r"\s+(?P<line>\d+):(?P<column>\d+)\s{1,10}(?P<severity>error|warning|✖|⚠|×)\s{1,10}(?P<message>\S.*)$"
)
_LATE_RULE = re.compile(rf"\s{{2,}}{_RULE}\s*$")
_UNIX = re.compile(
    rf"{_FILE}:(?P<line>\d+):(?P<column>\d+): (?P<message>.+) \[(?P<severity>Error|Warning)(?:/(?P<code>[^\]\s]+))?\]$"
)
_COMPACT = re.compile(
    rf"{_FILE}: line (?P<line>\d+), col (?P<column>\d+), (?P<severity>Error|Warning) - (?P<message>.+?)(?: \((?P<code>[\w@/-]+)\))?$"
)
_STUDIO = re.compile(
    r"(?P<file>\S[^(\n]{0,500})\((?P<line>\d+)(?:,(?P<column>\d+))?\): (?P<severity>error|warning)(?: (?P<code>[\w@/-]+))? ?: (?P<message>.+)$"
)
_CHECKSTYLE_FILE = re.compile(r'<file name="(?P<file>[^"\n]+)"')
_CHECKSTYLE = re.compile(
    r'<error line="(?P<line>\d+)" column="(?P<column>\d+)" severity="(?P<severity>\w+)" message="(?P<message>[^"\n]*)"'
    r'(?: source="(?:eslint\.rules\.)?(?P<code>[^"\n]*)")?'
)
_GITHUB = re.compile(
    r"::(?P<severity>error|warning) file=(?P<file>[^,\n]+),line=(?P<line>\d+),col=(?P<column>\d+)[^:\n]*::(?P<message>.*)$"
)
_BIOME = re.compile(
    rf"(?:\./)?{_FILE}(?::(?P<line>\d+):(?P<column>\d+))? (?P<code>(?:lint|assist|parse|format|suppressions|syntax)\S*|organizeImports)(?: +(?:FIXABLE|DEPRECATED))* +━+\s*$"
)
_BIOME_WHAT = re.compile(r"\s*(?P<sign>[×✖!⚠ℹ]) (?P<message>\S.*)$")
_OXLINT = re.compile(r"\s*(?P<sign>[×⚠!]) (?P<code>[\w@-]+\([\w/-]+\)): (?P<message>.+)$")
_OXLINT_AT = re.compile(r"\s*╭─\[(?P<file>[^\]\n]+):(?P<line>\d+):(?P<column>\d+)\]$")
_PRETTIER = re.compile(
    r"\[(?P<severity>warn|error)\] (?P<file>\S+\.\w{1,10})(?:: (?P<message>.+?)(?: \((?P<line>\d+):(?P<column>\d+)\))?)?$"
)
_SUMMARY = re.compile(
    r"\s*[✖✗×] (?P<all>\d+) problems? \((?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?\)"
    r"|(?P<plain>\d+) problems?$|Found (?P<found>\d+) errors?\.$"
)
_TOO_MANY = re.compile(r"ESLint found too many warnings \(maximum: \d+\)\.?")
_OOPS = "Oops! Something went wrong!"
_SETUP = (
    re.compile(r"(?P<message>ESLint couldn't find .+)"),
    re.compile(
        r"(?P<message>(?:No files matching(?: the pattern)? .+|All files matched by .+|You are linting .+ but all of the files .+))"
    ),
    re.compile(
        r"(?P<message>Invalid option .+|.+ is not a valid option.*|Unexpected (?:top-level )?property .+|Cannot read config file: .+)"
    ),
    re.compile(r"\[error\] (?P<message>No (?:files|parser|matching files) .+|Invalid configuration .+)"),
    re.compile(r"(?:Error|TypeError): (?P<message>.+)"),
)
_PROGRAMS = frozenset(
    {"eslint", "eslint_d", "standard", "xo", "semistandard", "biome", "prettier", "stylelint", "oxlint", "jshint", "tslint"}
)  # fmt: skip
_SCRIPTS = (("next", "lint"), ("ng", "lint"), ("vue-cli-service", "lint"), ("deno", "lint"), ("wp-scripts", "lint-js"))


def _tool(words: Sequence[str]) -> str | None:
    if tuple(words[:2]) in _SCRIPTS:
        return "eslint"
    return words[0] if words and words[0] in _PROGRAMS else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    found = [*_lines(output), *_from_json(output.text)]
    errors = any(each.severity == "error" for each in found)
    yield from found
    if not errors:
        yield from _cannot_run(output.lines)


def _lines(output: Output) -> Iterator[Diagnostic]:
    """Reads what is printed for people, in every style."""
    lines = output.lines
    file: str | None = None
    for position, line in enumerate(lines):
        if not line.strip():
            continue
        after = lines[position + 1 : position + 5]
        if line[0].isspace() and (match := _STYLISH.match(line)):
            yield _stylish(match, file)
        elif match := _UNIX.match(line) or _COMPACT.match(line) or _GITHUB.match(line):
            yield _found(match, match["message"], match.groupdict().get("code"))
        elif match := _STUDIO.match(line):
            if " TS" not in line and not (match["code"] or "").startswith("TS"):
                yield _found(match, match["message"], match["code"])
        elif match := _PRETTIER.match(line):
            yield _prettier(match)
        elif "━" in line and (match := _BIOME.match(line)):
            said = filter(str.strip, after)
            what = next((each for text in said if (each := _BIOME_WHAT.match(text))), None)
            if what and what["sign"] != "ℹ":
                listed = f" {next(said, '').strip()}" if what["message"].endswith(":") else ""
                told = what["message"] + listed
                yield replace(_found(match, told, match["code"], warning=what["sign"] in "!⚠"), tool="biome")
        elif match := _OXLINT.match(line):
            place = next((each for text in after if (each := _OXLINT_AT.match(text))), None)
            if place:
                yield replace(
                    _found(place, match["message"], match["code"], warning=match["sign"] != "×"), tool="oxlint"
                )
        elif "<" in line:
            for match in re.finditer(rf"{_CHECKSTYLE_FILE.pattern}|{_CHECKSTYLE.pattern}", line):
                if match["file"]:
                    file = match["file"]
                else:
                    yield _found(match, _unescaped(match["message"]), match["code"] or None, file=file)
        elif match := _PATH.match(line):
            file = match["file"]


def _stylish(match: re.Match[str], file: str | None) -> Diagnostic:
    message, code = match["message"].rstrip(), None
    if rule := _LATE_RULE.search(match["message"]):
        message, code = match["message"][: rule.start()].rstrip(), rule["code"]
    return _found(match, message, code, file=file, warning=match["severity"] in ("warning", "⚠"))


def _found(
    match: re.Match[str], message: str, code: str | None, *, file: str | None = None, warning: bool | None = None
) -> Diagnostic:
    groups = match.groupdict()
    if warning is None:
        warning = str(groups.get("severity")).lower() == "warning"
    return Diagnostic(
        message.strip(),
        file or groups.get("file"),
        int(groups["line"]) if groups.get("line") else None,
        int(groups["column"]) if groups.get("column") else None,
        code,
        phase="syntax" if message.startswith("Parsing error") or code == "parse" else "lint",
        severity="warning" if warning else "error",
    )


def _prettier(match: re.Match[str]) -> Diagnostic:
    """A file that is not formatted, or that cannot be parsed."""
    if match["severity"] == "warn":
        return Diagnostic("Code style issues found", match["file"], phase="lint", tool="prettier")
    line = match["line"]
    message = match["message"] or "cannot be formatted"
    return Diagnostic(message, match["file"], int(line) if line else None, phase="syntax", tool="prettier")


def _unescaped(text: str) -> str:
    for mark, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")):
        text = text.replace(mark, sign)
    return text


def _from_json(text: str) -> Iterator[Diagnostic]:
    for document in documents(text):
        for row, message, file, line, level in sarif(document):
            severity = "error" if level == "error" else "warning"
            yield Diagnostic(message, file, line, code=word(row.get("ruleId")), phase="lint", severity=severity)
        results = document.get("results", document) if isinstance(document, dict) else document
        for result in rows(results):
            file = word(result.get("filePath")) or word(result.get("source"))
            for row in rows(result.get("messages") or result.get("warnings") or []) if file else []:
                severe = row.get("severity") in (2, "error")
                message = str(row.get("message") or row.get("text") or "")
                yield Diagnostic(
                    message,
                    file,
                    number(row.get("line")),
                    number(row.get("column")),
                    word(row.get("ruleId")) or word(row.get("rule")),
                    phase="syntax" if row.get("fatal") else "lint",
                    severity="error" if severe else "warning",
                )


def _cannot_run(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Why ESLint did not run, or failed without an error of a file."""
    for position, line in enumerate(lines):
        if match := _TOO_MANY.match(line.strip()):
            yield Diagnostic(match[0], phase="lint")
            return
        match = next((match for pattern in _SETUP if (match := pattern.match(line))), None)
        if match:
            error = javascript_errors.ERROR.match(line)
            spots = [spot for text in lines[position + 1 : position + 40] if (spot := javascript_errors.spot(text))]
            place = next((spot for spot in spots if not javascript_errors.is_foreign(spot.file)), None)
            yield Diagnostic(
                match["message"].strip(),
                place.file if place else None,
                place.line if place else None,
                code=javascript_errors.kind(error),
                phase="setup",
            )
            return


def _failed(output: Output) -> bool | None:
    for line in reversed(output.lines[-60:]):
        if _TOO_MANY.match(line.strip()) or line.startswith(_OOPS):
            return True
        if (match := _SUMMARY.match(line)) and match["errors"]:
            return int(match["errors"]) > 0
    return None


def _looks_like(output: Output) -> int:
    count = 0
    for line in output.lines:
        if line[:1].isspace():
            count += bool(_STYLISH.match(line))
        elif line.startswith((_OOPS, "✖", "✗", "ESLint")):
            count += 2 * bool(
                line.startswith((_OOPS, "ESLint: ", "ESLint found")) or (_SUMMARY.match(line) and "(" in line)
            )
        elif line.startswith("[warn] "):
            count += "Code style issues" in line or bool(_PRETTIER.match(line))
        else:
            count += bool(_UNIX.match(line) or _COMPACT.match(line) or ("━━" in line and _BIOME.match(line)))
    return count + 2 * ('"ruleId"' in output.text and '"filePath"' in output.text)


FAMILY = ToolFamily("eslint", _tool, _looks_like, _parse, _failed)
