"""A pack in a few lines of Markdown, within a budget of tokens; each line that does not fit is counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aicx.brief import fit, listed, page
from aicx.packs.parts import FAMILY_SECTIONS, TASK_SECTIONS, PackPart
from aicx.quoting import QUOTED_WITH_GIT
from aicx.text import estimate_tokens, plural, shorten

BUDGET, MIN_BUDGET = 1500, 300  # tokens
CLAIMS = "claims"
_CLAIMS_TITLE = "Summed up by a configured command, from what the pack holds"
_EVIDENCE = f"{QUOTED_WITH_GIT}, `aicx show DIGEST` the whole pack."
_NAME = 100
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def render(
    fields: Mapping[str, Any], digest: str, parts: Sequence[PackPart], budget: int
) -> tuple[str, int, dict[str, int]]:
    """The summary with as many of ``parts`` as fit into ``budget``, the most important ones; its size in tokens, and
    how many lines of each section did not fit.
    """
    titles = {CLAIMS: (_CLAIMS_TITLE, 0), **(TASK_SECTIONS if "task" in fields else FAMILY_SECTIONS)}
    top = "\n".join([f"# {_title(fields)}", f"Pack: {digest}", _about(fields)])

    def text_of(kept: Sequence[int], left: Sequence[int]) -> str:
        shown = [parts[number] for number in kept]
        lines = {name: [f"{part.text}{_refs(part)}" for part in shown if part.section == name] for name in titles}
        more = ", ".join(f"{count} of {titles[name][0].lower()}" for name, count in _counted(parts, left).items())
        body = listed((title, lines[name]) for name, (title, _) in titles.items())
        return page([top], _EVIDENCE, body, f"Not in this summary, but in the pack: {more}." if more else "")

    worth = [part.priority for part in parts]
    text, _, left = fit(worth, text_of, lambda text: estimate_tokens(text.encode()) <= budget)
    return text, estimate_tokens(text.encode()), _counted(parts, left)


def _title(fields: Mapping[str, Any]) -> str:
    place = fields["place"]
    where = shorten(place["project"] or place["root"], _NAME)
    return f"A task in {where}" if "task" in fields else f"The work in {where}"


def _about(fields: Mapping[str, Any]) -> str:
    filters, scope = fields["filters"], fields["scope"]
    whose = "this working folder" if scope["applied"] == "workspace" else "all working folders of the repository"
    facts = [f"As of {fields['generated_at']}, of {whose}"]
    if filters["date_from"] or filters["date_to"]:
        facts.append(f"from {filters['date_from'] or 'the beginning'} to {filters['date_to'] or 'now'}")
    if "task" in fields:
        task = fields["task"]
        status = task["status"].replace("_", " ")
        facts.append(f"{status}; derived from a session that was left open" if task["derived_because"] else status)
    else:
        owners = fields["owners"]
        count = len(owners) + fields["left_out"].get("owners", 0)
        tasks = sum(one["kind"] == "task" for one in owners)
        counts = [(tasks, "task"), (count - tasks, "session")]
        facts.append(" and ".join(plural(number, noun) for number, noun in counts if number))
    return f"{'; '.join(facts)}."


def _refs(part: PackPart) -> str:
    return f" [{' '.join(shorten(_UUID.sub(_begun, ref), 2 * _NAME) for ref in part.refs)}]" if part.refs else ""


def _begun(found: re.Match[str]) -> str:
    """As much of a session's id as names it: one of version 7 begins with the time, and needs more signs."""
    return found[0][: 13 if found[0][14] == "7" else 8]


def _counted(parts: Sequence[PackPart], numbers: Iterable[int]) -> dict[str, int]:
    """Section -> how many of some lines are of it."""
    return dict(sorted(Counter(parts[number].section for number in numbers).items()))
