"""The summary of a pack: by rules, or with the configured summarizer, which is held to what the pack says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aicx.api.answers.pack import PackSummary
from aicx.packs.parts import Part, parts_of
from aicx.packs.query import Mode
from aicx.packs.rendering import CLAIMS, check_budget, render
from aicx.work.summarizer import MAX_FACTS, SECONDS, Claim, Fact, summarize

_NOT_CONFIGURED = "summed up by rules: no summarizer_command is configured (docs/outside-commands.md)"


def sum_up(
    fields: Mapping[str, Any],
    digest: str,
    budget: int,
    mode: Mode = "deterministic",
    command: str | None = None,
    seconds: float = SECONDS,
) -> PackSummary:
    """A stored pack in at most ``budget`` tokens.

    ``llm`` shows the claims of ``command`` alone, ``llm_cleanup`` shows them and the lines that no claim rests on.
    Each claim names a line that it rests on, or is dropped; with none left the text is that of the rules, and a note
    says why. Raises UsageError for too small a budget.
    """
    check_budget(budget)
    parts = parts_of(fields)
    note, by = "", "rules"
    if mode != "deterministic":
        claims: Sequence[Claim] = ()
        note = _NOT_CONFIGURED
        if command:
            asked = sorted(parts, key=lambda part: part.priority)[:MAX_FACTS]
            facts = [Fact(part.section, part.text, part.refs) for part in asked]
            about = fields["task"]["goal"] if "task" in fields else fields["filters"]["focus_query"] or ""
            found = summarize(command, "pack", about, facts, seconds)
            note, by, claims = found.note, found.by, found.claims
            if claims:
                parts = _with_claims(claims, asked, parts if mode == "llm_cleanup" else ())
    shown = render(fields, digest, parts, budget)
    return PackSummary(shown.text, shown.tokens, budget, mode, by, note, shown.omitted)


def _with_claims(claims: Sequence[Claim], asked: Sequence[Part], rest: Sequence[Part]) -> list[Part]:
    """Claims in front of the lines that none of them rests on."""
    used = {asked[claim.fact].text for claim in claims}
    proofs = {ref for claim in claims for ref in claim.refs}
    left = [part for part in rest if part.text not in used and (not part.refs or not proofs.issuperset(part.refs))]
    return [*(Part(CLAIMS, -1, claim.text, claim.refs) for claim in claims), *left]
