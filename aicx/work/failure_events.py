"""What of a failed command's output is a mistake of the work: no refusal, no slip of who typed it, no layout."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import CommandRun, is_probe, is_scratch
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.toolchains.parsing import ErrorEvent, parse

# What one run may report; a build that breaks everything says the same many times.
MAX_EVENTS = 4
# What a client puts before the output of a command.
_HEADER = re.compile(
    r"(?:(?:Script|Chunk ID:|Wall time|Process|Exit code:|Command:|Original token|Total output)[^\n]*(?:\n|\Z))*"
    r"Output:(?:\n|\Z)(?:Process running with [^\n]*(?:\n|\Z))?"
)
# A message that a tool prints beside the mistake, and that is the same for every mistake or says where it is not.
_SAYS_NOTHING = re.compile(
    r"^hint:|^exit code \d+$|^\^C$|\btoo many errors$|\bexited with (?:code|status) \d+\W*$"
    r"|\brun with --verbose\b|\brerun with\b|^failed to push some refs\b|\bsee \S+ for (?:the )?(?:full|more)\b"
    r"|\bcommand failed with exit code\b|^(?:found )?\d+ (?:errors?|issues?|problems?)\W*$|\[(?:build|setup) failed\]$"
    r"|^\W*(?:\d+ )?(?:tests? )?fail(?:ed|ures?)?\W*$|^FAIL\s+\S+(?:\s+\[?[\d.]+m?s\]?)?$"
    r"|\bdue to \d+ previous errors?\b"
    r"|^killed \d+ \w+ process|^\W*# \S+(?: \[\S+\])?$|^\W*\b(?:t|s|suite)\.(?:Error|Fatal|Log)f?\(",
    re.IGNORECASE,
)
# How code is laid out is mended by a program, and what is not used, or not imported yet, by who sees it: both teach
# nothing.
_TRIVIAL = re.compile(
    r"^Diff in \S|\bformatter would have printed\b|\bwould reformat\b|\bimport statements could be sorted\b"
    r"|\bnot (?:properly )?(?:formatted|gofmt|goimports|gofumpt)|\bcode style issues? found\b|^File is not \S+-ed\b"
    r"|\bimport block is un-?sorted\b|\bimports are (?:incorrectly|not) sorted\b"
    r"|\b(?:declared|imported|defined|assigned)(?: and|,? but)? (?:is )?(?:not|never) used\b|\bimported but unused\b"
    r"|^(?:unused (?:import|variable)\b)|\bno new variables on left side\b",
    re.IGNORECASE,
)
# A file with a program is part of the work.
SCRIPT = re.compile(r"(?:^|[\s/])[\w.-]+\.(?:[cm]?[jt]sx?|bash|pl|php|ps1|py|rb|sh)\b")
# What a merge says of each commit that it stops at, beside the files that do not fit.
_CONFLICT = "CONFLICT "
# A program's own words on what it was to do with the history; a hook of the repository names places.
_KEEPS_HISTORY = re.compile(r"(?:git|gh)\s")


def mistakes_of(
    run: CommandRun, call: Step, answers: Sequence[Step], roots: Roots, folder: str | None
) -> list[tuple[str, ErrorEvent]]:
    """The errors of a failed run, each mistake once, with the family of the tool."""
    if all(map(is_probe, run.parts)):
        return []
    printed = "\n".join(
        _HEADER.sub("", answer.text, count=1) if _HEADER.match(answer.text) else answer.text for answer in answers
    )
    parsed = parse(printed, call.command, answers[-1].exit_code, folder or "")
    errors = [
        event
        for event in parsed.events
        if event.severity == "error" and _tells(event, run, parsed.family) and not _is_foreign(event, roots)
    ]
    found = {event.fingerprint: event for event in _once(errors)}
    return [(parsed.family, event) for event in list(found.values())[:MAX_EVENTS]]


def _once(errors: Sequence[ErrorEvent]) -> list[ErrorEvent]:
    """One of the errors of each event: of a merge that stopped, of a test, of a file in which much is wrong."""
    if merge := next((one for one in errors if one.message.startswith(_CONFLICT)), None):
        return [merge]
    return list({one.test or one.file or one.fingerprint: one for one in reversed(errors)}.values())[::-1]


def _tells(event: ErrorEvent, run: CommandRun, family: str) -> bool:
    """Whether an error is one of the work: what a program of somebody else says of no place is not, nor what it only
    says last, nor a refusal, nor trouble that passes by itself.
    """
    rules = command_rules()
    if _SAYS_NOTHING.search(event.message) or rules.sandboxed.search(event.message):
        return False
    if event.message == f"{event.test} failed":
        return False
    if event.phase == "format" or _TRIVIAL.search(event.message):
        return False
    named = bool(event.file or event.test or event.code)
    if not named and not rules.says_wrong.search(event.message):
        return False
    if any(_KEEPS_HISTORY.match(part.text) for part in run.parts):
        return event.message.startswith(_CONFLICT) or bool(event.file and event.line)
    if run.kind == "check":
        return True
    if rules.passing.search(event.message) or rules.slip.search(event.message):
        return False
    return family != "generic" or named or SCRIPT.search(run.line) is not None


def _is_foreign(event: ErrorEvent, roots: Roots) -> bool:
    """Whether an error is in a file outside of the repository, or in a folder for trials."""
    return event.file is not None and is_scratch(event.file, roots)
