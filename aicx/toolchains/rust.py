"""rustc, cargo and clippy, the test harness, panics, and rustfmt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import NamedTuple

from aicx.toolchains.family import Diagnostic, Output, ToolFamily, lines_matching, number, place
from aicx.toolchains.json_documents import documents, rows
from aicx.toolchains.rust_diagnostics import WRAPPER, diagnostic, identity, lint, phase, unlinked, with_codes

_TOOLS = frozenset({
    "cargo", "cargo-clippy", "cargo-nextest", "clippy-driver", "cross", "miri", "rustc", "rustdoc", "rustfmt", "trunk",
    "wasm-pack",
})  # fmt: skip
_CARGO_TOOLS = {"clippy": "clippy", "fmt": "rustfmt", "doc": "rustdoc", "rustc": "rustc", "miri": "miri"}

_HEADER = re.compile(r"(?P<level>error|warning)(?:\[(?P<code>[\w:]{1,60})\])?: (?P<message>\S.*)$")
_ARROW = re.compile(r"\s{0,9}(?:-->|╭▸) (?P<file>\S[^:]{0,300}):(?P<line>\d+):(?P<column>\d+)$")
_SHORT = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,300}\.rs):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<level>error|warning)(?:\[(?P<code>[\w:]{1,60})\])?: (?P<message>.+)$"
)
_LABEL = re.compile(r"\^ (?![-^ |~_])(.+)$")  # what the marks under the source line say
_PANIC = re.compile(
    r"\s{0,12}thread '(?P<thread>[^']{0,200})'(?: \(\d+\))? panicked at "
    r"(?:'(?P<said>.*)', )?(?P<file>\S[^:]{0,300}):(?P<line>\d+):(?P<column>\d+):?$"
)
_OVERFLOW = re.compile(r"\s{0,12}(thread '([^']{0,200})'(?: \(\d+\))? has overflowed its stack)")
_FRAME = re.compile(r"\s+at (?P<file>\S[^:]{0,300}):(?P<line>\d+)(?::(?P<column>\d+))?$")
_LIBRARY = re.compile(r"/rustc/|^library/|[/\\]\.cargo[/\\]|/library/(?:core|std|alloc|test)/")
_SECTION = re.compile(
    r"\s{0,8}-{3,4} (?:(?P<name>\S.{0,200}) std(?:out|err) -{4}|STD(?:OUT|ERR): +(?P<next>\S.*) -{3})$"
)
_RESULT = re.compile(r"test (?P<name>\S.{0,200}?)(?: - should panic)? \.\.\. ?(?P<result>.*)$")
_QUIET_RESULT = re.compile(r"(\S.{0,200}) --- FAILED$")
_NEXTEST = re.compile(r"\s{0,12}(?:FAIL|SIGABRT|SIGSEGV|TIMEOUT) \[ *[\d.]+s\](?: +\( *\d+/\d+\))? +\S+ (?P<name>\S+)$")
_NOT_PANICKED = re.compile(
    r"note: (test did not panic as expected)(?: at (?P<file>\S[^:]{0,300}):(?P<line>\d+):(?P<column>\d+))?"
)
_CHAIN = re.compile(
    r"\s+\d+: (?!__rustc|std::|core::)\S|Caused by:$|\s*$"
)  # an error's causes, as anyhow and eyre list them
_SECOND_PANIC = re.compile(r"panic in a (?:function that cannot unwind|destructor during cleanup)")
_BACKTRACE_END = re.compile(r"\s{0,12}note: (?:Some details are omitted|run with `RUST_BACKTRACE=1`)")
_SUMMARY = re.compile(r"test result: (ok|FAILED)|\s+Summary \[.*\b\d+ (?:(failed)|passed)")
_UNFORMATTED = re.compile(r"Diff in (?P<file>\S.{0,300}?)(?::| at line )(?P<line>\d+):$")
_MANIFEST = re.compile(r"`(?P<file>[^`]{1,300}\.toml)`")
_MANIFEST_PLACE = re.compile(r"at line (?P<line>\d+)(?:,)? column (?P<column>\d+)")
_RUST = re.compile(
    r"\s*--> \S+\.rs:\d+:\d+$|(?:error|warning)\[E\d{4}\]|\S+\.rs:\d+:\d+: (?:error|warning)\b|test result: |"
    r"\s{0,12}thread '[^']{0,200}'(?: \(\d+\))? panicked at |(?:error|warning): (?:could not compile|`.{1,80}` \(\w+)|"
    r" +(?:Compiling|Checking|Finished|Running) (?:\S+ v\d|`|unittests|tests/)|test \S+ \.\.\. (?:ok|FAILED|ignored)$|"
    r'\{"reason":"compiler-|\{"\$message_type":"diagnostic"|Diff in \S+\.rs|error: (?:no matching package named|failed to (?:get|select|parse manifest|run custom)|'
    r"no such command: `|could not find `Cargo\.toml`|no (?:bin|example|test) target named)|\s*--> Cargo\.toml:\d"
)


_Spot = tuple[str | None, int | None, int | None]  # file, line, column


class _Block(NamedTuple):
    """The lines of one diagnostic below its first, and where the next begins."""

    lines: tuple[str, ...]
    end: int


def _tool(words: Sequence[str]) -> str | None:
    if words[0] not in _TOOLS:
        return None
    verb = next((word for word in words[1:] if not word.startswith(("-", "+"))), "")
    return _CARGO_TOOLS.get(verb, "cargo") if words[0] == "cargo" else words[0]


def _parse(output: Output) -> Iterator[Diagnostic]:
    found = [*_json(output.text), *_Reader(output).read()]
    yield from with_codes(found)
    if not any(each.severity == "error" for each in found):
        yield from _last_word(output)


def _last_word(output: Output) -> Iterator[Diagnostic]:
    """Reads the last words of cargo, or of a program that it ran, when nothing else was reported."""
    headers = (match for line in reversed(output.lines) if (match := _HEADER.match(line)))
    errors = (match["message"] for match in headers if match["level"] == "error")
    wrapper = next((said for said in errors if WRAPPER.match(said)), None)
    causes = [line.strip() for above, line in pairwise(output.lines) if above == "Caused by:"]
    if wrapper or causes:
        yield Diagnostic(wrapper or "\n".join(causes))
    elif output.exit_code and any(line.lstrip().startswith("Running `") for line in output.lines):
        yield from [Diagnostic(line, phase="runtime") for line in output.lines if line.strip()][-1:]


def _json(text: str) -> Iterator[Diagnostic]:
    """Diagnostics and test results of the JSON styles, a document a line."""
    for row in (row for document in documents(text) for row in rows(document)):
        if row.get("type") == "test" and row.get("event") == "failed":
            yield from _section(str(row.get("name")), str(row.get("stdout") or "").split("\n"))
        message = row.get("message") if row.get("reason") == "compiler-message" else row
        if isinstance(message, dict) and isinstance(message.get("spans"), list):
            yield from diagnostic(message)


def _section(test: str, lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Returns the output of a failed test."""
    found = list(_Reader(Output("", tuple(lines)), test).read())
    yield from found or [Diagnostic("\n".join(lines[-5:]).strip() or f"{test} failed", phase="test", test=test)]


class _Reader:
    """Goes through the lines once; what was found so far decides which failed tests still lack an error."""

    def __init__(self, output: Output, test: str | None = None) -> None:
        self._lines, self._output = output.lines, output
        self._test = test  # the one whose output is being read
        self._started: str | None = None  # with --nocapture, the one whose result is still to come
        self._building = False  # cargo itself may warn; without its lines, a program does
        self._running = False  # behind the compiler's part: what is printed is the program's
        self._failed: dict[str, None] = {}
        self._passed: set[str] = set()
        self._listed = False
        self._functions: list[list[str]] = []  # of backtraces whose beginning was cut off

    def read(self) -> Iterator[Diagnostic]:
        found = list(self._found())
        found = [self._of_test(each) if (each.test or "").startswith("\0") else each for each in found]
        named = {each.test for each in found}
        yield from (each for each in found if each.test is None or each.test not in self._passed)
        for test in self._failed:
            if test not in named:
                yield Diagnostic(f"test {test} failed", phase="test", test=test)

    def _found(self) -> Iterator[Diagnostic]:
        position = 0
        while position < len(self._lines):
            line, here = self._lines[position], position
            position += 1
            if not line or line[0] == "{":
                continue
            if match := _HEADER.match(line):
                block = self._block(position)
                yield from self._compiled(match, block)
                position = max(position, block.end)
            elif match := _PANIC.match(line):
                block = self._said(position)
                found = self._panicked(match, block)
                if not _SECOND_PANIC.match(found.message):
                    yield found
                position = block.end
            elif match := _SHORT.match(line):
                severity, code = match["level"], match["code"]
                said = match["message"]
                where = (*place(match), number(match, "column"), code)
                yield Diagnostic(said, *where, phase(code, said), severity, identity=identity(said, None))
            elif match := _UNFORMATTED.match(line):
                diff = self._block(position, stop=_UNFORMATTED).lines
                changed = "\n".join(each for each in diff if each[:1] in ("+", "-"))
                yield Diagnostic(
                    line, match["file"], int(match["line"]), phase="format", tool="rustfmt", identity=changed
                )
            else:
                yield from self._tested(line, here)

    def _block(self, start: int, stop: re.Pattern[str] = _HEADER) -> _Block:
        """The lines from ``start`` to a blank one or the next diagnostic; causes after a blank line belong to it."""
        position = start
        while position < len(self._lines):
            line = self._lines[position]
            if stop.match(line) or _SECTION.match(line):
                break
            following = self._lines[position + 1] if position + 1 < len(self._lines) else ""
            # Causes, what a build script printed and what a linker said go on behind a blank line.
            if not line.strip() and not (
                following == "Caused by:" or (following[:2] == "  " and following[:3] != "   ")
            ):
                break
            position += 1
        return _Block(self._lines[start:position], position)

    def _compiled(self, header: re.Match[str], block: _Block) -> Iterator[Diagnostic]:
        said, level = header["message"], header["level"]
        if WRAPPER.match(said):
            return
        arrow = next((match for line in block.lines if (match := _ARROW.match(line))), None)
        if arrow is None and (self._running or self._test or (level == "warning" and not self._building)):
            return
        if said.startswith("linking with"):
            yield from unlinked(said, block.lines)
            return
        label = next((match[1] for line in block.lines if (match := _LABEL.search(line))), None)
        code = header["code"] or lint(block.lines)
        if arrow:
            where: _Spot = (*place(arrow), number(arrow, "column"))
        else:
            said, where = self._without_place(said, block.lines)
        yield Diagnostic(
            said,
            *where,
            code,
            phase=phase(code, said) if arrow else "build",
            severity=level,
            test=self._test,
            identity=identity(said, label),
        )

    def _without_place(self, said: str, lines: Sequence[str]) -> tuple[str, _Spot]:
        """The message with its causes, and the place that a manifest or a panic of a build script names."""
        causes = [line.strip() for at, line in enumerate(lines) if at and lines[at - 1] == "Caused by:"]
        text = "\n".join([said, *causes])
        for at, line in enumerate(lines):
            if match := _PANIC.match(line):
                panic = self._panicked(match, _Block(tuple(each.strip() for each in lines[at + 1 :]), 0))
                return f"{said}\n{panic.message}", (*place(match), number(match, "column"))
        file, spot = _MANIFEST.search(text), _MANIFEST_PLACE.search("\n".join(lines))
        if file and spot:
            return text, (file["file"], int(spot["line"]), int(spot["column"]))
        return text, (None, None, None)

    def _said(self, start: int) -> _Block:
        """A panic's message, and the frames below it."""
        position, noted = start, False
        while position < len(self._lines) and self._lines[position].strip():
            line = self._lines[position]
            if _SECTION.match(line) or _RESULT.match(line) or _PANIC.match(line) or _HEADER.match(line):
                break
            if noted and line.startswith("Error: "):
                break
            noted = noted or line.startswith("note: ")
            position += 1
        if not noted:  # a message with blank lines goes on to the note about backtraces
            position = self._note_below(position) or position
        return _Block(self._lines[start:position], position)

    def _note_below(self, start: int) -> int | None:
        """Where the line behind a panic's last note is, unless another part of the output begins before it."""
        for position, line in enumerate(self._lines[start : start + 60], start):
            if _BACKTRACE_END.match(line):
                return position + 1
            if _SECTION.match(line) or _RESULT.match(line) or _PANIC.match(line) or _HEADER.match(line):
                return None
        return None

    def _panicked(self, match: re.Match[str], block: _Block) -> Diagnostic:
        frames = [frame for line in block.lines if (frame := _FRAME.match(line))]
        own = next((frame for frame in frames if not _LIBRARY.search(frame["file"])), None)
        spot: re.Match[str] | None = own if _LIBRARY.search(match["file"]) else match
        ends = [at for at, line in enumerate(block.lines) if re.match(r"\s*(?:note: |stack backtrace:)", line)]
        said = [*([match["said"]] if match["said"] else []), *block.lines[: ends[0] if ends else None]]
        text = "\n".join(said).strip()
        notes = [line for line in block.lines if line.startswith("note: panic did not contain")]
        thread = match["thread"]
        test = self._test or self._started or (thread if thread in self._failed else None)
        return Diagnostic(
            "\n".join([text, *notes]),
            *place(spot),
            number(spot, "column") if spot else None,
            phase="test" if test else "runtime",
            test=test,
            identity=text,
        )

    def _tested(self, line: str, position: int) -> Iterator[Diagnostic]:
        """A line of the test harness, or one of the program's last words."""
        if match := _SECTION.match(line):
            self._test, self._listed = (match["name"] or match["next"].rpartition(" ")[2]), False
        elif match := _SUMMARY.match(line):
            self._test, self._listed, self._running = None, False, False
        elif match := _RESULT.match(line):
            name, result = match["name"], match["result"]
            self._started, self._running = (None, True) if result in ("ok", "FAILED", "ignored") else (name, True)
            self._note(name, result)
            if result.startswith("Error: "):  # with --nocapture
                yield Diagnostic(result, phase="test", test=name)
        elif self._started and line in ("ok", "FAILED"):
            self._note(self._started, line)
            self._started = None
        elif match := (_QUIET_RESULT.match(line) or _NEXTEST.match(line)):
            self._failed[match[1]] = None
        elif line == "failures:":
            self._test, self._listed = None, True
        elif self._listed and line.startswith("    ") and line.strip():
            self._failed[line.strip()] = None
        elif match := _NOT_PANICKED.match(line):
            yield Diagnostic(
                match[1], *place(match), number(match, "column"), phase="test", test=self._test or self._started
            )
        elif _BACKTRACE_END.match(line):
            yield self._beheaded(position)
        elif match := _OVERFLOW.match(line):
            yield Diagnostic(match[1], phase="runtime", test=self._test, identity="has overflowed its stack")
        elif line.startswith("Error:") and (self._test or self._output.exit_code != 0):
            below = takewhile(_CHAIN.match, self._lines[position + 1 : position + 10])
            chain = [each.strip() for each in below if each.strip() and each != "Caused by:"]
            yield Diagnostic(
                "\n".join([line.rstrip(), *chain]), phase="test" if self._test else "runtime", test=self._test
            )
        elif line.lstrip().startswith("Running `") or line.startswith("running "):
            self._running = True
        elif line.lstrip().startswith(("Compiling ", "Checking ", "Running ", "Doc-tests ", "Updating ", "Locking ")):
            self._running, self._building = False, True

    def _beheaded(self, position: int) -> Diagnostic:
        """A panic whose beginning was cut off: its backtrace has the place, and the test's function."""
        lines = self._lines[max(0, position - 80) : position]
        frames = [(above, match) for above, line in pairwise(lines) if (match := _FRAME.match(line))]
        own = [(above, frame) for above, frame in frames if not _LIBRARY.search(frame["file"])]
        self._functions.append([above.rpartition(": ")[2] for above, _frame in own])
        spot = own[0][1] if own else None
        return Diagnostic("panicked", *place(spot), phase="runtime", test=f"\0{len(self._functions) - 1}")

    def _of_test(self, found: Diagnostic) -> Diagnostic:
        """``found`` with the failed test among the functions of its backtrace."""
        functions = self._functions[int(found.test[1:])] if found.test else []
        test = next((test for test in self._failed if any(each.endswith(f"::{test}") for each in functions)), None)
        return replace(found, test=test, phase="test" if test else "runtime")

    def _note(self, test: str, result: str) -> None:
        if result == "ok":
            self._passed.add(test)
        elif result == "FAILED":
            self._failed[test] = None
            self._passed.discard(test)


def _failed(output: Output) -> bool | None:
    results = {match[1] or match[2] or "ok" for line in output.lines if (match := _SUMMARY.match(line))}
    broken = any((match := _HEADER.match(line)) and match["level"] == "error" and WRAPPER.match(match["message"])
                 for line in output.lines)  # fmt: skip
    if broken or results - {"ok"}:
        return True
    return False if results else None


FAMILY = ToolFamily("rust", _tool, lines_matching(_RUST), _parse, _failed)
