"""The memory policy applied to records: by where they are from, what they rest on, and what they say."""

from __future__ import annotations

from collections.abc import Callable

from aicx.config import Settings
from aicx.memory.policy import Policy, PolicyReason, load_policy
from aicx.memory.reading import Scope
from aicx.memory.reasons import Reason
from aicx.memory.record import Record


def policy_in(settings: Settings, scope: Scope) -> Policy:
    """The policy of the corpus and of the repository that ``scope`` is in. Raises MalformedPolicy."""
    return load_policy(settings.layout.home, scope.root, settings.user_home)


def of_records(policy: Policy) -> Callable[[Record], Reason | None] | None:
    """What keeps a record from being shown, as `Memory.open` takes it; None where no rule excludes anything."""
    if not (policy.exclude_paths or policy.exclude_sources or policy.exclude_patterns):
        return None

    def why(record: Record) -> Reason | None:
        found = _excluded(policy, record)
        return Reason(found) if found else None

    return why


def _excluded(policy: Policy, record: Record) -> PolicyReason | None:
    source = record.source
    paths = [anchor.path for anchor in record.anchors] + ([source.path] if source.path else [])
    paths += [ref.removeprefix("file:") for ref in record.evidence if ref.startswith("file:")]
    if paths and (found := policy.of_path(*paths)):
        return found
    session = [f"session:{source.agent}:{source.session}"] if source.session else []
    for identity in (record.ref, *session, *record.evidence):
        if found := policy.of_source(identity, source.agent):
            return found
    claims = (word for pair in record.claims.items() for word in pair)
    return policy.of_text(record.statement, record.topic, record.name or "", *record.details, *record.tags, *claims)
