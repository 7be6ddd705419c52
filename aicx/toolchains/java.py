"""javac and kotlinc, stack traces and the tests that they belong to, JUnit, and what Maven and Gradle say around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, ToolFamily, any_failed, lines_matching, number, place

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
    r"(?:\[ERROR\] )?(?:COMPILATION ERROR|Failures:|Errors:|Tests run:|To see the full|Re-run Maven|For more "
    r"information|\[Help|-> \[Help|Please refer to|There are test failures|After correcting|mvn |Some problems were "
    r"encountered|The build could not read|The project |Tests are )"
)
_MAVEN_ENDED = re.compile(r"\[ERROR\] \[Help \d\] \S+/(?P<code>\w+Exception)$")
_POM_PLACE = re.compile(r" @ (?:\S+, (?P<file>\S+), )?line (?P<line>\d+), column (?P<column>\d+)")
_POM = re.compile(r"(?:POM |\()(?P<file>[^\s()]{1,300}\.xml)")
_GRADLE_PLACE = re.compile(r"(?:Build|Settings|Script) (?:file )?'(?P<file>[^']{1,300})' line: (?P<line>\d+)")
_VERDICT = re.compile(
    r"(?:\[(?:INFO|ERROR)\] )?(?P<failed>BUILD FAIL\w+|FAILURES!!!|Tests run: \d+, +(?:Failures: [1-9]|Failures: 0, "
    r"+Errors: [1-9])|\[ +[1-9]\d* tests failed|\[Help \d\]|To see the full stack trace|error: warnings found|error: "
    r"compilation failed|\d+ errors?$)|(?:\[INFO\] )?(?:BUILD SUCCESS|OK \(\d+ test)"
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


_EXCEPTION = r"(?P<code>(?:[\w$]{1,80}\.){0,20}[A-Z][\w$]{0,120})"
_THROWN = re.compile(
    rf'\s*(?:=> |caught: |(?:Exception in thread "(?P<thread>[^"]{{0,200}})" ))?(?:Caused by: )?'
    rf"{_EXCEPTION}(?:: (?P<message>.*))?$"
)
_FRAME = re.compile(
    r"\s+(?:at )?(?:[\w.@-]{0,80}/{1,2}){0,2}(?P<function>[\w.$<>]{1,300}) ?"
    r"\((?P<file>[\w$-]{1,200}\.(?:java|kts?|scala|groovy)):(?P<line>\d+)\)"
)
_ANY_FRAME = re.compile(
    r"\s+(?:at \S+ ?\(|\.\.\. \d+ (?:more|common))|\s+\[\.\.\.\]$|\s+(?:[\w.$]+/)?[\w.$]+\([\w.: ]+\)$"
)
_CAUSE = re.compile(rf"\s*Caused by: {_EXCEPTION}(?:: (?P<message>.*))?$")
_NO_TRACE = re.compile(r"\[(?:INFO|ERROR|WARNING)\]|FAILURES!!!|Tests run:")
_LIBRARY = re.compile(
    r"(?:java|javax|jdk|sun|com\.sun|jakarta|junit|kotlin|kotlinx|scala|groovy|org\.(?:junit|opentest4j|apache|"
    r"hamcrest|assertj|mockito|gradle|testng|codehaus|springframework|hibernate|groovy|slf4j|jboss|eclipse|"
    r"spockframework)|worker\.org|com\.google\.(?:common|inject|gson)|com\.fasterxml|io\.(?:netty|micrometer|"
    r"reactivex)|reactor|net\.bytebuddy|ch\.qos)\."
)
_SUREFIRE = re.compile(
    r"(?:\[ERROR\] +)?(?P<name>[\w.$]\S{0,300}(?: [^\s<-].{0,100}?)?)(?<!--) +(?:-- +)?"
    r"Time elapsed: \S+ (?:s|sec) +<<< (?:FAILURE|ERROR)!"
)
_OLDER_NAME = re.compile(r"(?P<name>[^(]{1,200})\((?P<class>[a-z][\w$]*(?:\.[\w$]+)+|[A-Z][\w$]*)\)")
_SUMMARY = re.compile(
    r"\[ERROR\] {2,4}(?P<class>[\w$.]{1,200}?)\.(?P<method>[\w$]{1,200}+)(?P<rest>[^:»\n]{0,100})(?::(?P<line>\d+))?"
    r"(?:->(?P<path>\S{1,300}))? (?P<message>.+)$"
)
_GRADLE_TEST = re.compile(r"(?P<class>[\w.$]{1,200})(?: > \S.{0,200}?)?? > (?P<name>\S.{0,200}) FAILED$")
_GRADLE_BRIEF = re.compile(
    rf"\s+{_EXCEPTION}(?:: (?P<message>.*))? at (?P<file>[\w$-]+\.(?:java|kts?|groovy)):(?P<line>\d+)$"
)
_JUNIT4 = re.compile(r"\d+\) (?P<name>\w[^()\n]{0,200})\((?P<class>[\w.$]{1,200})\)$")
_JUNIT5 = re.compile(
    r"\s+(?:source: )?MethodSource \[className = '(?P<class>[^']{1,200})', methodName = '(?P<name>[^']{1,200})'"
)
_LAUNCHER = re.compile(
    r"(?:Error: (?!Could not create)|Error occurred during |no main manifest|Unrecognized option)\S?.*$"
)


class JavaTraces:
    """Goes through the lines once; a heading that names a test gives it to the trace below."""

    def __init__(self, lines: Sequence[str], failed: bool) -> None:
        self._lines, self._failed = lines, failed
        self._test: str | None = None

    def read(self) -> Iterator[Diagnostic]:
        found = list(self._read())
        # What a program caught and printed counts only where it failed and nothing else tells why.
        counted = [each for each, uncaught in found if uncaught]
        counted = counted or [each for each, _uncaught in found if self._failed]
        yield from counted
        named = {each.test for each in counted if each.test}
        if named:
            yield from summaries(self._lines, named)

    def _read(self) -> Iterator[tuple[Diagnostic, bool]]:
        position = 0
        while position < len(self._lines):
            line = self._lines[position]
            position += 1
            if test := _heading(line):
                self._test = test
            elif self._test and (match := _GRADLE_BRIEF.match(line)):
                said = match["message"] or match["code"]
                yield Diagnostic(said, *place(match), code=match["code"], phase="test", test=self._test), True
                self._test = None
            elif (match := _THROWN.match(line)) and self._named(match) and not line.startswith("Caused by"):
                headed = bool(self._test or match["thread"])
                end = self._end(position, headed)
                if end > position or headed:
                    yield self._thrown(match, self._lines[position:end]), headed
                    self._test = None
                position = end
            elif match := _LAUNCHER.match(line):
                cause = _CAUSE.match(self._lines[position]) if position < len(self._lines) else None
                yield Diagnostic(line, code=cause["code"] if cause else None, phase="runtime"), True

    def _named(self, match: re.Match[str]) -> bool:
        """Whether a line names an exception: without a package, only where one is announced."""
        return "." in match["code"] or bool(self._test or match["thread"])

    def _end(self, start: int, headed: bool) -> int:
        """Behind the last line of a trace. Lines of the message come before the first frame, if it has a heading."""
        position, last = start, start
        while position < len(self._lines):
            line = self._lines[position]
            if _ANY_FRAME.match(line) or _CAUSE.match(line) or line.lstrip().startswith("Suppressed: "):
                last = position + 1
            elif last > start or not headed or position - start > 60 or _heading(line) or _NO_TRACE.match(line):
                break
            position += 1
        return last

    def _thrown(self, match: re.Match[str], trace: Sequence[str]) -> Diagnostic:
        said, causes, frames = [match["message"] or ""], [], []
        in_cause = False
        for line in trace:
            if cause := _CAUSE.match(line):
                causes.append(cause)
                in_cause = True
            elif line.lstrip().startswith("Suppressed: "):
                break
            elif frame := _FRAME.match(line):
                frames.append((frame, in_cause))
            elif not frames and not _ANY_FRAME.match(line):
                said.append(line.strip())
        own = [row for row in frames if _is_own(row[0])]
        spot = next((frame for frame, caused in own if not caused), own[0][0] if own else None)
        text = "\n".join(said).strip()
        because = [
            f"Caused by: {each['code']}" + (f": {each['message']}" if each["message"] else "") for each in causes
        ]
        return Diagnostic(
            "\n".join([text or match["code"], *because]),
            _file(spot) if spot else None,
            number(spot, "line") if spot else None,
            code=match["code"],
            phase="test" if self._test else "runtime",
            test=self._test,
            # Maven's list at the end has a failed test's first line alone.
            identity=(text or match["code"]).partition("\n")[0] if self._test else f"{match['code']}: {text}",
        )


def _is_own(frame: re.Match[str]) -> bool:
    return not _LIBRARY.match(frame["function"]) and not re.match(
        r"\s+(?:at )?(?:java|jdk)\.[\w.]+(?:@[\w.]+)?/", frame[0]
    )


def _file(frame: re.Match[str]) -> str:
    """A frame's file below the folders of its package."""
    package = [part for part in frame["function"].split(".")[:-2] if part.islower() or part[:1].islower()]
    return "/".join([*package, frame["file"]])


def _heading(line: str) -> str | None:
    """The test that a line announces the trace of, as `Class.method`."""
    if match := _SUREFIRE.match(line) if "<<< " in line else None:
        if match["name"].startswith("Tests run:"):
            return None
        older = _OLDER_NAME.fullmatch(match["name"])
        return _test_name(older["class"], older["name"]) if older else _test_name(None, match["name"])
    for pattern in (_JUNIT4, _JUNIT5, *((_GRADLE_TEST,) if line.endswith(" FAILED") else ())):
        if match := pattern.match(line):
            return _test_name(match["class"], match["name"])
    return None


def _test_name(owner: str | None, name: str) -> str:
    if owner is None:
        owner, _, name = name.rpartition(".") if "." in name.partition("(")[0] else (name, "", "")
        if "(" in owner:  # parameters with packages
            head, _, parameters = f"{owner}.{name}".partition("(")
            owner, _, name = head.rpartition(".")
            name = f"{name}({parameters}"
        if name[:1].isupper():  # a class whose set-up failed
            owner, name = name, ""
    simple = owner.rpartition(".")[2]
    name = name.removesuffix("()")
    return f"{simple}.{name}" if name else simple


def summaries(lines: Sequence[str], named: set[str]) -> Iterator[Diagnostic]:
    """The list of failed tests at Maven's end, for those whose trace was cut or left out."""
    bare = {re.split(r"[(\[{]", name, maxsplit=1)[0] for name in named}
    for line in lines:
        if not (match := _SUMMARY.match(line)):
            continue
        test = _test_name(match["class"], match["method"])
        if test in bare or test.partition(".")[0] in bare:  # a class's name alone where its set-up failed
            continue
        kind, said = None, match["message"]
        if said.startswith("» "):
            kind, _, said = said[2:].partition(" ")
        elif match["line"] is None:
            continue
        line_number = number(match, "line")
        file = match["class"].rpartition(".")[2].partition("$")[0] + ".java"
        yield Diagnostic(
            said or kind or "", file if line_number else None, line_number, code=kind, phase="test", test=test
        )


FAMILY = ToolFamily("java", _tool, lines_matching(_JAVA), _parse, any_failed(_VERDICT))
