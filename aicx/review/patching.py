"""What puts a statement into an instruction file, as a unified diff. Nothing here writes: a person applies it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from hashlib import sha256
from typing import Literal

from aicx.memory.claims import normal
from aicx.memory.record import Record
from aicx.memory.sources_text import split_statements
from aicx.redaction import redact_plain
from aicx.review.block import block_of, find_block, item_of
from aicx.review.targets import Target
from aicx.values import dataclass

Operation = Literal["create", "append", "replace", "none"]
Readiness = Literal["safe", "blocked", "stale"]
LineEnd = Literal["lf", "crlf"]
_ENDS: dict[LineEnd, str] = {"lf": "\n", "crlf": "\r\n"}
_CONTEXT = 3  # lines


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done with a file. ``reasons`` say why it is blocked; ``anchor`` is the last line before the change.

    ``context`` is how many unchanged lines the patch shows around it: none where one of them holds a secret.
    """

    target: str
    operation: Operation
    readiness: Readiness
    reasons: tuple[str, ...]
    sha256: str | None  # of the file that the patch is for, None for no file
    block: str
    patch: str
    line_end: LineEnd
    anchor: int
    context: int = _CONTEXT

    @property
    def patch_digest(self) -> str:
        return sha256(self.patch.encode()).hexdigest()


def make_plan(target: Target, record: Record) -> Plan:
    """The plan for a target as it is now: ``safe``, or ``blocked`` with its reasons."""
    text = target.text or ""
    line_end: LineEnd = "crlf" if text.count("\r\n") * 2 > text.count("\n") else "lf"
    block = block_of(record)
    shown = "\n".join(block) + "\n"

    def blocked(*reasons: str) -> Plan:
        return Plan(target.path, "none", "blocked", reasons, target.sha256, shown, "", line_end, 0)

    if not target.usable:
        return blocked(*target.reasons)
    found = find_block(text, record)
    if found.presence == "damaged":
        return blocked("markers_damaged")
    if found.presence == "present":
        return Plan(target.path, "none", "safe", ("present",), target.sha256, shown, "", line_end, 0)
    if found.presence == "absent" and any(says(one.text, record) for one in split_statements(text.splitlines())):
        return blocked("already_stated")
    end = _ENDS[line_end]
    lines = end.join(block)
    operation: Operation = "create" if target.text is None else "append"
    if found.presence == "altered":
        operation = "replace"
        after, anchor = text[: found.start] + lines + text[found.end :], text.count("\n", 0, found.start)
    else:
        apart = "" if not text else end if text.endswith("\n") else end * 2
        after, anchor = f"{text}{apart}{lines}{end}", len(_split(text))
    if not _is_readable(after, record):  # it would end up in a block of code, or in a comment that nothing closes
        return blocked("not_readable_there")
    made = _patch(target, text, after)
    if made is None:
        return blocked("secret_beside")
    patch, context = made
    return Plan(target.path, operation, "safe", (), target.sha256, shown, patch, line_end, anchor, context)


def says(text: str, record: Record) -> bool:
    """Whether a statement of a file is that of the record, in the same words or as a block has them."""
    said = normal(text).rstrip(".")
    return said in {normal(own).rstrip(".") for own in (record.statement, item_of(record).removeprefix("- "))}


def _is_readable(text: str, record: Record) -> bool:
    wanted = normal(item_of(record).removeprefix("- "))
    return any(one.kind == "item" and normal(one.text) == wanted for one in split_statements(text.splitlines()))


def _patch(target: Target, before: str, after: str) -> tuple[str, int] | None:
    """The patch and its lines of context; None where it cannot be made without a secret of the file."""
    for context in (_CONTEXT, 0):
        text = "".join(_lines(target, before, after, context))
        if redact_plain(text).text == text:
            return text, context
    return None


def _lines(target: Target, before: str, after: str, context: int) -> Iterator[str]:
    old = "/dev/null" if target.text is None else f"a/{target.path}"
    for line in unified_diff(_split(before), _split(after), old, f"b/{target.path}", n=context):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _split(text: str) -> list[str]:
    """Lines with their ends, as patches count them: by line feeds alone."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
