"""Every filter, described once. The command line, MCP, HTTP and their docs offer what this table says.

A new filter is a field of `Filters` here and its meaning in SQL in `aicx.corpus.catalog.filters`.
"""

# Without `from __future__ import annotations`: the annotations of `Filters` are the table, and every start reads them.
from datetime import datetime
from typing import Annotated, Literal, NamedTuple, get_args

from aicx.types import KINDS, Lane
from aicx.values import dataclass

LANES: tuple[Lane, ...] = get_args(Lane)

# What a user writes: a text (several of them mean any of these), a point in time (as an end, a day is all of it), days,
# a number of hours, a least count, or only that it is wanted.
Value = Literal["text", "begin", "end", "days", "hours", "least", "flag"]
MAX_HOURS = 10_000_000
MAX_COUNT = 10**15


class Filter(NamedTuple):
    """How a filter is written and explained. ``name`` is what MCP and HTTP call it, and with dashes its long option."""

    metavar: str | None
    help: str
    letter: str | None = None
    value: Value = "text"
    name: str = ""
    limits: bool = True  # False for one that only decides how a list is shown

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line."""
        long = f"--{self.name.replace('_', '-')}"
        return (long, self.letter) if self.letter else (long,)

    @property
    def repeatable(self) -> bool:
        return self.value == "text"


Texts = tuple[str, ...]
Days = tuple[str | None, str | None]  # the first and the last, as ISO dates


@dataclass(frozen=True, slots=True)
class Filters:
    """The limits of a question: every filter that is set has to hold, of several texts any. Unset: no limit.

    One text may be given as it is, in place of a tuple of one.
    """

    project: Annotated[
        Texts, Filter("NAME", "Repository (owner/repo, repo, owner/) or working folder; * and ? work.", "-p")
    ] = ()
    agent: Annotated[Texts, Filter("AGENT", "An agent, such as claude, codex or gemini.", "-a")] = ()
    kind: Annotated[Texts, Filter("KIND", f"One of {', '.join(KINDS)}.", "-k")] = ()
    session: Annotated[Texts, Filter("ID", "A session, or the beginning of its id.", "-s")] = ()
    exclude_session: Annotated[
        Texts, Filter("ID", "Leave out a session, such as the one you are in; the beginning of its id is enough.")
    ] = ()
    lane: Annotated[Texts, Filter("LANE", "Who worked: primary (the agent) or subagent (one that it started).")] = ()
    run_id: Annotated[Texts, Filter("ID", "Exactly this run id.")] = ()
    prompt_id: Annotated[Texts, Filter("ID", "Exactly this prompt id.")] = ()
    date: Annotated[
        Days | None,
        Filter("RANGE", "Days (2026-01-31, yesterday, last week), or a range: 2026-01-01..2026-01-31.", "-d", "days"),
    ] = None
    since: Annotated[
        datetime | None, Filter("WHEN", "Earliest time: 2026-01-31, yesterday, last week, 36h, 7d, 2w.", None, "begin")
    ] = None
    until: Annotated[datetime | None, Filter("WHEN", "Latest time, inclusive; same formats as since.", None, "end")] = (
        None
    )
    hours: Annotated[datetime | None, Filter("N", "The last N hours; 0: all.", "-H", "hours")] = None
    branch: Annotated[Texts, Filter("NAME", "Git branch; * works.", "-b")] = ()
    file: Annotated[Texts, Filter("PATH", "Chunks that touched a file; any part of the path matches.", "-f")] = ()
    model: Annotated[Texts, Filter("NAME", "Model; a part of its name is enough.")] = ()
    tool: Annotated[Texts, Filter("NAME", "Chunks in which a tool was used, by the tool's name; * works.")] = ()
    failed: Annotated[bool | None, Filter(None, "Only chunks in which a tool failed.", None, "flag")] = None
    automated: Annotated[
        bool | None,
        Filter(
            None,
            "List every run of a program as an item of its own; else runs of one prompt are one item.",
            None,
            "flag",
            limits=False,
        ),
    ] = None
    workflow_phase: Annotated[Texts, Filter("NAME", "The phase that a prompt's front matter names; * works.")] = ()
    frontmatter_mode: Annotated[Texts, Filter("NAME", "The mode that a prompt's front matter names; * works.")] = ()
    skill_code: Annotated[Texts, Filter("CODE", "The skill that a prompt's front matter names; * works.")] = ()
    min_token_usage: Annotated[
        int | None, Filter("N", "Only where the front matter states at least N tokens.", None, "least")
    ] = None
    min_findings_count: Annotated[
        int | None, Filter("N", "Only where the front matter states at least N findings.", None, "least")
    ] = None

    def __post_init__(self) -> None:
        for row in FILTERS:
            value = getattr(self, row.name)
            if row.repeatable and not isinstance(value, tuple):
                object.__setattr__(self, row.name, () if value is None else (value,))


FILTERS: tuple[Filter, ...] = tuple(
    annotation.__metadata__[0]._replace(name=name) for name, annotation in Filters.__annotations__.items()
)
NAMES = tuple(row.name for row in FILTERS)
# What a filter that is not set holds.
UNSET = (None, (), False)
EVERYTHING = Filters()
