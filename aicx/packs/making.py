"""Makes a pack, stores it, and sums it up: what the commands and the hook call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.api.answers.pack import PackAnswer
from aicx.config import Settings
from aicx.memory.policy import Policy, load_policy
from aicx.packs.query import Mode, PackQuery
from aicx.packs.rendering import BUDGET, check_budget
from aicx.packs.storing import encode, kind_of, not_a_pack, open_pack, store
from aicx.packs.summing import sum_up
from aicx.text import plural

What = Literal["task", "family"]


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
    check_budget(budget)
    # Imported here: opening a stored pack takes neither.
    if what == "task":
        from aicx.packs.task_pack import task_pack

        bundle = task_pack(settings, query)
    else:
        from aicx.packs.family_pack import family_pack

        bundle = family_pack(settings, query)
    body = encode(bundle.pack)
    fields = orjson.loads(body)
    done = store(settings, body, kind_of(fields), bundle.sessions, bundle.projects, query, notify)
    summary = sum_up(fields, done.entry.digest, budget, mode, settings.summarizer)
    return PackAnswer(done.entry.digest, done.entry.kind, done.new, summary, fields)


def show(settings: Settings, digest: str, *, budget: int | None = None, mode: Mode = "deterministic") -> PackAnswer:
    """A stored pack again, without memory that a policy excludes by now.

    Raises NotFound, CorpusDamaged, UsageError for what is no pack, MalformedPolicy.
    """
    whole, fields = open_pack(settings, digest)
    check_budget(budget or BUDGET)
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
