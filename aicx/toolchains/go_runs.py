"""Failed tests of Go, panics and races."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from aicx.toolchains.family import NOWHERE, Diagnostic, Place, place

_LOG = re.compile(r"(?P<indent>\s+)(?P<file>[^\s:][^:\n]{0,200}\.go):(?P<line>\d+):(?!\d+: ) ?(?P<message>.*)$")
_STARTED = re.compile(r"\s*=== (?:RUN|CONT|NAME) +(?P<test>\S+)")
_RESULT = re.compile(
    r"\s*(?:---|===) (?P<result>FAIL|PASS|SKIP|BENCH): (?:(?!Test|Example|Fuzz|Benchmark)\S+ )?(?P<test>\S+)"
)
_PACKAGE_RESULT = re.compile(
    r"(?:FAIL|ok  |\?   )\t\S+|(?:FAIL|PASS|exit status \d+)$|coverage: |=== (?:Failed|Skipped)"
)
# Words of a failed expectation: of the lines that a failed test printed, the others are what it logged.
_EXPECTATION = re.compile(
    r"\b(?:want|wanted|expect\w*|got|fail\w*|errors?|should|must|unexpected|mismatch|differs?|invalid|wrong|"
    r"cannot|can't|"
    r"no such|nil|not|missing|timed? ?out|panic)\b|!=|Error Trace",
    re.IGNORECASE,
)
_CRASH = re.compile(r"(?P<message>(?:panic|fatal error): .+)$")
_MORE_CRASH = re.compile(r"\t(?:panic: .+)$|\[signal ")
_GOROUTINE = re.compile(r"goroutine \d+(?: [^\[\]]{1,60})? \[|runtime stack:$")
_FRAME = re.compile(r"\s+(?P<file>\S[^:\n]{0,300}\.(?:go|s)):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$")
_RACE = "WARNING: DATA RACE"
_STANDARD = frozenset({
    "archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug",
    "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io",
    "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices",
    "sort", "strconv", "strings", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor",
    "weak",
})  # fmt: skip
_TEST_FUNCTION = re.compile(r"\.((?:Test|Example|Fuzz|Benchmark)[^.(]*)")


class Runs:
    """Tests and crashes. What a test printed comes before or after its result, as `-v` decides."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._printed: dict[str, list[Diagnostic]] = {}
        self._results: dict[str, str] = {}
        self._crashed: set[str | None] = set()
        self._examples: dict[str, list[str]] = {}

    def read(self) -> Iterator[Diagnostic]:
        crashes = list(self._read())
        yield from crashes
        failed = [test for test, result in self._results.items() if result == "FAIL"]
        yield from _expectations(self._printed.get("", []))
        # The last one started has no result when it took the program down.
        for test in failed:
            printed = _expectations(self._printed.get(test, []))
            yield from printed
            inner = any(other.startswith(f"{test}/") for other in failed)
            if not printed and not inner and test not in self._crashed:
                said = "\n".join(self._examples.get(test, ())).strip()
                yield Diagnostic(said or f"{test} failed", phase="test", test=test)

    def _read(self) -> Iterator[Diagnostic]:
        test: str | None = None
        position = 0
        while position < len(self._lines):
            line, position = self._lines[position], position + 1
            if match := (_RESULT.match(line) or _STARTED.match(line)):
                test = match["test"]
                if "result" in match.re.groupindex:
                    self._results[test] = match["result"]
            elif match := _CRASH.match(line):
                crash, position = self._crash(match, position, test)
                yield crash
            elif line.strip() == _RACE:
                race, position = self._race(position, test)
                yield race
            elif _PACKAGE_RESULT.match(line):
                test = None
            # Behind a cut, of a test whose result came before it.
            elif (match := _LOG.match(line)) and (test or not self._results):
                position = self._log(match, position, test or "")
            elif test and test.startswith("Example") and not line.startswith("#"):
                self._examples.setdefault(test, []).append(line)

    def _log(self, match: re.Match[str], position: int, test: str) -> int:
        said, deeper = [match["message"]], len(match["indent"].expandtabs(4)) + 4
        while position < len(self._lines):
            line = self._lines[position].expandtabs(4)
            if not line.strip() or len(line) - len(line.lstrip()) < deeper:
                break
            said.append(self._lines[position].strip())
            position += 1
        if match["file"] != "testing.go":
            message = _asserted(said) if any(line.startswith("Error Trace:") for line in said) else "\n".join(said)
            found = Diagnostic(message.strip(), *place(match), phase="test", test=test or None)
            self._printed.setdefault(test, []).append(found)
        return position

    def _crash(self, match: re.Match[str], position: int, test: str | None) -> tuple[Diagnostic, int]:
        said, start = [match["message"]], position
        while position < len(self._lines) and not _PACKAGE_RESULT.match(self._lines[position]):
            if _MORE_CRASH.match(self._lines[position]):
                said.append(self._lines[position].strip())
            position += 1
        stack = self._lines[start:position]
        function, where = _deepest(_goroutines(stack))
        named = _TEST_FUNCTION.search(function or "")
        running = next((line.split()[0] for line in stack if re.match(r"\t(?:Test|Fuzz|Example)\S* \(", line)), None)
        test = running or (named[1] if named else None) or (test if self._results.get(test or "") != "PASS" else None)
        # A subtest's function is one without a name inside its parent's.
        open_test = next((each for each in reversed(list(self._results)) if self._results[each] == "FAIL"), test)
        test = open_test if test and open_test and open_test.startswith(f"{test}/") else test
        self._crashed.update((test, (test or "").partition("/")[0]))
        phase = "test" if test or any(line.startswith("testing.") for line in stack) else "runtime"
        return Diagnostic("\n".join(said), *where, phase=phase, test=test, identity=_without_addresses(said)), position

    def _race(self, position: int, test: str | None) -> tuple[Diagnostic, int]:
        start = position
        while position < len(self._lines) and not self._lines[position].startswith("======"):
            position += 1
        stack = self._lines[start:position]
        function, where = _deepest([list(_frames(stack))])
        access = next((line.partition(" at ")[0].strip() for line in stack if " at 0x" in line), "")
        named = _TEST_FUNCTION.search(function or "")
        test = named[1] if named else test
        self._crashed.add(test)
        return Diagnostic(f"{_RACE}: {access}", *where, phase="test" if test else "runtime", test=test), position


def _goroutines(stack: Sequence[str]) -> list[list[tuple[str, str, int]]]:
    starts = [at for at, line in enumerate(stack) if _GOROUTINE.match(line)] or [0]
    return [list(_frames(stack[at:end])) for at, end in zip(starts, [*starts[1:], len(stack)], strict=True)]


def _frames(lines: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Function, file and line of each frame, the deepest first."""
    for above, line in pairwise(lines):
        if (match := _FRAME.match(line)) and not above.startswith("created by"):
            yield above.strip(), match["file"], int(match["line"])


def _deepest(stacks: Iterable[Sequence[tuple[str, str, int]]]) -> tuple[str | None, Place]:
    """The project's deepest frame, of a stack with a test in it if there is one; and the test's function."""
    own = [frames for stack in stacks if (frames := [frame for frame in stack if _is_own(*frame[:2])])]
    if not own:
        return None, NOWHERE
    testing = [frames for frames in own if any(_TEST_FUNCTION.search(frame[0]) for frame in frames)]
    frames = (testing or own)[0]
    function = next((frame[0] for frame in frames if _TEST_FUNCTION.search(frame[0])), frames[0][0])
    return function, (frames[0][1], frames[0][2])


def _is_own(function: str, file: str) -> bool:
    if file.endswith("_testmain.go") or "/pkg/mod/" in file or "/vendor/" in file:
        return False
    package = re.split(r"[./]", function, maxsplit=1)[0]
    library = function.startswith("panic(") or (package in _STANDARD and "/src/" in file)
    return not library


def _without_addresses(said: Sequence[str]) -> str:
    return "\n".join(re.sub(r" (?:addr|pc|code)=\S+", "", line).replace(" [recovered]", "") for line in said)


def _asserted(said: Sequence[str]) -> str:
    """The message of an assertion of testify, without where it was."""
    kept: list[str] = []
    for line in said:
        label, _, rest = line.partition(":")
        if label in ("Error Trace", "Test"):
            kept.append("")
        elif label in ("Error", "Messages"):
            kept.append(rest.strip())
        elif kept and kept[-1]:
            kept.append(line)
    return "\n".join(line for line in kept if line)


def _expectations(printed: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Picks the lines of a failed test's output that report a failure, else the last one."""
    failing = [found for found in printed if _EXPECTATION.search(found.message)]
    return failing or list(printed[-1:])
