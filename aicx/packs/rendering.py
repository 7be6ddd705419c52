"""A pack in a few lines of Markdown, within a budget of tokens; each line that does not fit is counted.

Each line has its section, its worth, and the references that prove it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aicx.brief import QUOTED_WITH_GIT, fit, listed, page
from aicx.text import estimate_tokens, plural, shorten

_MAX_TEXT, _MAX_NAME = 280, 120  # characters of a line, and of a name in it
_SHORT = 9  # characters of a commit
_MAX_REFS = 1

# Section -> its title, and what its first line is worth: the lower, the sooner it is in. Each further line of a section
# is worth less, so that every section has its first lines before any has all.
TASK_SECTIONS: Mapping[str, tuple[str, int]] = {
    "goal": ("Goal", 0),
    "next": ("Next", 1),
    "failing": ("Fails, or is blocked", 2),
    "handoff": ("Left by earlier sessions", 3),
    "decided": ("Proved and decided", 4),
    "risks": ("Risks and doubts", 5),
    "files": ("Files", 4),
    "sessions": ("Sessions, and why they are in", 6),
    "memory": ("Memory", 6),
    "commits": ("Last commits", 9),
    "map": ("Places the repository map names", 9),
    "notes": ("Noted down", 6),
    "external": ("Elsewhere", 11),
}
FAMILY_SECTIONS: Mapping[str, tuple[str, int]] = {
    "current_focus": ("Open now", 0),
    "next_work": ("Still to be done", 1),
    "risks": ("Risks", 3),
    "recent_changes": ("Changed last", 2),
    "recurring_learnings": ("Known from several", 4),
    "recurring_mistakes": ("Failed in several", 4),
    "learnings": ("Learned", 5),
    "memory": ("Memory", 6),
    "owners": ("Tasks and sessions", 7),
}
_STEP = 3  # how much less the next line of a section is worth


class PackPart(NamedTuple):
    section: str
    priority: int
    text: str
    refs: tuple[str, ...]


def parts_of(fields: Mapping[str, Any]) -> list[PackPart]:
    """The lines of a stored pack, section by section."""
    is_task = "task" in fields
    sections = TASK_SECTIONS if is_task else FAMILY_SECTIONS
    lines = _task(fields) if is_task else _family(fields)
    counts = dict.fromkeys(sections, 0)
    said: set[str] = set()
    found = []
    for section, text, refs in lines:
        line = shorten(text, _MAX_TEXT)
        if line and line not in said:
            said.add(line)
            found.append(
                PackPart(section, sections[section][1] + _STEP * counts[section], line, tuple(refs)[:_MAX_REFS])
            )
            counts[section] += 1
    order = list(sections)
    return sorted(found, key=lambda part: order.index(part.section))


_Line = tuple[str, str, Sequence[str]]


def _task(fields: Mapping[str, Any]) -> Iterator[_Line]:
    task = fields["task"]
    yield "goal", task["goal"], [task["ref"]]
    if task["hypothesis"]:
        yield "risks", f"Believed: {task['hypothesis']}", ()
    if task["closing_note"]:
        yield "goal", f"It was closed: {task['closing_note']}", ()
    if task["next_action"]:
        yield "next", task["next_action"], ()
    for name, section in (
        ("next_steps", "next"),
        ("questions", "next"),
        ("failing", "failing"),
        ("blocked", "failing"),
        ("verified", "decided"),
        ("decisions", "decided"),
        ("discarded_paths", "decided"),
        ("risks", "risks"),
    ):
        before = {"questions": "To be answered: ", "discarded_paths": "Given up: "}.get(name, "")
        for text in task[name]:
            yield section, before + text, ()
    for one in task["uncertainties"]:
        yield "risks", f"Uncertain: {one['claim']}", ()
    for one in fields["handoffs"]:
        yield from _handoff(one)
    for one in fields["sessions"]:
        facts = [one["ended_at"][:10], one["agent"], *([one["branch"]] if one["branch"] else [])]
        title = shorten(one["title"] or one["goal"] or "without a title", _MAX_NAME)
        yield "sessions", f"{title} ({', '.join(facts)}): {one['reason'].replace('_', ' ')}", [one["ref"]]
    for one in fields["files"]:
        yield "files", _file(one), ()
    for one in fields["commits"]:
        yield "commits", f"{one['hash'][:_SHORT]} {one['at'][:10]} {one['subject']}", ()
    for one in fields["map_anchors"]:
        symbol = f" {one['symbol']}" if one["symbol"] else ""
        yield "map", f"{one['ref'].removeprefix('map:')}{symbol}", ()
    yield from _memory(fields)
    for one in fields["notes"]:
        kind = "of a closed task" if one["kind"] == "closing_note" else one["kind"]
        yield "notes", f"{kind.capitalize()}: {one['text']}", one["refs"]
    for ref in fields["external_refs"]:
        yield "external", ref, ()


def _handoff(one: Mapping[str, Any]) -> Iterator[_Line]:
    ref = [one["ref"]]
    if one["summary"]:  # what was wanted is said with its session
        yield "handoff", f"{one['at'][:10]}, {one['outcome']}: {one['summary']}", ref
    for text in one["next"]:
        yield "next", text, ref
    for text in one["questions"]:
        yield "next", f"To be answered: {text}", ref
    for text in one["failing"]:
        yield "failing", text, ref
    for text in one["decisions"]:
        yield "decided", text, ref


def _file(one: Mapping[str, Any]) -> str:
    facts = [reason.replace("_", " ") for reason in one["reasons"] if reason != "edited"]
    facts += [f"edited in {plural(one['sessions'], 'session')}"] if one["sessions"] else []
    if one["commits"]:
        last = one["commits"][0]
        facts.append(f"last commit {last['hash'][:_SHORT]} {shorten(last['subject'], _MAX_NAME)}")
    return f"{one['path']}: {'; '.join(facts)}"


def _family(fields: Mapping[str, Any]) -> Iterator[_Line]:
    for section in FAMILY_SECTIONS:
        for item in fields[section] if section not in ("memory", "owners") else ():
            support = item["support"]
            count = f", {support['owner_count']} owners" if support["owner_count"] > 1 else ""
            yield section, f"{shorten(item['text'], _MAX_TEXT - 40)} ({_ago(support)}{count})", item["refs"]
    yield from _memory(fields)
    for one in fields["owners"]:
        if one["chosen"]:
            facts = [one["updated_at"][:10], one["status"].replace("_", " ")]
            facts += [one["branch"]] if one["branch"] else []
            yield "owners", f"{shorten(one['title'], _MAX_NAME)} ({', '.join(facts)})", [one["ref"]]


def _ago(support: Mapping[str, Any]) -> str:
    days = support["latest_age_days"]
    return "today" if days < 1 else f"{plural(days, 'day')} ago"


def _memory(fields: Mapping[str, Any]) -> Iterator[_Line]:
    for one in fields["memory"]:
        if one["statement"]:
            yield "memory", f"{one['status']}, {one['usage']}: {one['statement']}", [one["ref"]]


BUDGET, MIN_BUDGET = 1500, 300  # tokens
CLAIMS = "claims"
_CLAIMS_TITLE = "Summed up by a configured command, from what the pack holds"
_EVIDENCE = f"{QUOTED_WITH_GIT}, `aicx show DIGEST` the whole pack."
_MAX_PLACE = 100  # characters of where a pack is from; references may have twice as many
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
    where = shorten(place["project"] or place["root"], _MAX_PLACE)
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
    return f" [{' '.join(shorten(_UUID.sub(_begun, ref), 2 * _MAX_PLACE) for ref in part.refs)}]" if part.refs else ""


def _begun(found: re.Match[str]) -> str:
    """As much of a session's id as names it: one of version 7 begins with the time, and needs more signs."""
    return found[0][: 13 if found[0][14] == "7" else 8]


def _counted(parts: Sequence[PackPart], numbers: Iterable[int]) -> dict[str, int]:
    """Section -> how many of some lines are of it."""
    return dict(sorted(Counter(parts[number].section for number in numbers).items()))
