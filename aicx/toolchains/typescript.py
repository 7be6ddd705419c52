"""The TypeScript compiler: its classic and its pretty style, and what prints as it does (vue-tsc, ts-node, deno)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, ToolFamily

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(][^:(\n]{0,400}?(?:\([\w.-]{1,60}\)[^:(\n]{0,300}?){0,4})"
_WHAT = r"(?P<severity>error|warning) (?P<code>TS-?\d+): (?P<message>.*)$"
_CLASSIC = re.compile(rf"{_FILE}\((?P<line>\d+),(?P<column>\d+)\): {_WHAT}")
_PRETTY = re.compile(rf"{_FILE}:(?P<line>\d+):(?P<column>\d+) - {_WHAT}")
_GLOBAL = re.compile(r"(?P<severity>error|warning) (?P<code>TS-?\d+): (?P<message>.*)$")
_DENO = re.compile(r"(?:error: )?(?P<code>TS\d+) \[ERROR\]: (?P<message>.*)$")
_DENO_AT = re.compile(r"\s+at (?P<file>file://\S+?):(?P<line>\d+):(?P<column>\d+)$")
_BUNDLED = re.compile(r"(?:ERROR|WARNING) in (?P<file>[^\s:(]+?)[:(](?P<line>\d+)[:,](?P<column>\d+)\)?:?\s*$")
_BUNDLED_WHAT = re.compile(r"\s*(?:\[tsl\] )?(?P<code>TS\d+): (?P<message>.*)$")
_NEXT = re.compile(r"(?:\./)?(?P<file>[^\s:]+\.[cm]?[jt]sx?):(?P<line>\d+):(?P<column>\d+)$")
_NEXT_WHAT = re.compile(r"(?P<kind>Type error|Syntax Error): (?P<message>.*)$")
_STARTED = re.compile(
    r"(?:\[?\d{1,2}:\d\d:\d\d(?: [AP]M)?\]? ?-? )?File change detected\. Starting (?:incremental )?compilation"
)
_TOTALS = re.compile(r"(?:\[?\d{1,2}:\d\d:\d\d(?: [AP]M)?\]? ?-? )?Found (?P<count>\d+) errors?(?:\.| in )")
_SYNTAX = re.compile(r"TS1\d{3}$")
_MAX_MORE = 6  # lines by which a message goes on
_PROGRAMS = frozenset({"tsc", "vue-tsc", "tsgo", "ngc", "tsd", "attw", "glint", "svelte-check", "tspc", "ttsc"})


def _tool(words: Sequence[str]) -> str | None:
    if words and (words[0] in _PROGRAMS or words[0].endswith("/tsc")):
        return words[0]
    return "deno" if words and words[0] == "deno" and words[1:2] == ("check",) else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = _last_run(output.lines)
    for position, line in enumerate(lines):
        after = lines[position + 1 : position + 2 + _MAX_MORE]
        if "TS" in line and (match := _CLASSIC.match(line) or _PRETTY.match(line) or _GLOBAL.match(line)):
            yield _found(match, match, after)
        elif after and "ERROR" in line and (place := _BUNDLED.match(line)):
            if what := _BUNDLED_WHAT.match(after[0]):
                yield _found(what, place, after[1:])
        elif "[ERROR]" in line and (what := _DENO.match(line)):
            more = lines[position + 1 : position + 12]
            deno = next((match for text in more if (match := _DENO_AT.match(text))), None)
            yield _found(what, deno, ())
        elif after and (place := _NEXT.match(line)) and (what := _NEXT_WHAT.match(after[0])):
            yield _found(what, place, ())


def _last_run(lines: Sequence[str]) -> Sequence[str]:
    """Returns the output since the last change of a file, in watch mode."""
    for position in range(len(lines) - 1, -1, -1):
        if "File change detected" in lines[position] and _STARTED.match(lines[position].strip()):
            return lines[position:]
    return lines


def _found(what: re.Match[str], place: re.Match[str] | None, after: Sequence[str]) -> Diagnostic:
    at = place.groupdict() if place else {}
    groups = what.groupdict()
    code = groups.get("code")
    more = []
    for line in after[:_MAX_MORE]:  # an elaboration is indented by two; the pretty style has source after a blank line
        if not line.startswith("  ") or "error TS" in line:
            break
        more.append(line.rstrip())
    return Diagnostic(
        "\n".join([what["message"], *more]),
        at.get("file"),
        int(at["line"]) if at.get("line") else None,
        int(at["column"]) if at.get("column") else None,
        code,
        phase=_phase(code, at.get("file"), groups.get("kind")),
        severity=groups.get("severity") or "error",
        identity=what["message"],
    )


def _phase(code: str | None, file: str | None, kind: str | None) -> str:
    if kind == "Syntax Error" or _SYNTAX.match(code or ""):
        return "syntax"
    if (file is None or file.endswith(".json")) and re.match(r"TS(?:5|6|18)\d", code or ""):
        return "setup"
    return "type"


def _failed(output: Output) -> bool | None:
    for line in reversed(output.lines[-100:]):
        if match := _TOTALS.match(line):
            return match["count"] != "0"
    return None


def _looks_like(output: Output) -> int:
    return sum(
        1
        for line in output.lines
        if "TS" in line and ("error" in line or "ERROR" in line or ": " in line)
        if _CLASSIC.match(line)
        or _PRETTY.match(line)
        or _GLOBAL.match(line)
        or _DENO.match(line)
        or _BUNDLED_WHAT.match(line)
    ) + sum(2 for line in output.lines[-100:] if "Watching for file changes" in line)


FAMILY = ToolFamily("typescript", _tool, _looks_like, _parse, _failed)
