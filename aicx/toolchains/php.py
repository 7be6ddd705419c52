"""php itself, PHPUnit and Pest, PHPStan, Psalm and PHP_CodeSniffer, and Composer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, ToolFamily
from aicx.toolchains.php_analysis import analysed, analysis
from aicx.toolchains.php_tests import FOREIGN, described, pest, teamcity, tests
from aicx.toolchains.places import NOWHERE, place

_TOOLS = re.compile(
    r"php(?:\d[\d.]*)?|phpunit|pest|paratest|phpstan|psalm|phpcs|phpcbf|php-cs-fixer|pint|composer|artisan|"
    r"codecept|infection|"
    r"rector|phpmd|phpdbg|parallel-lint"
)
_LEVEL = re.compile(
    r"(?:PHP )?(?P<level>Fatal error|Parse error|Recoverable fatal error|Catchable fatal error|Compile error|"
    r"Core error|"
    r"(?:User )?(?:Warning|Notice|Deprecated)|Strict Standards|Startup):\s+(?P<rest>\S.*)$"
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
    r"(?:PHP )?(?:Fatal error|Parse error|Warning|Deprecated|Notice): .* (?:in|on line) |PHPUnit \d|"
    r"#\d+ \S+\.php\(\d+\): |"
    r"OK \(\d+ tests?, \d+ assert|Tests: \d+, Assertions: |\S+\.php:\d+$|##teamcity\[test\w+ name='test|"
    r"\s+Line\s{2,}\S+\.php|"
    r"No syntax errors detected in \S+\.php|Loading composer repositories|\s+Problem \d+$|\s+at \S+\.php:\d+$|"
    r"FILE: \S+\.php|\S+\.php:\d+:\d+: (?:error|warning) - |\s*In \w+\.php line \d+:$|\{\"totals\":|"
    r"Could not open input file: \S+\.php"
)


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


def _looks_like(output: Output) -> int:
    return sum(1 for line in output.lines if _PHP.match(line))


def _failed(output: Output) -> bool | None:
    said: bool | None = None
    for line in output.lines:
        if re.match(r"(?:FAILURES|ERRORS)!$|\s*Tests:\s+\d+ failed|.*\[ERROR\] Found \d+ error|FOUND \d+ ERROR", line):
            said = True
        elif re.match(r"OK(?: \(\d+ tests?|, but )|\s*\[OK\] No errors|\s*Tests:\s+\d+ passed", line):
            said = bool(said)
    return said


FAMILY = ToolFamily("php", _tool, _looks_like, _parse, _failed)
