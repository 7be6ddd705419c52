"""gcc, clang, linkers and sanitizers; what runs them is in `c_cpp_builds`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains import c_cpp_builds as builds
from aicx.toolchains.family import NOWHERE, Diagnostic, Output, ToolFamily, lines_matching, place
from aicx.toolchains.family import number as group_number
from aicx.toolchains.json_documents import documents, number, rows, word

_TOOL = re.compile(
    r"(?:[\w.]{1,30}-){0,4}(?:gcc|cc|g\+\+|c\+\+|clang|clang\+\+|ld|gold|lld|ar|as|cpp|nvcc|emcc|em\+\+)(?:-\d[\d.]*)?|"
    r"ld\.\w+|(?:cmake|ctest|ninja|meson|samu|ccache|distcc|scan-build|bear|cppcheck|valgrind|gcov)"
    r"|(?:run-)?clang-tidy(?:-\d+)?|clang-format(?:-\d+)?|cl|link|autoconf|automake|configure"
)
_FILE = r"(?:[A-Za-z]:)?[^\s:(][^:\n]{0,300}"
_DIAGNOSTIC = re.compile(
    rf"(?P<file>{_FILE}):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?(?P<level>error|warning|runtime error): "
    rf"(?P<message>\S.*)$"
)
_OPTION = re.compile(r" \[(?P<option>-W[^\]\s]{1,120}|(?=[a-z]+[.A-Z-])[a-z][\w.+-]{1,160}(?:,[^\]]{1,100})?)\]$")
_DRIVER = re.compile(
    r"(?:\S{0,200}/)?(?:cc1(?:plus|obj)?|as|(?:[\w.]{1,30}-){0,4}(?:gcc|cc|g\+\+|c\+\+|clang|clang\+\+)(?:-[\d.]+)?): "
    r"(?:fatal )?(?P<level>error|warning): (?P<message>\S.*)$"
)
_DRIVER_WRAPPER = re.compile(r"linker command failed|all warnings being treated|unable to execute|ld returned")
_MSVC = re.compile(
    rf"\s*(?:\d+>)?(?P<file>{_FILE}?)(?:\((?P<line>\d+)(?:,(?P<column>\d+))?\))?\s?: (?:fatal )?"
    r"(?P<level>error|warning) (?P<code>(?:C|LNK)\d{4}): (?P<message>.+?)(?: \[[^\]]+proj\])?$"
)
_SYSTEM = re.compile(
    r"/usr/|/opt/|/Library/|/Applications/|.*[/\\]include[/\\]c\+\+[/\\]|[A-Z]:[/\\]Program Files|\.\./\.\./|"
    r"\.\./(?:sysdeps|csu|nptl|stdlib|posix)/|/build/(?:glibc|gcc)|.*/(?:sanitizer|libsanitizer)|.*/(?:asan|tsan)_"
)
# Where the project used what failed below it: as gcc and as clang say it.
_USED_ABOVE = re.compile(rf"(?P<file>{_FILE}):(?P<line>\d+):(?:(?P<column>\d+):)?\s+required (?:from|by)")
_INCLUDED = re.compile(rf"(?:In file included|\s+) from (?P<file>{_FILE}):(?P<line>\d+)(?::\d+)?[,:]$")
_USED_BELOW = re.compile(
    rf"(?P<file>{_FILE}):(?P<line>\d+):(?P<column>\d+): note: (?:in instantiation of|while substituting)"
)
_CONTEXT = re.compile(rf"{_FILE}: (?:In |At |in )")

_UNDEFINED = re.compile(
    r"(?:undefined (?:reference to|symbol:)|duplicate symbol:|multiple definition of) ?[`'\u2018\"]?"
    r"(?P<symbol>[^`'\u2019\"]{1,300})"
)
_LD = re.compile(r"(?:\S{0,200}[/\\])?(?:[\w-]{1,30}-)?ld(?:\.\w{1,10}|64\.lld)?(?:\.exe)?: ")
_LD_PLACE = re.compile(rf"(?P<file>{_FILE}?):(?:(?P<line>\d+)|\(\.?[\w.$+-]+\)): ?(?:error: )?$")
_LD_ERROR = re.compile(
    r"(?:error: )?(?P<message>cannot find \S.*|unable to find library \S.*|library not found for \S.*|"
    r"unrecognized option .*|unknown argument.*|cannot open .*|file format not recognized.*)$"
)
_REFERENCED = re.compile(
    r">>> (?:referenced by|defined at) (?P<name>\S+?)(?::(?P<line>\d+))?(?: \((?P<file>[^():]+):\d+\))?$"
)
_APPLE = re.compile(r'\s{2}"(?P<symbol>[^"]{1,300})", referenced from:$')

_SANITIZER = re.compile(
    r"(?:==\d+==\s?)?(?:ERROR|WARNING): (?P<tool>\w{1,30}Sanitizer): (?P<kind>(?:(?! on (?:unknown )?address|"
    r" \(pid|:? on ).)+)"
)
# Where the beginning was cut off.
_SANITIZER_END = re.compile(
    r"SUMMARY: (?P<tool>\w{1,30}Sanitizer): (?P<kind>[^/:\n]{1,60}?) (?P<file>[^\s:]{1,300}):"
    r"(?P<line>\d+)(?::\d+)? in (?P<function>.+)$"
)
_LEAK = re.compile(r"(?P<kind>(?:Direct|Indirect) leak) of ")
_STACK_FRAME = re.compile(
    r"\s+#\d+ (?:0x[0-9a-f]+ )?(?:in )?(?P<function>\S.{0,300}?) (?P<file>[^\s:()]{1,300}):"
    r"(?P<line>\d+)(?::\d+)?(?: \(\S+\))?$"
)
_VALGRIND = re.compile(
    r"==\d+== (?P<message>Invalid \w.*|Conditional jump .*|Use of uninitialised .*|Mismatched free.*|Syscall param .*|"
    r"Source and destination overlap.*|Jump to the invalid .*|Argument '.*|"
    r"[\d,]+ (?:\([^)]{1,60}\) )?bytes in [\d,]+ blocks are (?:definitely|indirectly|possibly) lost.*)$"
)
_VALGRIND_FRAME = re.compile(
    r"==\d+==\s+(?:at|by) 0x[0-9A-F]+: (?P<function>.{1,300}) \((?P<file>[^\s()]{1,200}):(?P<line>\d+)\)$"
)
_SYNTAX = re.compile(r"expected |unterminated |missing terminating|stray |extraneous |unexpected |#error")
_TYPE = re.compile(
    r"no match(?:ing)? |cannot convert|incompatible |invalid (?:conversion|operands)|conflicting types|"
    r"no viable|too (?:many|few) arguments|abstract (?:type|class)|is an abstract"
)
_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019`", "'"))
_C = re.compile(
    r"[^\s:][^:\n]{0,300}\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inl|ipp|m|mm|cu|S|ino|tpp):\d+:(?:\d+:)? (?:fatal "
    r")?(?:error|warning|note|runtime error): |collect2: error|.*: undefined reference to [`']|CMake (?:Error|Warning)|"
    r"-- (?:Configuring |Build files have|The C(?:XX)? compiler|Detecting C)|\s*\d+/\d+ Test +#\d+: |\d+% tests passed|"
    r"==\d+== ?(?:ERROR: \w+Sanitizer|Memcheck|Invalid|HEAP)|WARNING: ThreadSanitizer|\[  (?:FAILED|PASSED)  \] |"
    r"(?:g?make(?:\[\d+\])?|\S{1,100}:\d+): (?:\*\*\* (?!\[)|Nothing to be done|'.{1,100}' is up to date|\S+: No such "
    r"file)|\S.{0,200}: Assertion `|Assertion failed: |\S*ld: |ninja: |\[\d+/\d+\] (?:Building|Linking) C|\[ "
    r"?\d{1,3}%\] (?:Building|Linking|Built)|(?:cc|gcc|g\+\+|clang) -|(?:cc1(?:plus)?|gcc|g\+\+|clang(?:\+\+)?): "
    r"(?:fatal )?(?:error|warning): |TEST CASE: |\S+ is a Catch v|\[\{\"kind\": "
)


def _tool(words: Sequence[str]) -> str | None:
    return words[0] if _TOOL.fullmatch(words[0]) else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = builds.without_numbers(output.lines)
    found = [
        *_documents(output.text),
        *_compiled(lines),
        *_linked(lines),
        *_sanitized(lines),
        *builds.configured(lines, _SYSTEM),
        *builds.commands(lines),
    ]
    found = builds.tested(lines, found)
    yield from found
    if not any(each.severity == "error" for each in found):
        yield from builds.wrappers(lines)


def _documents(text: str) -> Iterator[Diagnostic]:
    """Reads the output of gcc's `-fdiagnostics-format=json`, a list a line."""
    if '"kind"' not in text:
        return
    for row in (row for document in documents(text) for row in rows(document)):
        if row.get("kind") not in ("error", "fatal error", "warning"):
            continue
        where = next(iter(rows(row.get("locations") or [])), {})
        caret = next(iter(rows(where.get("caret"))), {})
        said, severity = str(row.get("message")), "warning" if row["kind"] == "warning" else "error"
        place = (
            word(caret.get("file")),
            number(caret.get("line")),
            number(caret.get("column")),
            word(row.get("option")),
        )
        yield Diagnostic(said, *place, _phase(said), severity, identity=_identity(said))


def _compiled(lines: Sequence[str]) -> Iterator[Diagnostic]:
    # The project's place that led into a header of the system: what was included, and what was instantiated last.
    used: re.Match[str] | None = None
    instantiated: re.Match[str] | None = None
    for at, line in enumerate(lines):
        if match := (_USED_ABOVE.match(line) or _INCLUDED.match(line)):
            used = used if _SYSTEM.match(match["file"]) else match
        elif match := _DIAGNOSTIC.match(line):
            spot = match
            if _SYSTEM.match(match["file"]):
                above = used if used and used.re is _USED_ABOVE else None
                instantiated = above or _used_below(lines, at + 1) or instantiated
                spot = instantiated or used or match
            yield _diagnostic(match, spot)
        elif _CONTEXT.match(line):
            used = instantiated = None
        elif match := _DRIVER.match(line):
            if not _DRIVER_WRAPPER.search(match["message"]):
                yield Diagnostic(match["message"], severity=match["level"], identity=_identity(match["message"]))
        elif match := _MSVC.match(line):
            column = group_number(match, "column")
            phase = "link" if match["code"].startswith("LNK") else _phase(match["message"])
            where = NOWHERE if match["file"].strip().endswith((".obj", ".exe")) else place(match)
            yield Diagnostic(match["message"], *where, column, match["code"], phase, match["level"])


def _diagnostic(match: re.Match[str], spot: re.Match[str]) -> Diagnostic:
    said, code = match["message"], None
    if option := _OPTION.search(said):
        said, code = said[: option.start()], option["option"]
        if code.startswith("-Werror,"):  # clang names the option that made it an error, too
            code = code.partition(",")[2]
    running = match["level"] == "runtime error"
    column = group_number(spot, "column")
    level = "warning" if match["level"] == "warning" else "error"
    phase = "runtime" if running else "lint" if code and not code.startswith("-") else _phase(said)
    tool = "ubsan" if running else None
    return Diagnostic(said, *place(spot), column, code, phase, level, tool=tool, identity=_identity(said))


def _used_below(lines: Sequence[str], start: int) -> re.Match[str] | None:
    """The first place of the project among the instantiations that clang lists below an error."""
    for line in lines[start : start + 60]:
        if (match := _USED_BELOW.match(line)) and not _SYSTEM.match(match["file"]):
            return match
        if _DIAGNOSTIC.match(line):
            return None
    return None


def _phase(said: str) -> str:
    if _UNDEFINED.match(said):
        return "link"
    return "syntax" if _SYNTAX.match(said) else "type" if _TYPE.search(said) else "build"


def _identity(said: str) -> str:
    return said.translate(_QUOTES)


def _linked(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for at, line in enumerate(lines):
        if match := _APPLE.match(line):
            yield Diagnostic(f"Undefined symbol: {match['symbol']}", phase="link", tool="ld")
            continue
        prefix = _LD.match(line)
        rest = line[prefix.end() :] if prefix else line
        symbol = _UNDEFINED.search(rest)
        if symbol and not _DIAGNOSTIC.match(line) and not line.startswith("  "):
            spot = _LD_PLACE.match(rest[: symbol.start()])
            if spot is None and prefix is None and not rest.startswith("(."):
                continue
            said = rest[symbol.start() :]
            yield _unlinked(said, spot, lines[at + 1 : at + 8], _identity(symbol[0]))
        elif prefix and (match := _LD_ERROR.match(rest)):
            yield Diagnostic(match["message"], phase="link", tool="ld")


def _unlinked(said: str, spot: re.Match[str] | None, below: Sequence[str], identity: str) -> Diagnostic:
    file, line = place(spot)
    references = []
    for each in below:
        if not each.startswith(">>>"):
            break
        references += [match] if (match := _REFERENCED.match(each)) else []
    if references and file is None:
        match = references[-1 if "duplicate" in said or "defined at" in below[0] else 0]
        file = match["file"] or match["name"]
        line = group_number(match, "line")
    if file and re.search(r"\.(?:o|obj|a|so)\b", file):
        file, line = None, None
    return Diagnostic(said, file, line, phase="link", tool="ld", identity=identity)


def _sanitized(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """AddressSanitizer and its kin, and valgrind: what was wrong, at the project's deepest frame."""
    leaking, any_found = False, False
    for at, line in enumerate(lines):
        if match := _SANITIZER.match(line):
            leaking = "detected memory leaks" in line
            kind = match["kind"].strip()
            any_found = True
            if not leaking:
                yield _wrong(f"{match['tool']}: {kind}", None if " " in kind else kind, _STACK_FRAME, lines, at + 1)
        elif leaking and (match := _LEAK.match(line)):
            yield _wrong(f"LeakSanitizer: {line.rstrip(':')}", None, _STACK_FRAME, lines, at + 1, match["kind"])
        elif not any_found and (match := _SANITIZER_END.match(line)):
            kind, function = match["kind"], match["function"]
            said = f"{match['tool']}: {kind}"
            code = None if " " in kind else kind
            yield Diagnostic(said, *place(match), code=code, phase="runtime", identity=f"{said} {function}")
        elif match := _VALGRIND.match(line):
            said = match["message"]
            yield _wrong(
                said, None, _VALGRIND_FRAME, lines, at + 1, re.sub(r"^[\d,]+.*?are |in loss record.*|[\d,]+", "", said)
            )


def _wrong(
    said: str, code: str | None, frame: re.Pattern[str], lines: Sequence[str], start: int, identity: str | None = None
) -> Diagnostic:
    where: re.Match[str] | None = None
    for line in lines[start : start + 60]:
        if (match := frame.match(line)) and not _SYSTEM.match(match["file"]) and "vg_replace" not in match["file"]:
            where = match
            break
        if not line.strip("= 0123456789"):
            if where:
                break
            if _VALGRIND_FRAME is frame:
                break
    function = where["function"] if where else ""
    return Diagnostic(said, *place(where), code=code, phase="runtime", identity=f"{identity or said} {function}")


FAMILY = ToolFamily("c_cpp", _tool, lines_matching(_C), _parse, builds.failed)
