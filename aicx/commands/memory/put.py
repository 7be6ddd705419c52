"""`aicx memory put` and `edit`: proposes a record, and changes what one says."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

from aicx import options
from aicx.commands.memory.common import (
    ByAnybody,
    RefArgument,
    Rev,
    answer,
    open_desk,
    opened,
    parse_claims,
    parse_span,
    parse_until,
)
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import load_sidecar
from aicx.corpus.views.references import find_target
from aicx.errors import UsageError
from aicx.memory.anchors import take_anchor
from aicx.memory.deciding import UNNAMED, Decider, Desk
from aicx.memory.deciding import edit as edit_record
from aicx.memory.evidence import resolve_evidence
from aicx.memory.files import read_body
from aicx.memory.policy_records import policy_in
from aicx.memory.proposing import Draft, Edit, propose
from aicx.memory.reading import Scope
from aicx.memory.record import KINDS, ORIGINS, REASONS, Lane, Origin, Source, Validity
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.refs import Ref

_MAX_BYTES = 64_000
_SOURCE = re.compile(r"[a-z][a-z0-9_-]{0,31}:[\w./#@+-]{1,120}")
_KINDS_OF_OTHERS = {"eval_result": "eval"}  # as other tools call them

Details = Annotated[list[str] | None, Option("--detail", metavar="TEXT", help="A further line; several times.")]
Evidence = Annotated[
    list[str] | None, Option("--evidence", metavar="REF", help="A chunk, session, commit or file; several times.")
]
Anchors = Annotated[
    list[str] | None,
    Option(
        "--anchor",
        metavar="PATH[#L1-L9]",
        click_type=PATH,
        help="What it rests on: it is stale when these lines change; several times.",
    ),
]
Claims = Annotated[
    list[str] | None,
    Option("--claim", metavar="KEY=VALUE", help="What it says, for comparison with others; several times."),
]
Tags = Annotated[list[str] | None, Option("--tag", metavar="WORD", help="A tag; several times.")]
ValidUntil = Annotated[str | None, Option("--valid-until", metavar="DAY", help="The last day on which it holds.")]
Ttl = Annotated[
    str | None, Option("--ttl", metavar="SPAN", help="How long it holds without being confirmed: 90d, 12h.")
]
RequiresValidation = Annotated[bool, Option("--requires-validation", help="Believe it only with a passing validation.")]
Supersedes = Annotated[
    list[str] | None, Option("--supersedes", metavar="REF", help="A record that it replaces once accepted.")
]
Name = Annotated[str | None, Option("--name", metavar="NAME", help="A short name by which to refer to it.")]


def put(
    statement: Annotated[str | None, Argument(metavar="STATEMENT", help="One sentence.")] = None,
    kind: Annotated[str, Option("--kind", metavar="KIND", help=f"One of {', '.join(KINDS)}.")] = "note",
    topic: Annotated[str, Option("--topic", metavar="TOPIC", help="What it is about, in a word.")] = "general",
    name: Name = None,
    detail: Details = None,
    evidence: Evidence = None,
    anchor: Anchors = None,
    claim: Claims = None,
    tag: Tags = None,
    valid_until: ValidUntil = None,
    ttl: Ttl = None,
    requires_validation: RequiresValidation = False,
    supersedes: Supersedes = None,
    origin: Annotated[
        str | None, Option("--origin", metavar="CLASS", help=f"Who states it: {', '.join(ORIGINS)}.")
    ] = None,
    from_: Annotated[
        str | None,
        Option("--from", metavar="FILE|REF", click_type=PATH, help="A file with the text, or where it was said."),
    ] = None,
    source_ref: Annotated[
        str | None,
        Option("--source", metavar="REF", help="What it is a result of, outside the corpus: review:42, ci:1234."),
    ] = None,
    by: Annotated[str, Option("--by", metavar="NAME", help="Who states it.")] = "unspecified",
    repo: options.Repo = None,
    everywhere: Annotated[bool, Option("--global", help="It holds in every repository.")] = False,
) -> options.Answered:
    """Propose something to be remembered. It stays a candidate until a person accepts it.

    The same statement again is another sighting of the record there is. Secrets are redacted first.
    With --source, it is a finding of a review or of another check: evidence, and never a reason to believe it.
    With --from FILE, the file's first line is the statement and further lines are details. With --from REF, the
    record is from that chunk or session, which becomes its evidence.

    Example: aicx memory put "Exports need an authorisation check" --kind policy --topic exports --name export-check
    Example: aicx memory put "The login has no rate limit" --kind eval_result --source review:42
    Example: aicx memory put "Retries are capped at 5" --kind fact --topic retries --anchor src/retry.py#L10-L14
    """
    desk = open_desk(repo)
    scope = Scope() if everywhere else desk.scope
    details = list(detail or [])
    # Who calls from a terminal is taken for a person; it is a label, and no reason to believe anything.
    kind = _KINDS_OF_OTHERS.get(kind, kind)
    if source_ref is not None and not _SOURCE.fullmatch(source_ref):
        raise UsageError(f"{source_ref!r} names no source", hint="write --source review:42")
    origin = origin or ("eval" if source_ref else None)
    said_by = _origin(origin or ("human" if sys.stdin.isatty() else "assistant"))
    source = Source(said_by, "subagent" if said_by == "subagent" else "primary")
    proof = [resolve_evidence(desk.settings, text) for text in evidence or []]
    proof += [f"ext:{source_ref}"] if source_ref else []
    if from_ is not None:
        stated, source, found = _taken_from(desk, from_, origin)
        if statement is None:
            statement, details = stated[0], [*stated[1], *details]
        proof = [*found, *proof]
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of record", hint=f"one of {', '.join(KINDS)}")
    with opened(desk) as memory:
        old = [memory.find(text).id for text in supersedes or []]
        head = memory.head if anchor else None
    root = desk.scope.root
    assert root is not None
    folder = Path.cwd() if repo is None else user_path(repo)
    draft = Draft(
        statement or "",
        kind,
        topic,
        source,
        scope.repository,
        name,
        details,
        tag or [],
        parse_claims(claim or []),
        proof,
        [take_anchor(root, folder, text, head) for text in anchor or []],
        Validity(
            parse_until(valid_until) if valid_until else None, parse_span(ttl) if ttl else None, requires_validation
        ),
        old,
        by=by,
    )
    ((record, new),) = propose(desk.settings, desk.scope, [draft], desk.now, desk.notify)
    notes = [] if new else [f"{record.ref} says this already; it was seen {record.sightings} times now"]
    yield from answer(desk, record, "Proposed:" if new else "Seen again:", *notes)


def _origin(text: str) -> Origin:
    if text not in ORIGINS:
        raise UsageError(f"{text!r} is no origin", hint=f"one of {', '.join(ORIGINS)}")
    return text


def _taken_from(desk: Desk, text: str, origin: str | None) -> tuple[tuple[str, tuple[str, ...]], Source, list[str]]:
    """Returns what a file says, or what a reference leads to: the text, the source, and the evidence."""
    file = user_path(text)
    if file.is_file():
        name = _allowed(desk, file, text)
        with file.open("rb") as stream:
            body = stream.read(_MAX_BYTES + 1)
        if len(body) > _MAX_BYTES or b"\0" in body:
            raise UsageError(f"{text} is no text of at most {_MAX_BYTES:,} bytes")
        return read_body(_without_front_matter(body)), Source(_origin(origin or "import"), path=name), []
    with open_catalog(desk.settings.layout) as opened_catalog:
        catalog = opened_catalog.catalog
        target = find_target(Ref.parse(text), catalog)
        if isinstance(target, str):
            sidecar = load_sidecar(desk.settings.layout, target)
            proof, agent, session = Ref("chunk", sidecar.id), sidecar.agent, sidecar.session_id
        else:
            agent, session = target
            proof = Ref.of_session(agent, session)
        of_subagents = "SELECT 1 FROM chunks WHERE agent=? AND session_id=? AND lane='subagent' LIMIT 1"
        lane: Lane = "subagent" if catalog.rows(of_subagents, (agent, session)) else "primary"
    return ("", ()), Source(_origin(origin or "assistant"), lane, agent, session), [str(proof)]


def _allowed(desk: Desk, file: Path, text: str) -> str:
    """A file's name as a record keeps it: its path in the repository. Raises UsageError for one the policy excludes."""
    # As it is written, without `..`, and where its links lead.
    root, places = desk.scope.root, [Path(os.path.normpath(Path.cwd() / file)), file.resolve()]
    inside = [place.relative_to(root) for place in places if root is not None and place.is_relative_to(root)]
    names = [place.as_posix() for place in (*inside, *places)]
    if reason := policy_in(desk.settings, desk.scope).of_path(*names):
        raise UsageError(f"{text} is not read: {REASONS[reason]}", hint="aicx memory sources")
    return inside[0].as_posix() if inside else file.name


def _without_front_matter(body: bytes) -> bytes:
    """Fields in front of a text are a file's own notes, and say nothing of what may be believed."""
    if not body.startswith(b"---\n"):
        return body
    _, found, rest = body[4:].partition(b"\n---\n")
    return rest if found else body


@options.either("ref", "--ref")
def edit(
    ref: RefArgument,
    statement: Annotated[str | None, Option("--statement", metavar="TEXT", help="Say this instead.")] = None,
    topic: Annotated[str | None, Option("--topic", metavar="TOPIC", help="File it under this topic.")] = None,
    name: Name = None,
    detail: Details = None,
    evidence: Evidence = None,
    anchor: Anchors = None,
    claim: Claims = None,
    tag: Tags = None,
    valid_until: ValidUntil = None,
    ttl: Ttl = None,
    supersedes: Supersedes = None,
    by: ByAnybody = UNNAMED,
    rev: Rev = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Change a record. What a person accepted is a candidate again once its text or its conditions change.

    An option that may be given several times replaces all there were, and --evidence adds. Without an option,
    an edit by hand of the record's file is taken in.

    Example: aicx memory edit export-check --statement "Exports and imports need an authorisation check"
    Example: aicx memory edit export-check --statement "Exports and imports need an authorisation check" --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        record = memory.find(ref)
        old = [memory.find(text).id for text in supersedes] if supersedes is not None else None
        head = memory.head if anchor else None
    validity = None
    if valid_until or ttl:
        before = record.validity
        validity = Validity(
            parse_until(valid_until) if valid_until else before.until,
            parse_span(ttl) if ttl else before.ttl,
            before.requires_validation,
        )
    root = desk.scope.root
    assert root is not None
    if anchor and record.repository != desk.scope.repository:
        raise UsageError(f"{record.ref} is about another repository", hint="--repo FOLDER names it")
    folder = Path.cwd() if repo is None else user_path(repo)
    wanted = Edit(
        statement,
        topic,
        name,
        detail,
        tag,
        parse_claims(claim) if claim is not None else None,
        [resolve_evidence(desk.settings, text) for text in evidence] if evidence is not None else None,
        [take_anchor(root, folder, text, head) for text in anchor] if anchor is not None else None,
        validity,
        old,
    )
    if wanted == Edit() and not record.by_hand:
        raise UsageError("there is nothing to change", hint="aicx memory edit --help")
    yield from answer(desk, edit_record(desk, ref, wanted, Decider(by, shown=record, rev=rev)), "Edited:")
