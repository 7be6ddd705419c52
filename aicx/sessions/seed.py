"""A prompt to begin a new session with: the latest window of another one, and those that a question is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from aicx.brief import page, to_check
from aicx.config import Settings
from aicx.errors import UsageError
from aicx.evidence import Step
from aicx.evidence.texts import words
from aicx.filters import Filters
from aicx.refs import Ref
from aicx.sessions.recall import recall
from aicx.sessions.stored import short_refs
from aicx.sessions.summarize import SessionSummaryAnswer, SummaryReader, open_session
from aicx.sessions.windows import ref_of
from aicx.text import instant, plural, shorten
from aicx.types import PROMPTS

MAX_CHARS, TOP_WINDOWS = 12_000, 2
_QUOTES, _QUOTE_LENGTH = 10, 400  # messages of a window, and characters of each
_FOOT = 40  # characters, for how much had no room
_PARTS = ("goal", "asked", "next", "failed", "accomplished", "decisions", "gotchas", "preferences", "questions")
_NOTICE = (
    f"What follows between the fences is quoted from the logs of an earlier session: {to_check()}. "
    "`aicx show REF` opens what is in [brackets]. What was said comes last first, or best fitting first."
)


def seed(
    settings: Settings,
    text: str,
    now: datetime,
    *,
    query: str = "",
    max_chars: int = MAX_CHARS,
    top_windows: int = TOP_WINDOWS,
) -> SessionSummaryAnswer:
    """A prompt in ``max_chars`` from the session that ``text`` names: its latest window, and ``top_windows`` that fit
    ``query`` best.

    Without a query, or where it fits none, those before the latest. Raises NotFound, and UsageError for a name of
    several and for too little room.
    """
    reader = open_session(settings, text)
    latest = len(reader.windows) - 1
    chosen = _relevant(settings, reader, query, now) if query.strip() else []
    earlier = [index for index in chosen if index != latest][:top_windows]
    if not earlier:
        earlier = list(reversed(range(latest)))[:top_windows]
    picked = [latest, *earlier]
    short = short_refs(settings, reader.session)
    sections = [_lines(reader, short, index, query if index in chosen and index != latest else "") for index in picked]
    body, omitted = _fit(reader, sections, max_chars)
    refs = [ref_of(reader.session.ref, index) for index in picked]
    return reader.answer("seeded", seed_prompt=body, seed_windows=refs, omitted=omitted)


def _relevant(settings: Settings, reader: SummaryReader, query: str, now: datetime) -> list[int]:
    """The windows of the session that answer, best first."""
    session = reader.session
    only = Filters(session=(session.session_id,), agent=(session.agent,), automated=True)
    found = recall(settings, query, "window", now, limit=len(reader.windows), filters=only)
    reader.notes += found.notes
    return [match.windows[0].window.index for match in found.matches]


def _lines(reader: SummaryReader, short: Mapping[str, str], index: int, query: str) -> list[str]:
    """The title of a window, what it came to, and what was said in it: last, or about the question."""
    window = reader.windows[index]
    where = "the latest" if index == len(reader.windows) - 1 else "earlier"
    title = (
        f"## Window {index}, {where}: {instant(window.started_at, 'seconds')} to {instant(window.ended_at, 'seconds')},"
        f" {plural(window.messages, 'message')}"
    )
    summary = reader.summary(index)
    known = list(summary.lines())
    said = [
        f"- {part}: {line.text}" + (f" [{short.get(line.refs[0], line.refs[0])}]" if line.refs else "")
        for name in _PARTS
        for part, line in known
        if part == name
    ]
    files = ", ".join(f"`{one.name}`" for one in summary.key_files)
    return [title, *said, *([f"- files: {files}"] if files else []), *_quotes(reader.steps[index], short, query)]


def _quotes(steps: Sequence[Step], short: Mapping[str, str], query: str) -> Iterator[str]:
    """Yields what the person and the agent said, the last first, or what shares most words with the question first."""
    said = [step for step in steps if step.role == "assistant" or step.origin in PROMPTS]
    wanted = set(words(query))
    if wanted:
        shared = [(len(wanted & set(words(step.text))), step) for step in said]
        said = [step for count, step in sorted(shared, key=lambda pair: -pair[0]) if count]
    else:
        said = said[::-1]
    for step in said[:_QUOTES]:
        who = "agent" if step.role == "assistant" else "person"
        yield f"- {who} said: {shorten(step.text, _QUOTE_LENGTH)} [{short[str(Ref('chunk', step.chunk))]}]"


def _fit(reader: SummaryReader, sections: Sequence[list[str]], limit: int) -> tuple[str, int]:
    """The prompt with as many lines as there is room for, taken from the windows in turn, and how many had none."""
    session = reader.session
    title = f"# Seed from {session.ref}, {plural(len(reader.windows), 'window')}"
    every = "\n".join(line for lines in sections for line in lines)
    room = limit - (len(page([title], _NOTICE, every)) - len("\n") - len(every)) - _FOOT
    if room < len(sections[0][0]):
        raise UsageError(f"{limit} characters are too few for a seed", hint="--max-chars 1000")
    kept: list[list[str]] = [[] for _ in sections]
    omitted = 0
    full: set[int] = set()
    for number in range(max(map(len, sections))):
        for place, lines in enumerate(sections):
            if number >= len(lines):
                continue
            cost = len(lines[number]) + (len("\n\n") if number == 0 else len("\n"))
            if place in full or cost > room:
                full.add(place)  # a title without its lines, or a gap between them, would mislead
                omitted += 1
                continue
            kept[place].append(lines[number])
            room -= cost
    body = "\n\n".join("\n".join(lines) for lines in kept if lines)
    return page([title], _NOTICE, body, f"{plural(omitted, 'line')} had no room." if omitted else ""), omitted
