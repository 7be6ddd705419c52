"""Invented records of a memory: what is agreed, and beside it everything that must not take its place.

Each subject is an aspect of a component, such as the retry limit of the export service, and has one record that holds.
Most have others about the same subject: what it replaced, what was rejected or has expired, an older agreement, the
same in another repository, candidates in several wordings, lines of an instruction file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from random import Random

from aicx.bench.mining.records import ELSEWHERE, NOW, BenchRecord, Fate
from aicx.memory.record import Kind

COMPONENTS = (
    "export service", "billing queue", "search index", "login page", "image resizer", "mail sender", "session store",
    "audit log", "report builder", "price calculator", "upload handler", "rate limiter", "user directory",
    "payment gateway", "notification hub", "job scheduler", "settings loader", "feature switch", "response cache",
    "message broker", "data importer", "backup task", "metrics collector", "permission check", "invoice printer",
    "address book", "chat widget", "map view", "calendar sync", "translation table", "order form", "stock counter",
    "review page", "coupon engine", "shipping label", "tax table", "webhook sender", "token issuer", "plugin host",
    "test runner",
)  # fmt: skip
ASPECTS = (
    "retry limit", "request timeout", "page size", "log level", "time zone", "sort order", "file encoding",
    "error message", "default language", "connection pool", "retention period", "date format", "rounding rule",
    "lock file", "version number", "naming scheme", "test fixture", "release note", "schema change", "secret key",
    "debug flag", "thread count", "memory budget", "cache lifetime", "batch size", "public name", "header line",
    "status code", "backup copy", "temporary folder",
)  # fmt: skip
VALUES = (
    "the vault", "staging", "the shared registry", "a signed manifest", "the operations team", "the nightly run",
    "the central table", "an environment variable", "the release branch", "a feature toggle", "the regional office",
    "the old mainframe", "the customer contract", "a pull request template", "the monthly audit", "the pilot tenant",
)  # fmt: skip
# Kind, and what is stated: ``{c}`` is the component, ``{a}`` the aspect, ``{v}`` what is said of them.
TEMPLATES: tuple[tuple[Kind, str], ...] = (
    ("policy", "Never change the {a} of the {c} without asking {v}"),
    ("policy", "Every change to the {a} of the {c} needs approval from {v}"),
    ("preference", "Prefer {v} for the {a} of the {c}"),
    ("decision", "The {a} of the {c} is kept in {v}, because reading it elsewhere was too slow"),
    ("fact", "The {c} reads its {a} from {v}"),
    ("fact", "The {c} does not support a {a} other than that of {v}"),
    ("procedure", "Run the checks of {v} before touching the {a} of the {c}"),
    ("failure", "The {c} crashes when its {a} comes from {v}; restart it afterwards"),
)
# Only of the first subjects the instruction file says something: it is no longer than one that meaning is asked for.
_GUIDED = 50
# The same subject in other words: what an older agreement, a candidate or an instruction file says.
_OTHERS = (
    "{c}: {a} comes from {v}",
    "The {a} that the {c} uses is set by {v}",
    "Look at {v} when the {a} of the {c} is wrong",
    "{a} and {c} belong together, see {v}",
    "For the {c} somebody wrote down its {a} in {v}",
    "The {c} and its {a} were discussed with {v}",
)


def invent(subjects: int, seed: int = 0) -> list[BenchRecord]:
    """Records about ``subjects`` subjects, at most 1,200. The same seed gives the same records."""
    random = Random(seed)  # noqa: S311 - it draws sentences, not keys
    places = random.sample(list(product(COMPONENTS, ASPECTS)), subjects)
    return [one for number, place in enumerate(places) for one in _about(number, place, random)]


def _about(number: int, place: tuple[str, str], random: Random) -> Iterator[BenchRecord]:
    component, aspect = place
    kind, template = TEMPLATES[number % len(TEMPLATES)]
    values = random.sample(VALUES, 10)
    age = timedelta(days=random.randint(2, 120))

    def told(text: str, value: str) -> str:
        said = " ".join(text.format(c=component, a=aspect, v=value).split())
        return said[0].upper() + said[1:]

    right = BenchRecord(
        f"r{number:04d}", kind, component, told(template, values[0]), told(template, ""), NOW - age, right=True
    )
    other = told(template, values[1])
    older = right.at - timedelta(days=random.randint(200, 400))
    yield right
    match number % 10:
        case 0 | 1:
            yield replace(right, id=f"{right.id}-old", statement=other, at=older, fate="replaced", right=False)
        case 2:
            later = right.at + timedelta(days=1)
            yield replace(right, id=f"{right.id}-no", statement=other, at=later, fate="rejected", right=False)
        case 3:
            yield replace(right, id=f"{right.id}-over", statement=other, at=older, fate="expired", right=False)
        case 4:
            yield replace(right, id=f"{right.id}-away", statement=other, fate="archived", right=False)
        case 5:
            yield replace(right, id=f"{right.id}-there", statement=other, repository=ELSEWHERE, right=False)
        case 6:
            yield replace(right, id=f"{right.id}-before", statement=other, at=older, right=False)
        case 7:
            yield from _crowd(right, "candidate", values, told)
        case 8 if number < _GUIDED:
            yield from _crowd(right, "guidance", values, told)


def _crowd(
    right: BenchRecord, fate: Fate, values: Sequence[str], told: Callable[[str, str], str]
) -> Iterator[BenchRecord]:
    """The same subject in several wordings, each new and none agreed."""
    for place, text in enumerate(_OTHERS):
        statement = told(text, values[place + 2])
        yield replace(right, id=f"{right.id}-{fate}{place}", kind="note", statement=statement, fate=fate, right=False)
