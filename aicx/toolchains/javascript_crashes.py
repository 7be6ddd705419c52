"""Errors that end a Node process, and what bundlers print of a file they cannot build."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from aicx.toolchains import javascript_errors as stacks
from aicx.toolchains.family import Diagnostic

_THROWN_AT = re.compile(
    r"(?P<file>(?:file://)?(?:/|[A-Za-z]:[\\/]|node:)[^\s:][^:\n]{0,500}|\[eval\]\S{0,20}|\[stdin\]\S{0,20}):(?P<line>\d+)$"
)
_CODE = re.compile(r"\s*code: '(?P<code>[A-Z][A-Z0-9_]{2,60})'")
_IMPORTED = re.compile(r"imported from (?P<file>/\S+|[A-Za-z]:\\\S+)")
_REQUIRED = re.compile(r"- (?P<file>(?:/|[A-Za-z]:\\).+)$")
_USAGE = re.compile(
    r"(?:node|nodejs|tsx|bun|deno): (?P<message>(?:bad option|.* requires an argument|.* is not allowed in NODE_OPTIONS).*)"
)
_THROWN = re.compile(r"\(Use `node --trace-uncaught .*|Thrown at:|Node\.js v\d")
_UNKNOWN_FILE = re.compile(r"(?:\[eval|\[stdin|node:|evalmachine|<anonymous>)")
_BEFORE = 8  # lines above an error that show its source
_MAX_KEPT = 6  # of a message that are kept
_MAX_MESSAGE = 40  # lines of a message, before its stack
_BUNDLERS = (
    re.compile(r"✘ \[(?P<severity>ERROR|WARNING)\] (?P<message>.+?)(?: \[plugin [\w:-]+\])?$"),
    re.compile(r"(?:ERROR|WARNING) in (?P<file>\S+?)(?: (?P<line>\d+):(?P<column>\d+)(?:-\d+(?::\d+)?)?)?$"),
)
_BUNDLED = ("ERROR", "WARNING", "esolve", "exported by")
_ESBUILD_AT = re.compile(r"\s+(?P<file>[^\s:]+):(?P<line>\d+):(?P<column>\d+):$")
_ROLLUP = re.compile(
    r"(?:\[vite\]: |\[!\] |x |error during build:\s*)?(?P<message>(?:\(?[\w-]+\)? ?)?(?:Error: )?"
    r"(?:Rollup failed to resolve import|Could not resolve (?:entry module|['\"])|\"[^\"\n]+\" is not exported by) .*)"
)
_FROM = re.compile(r" from ['\"](?P<file>[^'\"\n]+)['\"]|imported by ['\"](?P<by>[^'\"\n]+)['\"]")


def found(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Each error that was not caught, and each that a bundler names."""
    end = 0
    for position, line in enumerate(lines):
        if position < end or not line.strip():
            continue
        if "rror" in line and (error := stacks.ERROR.match(line.removeprefix(" "))):
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
    while (
        at < min(len(lines), position + _MAX_MESSAGE)
        and not stacks.is_frame(lines[at])
        and not _begins_another(lines[at])
    ):
        more.append(lines[at])
        at += 1
    spots, after = stacks.stack(lines, at) if at < len(lines) else ([], at)
    if not spots:
        at = after = position + 1
        more = list(takewhile(str.strip, more))
    above = _above(lines, position)
    if not spots and above is None:
        return None, position + 1
    syntax = error["type"] == "SyntaxError" and above is not None and not stacks.is_foreign(above.file)
    own = [spot for spot in spots if not stacks.is_foreign(spot.file)]
    place = above if syntax else own[0] if own else None
    if place is None and above and not stacks.is_foreign(above.file) and not _UNKNOWN_FILE.match(above.file):
        place = above
    said = [line.strip() for line in more if line.strip()][:_MAX_KEPT] if spots else []
    message = "\n".join([(error["text"] or error["type"]).strip(), *said])
    tail = lines[after : after + 12] if after > at or "{" in lines[after - 1] else []
    code = error["code"] or next((match["code"] for line in tail if (match := _CODE.match(line))), None)
    text = "\n".join([message, *more])
    named = _IMPORTED.search(text) or next((match for line in more if (match := _REQUIRED.match(line))), None)
    return Diagnostic(
        _line_of(error, message),
        place.file if place else named["file"] if named else None,
        place.line if place else None,
        place.column if place else None,
        code or stacks.kind(error),
        phase="syntax" if syntax else "runtime",
        tool="node",
        identity=message if error["type"] == "Error" else f"{error['type']}: {message}",
    ), max(after, position + 1)


def _begins_another(line: str) -> bool:
    return line.startswith(("Node.js v", "npm ")) or stacks.ERROR.match(line) is not None


def _line_of(error: re.Match[str], message: str) -> str:
    return f"{error['type']}: {message}" if error["text"] else message


def _above(lines: Sequence[str], position: int) -> stacks.Spot | None:
    """The place that Node prints with the source above an uncaught error."""
    for number in range(position - 1, max(-1, position - _BEFORE), -1):
        if match := _THROWN_AT.match(lines[number]):
            return stacks.Spot(match["file"], int(match["line"]), None)
    return None


def _thrown(lines: Sequence[str], position: int, end: int) -> Diagnostic | None:
    """Something other than an error that was thrown: its text is below the caret."""
    for number in range(position - 1, max(end - 1, position - _BEFORE - 4), -1):
        if match := _THROWN_AT.match(lines[number]):
            below = [line for line in lines[number + 1 : position] if line.strip(" ^~")]
            if len(below) > 1 and not stacks.is_foreign(match["file"]):
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
