"""The go command, its compiler, vet and tests; panics, races, and the linters that print as the compiler does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from aicx.toolchains.family import NOWHERE, Diagnostic, Output, Place, ToolFamily, lines_matching, number, place
from aicx.values import replace

_TOOLS = frozenset({
    "go", "gofmt", "gofumpt", "goimports", "golangci-lint", "golint", "gotestsum", "govulncheck", "richgo",
    "staticcheck", "revive", "errcheck", "ginkgo",
})  # fmt: skip

_PLACE = re.compile(
    r"(?:vet: |# )?(?P<file>[^\s:][^:\n]{0,300}(?:\.go|go\.(?:mod|sum|work))):(?P<line>\d+)(?:-\d+)?(?::(?P<column>\d+))?: "
    r"(?P<message>\S.*)$"
)
_LINTER = re.compile(r" \((?P<code>[A-Za-z][\w-]{1,40})(?:: [^()]{1,60})?\)$")  # how linters name the rule
_MAX_QUOTED = 12  # lines of a text that a message quotes
_SYNTAX = re.compile(r"syntax error|expected |illegal |missing ',' |newline in|unexpected ")
_TYPE = re.compile(
    r"cannot use|mismatched types|does not implement|not enough arguments|too many|assignment mismatch|"
    r"invalid operation|cannot convert|missing return"
)
_COMMAND = re.compile(
    r"go(?: (?:build|fix|generate|get|install|list|mod|run|test|tool|vet|work)[\w ]{0,20})?: (?!downloading |"
    r"finding |extracting |creating |added |upgraded |downgraded |removed |to add |warning|"
    r"errors parsing|updates to |found |trying |using )(?P<message>\S.*)$"
)
_REFUSED = re.compile(
    r"pattern \S+: |stat \S+: |no Go files in |package \S+ is not in |no required module provides |"
    r"can't load package: |cannot find (?:package|module)|build constraints exclude |flag provided but not defined: |"
    r"go \w+: unknown command|runtime\.main_main\S*: |\S+: relocation target \S+ not defined"
)
_IMPORTS = re.compile(r"(?:package )?\S+(?: imports| tested by \S+ imports)?$")
_CLOCK = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)? ")
_NOISE = re.compile(
    r"(?:FAIL|PASS|ok  |\?   |---|===|# |exit status|Exit code \d+$|go: downloading |go: finding )|\s*$"
)
_UNFORMATTED = re.compile(r"[^\s:]+\.go$")
_GO = re.compile(
    r"(?:vet: )?\S+\.go:\d+:\d+: |\s*--- (?:FAIL|PASS|SKIP): (?:Test|Example|Fuzz)|=== RUN   |(?:FAIL|ok  )\t\S+|"
    r"goroutine \d+ \[|panic: |go: \S+|\s+\S+_test\.go:\d+: |\{(?:\"Time\":\"[^\"]{1,40}\",)?\"Action\":|"
    r"\{\"ImportPath\":|\timports \S+: import cycle|runtime\.main_main\S*: "
)


def _tool(words: Sequence[str]) -> str | None:
    if words[0] not in _TOOLS:
        return None
    return "vet" if words[:2] == ("go", "vet") else words[0]


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = _unfolded(output)
    found = [*_documents(output.text), *_commands(lines, output.words)]
    found += Runs(lines).read()
    yield from found
    if not found and (output.exit_code or _failed(output)):
        yield from _last_word(lines)


def _unfolded(output: Output) -> Sequence[str]:
    """Unwraps the output of `-json`, package by package as without it; returns any other output as it is."""
    if '"Action":"' not in output.text:
        return output.lines
    packages: dict[str, list[str]] = {}
    for line in output.text.split("\n"):
        if not line.startswith("{"):
            packages.setdefault("", []).append(line + "\n")
            continue
        row = _loaded(line)
        packages.setdefault(str(row.get("Package") or row.get("ImportPath")), []).append(str(row.get("Output") or ""))
    return [line for parts in packages.values() for line in "".join(parts).split("\n")]


def _documents(text: str) -> Iterator[Diagnostic]:
    """Findings of `go vet -json` and of linters, each in one document."""
    if '"posn"' in text:
        for document in re.split(r"^# .*$", text, flags=re.MULTILINE):
            for package in _loaded(document).values():
                for rule, rows in package.items() if isinstance(package, dict) else ():
                    for row in rows if isinstance(rows, list) else ():
                        if match := _PLACE.match(f"{row.get('posn')}: {row.get('message')}"):
                            yield _reported(match, match["message"], rule)
    start = text.find('{"Issues":')
    for row in (_loaded(text[start:].partition("\n")[0]).get("Issues") or []) if start >= 0 else []:
        pos = row.get("Pos") or {}
        where = (pos.get("Filename"), pos.get("Line"), pos.get("Column"), row.get("FromLinter"))
        yield Diagnostic(str(row.get("Text")), *where, phase="lint", severity=row.get("Severity") or "error")


def _loaded(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _reported(match: re.Match[str], message: str, code: str | None, phase: str = "lint") -> Diagnostic:
    return Diagnostic(message, *place(match), number(match, "column"), code, phase=phase)


def _commands(lines: Sequence[str], words: Sequence[str]) -> Iterator[Diagnostic]:
    """Finds the reports of the compiler, vet, linters and go itself, a line each with what is indented below."""
    linter = bool(words) and words[0] not in ("go", "gofmt", "gotestsum")
    vetting = tuple(words[:2]) == ("go", "vet")
    for at, line in enumerate(lines):
        if match := _PLACE.match(line):
            if match["message"].startswith("note: "):  # of the C compiler below cgo
                continue
            message = _closed(match["message"], lines, at)
            rule = _LINTER.search(message)
            pointed = any(line.strip() == "^" for line in lines[at + 2 : at + 3])
            if linter or (rule and (pointed or message != match["message"])):
                said = message[: rule.start()] if rule else message
                # A script's name does not say which linter it runs: that one shows the line below.
                named = None if linter else "golangci-lint"
                yield replace(_reported(match, said, rule["code"] if rule else None), tool=named)
            else:
                said = "\n".join([match["message"], *_indented(lines, at + 1)])
                yield _reported(match, said.removeprefix("error: "), None, _phase(match["file"], said, vetting=vetting))
        elif _REFUSED.match(line):
            yield Diagnostic("\n".join([line, *_indented(lines, at + 1)]), phase="build")
        elif match := _COMMAND.match(line):
            yield Diagnostic("\n".join([match["message"], *_indented(lines, at + 1)]), phase="install")
        elif _IMPORTS.match(line) and (below := list(_indented(lines, at + 1))) and ": " in below[-1]:
            yield Diagnostic("\n".join([line, *below]), phase="install" if line.endswith("imports") else "build")
        elif tuple(words[:1]) == ("gofmt",) and _UNFORMATTED.match(line):
            yield Diagnostic(f"{line} is not formatted", line, phase="format")


def _phase(file: str, said: str, *, vetting: bool) -> str:
    if file.endswith(("go.mod", "go.sum")) or "no required module" in said:
        return "install"
    return "syntax" if _SYNTAX.match(said) else "type" if _TYPE.match(said) else "lint" if vetting else "build"


def _closed(message: str, lines: Sequence[str], at: int) -> str:
    """A linter's message that quotes a text of several lines, to the name of its rule; any other as it is."""
    ends = range(at + 1, at + _MAX_QUOTED) if message.count("`") % 2 else ()
    wholes = (" ".join((message, *(line.strip() for line in lines[at + 1 : end + 1]))) for end in ends)
    return next((one for one in wholes if _LINTER.search(one) and one.count("`") % 2 == 0), message)


def _indented(lines: Sequence[str], start: int) -> Iterator[str]:
    for line in lines[start : start + 20]:
        if not line.startswith("\t") or line.startswith("\t/"):
            return
        yield line.strip()


def _last_word(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Why the command gave up, where it is in no form: the go command's first line, or a program's last one."""
    packages = [line for line in lines if line.startswith("FAIL\t")]
    said = [] if packages else [line for line in lines if not _NOISE.match(line)]
    ended = any(line.startswith("exit status ") for line in lines)
    if said:
        yield Diagnostic(_CLOCK.sub("", said[-1] if ended else said[0]).strip(), phase="runtime" if ended else "build")
    else:
        yield from (Diagnostic(" ".join(line.split("\t")[:2]), phase="test") for line in packages)


def _failed(output: Output) -> bool | None:
    failing = passing = False
    for line in output.lines:
        failing = failing or line == "FAIL" or line.startswith(("FAIL\t", "--- FAIL: ", "exit status "))
        passing = passing or line == "PASS" or line.startswith("ok  \t")
    if failing or ('"Action":"fail"' in output.text):
        return True
    return False if passing else None


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
    r"cannot|can't|no such|nil|not|missing|timed? ?out|panic)\b|!=|Error Trace",
    re.IGNORECASE,
)
# Of what was searched in vain for something, the beginning: what was missing is said after it.
_LONG_TEXT = re.compile(r"""\A("(?:[^"\\\n]|\\.){80})(?:[^"\\\n]|\\.)+(" (?:does not|should not|doesn't) contain )""")
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
    return _LONG_TEXT.sub(r"\1…\2", "\n".join(line for line in kept if line))


def _expectations(printed: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Picks the lines of a failed test's output that report a failure, else the last one."""
    failing = [found for found in printed if _EXPECTATION.search(found.message)]
    return failing or list(printed[-1:])


FAMILY = ToolFamily("go", _tool, lines_matching(_GO), _parse, _failed)
