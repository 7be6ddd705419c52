"""Patches for instruction files: the block that states a record, the files it may go into, and the diff that puts it
there. Nothing here writes: a person applies the patch, which waits in a file of its own until then. The event about it
has the hash of that file; one that a hand changed is reported, and never written over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from datetime import datetime
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.errors import CorpusDamaged
from aicx.memory.anchors import normal
from aicx.memory.events import Standing
from aicx.memory.files import proposal_of
from aicx.memory.policy import Policy
from aicx.memory.record import Record
from aicx.memory.sources import split_statements
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.paths import Layout
from aicx.redaction import redact_plain
from aicx.text import instant
from aicx.values import dataclass

Presence = Literal["absent", "present", "altered", "damaged"]
Operation = Literal["create", "append", "replace", "none"]
Readiness = Literal["safe", "blocked", "stale"]
LineEnd = Literal["lf", "crlf"]
TargetReason = Literal[
    "has_blocks", "exists", "agents_own", "missing", "link", "not_text", "unreadable", "over_budget", "unsafe_symlink",
    "policy_path", "policy_source",
]  # fmt: skip

# Whose file it is; at the top of the repository.
FILES: dict[str, str] = {"AGENTS.md": "codex", "CLAUDE.md": "claude", "GEMINI.md": "gemini"}
_MAX_BYTES = 1 << 20
_BLOCK = re.compile(r"^<!-- aicx:review mem:", re.MULTILINE)
_WEIGHT: dict[TargetReason, int] = {"has_blocks": 8, "exists": 4, "agents_own": 2}
_ENDS: dict[LineEnd, str] = {"lf": "\n", "crlf": "\r\n"}
_CONTEXT = 3  # lines
# What begins a block of its own in Markdown, at the beginning of a list item.
_OPENS = re.compile(r"^(?:[#>+*|~=-]|(\d+)(?=[.)]))")
# Programs import the file that follows such a sign, unless it is in a code span.
_IMPORT = re.compile(r"(?<![\w`])@[\w./~-]*[\w/]")
_DIGEST = 12  # hexadecimal digits
SCHEMA = "aicx.review-proposal/1"
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError)


def item_of(record: Record) -> str:
    """The statement as a list item: markup that would reach beyond its line, or import a file, is plain text."""
    text = record.statement.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    parts = text.split("`")
    for number, part in enumerate(parts):
        in_code = number % 2 == 1 and number < len(parts) - 1
        if not in_code:
            parts[number] = _IMPORT.sub(lambda found: f"`{found[0]}`", part)
    text = _OPENS.sub(lambda found: f"{found[1]}\\" if found[1] else f"\\{found[0]}", "`".join(parts))
    return f"- {text}"


def block_of(record: Record) -> list[str]:
    """The lines of the block, without their ends."""
    item = item_of(record)
    digest = sha256(item.encode()).hexdigest()[:_DIGEST]
    return [f"<!-- aicx:review {record.ref} sha256:{digest} -->", item, _end(record)]


def find_block(text: str, record: Record) -> tuple[Presence, int, int]:
    """Whether ``text`` has the block of ``record``, and where it begins and ends, the end of its last line left out.

    It is ``altered`` with another text, ``damaged`` with half of its markers or with several.
    """
    start = re.compile(rf"^<!-- aicx:review {re.escape(record.ref)} sha256:(\w+) -->[ \t]*\r?$", re.MULTILINE)
    end = re.compile(rf"^{re.escape(_end(record))}(?=[ \t]*\r?$)", re.MULTILINE)
    starts, ends = list(start.finditer(text)), list(end.finditer(text))
    if not starts and not ends:
        return "absent", 0, 0
    if len(starts) != 1 or len(ends) != 1 or starts[0].start() > ends[0].start():
        return "damaged", 0, 0
    whole = text[starts[0].start() : ends[0].end()]
    same = [line.rstrip() for line in whole.splitlines()] == [line.rstrip() for line in block_of(record)]
    return "present" if same else "altered", starts[0].start(), ends[0].end()


def _end(record: Record) -> str:
    return f"<!-- aicx:review:end {record.ref} -->"


@dataclass(frozen=True, slots=True)
class Target:
    """An instruction file. ``text`` is None where it is not there or not used; ``reasons`` say why it ranks so.

    ``usable`` says whether a patch for it can be made. ``sha256`` is that of its bytes, None for no file.
    """

    path: str
    usable: bool
    score: int
    reasons: tuple[TargetReason, ...]
    text: str | None = None
    sha256: str | None = None


def rank_targets(root: Path, policy: Policy, record: Record) -> list[Target]:
    """Every target, the best first: one with blocks of a review, one that is there, that of the agent that said it."""
    found = [look_at(root, name, policy, record) for name in FILES]
    return sorted(found, key=lambda one: (not one.usable, -one.score, one.path))


def look_at(root: Path, name: str, policy: Policy, record: Record) -> Target:
    """One target as it is now."""
    own: tuple[TargetReason, ...] = ("agents_own",) if FILES[name] == record.source.agent else ()
    path = root / name
    if blocked := policy.of_path(name) or policy.of_source(f"live:{FILES[name]}:{name}", FILES[name]):
        reason: TargetReason = "policy_path" if blocked == "policy_path" else "policy_source"
        return Target(name, False, 0, (reason,))
    if not exists(path):
        return _target(name, ("missing", *own))
    try:
        place = resolve_inside(path, root)
        if path.is_symlink():  # a patch would replace the link; the file that it leads to has a row of its own
            return Target(name, False, 0, ("link",))
        body, _ = read_regular(place, _MAX_BYTES)
    except Refused as error:
        return Target(name, False, 0, (error.reason,))
    digest = sha256(body).hexdigest()
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return Target(name, False, 0, ("not_text",), None, digest)
    if "\0" in text:
        return Target(name, False, 0, ("not_text",), None, digest)
    blocks: tuple[TargetReason, ...] = ("has_blocks",) if _BLOCK.search(text) else ()
    return _target(name, (*blocks, "exists", *own), text, digest)


def _target(name: str, reasons: tuple[TargetReason, ...], text: str | None = None, digest: str | None = None) -> Target:
    return Target(name, True, sum(_WEIGHT.get(reason, 0) for reason in reasons), reasons, text, digest)


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of one file. ``reasons`` say why it is blocked; ``anchor`` is the last line before the change.

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
    presence, first, last = find_block(text, record)
    if presence == "damaged":
        return blocked("markers_damaged")
    if presence == "present":
        return Plan(target.path, "none", "safe", ("present",), target.sha256, shown, "", line_end, 0)
    if presence == "absent" and any(says(one.text, record) for one in split_statements(text.splitlines())):
        return blocked("already_stated")
    end = _ENDS[line_end]
    lines = end.join(block)
    operation: Operation = "create" if target.text is None else "append"
    if presence == "altered":
        operation = "replace"
        after, anchor = text[:first] + lines + text[last:], text.count("\n", 0, first)
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


def encode(plan: Plan, record: Record, by: str, now: datetime, ranked: Iterable[Target]) -> bytes:
    """Writes what a person is asked to apply, made ``by`` them for this revision of the record."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "ref": record.ref,
        "digest": record.digest,
        "by": by,
        "at": instant(now),
        **asdict(plan),
        "patch_digest": plan.patch_digest,
        "targets": [{"path": one.path, "usable": one.usable, "reasons": one.reasons} for one in ranked],
        "steps": steps_of(plan, record.ref),
    }
    return orjson.dumps(fields, option=orjson.OPT_INDENT_2) + b"\n"


def read_proposal(layout: Layout, record: Record, standing: Standing) -> Plan:
    """Reads what waits for a person to apply. Raises CorpusDamaged where its file is not as it was written."""
    path = layout.memory / proposal_of(record)
    if (body := read_file(layout, record)) is None:
        hint = f"make it again: aicx memory candidates promote {record.ref} --by NAME"
        raise CorpusDamaged(f"{path} is gone", hint=hint)
    try:
        if digest_of_file(body) != standing.proposal:
            raise ValueError("it is not as it was written")
        fields: dict[str, Any] = orjson.loads(body)
        plan = Plan(**{name: fields[name] for name in Plan.__slots__})
        return replace(plan, reasons=tuple(plan.reasons))
    except _STRANGE as error:
        hint = f"move it away; then make it again: aicx memory candidates promote {record.ref} --by NAME"
        raise CorpusDamaged(f"{path} was changed by another hand: {error}", hint=hint) from error


def read_file(layout: Layout, record: Record) -> bytes | None:
    """Returns the file as it is; None where there is none. Raises CorpusDamaged where it cannot be read."""
    path = layout.memory / proposal_of(record)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CorpusDamaged(f"{path} cannot be read: {error.strerror}", hint="move it away") from error


def digest_of_file(body: bytes) -> str:
    return sha256(body).hexdigest()[:32]


def now_ready(plan: Plan, target: Target, record: Record) -> Plan:
    """``plan`` with what it is worth now: ``stale`` once its file is another than the one that it was made for."""
    if not target.usable:
        return replace(plan, readiness="blocked", reasons=target.reasons)
    if find_block(target.text or "", record)[0] == "present":
        return replace(plan, readiness="safe", reasons=("present",))
    if target.sha256 != plan.sha256:
        return replace(plan, readiness="stale", reasons=("target_changed",))
    return plan


def steps_of(plan: Plan, ref: str) -> list[str]:
    """Lists what a person does by hand; nothing where there is nothing to apply."""
    if plan.readiness == "blocked":
        return []
    verify = f"aicx memory candidates verify-apply {ref}"
    if plan.readiness == "stale":
        return [f"aicx memory candidates promote {ref} --by NAME makes the patch anew for the file as it is"]
    if "present" in plan.reasons:
        return [verify]
    plain = "" if plan.context else " --unidiff-zero"
    return [
        f"read the patch: aicx memory candidates apply-prep {ref}",
        f"apply it at the top of the repository: aicx memory candidates apply-prep {ref} --patch | git apply{plain}",
        f"or put the block into {plan.target} by hand, with its markers",
        verify,
    ]
