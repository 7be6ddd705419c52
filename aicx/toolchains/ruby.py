"""ruby itself, RSpec, minitest and test-unit, RuboCop, rake, and Bundler."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, ToolFamily, lines_matching, place
from aicx.toolchains.json_documents import number, rows, word
from aicx.toolchains.ruby_tests import (
    FILE,
    FRAME,
    RERUN,
    SYNTAX,
    UNIT_TOTAL,
    examples,
    json_example,
    own_frame,
    rerun,
    units,
)

_TOOLS = frozenset({
    "bundle", "bundler", "cucumber", "gem", "irb", "jruby", "m", "minitest", "rails", "rake", "rspec", "rubocop",
    "ruby", "srb", "standardrb", "turbo_tests", "parallel_rspec", "parallel_test", "rubocop-daemon",
})  # fmt: skip
_RAISED = re.compile(
    rf"(?P<file>(?:<internal:[^>]{{1,200}}>|{FILE})):(?P<line>\d+):in [`'](?P<method>.{{0,200}}?)': (?P<message>.*)$"
)
_RAISED_OUTSIDE = re.compile(rf"(?P<file>ruby|{FILE}\.rb)(?::(?P<line>\d+))?: (?P<message>\S.*)$")
_CLASS = re.compile(r" ?\((?P<code>[A-Z]\w*(?:::[A-Z]\w*)*)\)$")
_FROM = re.compile(rf"\s+(?:\d+: )?from (?P<file>(?:<internal:[^>]{{1,200}}>|{FILE})):(?P<line>\d+)(?::in .*)?$")
_TOLD_LESS = re.compile(r"\s+ ?\.\.\. \d+ levels\.\.\.$")
_PRISM_LABEL = re.compile(r"\s+\| +[\^~]+ (?P<message>\S.*)$")
_WARNING = re.compile(rf"(?P<file>{FILE}):(?P<line>\d+): warning: (?P<message>.+)$")

_RSPEC_TOTAL = re.compile(r"\d+ examples?, (?P<failures>\d+) failures?(?P<rest>.*)$")


_OFFENSE = re.compile(rf"(?:# )?(?P<file>{FILE}):(?P<line>\d+):(?P<column>\d+): (?P<level>[CRWEFIA]): (?P<said>.+)$")
_OFFENSE_BELOW = re.compile(r"(?P<level>[CRWEFIA]): +(?P<line>\d+): +(?P<column>\d+): (?P<said>.+)$")
_OFFENSE_FILE = re.compile(r"== (?P<file>.+) ==$")
_ANNOTATION = re.compile(
    r"::(?P<level>error|warning) file=(?P<file>[^,]{1,300}),line=(?P<line>\d+),col=(?P<column>\d+)::(?P<said>.+)$"
)
_COP = re.compile(r"(?:\[(?P<mark>[A-Z]\w+)\] )?(?P<code>[A-Z]\w+(?:/[A-Z]\w+)+): (?P<message>.+)$")
_INSPECTED = re.compile(r"\d+ files? inspected, (?P<count>no|\d+) offenses?")
_LEVELS = {"error": "error", "fatal": "error", "E": "error", "F": "error"}

_RAKE = re.compile(r"rake aborted!$|(?:bin/)?rails aborted!$")
_RAKE_WRAPPER = re.compile(r"Command failed with status|Tasks: TOP")
_BUNDLER = re.compile(
    r"(?P<message>(?:Could not find (?:gem|\S+ in|compatible versions|'\S+' \(|a valid gem|command)|bundler: "
    r"(?:command not found|failed to load)|Bundler could not find|ERROR: +\S|\[!\] |The gemspec |Your bundle |You have "
    r"already activated|Gem::\S+|Bundler::\S+Error|Unknown switches|Your Ruby version is|Could not locate Gemfile|"
    r"There was an error parsing|Because ).*)$"
)
_GEMFILE = re.compile(r"\s*# +from (?P<file>\S[^:\n]{0,300}):(?P<line>\d+)$")
_RUBY = re.compile(
    rf"\s*(?:from )?{FILE}\.rb:\d+:in [`']|\d+ examples?, \d+ failures?|\s+# \./\S+\.rb:\d+:in |rake aborted!|"
    r"\d+ (?:runs|tests), \d+ assertions, |\d+ files? inspected, |rspec \./\S+:\d+ # |\S+:\d+:\d+: [CRWEF]: (?:\[\w+\] "
    r")?[A-Z]\w+/|\S+\.rb:\d+: (?:syntax error|warning: )|Could not find gem |bundler: |\s+Failure/Error: |"
    r'\{"version":"[^"]{1,20}","examples":|\{"metadata":\{"rubocop|::error file=\S+\.rb,|# \S+:\d+:\d+: [CRWEF]: |'
    r"== \S+\.rb ==$|ERROR:  Could not find a valid gem|ruby: .* \(LoadError\)$"
)


def _tool(words: Sequence[str]) -> str | None:
    return words[0] if words[0] in _TOOLS else None


def _parse(output: Output) -> Iterator[Diagnostic]:
    lines = output.lines
    found = [*_json(output.text), *_offenses(lines), *examples(lines), *units(lines)]
    tested = {each.test for each in found if each.test}
    found += rerun(lines, tested)
    # Backtraces within a report of tests belong to its tests.
    if not tested:
        raised = [*_raised(lines), *_rake(lines)]
        found += raised or _bundled(lines)
    yield from found
    if not any(each.severity == "error" for each in found) and output.exit_code and output.words[:1] == ("ruby",):
        yield from [Diagnostic(line, phase="runtime") for line in lines if line.strip()][-1:]


def _raised(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Uncaught exceptions with their causes, syntax errors, and warnings of the interpreter."""
    position = 0
    before: list[re.Match[str]] = []  # older rubies print the frames first
    while position < len(lines):
        line = lines[position]
        position += 1
        if match := _WARNING.match(line):
            yield Diagnostic(match["message"], *place(match), severity="warning", phase="build")
        elif match := SYNTAX.match(line):
            labels = [
                label["message"] for each in lines[position : position + 40] if (label := _PRISM_LABEL.match(each))
            ]
            said = "\n".join([_CLASS.sub("", match["message"]), *(labels if "errors found" in line else ())])
            yield Diagnostic(said, *place(match), phase="syntax")
        elif (match := _RAISED.match(line)) or (
            (match := _RAISED_OUTSIDE.match(line)) and (_CLASS.search(line) or "syntax error" in line)
        ):
            found, position = _exception(lines, position, match, before)
            before = []
            yield found
        elif match := _FROM.match(line):
            before.insert(0, match)
            del before[50:]


def _exception(
    lines: Sequence[str], position: int, match: re.Match[str], before: Sequence[re.Match[str]]
) -> tuple[Diagnostic, int]:
    """One uncaught exception, and where its backtrace ends; those that caused it are in its message."""
    said, code = _named(match["message"])
    frames, rest, saying = [match, *before], True, True
    causes: list[str] = []
    while position < len(lines):
        line = lines[position]
        if frame := _FROM.match(line):
            frames += [frame] if not causes else []
            rest = False
        elif not rest and (cause := _RAISED.match(line)):
            caused, kind = _named(cause["message"])
            causes.append(f"caused by {kind}: {caused}")
        elif not rest and not _TOLD_LESS.match(line):
            break
        elif rest and saying:
            if _RAISED.match(line) or SYNTAX.match(line):
                break
            saying = bool(line.strip())  # behind a blank line there is the source, with what is wrong marked
            said += f"\n{line}"
        position += 1
    inner = SYNTAX.match(said.partition("\n")[0])
    spot = inner or own_frame([frame for frame in frames if frame["line"]])
    if inner:
        said = inner["message"]
    phase = "syntax" if inner or code == "SyntaxError" else "runtime"
    text = "\n".join([said.strip(), *causes])
    return Diagnostic(
        text, *place(spot), code=code, phase=phase, identity=f"{code}: {text}" if code else text
    ), position


def _named(message: str) -> tuple[str, str | None]:
    match = _CLASS.search(message)
    return (message[: match.start()], match["code"]) if match else (message, None)


def _json(text: str) -> Iterator[Diagnostic]:
    """The JSON styles of RSpec and RuboCop; what was printed may be before and behind them."""
    for mark in ('{"version":', '{"metadata":', '{"examples":'):
        start = text.find(mark)
        if start < 0:
            continue
        try:
            document, _end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        for example in rows(document.get("examples") or []):
            if example.get("status") == "failed":
                yield json_example(example)
        for message in document.get("messages") or ():
            yield from examples(str(message).split("\n"))
        for file in rows(document.get("files") or []):
            for row in rows(file.get("offenses") or []):
                where = next(iter(rows(row.get("location") or [])), {})
                at = (word(file.get("path")), number(where.get("line")), number(where.get("column")))
                if not row.get("corrected"):
                    yield _offense(str(row.get("message")), at, str(row.get("severity")), word(row.get("cop_name")))


def _offenses(lines: Sequence[str]) -> Iterator[Diagnostic]:
    file: str | None = None
    for line in lines:
        if match := _OFFENSE_FILE.match(line):
            file = match["file"]
        elif match := (
            _OFFENSE.match(line) or _ANNOTATION.match(line) or (_OFFENSE_BELOW.match(line) if file else None)
        ):
            name = match["file"] if "file" in match.re.groupindex else file
            at = (name, int(match["line"]), int(match["column"]))
            cop = _COP.match(match["said"])
            if cop is None or cop["mark"] not in ("Corrected", "Todo"):
                yield _offense(match["said"], at, match["level"])


def _offense(
    said: str, at: tuple[str | None, int | None, int | None], level: str, code: str | None = None
) -> Diagnostic:
    if cop := _COP.match(said):
        said, code = cop["message"], cop["code"]
    # A terminal's style shows names in colour instead of in backticks.
    identity = said.replace("`", "")
    phase = "syntax" if code == "Lint/Syntax" else "lint"
    return Diagnostic(said, *at, code, phase, _LEVELS.get(level, "warning"), tool="rubocop", identity=identity)


def _rake(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for at, line in enumerate(lines):
        if not _RAKE.match(line) or at + 1 >= len(lines) or _RAKE_WRAPPER.match(lines[at + 1]):
            continue
        said = lines[at + 1]
        frame = own_frame([frame for each in lines[at + 2 : at + 40] if (frame := FRAME.match(each))])
        kind = re.match(r"([A-Z]\w*(?:::\w+)*): ", said)
        yield Diagnostic(said, *place(frame), code=kind[1] if kind else None, phase="runtime", tool="rake")


def _bundled(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for at, line in enumerate(lines):
        if match := _BUNDLER.match(line):
            said = [match["message"]]
            for below in lines[at + 1 : at + 6]:
                if not below.strip() or below.startswith("Run `bundle"):
                    break
                said.append(below.strip())
            frame = next((found for each in lines[at + 1 : at + 12] if (found := _GEMFILE.match(each))), None)
            yield Diagnostic("\n".join(said), *place(frame), phase="install", tool="bundler", identity=match["message"])
            return


def _failed(output: Output) -> bool | None:
    said: bool | None = None
    for line in output.lines:
        if match := _RSPEC_TOTAL.match(line):
            said = bool(said) or match["failures"] != "0" or "occurred outside" in match["rest"]
        elif match := UNIT_TOTAL.match(line):
            said = bool(said) or (match["failures"], match["errors"]) != ("0", "0")
        elif match := _INSPECTED.match(line):
            said = bool(said) or match["count"] != "no"
        elif _RAKE.match(line) or RERUN.match(line) or _ANNOTATION.match(line):
            said = True
        elif match := _OFFENSE.match(line):
            cop = _COP.match(match["said"])
            said = bool(said) or cop is None or cop["mark"] != "Corrected"
    if said is None and (match := re.search(r'"offense_count":(\d+)', output.text)):
        return match[1] != "0"
    return said


FAMILY = ToolFamily("ruby", _tool, lines_matching(_RUBY), _parse, _failed)
