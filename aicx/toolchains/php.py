"""php itself, PHPUnit and Pest, PHPStan, Psalm and PHP_CodeSniffer, and Composer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import NOWHERE, Diagnostic, Output, ToolFamily, lines_matching, place
from aicx.toolchains.json_documents import documents, number, rows, word
from aicx.toolchains.php_tests import FOREIGN, described, pest, teamcity, tests

_TOOLS = re.compile(
    r"php(?:\d[\d.]*)?|phpunit|pest|paratest|phpstan|psalm|phpcs|phpcbf|php-cs-fixer|pint|composer|artisan|"
    r"codecept|infection|rector|phpmd|phpdbg|parallel-lint"
)
_LEVEL = re.compile(
    r"(?:PHP )?(?P<level>Fatal error|Parse error|Recoverable fatal error|Catchable fatal error|Compile error|"
    r"Core error|(?:User )?(?:Warning|Notice|Deprecated)|Strict Standards|Startup):\s+(?P<rest>\S.*)$"
)
_UNCAUGHT = re.compile(r"Uncaught (?P<code>[\w\\]{1,300})(?:: (?P<message>.*))?$")
_NEXT = re.compile(r"Next (?P<code>[A-Za-z][\w\\]{0,300})(?:: (?P<message>.*))?$")
_THROWN_IN = re.compile(r"\s+thrown in (?P<file>\S.{0,300}) on line (?P<line>\d+)$")
_CALL = re.compile(r"#\d+ (?P<file>/?[^\s(][^(\n]{0,300}\.php)\((?P<line>\d+)\): ")
_TAGS = re.compile(r"<(?:/?b|br ?/)>")
_LAST_WORDS = re.compile(
    r"(?P<message>Could not open input file: \S.*|Cannot open file \".*|Test file \".*|No tests executed!|"
    r"Class \S+ could not be found in .*|Test directory \".*|Unknown option \".*)$"
)


_PROBLEM = re.compile(r"\s+Problem \d+$")
_CONSOLE = re.compile(r"\s*In (?P<file>[\w.-]{1,200}\.php) line (?P<line>\d+):$")
_JSON_PLACE = re.compile(
    r"\"?(?P<file>[^\s\"]{1,300}\.json)\"? does not contain valid JSON\s+Parse error on line (?P<line>\d+)"
)
_COMPOSER = re.compile(
    r"(?P<message>Composer could not find \S.*|\[RuntimeException\].*|Script \S.* (?:returned|handling).*)$"
)
_NARROWEST = 60  # columns; a text that fills fewer was not broken
_PHP = re.compile(
    r"(?:PHP )?(?:Fatal error|Parse error|Warning|Deprecated|Notice): .* (?:in|on line) |PHPUnit \d|#\d+ "
    r"\S+\.php\(\d+\): |OK \(\d+ tests?, \d+ assert|Tests: \d+, Assertions: |\S+\.php:\d+$|##teamcity\[test\w+ "
    r"name='test|\s+Line\s{2,}\S+\.php|No syntax errors detected in \S+\.php|Loading composer repositories|\s+Problem "
    r"\d+$|\s+at \S+\.php:\d+$|FILE: \S+\.php|\S+\.php:\d+:\d+: (?:error|warning) - |\s*In \w+\.php line \d+:$|"
    r"\{\"totals\":|Could not open input file: \S+\.php"
)
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


def _tool(words: Sequence[str]) -> str | None:
    if not _TOOLS.fullmatch(words[0]):
        return None
    script = next((word.rpartition("/")[2] for word in words[1:] if not word.startswith("-")), "")
    return script if words[0].startswith("php") and words[0] != script and _TOOLS.fullmatch(script) else words[0]


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = [line.rstrip() for line in output.lines]
    lines = [_TAGS.sub("", line).replace("-&gt;", "->") if "<" in line else line for line in lines]
    if any("│" in line for line in lines):
        lines = _undecorated(lines)
    found = [*_reported(lines), *analysis(output.text), *analysed(lines)]
    failures = list(teamcity(lines)) or list(tests(lines)) or list(described(output.lines))
    found += failures or pest(lines)
    found += _composed(output.lines)
    yield from found
    if not any(each.severity == "error" for each in found):
        last = [Diagnostic(match["message"], phase="runtime") for line in lines if (match := _LAST_WORDS.match(line))]
        if not last and output.exit_code and output.words[:1] == ("php",):
            last = [Diagnostic(line, phase="runtime") for line in lines if line.strip()][-1:]
        yield from last


def _undecorated(lines: Sequence[str]) -> list[str]:
    return [line.replace("│", " ", 1) if line.lstrip().startswith("│") else line for line in lines]


def _reported(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Errors, warnings and uncaught exceptions of the interpreter, in its log, on its output, or both."""
    position = 0
    while position < len(lines):
        match = _LEVEL.match(lines[position])
        position += 1
        if match is None:
            # The end of an exception whose beginning was cut off.
            if following := _NEXT.match(lines[position - 1]):
                found, position = _uncaught(lines, position, following)
                yield found
            elif thrown := _THROWN_IN.match(lines[position - 1]):
                yield Diagnostic("uncaught exception", *place(thrown), phase="runtime")
            continue
        if uncaught := _UNCAUGHT.match(match["rest"]):
            found, position = _uncaught(lines, position, uncaught)
            yield found
            continue
        said, _, number = match["rest"].rpartition(" on line ")
        said, _, file = said.rpartition(" in ")
        if not said or not number.isdigit():
            continue
        level = match["level"]
        phase = "syntax" if level == "Parse error" else "runtime"
        yield Diagnostic(
            said, _file(file), int(number), phase=phase, severity="error" if "error" in level else "warning"
        )


def _file(name: str) -> str | None:
    return None if name == "Command line code" else name


def _uncaught(lines: Sequence[str], position: int, match: re.Match[str]) -> tuple[Diagnostic, int]:
    """One uncaught exception. Of a chain, the last was not caught, and the others caused it."""
    chain: list[tuple[str, list[str]]] = [(match["code"], [match["message"] or ""])]
    calls: list[re.Match[str]] = []
    thrown: re.Match[str] | None = None
    saying = True
    while position < len(lines) and thrown is None:
        line = lines[position]
        if following := _NEXT.match(line):
            chain.append((following["code"], [following["message"] or ""]))
            calls, saying = [], True
        elif call := _CALL.match(line):
            calls.append(call)
        elif _LEVEL.match(line):
            break
        elif line.startswith("Stack trace:"):
            saying = False
        elif saying:
            chain[-1][1].append(line)
        elif not (thrown := _THROWN_IN.match(line)) and line.strip() and not re.match(r"#\d+ ", line):
            break
        position += 1
    said = [_without_place("\n".join(parts)) for _code, parts in chain]
    because = [f"caused by {code}: {text}" for (code, _parts), text in zip(chain[-2::-1], said[-2::-1], strict=True)]
    own = thrown if thrown and not FOREIGN.match(thrown["file"]) else None
    spot = own or next((call for call in calls if not FOREIGN.match(call["file"])), None)
    file, line_number = place(spot)
    where = (_file(file), line_number) if file else NOWHERE
    text, code = "\n".join([said[-1], *because]), chain[-1][0]
    return Diagnostic(text, *where, code=code, phase="runtime", identity=f"{code}: {text}"), position


def _without_place(said: str) -> str:
    text, _, place = said.rpartition(" in ")
    return text if text and re.search(r":\d+$", place) else said


def _composed(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Why Composer could not install, and exceptions as console programs print them."""
    for at, line in enumerate(lines):
        if _PROBLEM.match(line):
            said = []
            for below in lines[at + 1 : at + 40]:
                if not below.strip() or _PROBLEM.match(below):
                    break
                said.append(below.strip().removeprefix("- "))
            yield Diagnostic("\n".join(said), phase="install", tool="composer")
        elif match := _CONSOLE.match(line):
            text = _boxed(lines, at + 1)
            yield Diagnostic(text, *place(_JSON_PLACE.search(text)), phase="install", tool="composer")
        elif match := _COMPOSER.match(line):
            yield Diagnostic(match["message"], phase="install", tool="composer")


def _boxed(lines: Sequence[str], start: int) -> str:
    """The text of a box as wide as its longest line: a line that fills it goes on in the next."""
    parts: list[str] = []
    for line in lines[start : start + 40]:
        if line.strip() and not line.startswith("  "):
            break
        if not line.strip() and any(row.strip() for row in parts):
            break
        parts.append(line[2:-2] if line.endswith("  ") else line[2:])
    width = max(map(len, parts), default=0)
    broken = width >= _NARROWEST
    text = "".join(row if broken and len(row.rstrip()) == width else row.rstrip() + "\n" for row in parts)
    return text.strip()


def _failed(output: Output) -> bool | None:
    said: bool | None = None
    for line in output.lines:
        if re.match(r"(?:FAILURES|ERRORS)!$|\s*Tests:\s+\d+ failed|.*\[ERROR\] Found \d+ error|FOUND \d+ ERROR", line):
            said = True
        elif re.match(r"OK(?: \(\d+ tests?|, but )|\s*\[OK\] No errors|\s*Tests:\s+\d+ passed", line):
            said = bool(said)
    return said


FAMILY = ToolFamily("php", _tool, lines_matching(_PHP), _parse, _failed)


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
