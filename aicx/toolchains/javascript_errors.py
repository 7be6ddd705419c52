"""Errors as Node and bundlers print them: of one failing test, its message and the place that its stack names; of a process
that they end; and of a file that cannot be built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from aicx.toolchains.family import Diagnostic
from aicx.values import dataclass, regex

_NAME = r"(?P<file>(?:file://|node:|webpack(?:-internal)?://)?(?:[A-Za-z]:[\\/])?[^\s():][^():\n]{0,500}?)"
_SPOT = rf"{_NAME}:(?P<line>\d+)(?::(?P<column>\d+))?"
_AT = regex(rf"[\s|]*at (?:[^\n(]{{0,300}}?\()?{_SPOT}\)?[\s,{{]*$")
_PARENTHESES = regex(rf"[\s|]*at [^\n]{{0,400}}\({_SPOT}\)[\s,{{]*$")
_ARROW = regex(rf"\s*❯ (?:\S{{1,200}} )?{_SPOT}\s*$")
_FOREIGN = regex(
    r"(?:^|/)node_modules/|^node:|^internal/|^(?:native|<anonymous>|evalmachine)|^\[?(?:wasm|eval)|\.yarn/"
)
ERROR = regex(
    r"(?P<prefix>(?:Uncaught |Caused by: |Unhandled \w+: |Exception during run: |\[cause\]: )?)(?P<type>(?:[A-Za-z_$][\w$]{0,80}\.)?[A-Z$_][\w$]{0,80}(?:Error|Exception|Warning|Failure)"
    r"|Error|TSError|DOMException)(?: \[(?P<code>[\w-]+)\])?(?:: ?(?P<text>.*)|$)"
)
_MARKED = regex(r"\s*>\s?\d+ ?\|(?P<source>.*)$")
_CARET = regex(r"\s*\|[\s^~]*\^[\s^~]*$")
_SOURCE = regex(r"\s*>?\s*\d+ ?\|")
# Where parsers of source put the place of what they could not read.
_IN_MESSAGE = (
    re.compile(
        r"SyntaxError: (?P<file>/[^:\n]{1,500}?|[A-Za-z]:[\\/][^:\n]{1,500}?): .*\((?P<line>\d+):(?P<column>\d+)\)"
    ),
    re.compile(r"\s*File: (?P<file>[^\s:]{1,500}):(?P<line>\d+):(?P<column>\d+)"),
    re.compile(
        r"\s*(?P<file>[^\s:]{1,500}\.[cm]?[jt]sx?):(?P<line>\d+):(?P<column>\d+) - error (?P<code>TS\d+): (?P<message>.*)"
    ),
    re.compile(r"\s*(?P<file>/[^\s:]{1,500}\.[cm]?[jt]sx?):(?P<line>\d+)$"),
    re.compile(r"\s*[╭,][─-]\[(?P<file>[^\]:\n]{1,500}):(?P<line>\d+):(?P<column>\d+)\]"),
)
_CODE = regex(r"\s*code: '(?P<code>[A-Z][A-Z0-9_]{2,60})'")
_NOISE = regex(r"\s*(?:Jest encountered an unexpected token|Details:)$")
_MAX_LINES = 10  # lines of a message


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file that a frame names."""

    file: str
    line: int
    column: int | None


def spot(line: str) -> Spot | None:
    """The place that a line of a stack names, None for any other line."""
    if ":" not in line or not ("at " in line or "❯" in line):
        return None
    match = _AT.match(line) or _PARENTHESES.match(line) or _ARROW.match(line)
    if match is None:
        return None
    return Spot(match["file"], int(match["line"]), int(match["column"]) if match["column"] else None)


def is_frame(line: str) -> bool:
    """Whether a line belongs to a stack, also where it names no place."""
    text = line.lstrip(" |")
    return text.startswith(("at ", "❯ ")) and (spot(line) is not None or "<anonymous>" in text or "(native)" in text)


def is_foreign(file: str) -> bool:
    """Whether a file belongs to Node or to an installed package."""
    return _FOREIGN.search(file.replace("\\", "/")) is not None


def own(spots: Iterable[Spot]) -> Spot | None:
    """The deepest place in the project's own files, else the deepest of all."""
    found = list(spots)
    return next((each for each in found if not is_foreign(each.file)), found[0] if found else None)


def kind(error: re.Match[str] | None) -> str | None:
    """The code of an error: what is in its brackets, or its class where that is more than `Error`."""
    if error is None:
        return None
    name = error["type"].rpartition(".")[2]
    code = error["code"]
    return code if code and "_" in code else None if name == "Error" else name


def stack(lines: Sequence[str], start: int, most: int = 60) -> tuple[list[Spot], int]:
    """The places of the stack that begins at ``start``, and the line after it."""
    spots: list[Spot] = []
    position = start
    while position < min(len(lines), start + most) and is_frame(lines[position]):
        if each := spot(lines[position]):
            spots.append(each)
        position += 1
    return spots, position


def error_of(
    block: Sequence[str], test: str | None, file: str | None, phase: str = "test", tool: str | None = None
) -> Diagnostic:
    """The error that a test's lines tell: the message up to the source or the stack, and the deepest own place."""
    said: list[str] = []
    spots: list[Spot] = []
    source = ""
    talking = True
    for position, line in enumerate(block):
        if _SOURCE.match(line) or _CARET.match(line):
            talking = False
            if marked := _MARKED.match(line):
                source = source or marked["source"].strip()
            elif _CARET.match(line) and position and not source:
                source = re.sub(r"^\s*\d+ ?\|", "", block[position - 1]).strip()
        elif is_frame(line):
            talking = False
            if each := spot(line):
                spots.append(each)
        elif talking and line.strip() and len(said) < 40:
            said.append(line.strip())
    inside = next((match for line in block for pattern in _IN_MESSAGE if (match := pattern.match(line.strip()))), None)
    said = _without_advice(said)
    first = next((line for line in said if ERROR.match(line)), "") if phase == "setup" else (said or [""])[0]
    first = first or (said or [source or "failed"])[0]
    error = ERROR.match(first)
    place = next((each for each in spots if not is_foreign(each.file)), None)
    if place is None and inside:
        place = Spot(inside["file"], int(inside["line"]), None)
    if place is None and not file:
        place = own(spots)
    code = inside.groupdict().get("code") if inside else None
    code = code or kind(error) or next((match["code"] for line in block if (match := _CODE.match(line))), None)
    syntax = phase == "setup" and (code == "SyntaxError" or bool(code and code.startswith("TS1")))
    start = said.index(first) if first in said else 0
    message = "\n".join(said[start : start + _MAX_LINES]) or first
    if inside and inside.groupdict().get("message"):
        message = inside["message"]
    return Diagnostic(
        message,
        place.file if place else file,
        place.line if place else None,
        place.column if place else None,
        code,
        phase="syntax" if syntax else phase,
        test=test,
        tool=tool,
        identity=_identity(said[start:], first),
    )


def _without_advice(said: list[str]) -> list[str]:
    """The lines that tell the error, not how to configure a runner."""
    if not any(_NOISE.match(line) for line in said):
        return said
    start = next((number for number, line in enumerate(said) if line == "Details:"), -1)
    return said[start + 1 :]


def _identity(said: Sequence[str], first: str) -> str:
    """Returns the part that does not depend on the style: the first line without its class, with what was expected and received."""
    kept = [
        line
        for line in said[1:_MAX_LINES]
        if re.match(r"(?:Expected|Received|expected|received|Error message|Snapshot name)\b", line)
    ]
    error = ERROR.match(first)
    return "\n".join([(error["text"] if error else None) or first, *kept])


_THROWN_AT = regex(
    r"(?P<file>(?:file://)?(?:/|[A-Za-z]:[\\/]|node:)[^\s:][^:\n]{0,500}|\[eval\]\S{0,20}|\[stdin\]\S{0,20}):(?P<line>\d+)$"
)
_IMPORTED = regex(r"imported from (?P<file>/\S+|[A-Za-z]:\\\S+)")
_REQUIRED = regex(r"- (?P<file>(?:/|[A-Za-z]:\\).+)$")
_USAGE = regex(
    r"(?:node|nodejs|tsx|bun|deno): (?P<message>(?:bad option|.* requires an argument|.* is not allowed in NODE_OPTIONS).*)"
)
_THROWN = regex(r"\(Use `node --trace-uncaught .*|Thrown at:|Node\.js v\d")
_UNKNOWN_FILE = regex(r"(?:\[eval|\[stdin|node:|evalmachine|<anonymous>)")
_BEFORE = 8  # lines above an error that show its source
_MAX_KEPT = 6  # of a message that are kept
_MAX_MESSAGE = 40  # lines of a message, before its stack
_BUNDLERS = (
    re.compile(r"✘ \[(?P<severity>ERROR|WARNING)\] (?P<message>.+?)(?: \[plugin [\w:-]+\])?$"),
    re.compile(r"(?:ERROR|WARNING) in (?P<file>\S+?)(?: (?P<line>\d+):(?P<column>\d+)(?:-\d+(?::\d+)?)?)?$"),
)
_BUNDLED = ("ERROR", "WARNING", "esolve", "exported by")
_ESBUILD_AT = regex(r"\s+(?P<file>[^\s:]+):(?P<line>\d+):(?P<column>\d+):$")
_ROLLUP = regex(
    r"(?:\[vite\]: |\[!\] |x |error during build:\s*)?(?P<message>(?:\(?[\w-]+\)? ?)?(?:Error: )?"
    r"(?:Rollup failed to resolve import|Could not resolve (?:entry module|['\"])|\"[^\"\n]+\" is not exported by) .*)"
)
_FROM = regex(r" from ['\"](?P<file>[^'\"\n]+)['\"]|imported by ['\"](?P<by>[^'\"\n]+)['\"]")


def crashes(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Each error that was not caught, and each that a bundler names."""
    end = 0
    for position, line in enumerate(lines):
        if position < end or not line.strip():
            continue
        if "rror" in line and (error := ERROR.match(line.removeprefix(" "))):
            each, end = _crash(lines, position, error)
            if each:
                yield each
        elif _THROWN.match(line) and (each := _thrown(lines, position, end)):
            end = position + 1
            yield each
        elif match := _USAGE.match(line):
            yield Diagnostic(match["message"], phase="runtime", tool="node")
        elif any(sign in line for sign in _BUNDLED) and (bundled := _bundled(lines, position)):
            yield bundled


def _crash(lines: Sequence[str], position: int, error: re.Match[str]) -> tuple[Diagnostic | None, int]:
    """The error whose message begins at ``position``: its stack, or the source shown above it, names the place."""
    at = position + 1
    more: list[str] = []
    while at < min(len(lines), position + _MAX_MESSAGE) and not is_frame(lines[at]) and not _begins_another(lines[at]):
        more.append(lines[at])
        at += 1
    spots, after = stack(lines, at) if at < len(lines) else ([], at)
    if not spots:
        at = after = position + 1
        more = list(takewhile(str.strip, more))
    above = _above(lines, position)
    if not spots and above is None:
        return None, position + 1
    syntax = error["type"] == "SyntaxError" and above is not None and not is_foreign(above.file)
    ours = [each for each in spots if not is_foreign(each.file)]
    place = above if syntax else ours[0] if ours else None
    if place is None and above and not is_foreign(above.file) and not _UNKNOWN_FILE.match(above.file):
        place = above
    said = [line.strip() for line in more if line.strip()][:_MAX_KEPT] if spots else []
    message = "\n".join([(error["text"] or error["type"]).strip(), *said])
    tail = lines[after : after + 12] if after > at or "{" in lines[after - 1] else []
    code = error["code"] or next((match["code"] for line in tail if (match := _CODE.match(line))), None)
    text = "\n".join([message, *more])
    named = _IMPORTED.search(text) or next((match for line in more if (match := _REQUIRED.match(line))), None)
    return Diagnostic(
        f"{error['type']}: {message}" if error["text"] else message,
        place.file if place else named["file"] if named else None,
        place.line if place else None,
        place.column if place else None,
        code or kind(error),
        phase="syntax" if syntax else "runtime",
        tool="node",
        identity=message if error["type"] == "Error" else f"{error['type']}: {message}",
    ), max(after, position + 1)


def _begins_another(line: str) -> bool:
    return line.startswith(("Node.js v", "npm ")) or ERROR.match(line) is not None


def _above(lines: Sequence[str], position: int) -> Spot | None:
    """The place that Node prints with the source above an uncaught error."""
    for number in range(position - 1, max(-1, position - _BEFORE), -1):
        if match := _THROWN_AT.match(lines[number]):
            return Spot(match["file"], int(match["line"]), None)
    return None


def _thrown(lines: Sequence[str], position: int, end: int) -> Diagnostic | None:
    """Something other than an error that was thrown: its text is below the caret."""
    for number in range(position - 1, max(end - 1, position - _BEFORE - 4), -1):
        if match := _THROWN_AT.match(lines[number]):
            below = [line for line in lines[number + 1 : position] if line.strip(" ^~")]
            if len(below) > 1 and not is_foreign(match["file"]):
                return Diagnostic(below[1].strip(), match["file"], int(match["line"]), phase="runtime", tool="node")
            return None
    return None


def _bundled(lines: Sequence[str], position: int) -> Diagnostic | None:
    line, after = lines[position], lines[position + 1 : position + 5]
    if match := _BUNDLERS[0].match(line):
        at = next((place for text in after if (place := _ESBUILD_AT.match(text))), None)
        return Diagnostic(
            match["message"],
            at["file"] if at else None,
            int(at["line"]) if at else None,
            int(at["column"]) if at else None,
            severity=match["severity"].lower(),
            tool="esbuild",
        )
    if (match := _BUNDLERS[1].match(line)) and after and not re.match(r"\s*(?:\[tsl\] )?TS\d+:", after[0]):
        what = next((text.strip() for text in after if text.strip()), "")
        severity = "error" if line.startswith("ERROR") else "warning"
        number = int(match["line"]) if match["line"] else None
        return Diagnostic(what, match["file"], number, severity=severity, tool="webpack") if what else None
    if match := _ROLLUP.match(line.strip()):
        place = _FROM.search(match["message"])
        return Diagnostic(match["message"], (place["file"] or place["by"]) if place else None, tool="rollup")
    return None
