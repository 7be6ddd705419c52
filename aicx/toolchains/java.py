"""javac and kotlinc, stack traces, JUnit, and what Maven and Gradle say around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, ToolFamily, number, place
from aicx.toolchains.java_traces import JavaTraces, summaries

_TOOLS = frozenset({"ant", "gradle", "gradlew", "java", "javac", "javadoc", "jar", "kotlinc", "mvn", "mvnd", "mvnw"})

# What Ant puts before a tool's line, and JUnit's console before one of its tree.
_ANT = re.compile(r"^\s{0,12}\[(?:javac|java|junit|kotlinc)\] ")
_TREE = re.compile(r"^[│├└][│├└─ ]{0,60} ")

_SOURCE = r"[^\s:\[(][^:\n\[(]{0,300}\.(?:java|kts?|scala|groovy)"
_LEVELS = r"(?:(?P<warning>w(?:arning)?)|e(?:rror)?)"
_MAVEN_LEVEL = r"\[(?:ERROR|(?P<warning>WARN(?:ING)?))\]"
_MESSAGE = r"(?:\[(?P<code>[\w-]{1,40})\] )?(?P<message>.+)$"
# javac, kotlinc; the compiler plug-in of Maven; kotlinc below Gradle.
_COMPILED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<file>{_SOURCE}):(?P<line>\d+):(?:(?P<column>\d+):)? {_LEVELS}: {_MESSAGE}",
        rf"{_MAVEN_LEVEL} (?P<file>{_SOURCE}):\[(?P<line>\d+)(?:,(?P<column>\d+))?\] (?:error: )?{_MESSAGE}",
        rf"{_LEVELS}: (?:file://)?(?P<file>{_SOURCE}):(?: \()?(?P<line>\d+)(?::|, )(?P<column>\d+)\)?:? {_MESSAGE}",
    )
)
_CHECKSTYLE = re.compile(
    rf"{_MAVEN_LEVEL} (?P<file>{_SOURCE}):(?P<line>\d+)(?::(?P<column>\d+))?: "
    r"(?P<message>.+) \[(?P<code>\w{1,60})\]$"
)
_RULE = re.compile(r"\((?P<group>\w{1,40})\) (?P<code>[A-Z]\w{1,60}): ")
_DETAIL = re.compile(r"(?:\[(?:ERROR|WARNING|INFO)\] )?\s{2,4}(symbol|location|required|found|reason):")
_SYNTAX = re.compile(
    r"'.{1,3}' expected|<identifier> expected|illegal (?:start|character)|reached end of file|unclosed |"
    r"class, interface|not a statement|unexpected (?:type|token)|Expecting |'else' without"
)
_TYPE = re.compile(
    r"incompatible types|cannot be applied|cannot be converted|type mismatch|bad operand|no suitable|"
    r"does not override|argument type",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?P<level>error|warning): (?:\[(?P<code>[\w-]{1,40})\] )?(?P<message>\S.*)$")
_PLAIN_WRAPPER = re.compile(r"warnings found and -Werror|compilation failed|\d+ errors?$")

_MAVEN = re.compile(r"\[(?:ERROR|FATAL)\] (?P<message>\S.*)$")
_MAVEN_NOISE = re.compile(
    r"(?:\[ERROR\] )?(?:COMPILATION ERROR|Failures:|Errors:|Tests run:|To see the full|Re-run Maven|"
    r"For more information|"
    r"\[Help|-> \[Help|Please refer to|There are test failures|After correcting|mvn |Some problems were encountered|"
    r"The build could not read|The project |Tests are )"
)
_MAVEN_ENDED = re.compile(r"\[ERROR\] \[Help \d\] \S+/(?P<code>\w+Exception)$")
_POM_PLACE = re.compile(r" @ (?:\S+, (?P<file>\S+), )?line (?P<line>\d+), column (?P<column>\d+)")
_POM = re.compile(r"(?:POM |\()(?P<file>[^\s()]{1,300}\.xml)")
_GRADLE_PLACE = re.compile(r"(?:Build|Settings|Script) (?:file )?'(?P<file>[^']{1,300})' line: (?P<line>\d+)")
_VERDICT = re.compile(
    r"(?:\[(?:INFO|ERROR)\] )?(?P<failed>BUILD FAIL\w+|FAILURES!!!|Tests run: \d+, +(?:Failures: [1-9]|"
    r"Failures: 0, +Errors: [1-9])|\[ +[1-9]\d* tests failed|"
    r"\[Help \d\]|To see the full stack trace|error: warnings found|error: compilation failed|\d+ errors?$)|"
    r"(?:\[INFO\] )?(?:BUILD SUCCESS|OK \(\d+ test)"
)
_JAVA = re.compile(
    rf"{_SOURCE}:\d+: (?:error|warning): |\[ERROR\] (?!Found \d+ error)\S|\[INFO\] (?:BUILD|Scanning for projects|---)|"
    rf'Exception in thread "|\s+at [\w.$/@<>-]+\([\w$]+\.java:\d+\)|> Task :|BUILD (?:FAILED|SUCCESSFUL) in |'
    r"JUnit version |Caused by: [\w.$]+(?:Exception|Error)|.*\bMethodSource \[|Note: \S+\.java uses |"
    r"error: (?:invalid flag: |file not found: \S+\.java)"
)


def _tool(words: Sequence[str]) -> str | None:
    return words[0] if words[0] in _TOOLS else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = [_TREE.sub("  ", line) if line[:1] == "│" else _ANT.sub("", line) for line in output.lines]
    found = [*_compiled(lines), *JavaTraces(lines, output.exit_code != 0).read()]
    yield from found
    if not any(each.severity == "error" for each in found):
        found = list(summaries(lines, set()))
        found = found or list(_build(lines)) or list(_ended(lines))
        yield from found
        if not found and output.exit_code and output.words[:1] == ("java",):  # the program said why, and ended
            yield from [Diagnostic(line, phase="runtime") for line in output.lines if line.strip()][-1:]


def _compiled(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for at, line in enumerate(lines):
        match = next((match for pattern in (*_COMPILED, _CHECKSTYLE) if (match := pattern.match(line))), None)
        if match is None:
            plain = _PLAIN.match(line)
            # A warning without a lint's name may be the program's.
            if plain and not _PLAIN_WRAPPER.match(plain["message"]) and (plain["code"] or plain["level"] == "error"):
                yield Diagnostic(plain["message"], code=plain["code"], severity=plain["level"])
            continue
        said = match["message"].removesuffix(" -> [Help 1]")
        code = match["code"] if "code" in match.re.groupindex else None
        if rule := _RULE.match(said):
            code, said = rule["code"], said[rule.end() :]
        said = "\n".join([said, *_details(lines, at + 1)])
        lint = match.re is _CHECKSTYLE or rule is not None
        phase = "lint" if lint else "syntax" if _SYNTAX.match(said) else "type" if _TYPE.match(said) else "build"
        column = number(match, "column") or _caret(lines, at + 1)
        severity = "warning" if match["warning"] else "error"
        yield Diagnostic(said, *place(match), column, code, phase, severity)


def _details(lines: Sequence[str], start: int) -> Iterator[str]:
    """Which symbol is missing, or which types were required and found."""
    for line in lines[start : start + 8]:
        if any(pattern.match(line) for pattern in _COMPILED):
            return
        if _DETAIL.match(line):
            yield line.removeprefix("[ERROR] ").strip()


def _caret(lines: Sequence[str], start: int) -> int | None:
    return next((line.index("^") + 1 for line in lines[start : start + 3] if line.strip() == "^"), None)


def _build(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Why Maven or Gradle gave up, when nothing below them reported an error."""
    said = [(at, match["message"]) for at, line in enumerate(lines) if (match := _MAVEN.match(line))]
    said = [(at, text) for at, text in said if not _MAVEN_NOISE.match(text)]
    poms = [row for row in said if _POM_PLACE.search(row[1]) or "POM" in row[1]]
    goals = [row for row in said if row[1].startswith("Failed to execute goal")]
    for at, text in (poms or goals or said)[:1]:
        spot, file = _POM_PLACE.search(text), _POM.search("\n".join([text, *lines[at : at + 12]]))
        name = (spot["file"] if spot else None) or (file["file"] if file and spot else None)
        row, column = (number(spot, "line"), number(spot, "column")) if spot else (None, None)
        phase = "install" if re.search(r"resolve|offline|download|artifact", text) else "build"
        yield Diagnostic(text.partition(" -> [Help")[0], name, row, column, phase=phase)
    for at, line in enumerate(lines):
        if line.startswith("* What went wrong:"):
            end = next((end for end in range(at + 1, len(lines)) if lines[end].startswith("* ")), len(lines))
            text = "\n".join(each for each in lines[at + 1 : min(end, at + 30)] if each.strip())
            where = place(_GRADLE_PLACE.search("\n".join(lines[max(0, at - 6) : end])))
            yield Diagnostic(text, *where, phase="install" if "resolve" in text else "build")


def _ended(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """The last lines of javac and Maven, where no more is left."""
    for line in lines:
        if match := (_PLAIN_WRAPPER.match(line.removeprefix("error: ")) or _MAVEN_ENDED.match(line)):
            yield Diagnostic(match[0] if match.re is _PLAIN_WRAPPER else match["code"])
            return


def _looks_like(output: Output) -> int:
    return sum(1 for line in output.lines if _JAVA.match(line))


def _failed(output: Output) -> bool | None:
    verdicts = [bool(match["failed"]) for line in output.lines if (match := _VERDICT.match(line))]
    return any(verdicts) if verdicts else None


FAMILY = ToolFamily("java", _tool, _looks_like, _parse, _failed)
