"""The instruction files that a statement may go into: which are there, which fits best, and what may not be touched."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.memory.policy import Policy
from aicx.memory.record import Record
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.values import dataclass

# Whose file it is; at the top of the repository.
FILES: dict[str, str] = {"AGENTS.md": "codex", "CLAUDE.md": "claude", "GEMINI.md": "gemini"}
_MAX_BYTES = 1 << 20
_BLOCK = re.compile(r"^<!-- aicx:review mem:", re.MULTILINE)

TargetReason = Literal[
    "has_blocks", "exists", "agents_own", "missing", "link", "not_text", "unreadable", "over_budget", "unsafe_symlink",
    "policy_path", "policy_source",
]  # fmt: skip
_WEIGHT: dict[TargetReason, int] = {"has_blocks": 8, "exists": 4, "agents_own": 2}


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
        body = read_regular(place, _MAX_BYTES).body
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
