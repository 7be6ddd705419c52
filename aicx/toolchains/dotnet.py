"""The C# and F# compilers, MSBuild and NuGet, `dotnet test`, and unhandled exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, Place, ToolFamily, any_failed, lines_matching, number, place

_TOOLS = frozenset(
    {"csc", "dotnet", "dotnet-format", "fsc", "msbuild", "MSBuild", "nuget", "vbc", "vstest.console", "xbuild"}
)
_TESTING = frozenset({"test", "vstest"})

_REPORTED = re.compile(
    r"\s*(?:\d+(?::\d+)?>)?(?P<file>\S[^\n]{0,300}?)(?:\((?P<line>\d+)(?:,(?P<column>\d+))?(?:,\d+,\d+)?\))?\s?: "
    r"(?P<level>error|warning) (?P<code>(?!TS\d|LNK\d|C\d{4}\b)[A-Z]{2,20}\d{0,6}): (?P<message>\S.*)$"
)
_PROJECT = re.compile(r" \[(?P<project>[^\]\s]{1,300}(?:proj|sln|slnx))(?:::[^\]]{1,200})?\]$")
_PLAIN = re.compile(r"\s*(?P<level>error|warning)(?: (?P<code>[A-Z]{2,20}\d{1,6}))?\s?: (?P<message>\S.*)$")
_SDK = re.compile(
    r".*[/\\](?:sdk|dotnet|packages|\.nuget)[/\\].*\.(?:targets|props)$|(?:CSC|FSC|VBC|MSBUILD|NUGET|dotnet)$",
    re.IGNORECASE,
)
_PHASES = (
    (re.compile(r"(?:NU|NETSDK|MSB3)\d"), "install"),
    (re.compile(r"TESTERROR|xUnit|NUnit|MSTEST"), "test"),
    (re.compile(r"CS(?:1\d{3}|0116|8124|8803|8652)$|FS0010$"), "syntax"),
    (re.compile(r"CS(?:0029|0266|0019|0165|1503|7036|1061|0117|0411|0535|86\d\d)$|FS0001$"), "type"),
    (re.compile(r"(?:CA|IDE|SA|S|RCS|VSTHRD)\d"), "lint"),
    (re.compile(r"WHITESPACE|FINALNEWLINE|IMPORTS|CHARSET|ENDOFLINE"), "format"),
)

_FAILED_TEST = re.compile(
    r"\s{0,4}(?:Failed|failed|X) (?P<test>[^\s\[(]\S{0,300}(?:\(.{0,300}\))?) (?:\[[^\]]{1,40}\]|\([\d.]+ ?m?s\))$"
)
_MARKED_TEST = re.compile(r"\[xUnit\.net [\d:.]+\]\s+(?P<test>\S.{0,300}) \[FAIL\]$")
_HEADING = re.compile(
    r"\s{0,6}(?P<name>Error Message|Stack Trace|Standard Output Messages|Standard Error Messages|"
    r"Debug Trace|Additional Trace Messages|from \S+):?\s*$"
)
_NEXT_TEST = re.compile(
    r"\s{0,4}(?:Failed|Passed|Skipped|failed|passed|skipped|X|√|!) \S|(?:Failed|Passed|Skipped)! +-|Test Run |"
    r"Total tests:|Results File|\[xUnit\.net|Test summary:"
)
_FRAME = re.compile(r"\s+at (?P<function>\S.{0,500}?) in (?P<file>\S.{0,300}):line (?P<line>\d+)$")
_ANY_FRAME = re.compile(r"\s+at \S|\s+--- End of |--- End of ")
_EXCEPTION = re.compile(
    r"\s*(?P<code>(?:[A-Za-z_]\w*\.)+[A-Z]\w{0,150}(?:Exception|Error)\w{0,30}) ?: ?(?P<message>.*)$"
)
_UNHANDLED = re.compile(
    r"(?:Unhandled exception[.:]|Unhandled Exception:) (?P<code>[\w.+`]{1,300})(?:: (?P<message>.*))?$", re.IGNORECASE
)
_INNER = re.compile(r"\s*---> (?P<code>[\w.+`]{1,300})(?:: (?P<message>.*))?$")
_FOREIGN = re.compile(r"/_/|/_work/|.*[/\\](?:xunit|nunit|\.nuget)[/\\]|[A-Z]:[/\\]Dev[/\\]xunit", re.IGNORECASE)
_REFUSED = re.compile(
    r"(?P<message>Could not execute because .*|The command could not be loaded.*|You must install or update \.NET.*|"
    r"No executable found matching command .*|Couldn't find a project to run.*|The build failed\. Fix .*)$"
)
_VERDICT = re.compile(
    r"\s*(?P<failed>Build FAILED\.|Failed! +-|Test Run Failed\.|Build failed with|Test summary:.* failed: [1-9]|"
    r"Restore failed with)|\s*(?:Build succeeded|Passed! +-|Test Run Successful\.|Test summary: )"
)
_DOTNET = re.compile(
    r".{0,300}: (?:error|warning) (?:CS|FS|BC|NU|MSB|NETSDK|CA|IDE)\d|\s*(?:Build (?:FAILED|succeeded)|Determining "
    r"projects to restore|Failed! +-|Passed! +-)|\s+at \S.* in \S.*\.(?:cs|fs|vb):line \d+|Unhandled exception\. \S|"
    r"\[xUnit\.net |\s+\S+ -> \S+\.dll$|MSBuild version|VSTest version"
)


def _tool(words: Sequence[str]) -> str | None:
    if words[0] not in _TOOLS:
        return None
    return "dotnet test" if words[0] == "dotnet" and len(words) > 1 and words[1] in _TESTING else words[0]


def _parse(output: Output) -> Iterator[Diagnostic]:
    found = [*_reported(output.lines), *_tests(output.lines), *_crashed(output.lines)]
    yield from found
    if not found:
        yield from (Diagnostic(match["message"]) for line in output.lines if (match := _REFUSED.match(line)))


def _reported(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for line in lines:
        if " error" not in line and " warning" not in line and not line.lstrip().startswith(("error", "warning")):
            continue
        if match := _REPORTED.match(line):
            said = match["message"]
            project = _PROJECT.search(said)
            said = said[: project.start()] if project else said
            where: Place = place(match)
            if _SDK.match(match["file"]):  # not the project's own: the project is the nearest
                where = (project["project"] if project else None, None)
            test = None
            if match["code"] == "TESTERROR":
                head, _, rest = said.partition(": ")
                test, said = head.partition(" (")[0], rest.removeprefix("Error Message: ") or said
            column = number(match, "column") if where[1] else None
            yield Diagnostic(said, *where, column, match["code"], _phase(match["code"]), match["level"], test)
        elif match := _PLAIN.match(line):
            yield Diagnostic(
                match["message"], code=match["code"], phase=_phase(match["code"] or ""), severity=match["level"]
            )


def _phase(code: str) -> str:
    return next((phase for pattern, phase in _PHASES if pattern.match(code)), "build")


def _tests(lines: Sequence[str]) -> Iterator[Diagnostic]:
    named: set[str] = set()
    marked: list[str] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if match := _MARKED_TEST.match(line):
            marked.append(match["test"])
        elif match := _FAILED_TEST.match(line):
            start = position
            while position < len(lines) and not _NEXT_TEST.match(lines[position]):
                position += 1
            named.add(match["test"])
            yield _failure(match["test"], lines[start:position])
    for test in marked:
        if test not in named:
            named.add(test)
            yield Diagnostic(f"{test} failed", phase="test", test=test)


def _failure(test: str, block: Sequence[str]) -> Diagnostic:
    part, said, frames = "", [], []
    for line in block:
        if match := _HEADING.match(line):
            part = match["name"]
        elif frame := _FRAME.match(line):
            frames.append(frame)
        elif part in ("", "Error Message") and not _ANY_FRAME.match(line):
            said.append(line.strip())
    text = "\n".join(line for line in said if line)
    exception = _EXCEPTION.match(text.partition("\n")[0])
    where = place(next((frame for frame in frames if not _FOREIGN.match(frame["file"])), None))
    return Diagnostic(
        text or f"{test} failed", *where, code=exception["code"] if exception else None, phase="test", test=test
    )


def _crashed(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Unhandled exceptions, at the project's deepest frame: that of the innermost one."""
    for at, line in enumerate(lines):
        if not (match := _UNHANDLED.match(line)):
            continue
        said, causes = [match["message"] or match["code"]], []
        spot: re.Match[str] | None = None
        for below in lines[at + 1 : at + 200]:
            if frame := _FRAME.match(below):
                spot = spot or (None if _FOREIGN.match(frame["file"]) else frame)
            elif inner := _INNER.match(below):
                causes.append(f"caused by {inner['code']}: {inner['message'] or ''}")
            elif not _ANY_FRAME.match(below):
                if spot or not below.strip() or causes or _UNHANDLED.match(below):
                    break
                said.append(below)
        text = "\n".join([*said, *causes])
        yield Diagnostic(text, *place(spot), code=match["code"], phase="runtime", identity=f"{match['code']}: {text}")


FAMILY = ToolFamily("dotnet", _tool, lines_matching(_DOTNET), _parse, any_failed(_VERDICT))
