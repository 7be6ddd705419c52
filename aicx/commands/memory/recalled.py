"""Prints what recall found, in groups by what may be believed."""

from __future__ import annotations

from aicx import console
from aicx.memory.answers import MemoryEntry
from aicx.memory.recall.asking import SCHEMA, RecallAnswer
from aicx.memory.record import REASONS
from aicx.text import shorten

_COLORS = {"accepted": "green", "advisory": "cyan", "candidate": "yellow"}
_MAX_EVIDENCE = 3
_MAX_STATEMENT = 400


def print_answer(answer: RecallAnswer, *, json: bool) -> None:
    """The entries, best first, and a summary of what was left out; as JSON every considered reference."""
    if json:
        console.out_answer(SCHEMA, answer)
        return
    for entry in answer.entries:
        print_entry(entry)
    for lane in answer.degraded:
        console.warn(f"{lane.lane}: {lane.note}")
    if not answer.method.sufficient:
        missing = f" (nothing has {', '.join(answer.method.missing)})" if answer.method.missing else ""
        more = "nothing fits" if not answer.entries else "nothing fits well"
        console.notify(f"The memory has no answer: {more}{missing}.")
    agreed = len(answer.baseline)
    if answer.entries:
        served = " + ".join(answer.method.lanes)
        console.notify(f"{console.plural(len(answer.entries), 'statement')}, {agreed} agreed, found by {served}.")
    if answer.suppressed:
        said = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in answer.suppressed.items())
        console.notify(f"Left out: {said}; --json says which and why.")


def print_entry(entry: MemoryEntry) -> None:
    style = console.style
    label = "agreed" if entry.baseline else entry.status if entry.status != "advisory" else "guidance"
    facts = [entry.kind, *([entry.topic] if entry.topic else []), f"tier {entry.tier}", entry.usage, entry.freshness]
    console.out(f"{style(label, fg=_COLORS.get(entry.status, 'magenta'), bold=True)}  {style(entry.ref, fg='cyan')}")
    console.out(f"  {shorten(entry.statement or '(not shown)', _MAX_STATEMENT)}")
    facts += [f"evidence {', '.join(entry.evidence[:_MAX_EVIDENCE])}"] if entry.evidence else []
    console.out(style(f"  {' · '.join(shorten(fact, 120) for fact in facts)}", dim=True))
    if not entry.baseline and entry.status != "advisory":
        console.out(style(f"  {REASONS[entry.reasons[0]]}", fg="bright_black"))
