"""`aicx memory edit`: changes what a record says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
from aicx.commands.memory.put import Anchors, Claims, Details, Evidence, Name, Supersedes, Tags, Ttl, ValidUntil
from aicx.errors import UsageError
from aicx.memory.anchors import take_anchor
from aicx.memory.deciding import UNNAMED, Decider
from aicx.memory.deciding import edit as edit_record
from aicx.memory.evidence import resolve_evidence
from aicx.memory.proposing import Edit
from aicx.memory.record import Validity
from aicx.paths import user_path


@options.either("ref", "--ref")
def command(
    ref: RefArgument,
    statement: Annotated[str | None, typer.Option("--statement", metavar="TEXT", help="Say this instead.")] = None,
    topic: Annotated[str | None, typer.Option("--topic", metavar="TOPIC", help="File it under this topic.")] = None,
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
    json: options.Json = False,
) -> None:
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
    answer(desk, edit_record(desk, ref, wanted, Decider(by, shown=record, rev=rev)), "Edited:", json=json)
