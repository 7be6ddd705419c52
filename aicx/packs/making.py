"""Makes a pack, stores it, and sums it up: what the commands and the hook of an agent call."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.brief import check_budget
from aicx.cas.entry import CANONICAL, Kind, ObjectPut, clean_body
from aicx.cas.reading import entry_or_none, find, read
from aicx.cas.writing import Origin, put
from aicx.config import Settings
from aicx.errors import AicxError, CorpusDamaged, UsageError
from aicx.fields import to_fields
from aicx.memory.policy import Policy, load_policy
from aicx.packs.answers import (
    FAMILY_SCHEMA,
    TASK_SCHEMA,
    FamilyPack,
    PackAnswer,
    PackNote,
    PackSummary,
    TaskPack,
    sessions_quoted,
)
from aicx.packs.query import Mode, PackLimits, PackQuery, Scope
from aicx.packs.rendering import BUDGET, CLAIMS, MIN_BUDGET, PackPart, parts_of, render
from aicx.text import plural
from aicx.work.summarizer import MAX_FACTS, SECONDS, Claim, Fact, summarize

What = Literal["task", "family"]
_SCHEMAS: Mapping[str, Kind] = {TASK_SCHEMA: "task_pack", FAMILY_SCHEMA: "family_pack"}
_SUMMARY = "summary"  # which a budget is for
_NOT_CONFIGURED = "summed up by rules: no summarizer_command is configured (docs/outside-commands.md)"


def make(
    settings: Settings,
    what: What,
    query: PackQuery,
    *,
    budget: int | None = None,
    mode: Mode = "deterministic",
    notify: Callable[[str], None] = lambda _: None,
) -> PackAnswer:
    """A new pack: the same inputs at the same instant give the same digest.

    Raises NotFound where there is nothing to bundle, UsageError, StoreUnwritable, StoreLocked.
    """
    budget = budget or BUDGET
    check_budget(_SUMMARY, budget, MIN_BUDGET)
    pack: TaskPack | FamilyPack
    # Imported here: opening a stored pack takes neither.
    if what == "task":
        from aicx.packs.task_pack import task_pack

        pack, quoted = task_pack(settings, query)
    else:
        from aicx.packs.family_pack import family_pack

        pack, quoted = family_pack(settings, query)
    body = encode(pack)
    fields = orjson.loads(body)
    done = store(settings, body, kind_of(fields), sessions_quoted(pack, quoted), pack.place.project, query, notify)
    summary = sum_up(fields, done.object.digest, budget, mode, settings.summarizer)
    return PackAnswer(done.object.digest, done.object.kind, done.new, summary, fields)


def show(settings: Settings, digest: str, *, budget: int | None = None, mode: Mode = "deterministic") -> PackAnswer:
    """A stored pack again, without memory that a policy excludes by now.

    Raises NotFound, CorpusDamaged, UsageError for what is no pack, MalformedPolicy.
    """
    whole, fields = open_pack(settings, digest)
    check_budget(_SUMMARY, budget or BUDGET, MIN_BUDGET)
    try:
        fields = _as_allowed(settings, fields)
        summary = sum_up(fields, whole, budget or BUDGET, mode, settings.summarizer)
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # somebody else wrote it
        raise not_a_pack(whole) from error
    return PackAnswer(whole, kind_of(fields), False, summary, fields)


def _as_allowed(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    if not fields["memory"]:
        return fields
    policy = load_policy(settings.layout.home, Path(fields["place"]["root"]), settings.user_home)
    kept = [entry for entry in fields["memory"] if not _excludes(policy, entry)]
    if len(kept) == len(fields["memory"]):
        return fields
    left = plural(len(fields["memory"]) - len(kept), "statement")
    return {
        **fields,
        "memory": kept,
        "remarks": [*fields["remarks"], f"the memory policy excludes {left} of this pack"],
    }


def _excludes(policy: Policy, entry: Mapping[str, Any]) -> bool:
    ref, source = str(entry["ref"]), entry["source"]
    path, agent = source.get("path"), source.get("agent")
    return bool(
        (path and policy.of_path(path))
        or any(policy.of_source(one, agent) for one in (ref, ref.partition("#")[0], *entry["evidence"]))
        or policy.of_text(entry["statement"], entry["topic"], entry["name"])
    )


def encode(pack: TaskPack | FamilyPack) -> bytes:
    """A pack as it is stored, without secrets."""
    schema = TASK_SCHEMA if isinstance(pack, TaskPack) else FAMILY_SCHEMA
    body = orjson.dumps({"schema": schema, **to_fields(pack)}, option=CANONICAL)
    return clean_body(body, _SCHEMAS[schema]).body


def store(
    settings: Settings,
    body: bytes,
    kind: Kind,
    sessions: tuple[str, ...],
    project: str | None,
    query: PackQuery,
    notify: Callable[[str], None],
) -> ObjectPut:
    """Puts an encoded pack. Raises StoreUnwritable, StoreLocked, UsageError for what was forgotten."""
    return put(settings, io.BytesIO(body), Origin(kind, (), sessions, (project,) if project else ()), query.now, notify)


def open_pack(settings: Settings, digest: str) -> tuple[str, dict[str, Any]]:
    """The whole digest of a stored pack, and the pack. Raises NotFound, CorpusDamaged, UsageError for what is none."""
    name = find(settings.layout, digest)
    entry = entry_or_none(settings.layout, name)
    if entry is None or entry.kind not in _SCHEMAS.values():
        raise UsageError(f"{digest} is not a pack", hint=f"aicx pack objects get {digest}")
    try:
        fields = orjson.loads(read(settings.layout, name))
        if _SCHEMAS[fields["schema"]] == entry.kind:
            return entry.digest, fields
    except (orjson.JSONDecodeError, LookupError, TypeError):
        pass
    raise not_a_pack(digest)


def not_a_pack(digest: str) -> CorpusDamaged:
    """For what its sidecar calls a pack, and is none that this version can read."""
    return CorpusDamaged(f"{digest} is not a pack that this version can read", hint=f"aicx pack objects get {digest}")


def kind_of(fields: Mapping[str, Any]) -> Kind:
    return _SCHEMAS[fields["schema"]]


def sum_up(
    fields: Mapping[str, Any], digest: str, budget: int, mode: Mode = "deterministic", command: str | None = None
) -> PackSummary:
    """A stored pack in at most ``budget`` tokens.

    ``llm`` shows the claims of ``command`` alone, ``llm_cleanup`` shows them and the lines that no claim rests on.
    Each claim names a line that it rests on, or is dropped; with none left the text is that of the rules, and a note
    says why. Raises UsageError for too small a budget.
    """
    check_budget(_SUMMARY, budget, MIN_BUDGET)
    parts = parts_of(fields)
    note, by = "", "rules"
    if mode != "deterministic":
        claims: Sequence[Claim] = ()
        note = _NOT_CONFIGURED
        if command:
            asked = sorted(parts, key=lambda part: part.priority)[:MAX_FACTS]
            facts = [Fact(part.section, part.text, part.refs) for part in asked]
            about = fields["task"]["goal"] if "task" in fields else fields["filters"]["focus_query"] or ""
            found = summarize(command, "pack", about, facts, SECONDS)
            note, by, claims = found.note, found.by, found.claims
            if claims:
                parts = _with_claims(claims, asked, parts if mode == "llm_cleanup" else ())
    text, tokens, omitted = render(fields, digest, parts, budget)
    return PackSummary(text, tokens, budget, mode, by, note, omitted)


def _with_claims(claims: Sequence[Claim], asked: Sequence[PackPart], rest: Sequence[PackPart]) -> list[PackPart]:
    """Claims in front of the lines that none of them rests on."""
    used = {asked[claim.fact].text for claim in claims}
    proofs = {ref for claim in claims for ref in claim.refs}
    left = [part for part in rest if part.text not in used and (not part.refs or not proofs.issuperset(part.refs))]
    return [*(PackPart(CLAIMS, -1, claim.text, claim.refs) for claim in claims), *left]


# Of the 1.7 s that `aicx hook` has for everything; beyond it the pack is left out.
HOOK_SECONDS = 0.8
HOOK_BUDGET = 600  # tokens
HOOK_LIMITS = PackLimits(looked_at=200)
_WAIT = 8  # the part of the time that another process that puts an object may cost
Output = Mapping[str, Any]


def hook_output(
    settings: Settings,
    folder: Path,
    now: datetime,
    *,
    task: str | None = None,
    scope: Scope = "auto",
    budget: int | None = None,
    seconds: float = HOOK_SECONDS,
    notes: Sequence[PackNote] = (),
) -> Output | None:
    """``{"hookSpecificOutput": {hookEventName, additionalContext, metadata: {task_continuity_artifact}}}``.

    None where there is no task, where the time is over, and for whatever else keeps a pack from being made: a session
    begins without it. The clock of the pack is the beginning of the hour, so that sessions that begin soon after each
    other with nothing changed have the same pack.
    """
    began = time.monotonic()
    settings = replace(settings, lock_wait_seconds=min(settings.lock_wait_seconds, seconds / _WAIT))
    hour = now.replace(minute=0, second=0, microsecond=0)
    try:
        query = PackQuery(folder, hour, task, scope=scope, limits=HOOK_LIMITS, notes=notes, known_only=True)
        answer = make(settings, "task", query, budget=budget or HOOK_BUDGET)
    except AicxError:
        return None
    if time.monotonic() - began > seconds:
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": answer.summary.text,
            "metadata": {"task_continuity_artifact": answer.artifact},
        }
    }
