"""Scores handoffs against readings by eye, line by line: which lines are true and useful.

    python -m benchmarks.handoffs HOME

HOME is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`) and stored into a corpus of its own. The sessions
that were read are drawn by their names, and every line of their handoffs was read beside the session. The readings in
`results/readings/handoffs.jsonl` hold a session, a section, the number and the hash of a line, a label and a reason a
row, and no text: a line that changed counts as unread. ``useful`` is a line that is true and that whoever goes on from
the session is better off with. The ``reading`` of a row is ``first`` for lines as they were before any rule was changed
because of them, ``fresh`` for those of sessions that were read once the rules had been changed, and ``again`` for lines
that came later; ``told`` is whether the line was still told when the readings were kept last. Readings of lines that
are no longer told stay, as the reason for rules that went or were sharpened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from aicx.api.answers.lifecycle import HandoffAnswer
from aicx.refs import Ref
from aicx.work.at_place import facts_at
from aicx.work.handoff import handoff_of, hands_on
from aicx.work.handoff_answers import derived_answer
from aicx.work.session_facts import SessionFacts
from benchmarks.readings import read, share, stored_home, title_hash

SECTIONS = (
    "goal",
    "summary",
    "done",
    "failing",
    "next",
    "questions",
    "decisions",
    "starting_points",
    "commits",
    "tests",
)
# So many sessions of each home were read.
DRAWN = {"dev": 66, "more": 15}
_SEED = "16"


class Told(NamedTuple):
    """A line of a session's handoff in a repository, by its hash."""

    session: str
    section: str
    number: int
    line: str


def name_of(facts: SessionFacts) -> str:
    """A session's part in a repository. A repository without a name is one of this machine, and known by its hash."""
    return f"{Ref.of_session(facts.agent, facts.session_id)} {title_hash(facts.project)}"


def told(facts: SessionFacts) -> Iterator[Told]:
    """Each line of a session's handoff; none where it leaves nothing."""
    answer: HandoffAnswer | None = derived_answer(handoff_of(facts)) if hands_on(facts) else None
    for section in SECTIONS if answer else ():
        said = getattr(answer, section)
        for number, text in enumerate([said] if isinstance(said, str) else said):
            if text:
                yield Told(name_of(facts), section, number, title_hash(text))


def drawn(sessions: Collection[SessionFacts], count: int) -> set[str]:
    """The sessions to read: always the same ones, in whatever order they are stored."""
    every = (f"{Ref.of_session(one.agent, one.session_id)} {one.project}" for one in sessions if one.lane != "subagent")
    chosen = set(sorted(every, key=lambda name: blake2b(f"{_SEED} {name}".encode()).hexdigest())[:count])
    return {name_of(one) for one in sessions if f"{Ref.of_session(one.agent, one.session_id)} {one.project}" in chosen}


def lines(
    readings: Iterable[Mapping[str, Any]], present: Iterable[Told], sections: Sequence[str] = SECTIONS
) -> Iterator[str]:
    """The share of useful lines by section and in all, as they were read first and as they are told now."""
    rows = list(readings)
    labels = {(row["session"], row["section"], row["line"]): row for row in rows}
    read_in = {row["session"] for row in rows}
    now = [one for one in present if one.session in read_in]
    known = [row for one in now if (row := labels.get((one.session, one.section, one.line)))]
    first, fresh = ([row for row in rows if row["reading"] == name] for name in ("first", "fresh"))
    yield share("useful lines of what was read once the rules had been changed", *_count(fresh))
    for title, found in (("as first read", first), ("now", known)):
        yield share(f"useful lines, {title}", *_count(found))
        for section in sections:
            if of := [row for row in found if row["section"] == section]:
                yield f"  {share(section, *_count(of))}"
    yield f"read: {len(read_in)}; lines never read: {len(now) - len(known)}"
    for reason, count in Counter(row["reason"] for row in known if row["label"] != "useful").most_common():
        yield f"  not useful: {reason}: {count}"


def _count(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    return sum(row["label"] == "useful" for row in rows), len(rows)


def of_home(rows: Iterable[dict[str, Any]], names: Collection[str]) -> tuple[str, list[dict[str, Any]]]:
    """The home that most readings of ``names`` are of, and its readings."""
    every = list(rows)
    homes = Counter(row["home"] for row in every if row["session"] in names)
    home = max(sorted(homes), key=homes.__getitem__, default="")
    return home, [row for row in every if row["home"] == home]


def main() -> None:
    with stored_home(__doc__) as (settings, _):
        facts, _ = facts_at(settings, None)
    home, here = of_home(read("handoffs"), {name_of(one) for one in facts})
    for line in lines(here, [line for one in facts for line in told(one)]):
        print(line)
    missing = drawn(facts, DRAWN.get(home, 0)) - {row["session"] for row in here}
    print(f"drawn and never read: {len(missing)}")


if __name__ == "__main__":
    main()
