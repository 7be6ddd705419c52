"""Reads the output of pytest in every style of traceback, whole or cut, and what its short summary alone tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output
from aicx.toolchains.python_tracebacks import EXCEPTION, SYNTAX, Frame, is_foreign, own_frame, tracebacks
from aicx.values import dataclass, regex

NAME = "pytest"
_SECTION = regex(r"={3,}+ (?P<name>[^=\n].{0,200}?) ={3,}$")
_BLOCK = regex(r"_+ (?P<name>[^_\s].*?|_\w.*?) _+$")
_WARNING = regex(r"  (?P<file>\S[^:\n]{0,500}):(?P<line>\d+): (?P<code>(?:\w+\.)*\w*Warning): (?P<text>.*)$")
_FRAME = regex(r"[\w.]+$|in \S")
_TOTALS = regex(
    r"(?:={3,} )?(?P<counts>(?:(?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|subtests passed|subtests failed)"
    r"|no tests (?:ran|collected))(?:, )?)+)(?: in [\d.]+ ?s(?:econds)?(?: \(\d+:\d\d:\d\d\))?)(?: ={3,})?$"
)
_LINE_STYLE = regex(r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]{0,500}\.\w{1,5}):(?P<line>\d+): (?P<text>\S.*)$")
_WRONG_USE = (
    re.compile(r"(?:[\w./ -]{1,80}: error|ERROR): (?!usage:)(?P<text>.+)"),
    re.compile(r"(?:FAIL|ERROR:?) (?P<text>(?:Required test coverage|Coverage failure).*)"),
    re.compile(r"(?P<text>(?:PytestConfigWarning|UsageError|Exit): .+)"),
)
_CONFTEST = regex(r"ImportError while loading conftest '(?P<file>[^'\n]+)'")
_NOTHING_RAN = 5  # pytest's exit code
_MAX_LINES = 8  # of a failure's text
_EARLY = ("ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting ", "ERROR at ")
_XPASS = regex(r"\[XPASS\(strict\)\](?P<text>.*)")
PLACE = regex(r"(?P<file>[^\s:>][^:\n]{0,500}|[A-Za-z]:\\[^:\n]{0,500}):(?P<line>\d+):(?: (?P<rest>.*)|$)")
_IN = regex(r"in \S")
_DEFINED = regex(r" ?def \w")  # of fixtures that do not fit together
_NATIVE = regex(r'\s+File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in |$)')
_FIXTURE = regex(r"file (?P<file>\S.{0,500}), line (?P<line>\d+)$")
SAID = regex(r"E(?:   (?P<text>.*)|\s*$)")
_ENDS = regex(r"-{3,} ?(?:Captured|generated|Live log|live log)")
_CAUSED = ("During handling of the above exception", "The above exception was the direct cause")


def found(output: Output) -> Iterator[Diagnostic]:
    """Each failing test, each error of setup or collection, and what kept pytest from running."""
    lines = output.lines
    named = named_tests(lines)
    used: set[str] = set()
    yield from _warnings(lines)
    if any(line.startswith("ImportError while loading conftest") for line in lines):
        yield from _wrong_use(output)
        return
    empty = True
    for name, block in _blocks(lines):
        for each in _read_block(name, block, named):
            empty = False
            used.update({each.test or "", name.removeprefix("ERROR collecting ")})
            yield each
    for row in named.values():
        if row.id not in used and not is_covered(row, used):
            empty = False
            yield from_summary(row)
    if empty:
        yield from _wrong_use(output)


def failed(output: Output) -> bool | None:
    """Tells from the line of totals whether a test failed; None without one."""
    for line in reversed(output.lines[-400:]):
        if match := _TOTALS.match(line.strip()):
            return re.search(r"\d (?:failed|error|subtests failed)|no tests ran", match["counts"]) is not None
    return None


def marks(output: Output) -> int:
    """How many lines only pytest writes."""
    count = 0
    for line in output.lines:
        if line.startswith("=") and (match := _SECTION.match(line)):
            count += match["name"] in ("test session starts", "FAILURES", "ERRORS", "short test summary info") * 3
        elif line.startswith(("FAILED ", "ERROR ", "SUBFAIL")):
            count += SUMMARY.match(line) is not None
        elif line.startswith("ERROR: usage: "):
            count += "pytest" in line
        elif line.startswith("E   "):
            count += 1
        count += bool(_TOTALS.match(line)) * 2
    return count


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The failures one by one, each with its heading's name; one that was cut at its top has none."""
    inside, name = True, ""
    block: list[str] = []
    for line in lines:
        if line.startswith("=") and (section := _SECTION.match(line)):
            if inside and block:
                yield name, block
            inside, name, block = section["name"] in ("FAILURES", "ERRORS"), "", []
        elif inside and line.startswith("_") and line.endswith("_") and not line.startswith("_ _"):
            if (match := _BLOCK.match(line)) is None:
                continue
            if block:
                yield name, block
            name, block = match["name"].strip(), []
        elif inside:
            block.append(line)
    if inside and block:
        yield name, block


def _read_block(name: str, block: Sequence[str], named: dict[str, NamedTest]) -> Iterator[Diagnostic]:
    """Reads the block of one failure; `--tb=line` has them all in one block."""
    setup = name.startswith(_EARLY)
    collecting = name.startswith("ERROR collecting ")
    for early in _EARLY:
        name = name.removeprefix(early)
    said, frames, kind = what_is_said(block)
    if not name and (styled := list(_line_style(block, named))):
        yield from styled
        return
    if not said and (strict := next((match for line in block if (match := _XPASS.match(line))), None)):
        said = [strict[0].strip()]
    if not name and not any(PLACE.match(line) for line in block):
        return
    place = own_frame(frames)
    row = row_of(name, frames, named)
    first = next((line for line in said if line.strip()), "") or _whole(row, block) or f"{name} failed"
    if first.lstrip().startswith('File "'):  # of a syntax error, which names its place before itself
        first = next((line for line in said if EXCEPTION.match(line)), first)
    exception = EXCEPTION.match(first)
    code = kind or (exception["type"] if exception else None)
    code = code.rpartition(".")[2] if code else None
    test = (
        None if collecting else row.id if row else name.replace(".", "::") if name and "[doctest]" not in name else name
    )
    yield Diagnostic(
        "\n".join([first, *said[said.index(first) + 1 :][: _MAX_LINES - 1]]) if first in said else first,
        place.file if place else name if collecting else file_of(row),
        place.line if place else None,
        code=code,
        phase="syntax" if code in SYNTAX else "setup" if setup else "test",
        test=test or None,
        identity=identity_of(first),
    )


def _whole(row: NamedTest | None, block: Sequence[str]) -> str:
    """A text of the summary, as long as the block has it."""
    if row is None or not row.text.endswith("..."):
        return row.text if row else ""
    begin = row.text.removesuffix("...").removeprefix("Failed: ")
    return next((line.strip() for line in block if line.strip().startswith(begin)), row.text)


def _line_style(block: Sequence[str], named: dict[str, NamedTest]) -> Iterator[Diagnostic]:
    """`--tb=line`: a place and what was said, a line each, in the order of the summary."""
    rows = [row for row in named.values() if row.failed]
    marked = any(line[:1] == "E" and SAID.match(line) for line in block)
    for line in block:
        match = _LINE_STYLE.match(line)
        if match is None or (marked and _FRAME.match(match["text"])):
            continue
        place = next((number for number, row in enumerate(rows) if says_same(row.text, match["text"])), None)
        row = rows[place] if place is not None else None
        rows = rows[place + 1 :] if place is not None else rows
        text = row.text if row and _FRAME.match(match["text"]) else match["text"]
        exception = EXCEPTION.match(match["text"])
        yield Diagnostic(
            text,
            match["file"],
            int(match["line"]),
            code=exception["type"].rpartition(".")[2] if exception else None,
            phase="test",
            test=row.id if row else None,
            identity=identity_of(text),
        )


def _warnings(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Finds the warnings about the project's own files in their summary."""
    inside = False
    for line in lines:
        if line.startswith("=") and (section := _SECTION.match(line)):
            inside = section["name"].startswith("warnings summary")
        elif inside and (match := _WARNING.match(line)) and not is_foreign(match["file"]):
            code = match["code"].rpartition(".")[2]
            text = f"{code}: {match['text']}"
            yield Diagnostic(text, match["file"], int(match["line"]), code=code, phase="test", severity="warning")


def _wrong_use(output: Output) -> Iterator[Diagnostic]:
    """Why pytest did not run, or failed besides its tests."""
    lines = output.lines
    conftest = next((match["file"] for line in lines if (match := _CONFTEST.match(line))), None)
    if conftest:
        said, frames, kind = what_is_said(lines)
        own = [frame for frame in frames if not is_foreign(frame.file)]
        exception = EXCEPTION.match(said[0]) if said else None
        yield Diagnostic(
            "\n".join(said[:_MAX_LINES]) or f"cannot import {conftest}",
            own[-1].file if own else conftest,
            own[-1].line if own else None,
            code=(exception["type"] if exception else kind or "").rpartition(".")[2] or None,
            phase="setup",
        )
        return
    errors = list(tracebacks([line.removeprefix("INTERNALERROR> ") for line in lines]))
    if errors and (place := errors[-1].place):
        yield Diagnostic(errors[-1].message, place.file, place.line, code=errors[-1].kind, phase="setup")
        return
    for line in lines:
        for pattern in _WRONG_USE:
            if match := pattern.match(line):
                yield Diagnostic(match["text"].strip(), phase="setup")
                break
    if output.exit_code == _NOTHING_RAN and not any(line.startswith("ERROR: ") for line in lines):
        totals = next((line.strip("= ") for line in reversed(lines) if _TOTALS.match(line)), "no tests ran")
        yield Diagnostic(totals, phase="setup", identity="no tests ran")


def what_is_said(block: Sequence[str]) -> tuple[list[str], list[Frame], str | None]:
    """The lines marked `E`, the frames, and the exception's name that ends the long style; of a chain the last."""
    said: list[str] = []
    frames: list[Frame] = []
    kind = None
    for line in block:
        if _ENDS.match(line):
            break
        if any(mark in line for mark in _CAUSED):
            said, frames, kind = [], [], None
        elif line.startswith("E") and (match := SAID.match(line)):
            said.append(match["text"] or "")
        elif match := PLACE.match(line):
            rest = match["rest"] or ""
            if _IN.match(rest) or _DEFINED.match(rest) or not rest or re.fullmatch(r"[\w.]+", rest.strip()):
                frames.append(Frame(match["file"], int(match["line"]), rest))
                if rest and not (_IN.match(rest) or _DEFINED.match(rest)):
                    kind = rest.strip()
        elif match := _NATIVE.match(line) or _FIXTURE.match(line):
            frames.append(Frame(match["file"], int(match["line"]), ""))
    nested = [match for line in said if (match := _NATIVE.match(line))]
    if nested:  # the place of a syntax error is part of what is said
        frames.append(Frame(nested[-1]["file"], int(nested[-1]["line"]), ""))
    said = _dedented(said)
    if not said:
        for each in tracebacks(block):
            said, kind = each.message.split("\n"), each.type
            frames = each.frames or frames
    return said or _doctest(block), frames, kind


def _dedented(said: list[str]) -> list[str]:
    """The long style indents what is said by as much as the source."""
    filled = [len(line) - len(line.lstrip()) for line in said if line.strip()]
    least = min(filled, default=0)
    return [line[least:] for line in said]


def _doctest(block: Sequence[str]) -> list[str]:
    text = [line.strip() for line in block]
    for start, line in enumerate(text):
        if line in ("Expected:", "Expected nothing") or line.startswith("UNEXPECTED EXCEPTION"):
            example = next((before for before in reversed(text[:start]) if ">>>" in before), "")
            example = re.sub(r"^\d+ ", "", example)
            return [" ".join(filter(None, [example, *text[start : start + 5]])).strip()]
    return []


SUMMARY = regex(
    r"(?P<kind>FAILED|ERROR|SUBFAIL(?:ED)?(?:\[.{0,200}?\]|\(.{0,200}?\))?) (?P<id>\S.*?\.(?:py|txt|rst|md)(?:::.*?)?)(?: - (?P<text>.*))?$"
)
_PROGRESS = regex(
    r"(?:\[gw\d+\] \[ *\d+%\] (?P<state>FAILED|ERROR) (?P<worker>\S.*?)"
    r"|(?P<id>\S+\.py::\S.*?) (?P<late>FAILED|ERROR)(?: +\[ *\d+%\])?) *$"
)


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A test that the short summary or the progress lines name."""

    id: str
    text: str
    failed: bool  # not an error of setup


def named_tests(lines: Sequence[str]) -> dict[str, NamedTest]:
    """The failing tests by id, as the short summary has them, else the progress lines."""
    rows: dict[str, NamedTest] = {}
    progress: dict[str, NamedTest] = {}
    for line in lines:
        if line.startswith(("FAILED ", "ERROR ", "SUBFAIL")):
            if match := SUMMARY.match(line):
                rows.setdefault(match["id"], NamedTest(match["id"], match["text"] or "", match["kind"] != "ERROR"))
        elif ("FAILED" in line or "ERROR" in line) and (match := _PROGRESS.match(line)):
            name = match["worker"] or match["id"]
            progress.setdefault(name, NamedTest(name, "", (match["state"] or match["late"]) == "FAILED"))
    return rows or progress


def says_same(summary: str, text: str) -> bool:
    """Whether the summary's text, which may be cut, is about the same failure as a line's."""
    begin = summary.removesuffix("...")
    return bool(begin) and (
        text.startswith(begin) or begin.startswith(text) or (text == "AssertionError" and begin.startswith("assert "))
    )


def row_of(name: str, frames: Sequence[Frame], named: dict[str, NamedTest]) -> NamedTest | None:
    """The row of the summary that a heading belongs to."""
    wanted = name.removeprefix("[doctest] ").replace(".", "::")
    fits = [row for row in named.values() if row.id == name or row.id.partition("::")[2].replace(".", "::") == wanted]
    if len(fits) > 1:
        files = {frame.file.rpartition("/")[2] for frame in frames}
        fits = [row for row in fits if row.id.partition("::")[0].rpartition("/")[2] in files] or fits
    if not fits and not name and len(named) == 1:
        fits = list(named.values())
    return fits[0] if fits else None


def is_covered(row: NamedTest, used: set[str]) -> bool:
    """Whether a block without a name of its own was about this row."""
    tail = row.id.partition("::")[2]
    used = {re.sub(r" [(\[].*", "", name) for name in used} | used
    return any(tail and (name == tail or name.endswith("::" + tail)) for name in used) or row.id in used


def from_summary(row: NamedTest) -> Diagnostic:
    exception = EXCEPTION.match(row.text)
    code = exception["type"].rpartition(".")[2] if exception else None
    return Diagnostic(
        row.text or f"{row.id} failed",
        file_of(row),
        code=code,
        phase="test" if row.failed else "setup",
        test=row.id if "::" in row.id else None,
        identity=identity_of(row.text),
    )


def file_of(row: NamedTest | None) -> str | None:
    return row.id.partition("::")[0] if row else None


def identity_of(first: str) -> str:
    """The first line without the class that only the long style names."""
    return first.removeprefix("AssertionError: ").strip()
