"""Stack traces of the Java machine, and the tests that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, number, place

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
    r"hamcrest|"
    r"assertj|mockito|gradle|testng|codehaus|springframework|hibernate|groovy|slf4j|jboss|eclipse|spockframework)|"
    r"worker\.org|com\.google\.(?:common|inject|gson)|com\.fasterxml|io\.(?:netty|micrometer|reactivex)|reactor|"
    r"net\.bytebuddy|ch\.qos)\."
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
