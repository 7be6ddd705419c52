"""Invented records of a memory to be measured on, and the questions about them: by topic words and in other words.

A question asks for the one record that holds. Its words are those of ``about``, which sets no record apart from others
about the same subject, so that only what became of them does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Literal

from aicx.bench.dataset import Query
from aicx.bench.mining.questions import TOPICS, is_elsewhere
from aicx.evidence.texts import words
from aicx.memory.record import Kind
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS, analyze

# The repository that is asked in, another one, and when.
HERE, ELSEWHERE = "acme/widgets", "acme/gadgets"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
TOPIC_WORDS = "topic words"
_TOLD = 4  # words of a question by topic words
_MAX_WORDS = 10  # words of a question in other words
_REPLACED = 2  # at least; with fewer it is no question in other words

# What became of a record. ``guidance`` is none: it is a line of an instruction file.
Fate = Literal["accepted", "candidate", "replaced", "rejected", "archived", "expired", "guidance"]
_PAIRS = """
add include, address contact, allow permit, always invariably, approval consent, asking consulting, audit
inspection, avoid prevent, backup snapshot, batch group, because since, before ahead, billing invoicing, branch
line, branches lines, broken faulty, broker relay, budget allowance, bug defect, build compile, builder generator,
cache buffer, calculator computation, calendar schedule, call invoke, change modification, changed modified, changes
modifications, check verification, checks verifications, choose pick, code source, command instruction, commands
instructions, comment remark, commit checkin, commits checkins, config settings, connection link, contract
agreement, copy duplicate, count tally, coupon voucher, crash fail, crashes fails, create make, customer client,
date day, debug diagnostic, default standard, delete remove, dependencies requirements, dependency requirement,
deploy release, directory folder, docs documentation, document describe, drop discard, empty blank, encoding
charset, engine machinery, error failure, errors failures, example sample, export download, fail break, failed
broke, fails breaks, fast quick, feature capability, file document, files documents, fix repair, fixed repaired,
flag switch, folder directory, format layout, function method, functions methods, gateway bridge, generate produce,
generated produced, handler receiver, header heading, hide conceal, hook trigger, hub centre, image picture, import
load, importer loader, index catalogue, input entry, install setup, invoice bill, issue ticket, issuer minter, job
task, kept stored, key password, label sticker, language locale, library package, lifetime expiry, limit maximum,
limiter throttle, line row, link reference, lint stylecheck, list enumerate, loader reader, local nearby, lock
mutex, log journal, login signin, loop cycle, mail email, map chart, memory ram, merge combine, message notice,
messages notices, method function, metrics measurements, missing absent, mock fake, move relocate, name title, names
titles, naming labelling, never nowise, notification alert, number figure, old previous, open unlock, option
setting, options settings, order sequence, output result, override replace, page screen, parse read, password
credential, path location, payment checkout, permission authorisation, plugin extension, pool reserve, prefer
favour, price cost, print display, printer typesetter, prompt request, public visible, push upload, query question,
queue backlog, rate frequency, read load, reading loading, reads loads, record entry, records entries, release
version, remove delete, rename retitle, replace swap, report summary, repository project, request call, requires
needs, resizer scaler, response reply, restart reboot, retention preservation, retry reattempt, return give, review
appraisal, rounding truncation, rule convention, rules conventions, run execute, runner executor, running executing,
scheduler planner, schema structure, scheme convention, scope extent, screen display, script program, search lookup,
secret confidential, sender dispatcher, server backend, service daemon, session visit, setting option, settings
configuration, setup installation, shipping delivery, show display, silent quiet, size length, skip omit, slow
sluggish, sort arrange, spec specification, start begin, starts begins, status state, stock inventory, stop end,
store keep, string text, support handle, sync mirror, table grid, tax duty, temporary scratch, test trial, tests
trials, thread worker, time clock, timeout deadline, token ticket, tool utility, tools utilities, touching altering,
translation localisation, type kind, types kinds, update refresh, upload transmission, url address, use employ, user
account, uses employs, using employing, value amount, values amounts, version revision, view panel, warning caution,
webhook callback, widget control, write save, wrong incorrect, zone region
"""
SYNONYMS: Mapping[str, str] = dict(pair.split() for pair in _PAIRS.replace("\n", " ").split(","))


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """A record, or a line of an instruction file. ``right`` is whether it is what holds about its subject.

    ``about`` is what it says without what sets it apart from others on the same subject.
    """

    id: str
    kind: Kind
    topic: str
    statement: str
    about: str
    at: datetime
    fate: Fate = "accepted"
    repository: str = HERE
    right: bool = False


def mine(records: Sequence[BenchRecord], random: Random) -> list[Query]:
    """The questions about every record that is right. Those in other words count; those by topic words are apart."""
    common = Counter(word for one in records for word in {*told(one.about)})
    found: list[Query] = []
    for one in records:
        if not one.right:
            continue
        relevant = {one.id: 1}
        if said := paraphrase(one.about):
            found.append(Query(f"words-{one.id}", said, relevant, now=NOW))
        if topic := topic_words(one.about, common, random):
            found.append(Query(f"topic-{one.id}", topic, relevant, now=NOW, part=TOPIC_WORDS))
    return found


def mine_absent(records: Iterable[BenchRecord], limit: int) -> list[Query]:
    """At most ``limit`` questions about other trades, of whose words no record has more than half."""
    held = [frozenset(analyze(one.statement).words) for one in records]
    texts = [topic for topic in TOPICS if is_elsewhere(topic, held)][:limit]
    return [Query(f"absent-{number}", text, type="negative", now=NOW) for number, text in enumerate(texts)]


def topic_words(about: str, common: Mapping[str, int], random: Random) -> str:
    """The rarest words of a statement in any order; empty where it has too few that tell anything."""
    every = sorted({*told(about)}, key=lambda word: (common[word], word))[:_TOLD]
    random.shuffle(every)
    return " ".join(every) if len(every) == _TOLD else ""


def paraphrase(about: str) -> str:
    """A statement's telling words with every one replaced that has a synonym; empty where too few have."""
    said = told(about)[:_MAX_WORDS]
    other = [SYNONYMS.get(word, word) for word in said]
    return " ".join(other) if sum(map(str.__ne__, said, other)) >= _REPLACED else ""


def told(text: str) -> list[str]:
    """The words of a text that tell something, in their order and each once, in small letters."""
    return [word for word in dict.fromkeys(map(str.lower, words(text))) if word not in STOP_WORDS and len(word) > 1]


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
    """Invented records about ``subjects`` subjects, at most 1,200. The same seed gives the same records.

    Each subject is an aspect of a component, such as the retry limit of the export service, and has one record that
    holds. Most have others about the same subject: what it replaced, what was rejected or has expired, an older
    agreement, the same in another repository, candidates in several wordings, lines of an instruction file.
    """
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
