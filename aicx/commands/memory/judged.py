"""`aicx memory check eval` and `audit`: judge afterwards what was handed out, and what texts rely on."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import orjson
import typer

from aicx import console, options
from aicx.commands.memory.common import open_desk, opened
from aicx.errors import NotFound, UsageError
from aicx.memory.assess import Assessment
from aicx.memory.checks import (
    AUDIT_SCHEMA,
    EVAL_SCHEMA,
    AuditAnswer,
    AuditCredit,
    EvalAnswer,
    Retrieval,
    Verdict,
    audit,
    judge,
    retrieval_in,
    retrieval_of,
)
from aicx.memory.deciding import Desk
from aicx.memory.files import read_log
from aicx.paths import user_path
from aicx.text import day_bounds, local

_MAX_BYTES = 16 << 20
_COLORS = {"pass": "green", "warn": "yellow", "fail": "red"}
_Argument = typer.Argument(metavar="[FILE]...", click_type=options.PATH, help="A file; several times.")
Files = Annotated[list[str] | None, _Argument]


def evaluate(
    files: Files = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DAY", help="Only retrievals recorded from this day on.")
    ] = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Judge what recall handed out by what may be believed now. Exit code 1 where something of it is not.

    Looks at every retrieval that was recorded (`aicx search --in memory --record`), or at FILEs with the JSON of
    recall. Each begins with 100 points; a record that is superseded, stale, put away, kept apart or gone takes 40 and
    fails it.

    Example: aicx memory check eval
    Example: aicx memory check eval answer.json --json
    """
    desk = open_desk(repo)
    known = _everything(desk)
    if files:
        retrievals = [_saved(path) for path in files]
    else:
        start = day_bounds(_day(since))[0] if since else None
        log = read_log(desk.settings.layout.memory)
        recorded = [one for one in log.events if one.type == "manifest.recorded" and (start is None or one.at >= start)]
        retrievals = [retrieval_of(one) for one in recorded]
    judged = [judge(one, known) for one in retrievals]
    verdicts = [one.status for one in judged]
    worst: Verdict = "fail" if "fail" in verdicts else "warn" if "warn" in verdicts else "pass"
    answer = EvalAnswer(worst, dict(sorted(Counter(verdicts).items())), judged)
    if json:
        console.out_answer(EVAL_SCHEMA, answer)
    else:
        for one in answer.retrievals:
            status = console.style(f"{one.status:5}", fg=_COLORS[one.status])
            console.out(f"{status}{one.points:>4}  {one.name}  {console.plural(one.entries, 'record')}")
            for issue in one.issues:
                console.out(f"           {issue.code}  {issue.ref or ''}")
        if not judged:
            console.notify("No retrieval is recorded. `aicx search --in memory QUESTION --record` records one.")
    if worst == "fail":
        raise typer.Exit(1)


def audit_texts(files: Files = None, repo: options.Repo = None, json: options.Json = False) -> None:
    """Find where a text relies on what is not agreed: a review, a brief, an answer. Exit code 1 where it does.

    FILE is Markdown or JSON; without one, or with -, standard input. A text relies on a record by citing its reference
    or by repeating its words. A reference beside its status ("mem:3fa29c01 candidate") only names it.

    Example: aicx memory check audit review.md
    Example: aicx resume | aicx memory check audit
    """
    desk = open_desk(repo)
    known = _everything(desk)
    relied = named = blocked = 0
    untrusted: list[AuditCredit] = []
    for path in files or ["-"]:
        found = audit(_read(path), known, path)
        relied, named, blocked = relied + len(found.relied), named + found.named, blocked + found.blocked
        untrusted += found.untrusted
    share = len(untrusted) / relied if relied else 0.0
    answer = AuditAnswer("fail" if untrusted else "pass", round(share, 4), relied, named, blocked, untrusted)
    if json:
        console.out_answer(AUDIT_SCHEMA, answer)
    else:
        for one in untrusted:
            place = one.file if one.line is None else f"{one.file}:{one.line}"
            quoted = "  its words are repeated" if one.quoted else ""
            console.out(f"{console.style(one.status, fg='red')}  {one.ref}  {place}{quoted}")
        console.notify(
            f"{console.plural(relied, 'record')} relied on, {len(untrusted):,} not agreed: contamination {share:.0%}."
        )
    if untrusted:
        raise typer.Exit(1)


def _everything(desk: Desk) -> Mapping[str, Assessment]:
    with opened(desk) as memory:
        return {found.record.ref: found for found in memory.assessed(memory.records(everywhere=True))}


def _saved(path: str) -> Retrieval:
    try:
        fields = orjson.loads(_read(path))
        if not isinstance(fields, dict):
            raise ValueError("it is no object")
        return retrieval_in(path, fields)
    except ValueError as error:
        raise UsageError(f"{path} is no answer of recall", hint="aicx search --in memory … --json > FILE") from error


def _read(path: str) -> str:
    if path == "-":
        return sys.stdin.buffer.read(_MAX_BYTES).decode("utf-8", "replace")
    place: Path = user_path(path)
    if not place.is_file():
        raise NotFound(f"there is no file {path}")
    if place.stat().st_size > _MAX_BYTES:
        raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes")
    return place.read_text("utf-8", "replace")


def _day(text: str) -> str:
    try:
        return f"{local(text):%Y-%m-%d}"
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is no day", hint="write --since 2026-01-31") from error
