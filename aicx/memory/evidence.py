"""Shows the evidence of a record to decide by: anchored lines, what became of them, and where references lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import load_sidecar
from aicx.corpus.views.references import find_target
from aicx.errors import AicxError
from aicx.evidence import read_steps
from aicx.evidence.texts import words
from aicx.git import inside
from aicx.git.state import Git
from aicx.memory.anchors import AnchorState
from aicx.memory.answers import ChangedLine
from aicx.memory.policy import Policy
from aicx.memory.policy_records import policy_in
from aicx.memory.reading import Scope
from aicx.memory.record import Anchor, Record
from aicx.refs import Ref, file_place
from aicx.text import printable, shorten

_MAX_LINES = 9  # of one anchor
_MAX_REFS = 8
_CODE = re.compile(r"`([^`]+)`")
_EXCERPT = 400  # characters
_MAX_BYTES = 1 << 20  # of a file
EXCLUDED = "(the memory policy excludes it)"
_MAX_COMPARED = 5_000  # of a file that is compared
_MAX_SHOWN = 40


def show_evidence(settings: Settings, scope: Scope, record: Record) -> Iterator[tuple[str, list[str]]]:
    """A heading and some lines for each anchor and each reference of ``record``, without what the policy excludes.

    Raises MalformedPolicy.
    """
    policy = policy_in(settings, scope)
    for anchor in record.anchors:
        yield str(anchor), allowed(policy, _file_lines(scope, anchor.path, anchor.first, anchor.last))
    for ref in record.evidence[:_MAX_REFS]:
        yield ref, allowed(policy, _said_by(settings, scope, ref, record.statement))
    if len(record.evidence) > _MAX_REFS:
        yield f"and {len(record.evidence) - _MAX_REFS} more", []


def allowed(policy: Policy, lines: list[str]) -> list[str]:
    """``lines`` as they may be shown: with a remark in place of each that the policy excludes, or of all together."""
    kept = [EXCLUDED if policy.of_text(line) else line for line in lines]
    return [EXCLUDED] if policy.of_text(" ".join(kept)) else kept


def resolve_evidence(settings: Settings, text: str) -> str:
    """``text`` as a reference with its prefix. Raises NotFound, UsageError for the name of nothing that is stored."""
    if text.partition(":")[0] in ("ext", "live", "work", "cas"):
        return text
    ref = Ref.parse(text)
    if ref.kind != "name":
        return str(ref)
    with open_catalog(settings.layout) as opened:
        target = find_target(ref, opened.catalog)
        if isinstance(target, str):
            return str(Ref("chunk", load_sidecar(settings.layout, target).id))
        return str(Ref.of_session(*target))


def _said_by(settings: Settings, scope: Scope, text: str, statement: str) -> list[str]:
    try:
        if place := file_place(text):
            return _file_lines(scope, place.path, place.first, place.last)
        ref = Ref.parse(text)
        if ref.kind == "commit" and scope.root is not None:
            subject = Git(scope.root).ask("log", "-1", "--format=%s", ref.value, "--")
            return [shorten(subject, _EXCERPT)] if subject else ["it is not in this repository"]
        if ref.kind not in ("chunk", "session", "name"):
            return []
        with open_catalog(settings.layout) as opened:
            target = find_target(ref, opened.catalog)
        if not isinstance(target, str):
            return [f"a session of {target[0]}"]
        sidecar = load_sidecar(settings.layout, target)
        steps, _ = read_steps(settings.layout, [target], repeated=True)
        return [shorten(str(sidecar.get("title") or ""), 100), *_passage([step.text for step in steps], statement)]
    except AicxError as error:
        return [f"({error.message})"]


def _passage(messages: Sequence[str], statement: str) -> list[str]:
    """The line of a chunk that has most of a statement, its code first and then its words, between its neighbours."""
    wanted, code = {word.casefold() for word in words(statement)}, _CODE.findall(statement)

    def share(line: str) -> tuple[int, int]:
        return sum(len(part) for part in code if part in line), len(wanted & {word.casefold() for word in words(line)})

    said = [[line.strip() for line in text.splitlines() if line.strip()] for text in messages]
    places = [(lines, at) for lines in said for at in range(len(lines))]
    if not places:
        return []
    lines, best = max(places, key=lambda place: share(place[0][place[1]]))
    return [shorten(line, _EXCERPT) for line in lines[max(0, best - 1) : best + 2]]


def _file_lines(scope: Scope, path: str, first: int | None, last: int | None) -> list[str]:
    if scope.root is None or not inside(scope.root, path):
        return ["(not at hand)"]
    place = scope.root / path
    if place.stat().st_size > _MAX_BYTES:
        return ["(large)"]
    lines = place.read_text("utf-8", "replace").splitlines()
    begin = (first or 1) - 1
    shown = lines[begin : min(last or begin + _MAX_LINES, begin + _MAX_LINES)]
    return [f"{number:>5}  {printable(line)[:160]}" for number, line in enumerate(shown, begin + 1)]


def what_changed(root: Path | None, anchor: Anchor, found: AnchorState) -> tuple[list[ChangedLine], bool, int]:
    """The lines that changed in or at the anchored ones, whether git has what they were, and how many are left out."""
    path = found.path or anchor.path
    if root is None or found.state not in ("changed", "moved"):
        return [], False, 0
    now = _lines_of(root, path)
    before = _lines_before(root, anchor)
    if now is None or len(now) > _MAX_COMPARED or (before is not None and len(before) > _MAX_COMPARED):
        return [], False, 0
    first, last = (anchor.first or 1), (anchor.last or len(before or now))
    if before is None:
        lines = [ChangedLine(" ", number, now[number - 1]) for number in range(first, min(last, len(now)) + 1)]
    else:
        lines = list(_differences(before, now, first - 1, last))
    return lines[:_MAX_SHOWN], before is not None, max(0, len(lines) - _MAX_SHOWN)


def _differences(before: Sequence[str], now: Sequence[str], start: int, end: int) -> Iterator[ChangedLine]:
    """The differences that touch ``before[start:end]``."""
    matcher = SequenceMatcher(None, before, now, autojunk=False)
    for tag, was, was_end, at, at_end in matcher.get_opcodes():
        if tag == "equal" or was_end < start or was > end or (was_end == start and was != was_end):
            continue
        yield from (
            ChangedLine("-", number + 1, before[number]) for number in range(max(was, start), min(was_end, end))
        )
        yield from (ChangedLine("+", number + 1, now[number]) for number in range(at, at_end))


def _lines_before(root: Path, anchor: Anchor) -> list[str] | None:
    """The file as it was when the record was anchored; None where git does not have exactly that."""
    if not anchor.commit or not re.fullmatch(r"[0-9a-f]{40,64}", anchor.commit):
        return None
    said = Git(root).ask_some(_MAX_BYTES, "cat-file", "blob", f"{anchor.commit}:./{anchor.path}")
    if said is None:
        return None
    body = said.encode("utf-8", "surrogateescape")
    lines = [line.rstrip() for line in body.split(b"\n")]
    if anchor.first is not None and anchor.last is not None:
        same = sha256(b"\n".join(lines[anchor.first - 1 : anchor.last])).hexdigest() == anchor.sha256
    else:
        same = sha256(body).hexdigest() == anchor.sha256
    return _split(body) if same else None


def _lines_of(root: Path, path: str) -> list[str] | None:
    try:
        place = root / path
        if not inside(root, path) or place.stat().st_size > _MAX_BYTES:
            return None
        return _split(place.read_bytes())
    except OSError:
        return None


def _split(body: bytes) -> list[str]:
    return [line.rstrip() for line in body.decode("utf-8", "replace").splitlines()]
