"""Questions mined from stored sessions: names, prompts that ask again, files on a day, and what was never discussed."""

from __future__ import annotations

import errno
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from random import Random

from aicx.bench.dataset import Query
from aicx.bench.mining import MinedSession, Prompt, latest, related
from retrieval.analysis import analyze

# File paths with an ending, names of two words or more in the usual styles, error codes and ticket numbers. Not what
# follows a backslash, which belongs to an escape, or a #, which begins a colour.
_PART = r"[A-Za-z_][\w.-]*"
_PATH = re.compile(rf"(?<![\w./~\\-])(?:\.{{1,2}}/|[ab]/)*((?:{_PART}/)+{_PART}\.[A-Za-z]{{1,5}})(?![\w/])")
_NAME = r"[a-z]+\d*(?:_[a-z0-9]+){1,5}|[a-z]+(?:[A-Z][a-z]+){1,5}|(?:[A-Z][a-z]+){2,5}"
_SYMBOL = re.compile(rf"(?<![\w./$\\-])(?:{_NAME})(?![\w/-])")
_SYSTEM = "|".join(sorted(errno.errorcode.values()))
_CODE = re.compile(
    rf"(?<![\w./#\\-])(?:{_SYSTEM}|ERR_[A-Z_]{{3,30}}|[A-Z]{{1,5}}\d{{4}}|[A-Z]{{2,6}}-\d{{2,5}})(?![\w/-])"
)
_KINDS = {"path": _PATH, "symbol": _SYMBOL, "code": _CODE}
_MIN, _MAX = 5, 100  # characters


def mine_identifiers(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` names that occur in one session only, as many of each kind as there are: asked for as they are,
    or without capitals, they have one right answer.

    Names come from what tools were given and what they printed, and count only if no other session says them anywhere,
    a part of a longer word included.
    """
    pools = {kind: _of_one_session(sessions, pattern) for kind, pattern in _KINDS.items()}
    for pool in pools.values():
        random.shuffle(pool)
    # People leave capitals out. From the other end, so that few names are asked for both ways.
    pools["lowered"] = [(name.lower(), key) for name, key in reversed(pools["symbol"]) if name.lower() != name]
    lowered = {session.key: [text.lower() for text in session.texts] for session in sessions}
    now = latest(sessions)
    queries: list[Query] = []
    left = [(kind, iter(pool)) for kind, pool in pools.items()]
    while left and len(queries) < limit:
        for kind, names in list(left):
            found = next((name for name in names if _only_in(name[0], name[1], lowered)), None)
            if found is None:
                left.remove((kind, names))
            elif len(queries) < limit:
                name, session = found
                queries.append(Query(f"identifier-{kind}-{len(queries)}", name, {session: 1}, "identifier", now))
    return queries


def _of_one_session(sessions: Sequence[MinedSession], pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Names that the tools of one session alone had to do with, each with that session."""
    holders: dict[str, str | None] = {}
    for session in sessions:
        found = {name for text in session.tool_texts for name in pattern.findall(text) if _MIN <= len(name) <= _MAX}
        for name in sorted(found):
            holders[name] = None if name in holders else session.key
    return [(name, session) for name, session in holders.items() if session]


def _only_in(name: str, session: str, lowered: dict[str, list[str]]) -> bool:
    sought = name.lower()
    return not any(sought in text for key, texts in lowered.items() if key != session for text in texts)


# Addresses and numbers of things elsewhere: prompts that are alike but for these ask about different things.
_ELSEWHERE = re.compile(r"\[?https?://\S+|\S*#\d+\S*|\b[A-Z]+-\d+\b")
_MIN_WORDS, _MAX_WORDS = 4, 60
# Cosine of the rarity of shared words. Above the higher it is the same prompt sent again; below the lower, chance.
_ALIKE, _SAME = 0.4, 0.9
_MAX_REPEATS = 3  # a prompt that comes in more is a habit ("run the tests"), not a question
# Two prompts are about one thing when they share so many words that so few sessions' prompts hold.
_SHARED_RARE, _RARE = 2, 6


def mine_reasks(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` prompts that ask again what another session was asked earlier: the earlier one is the answer.

    The session that asks again is no answer, nor is one that belongs to it. Which prompts belong together is told by
    the words they share, weighed by rarity. That favours rankers that look at words; what it measures is finding the
    session among all others, not understanding.
    """
    by_key = {session.key: session for session in sessions}
    prompts = sorted((prompt for session in sessions for prompt in session.prompts), key=lambda prompt: prompt.at)
    told = [(prompt, words) for prompt in prompts if _MIN_WORDS <= len(words := _words(prompt.text)) <= _MAX_WORDS]
    queries: dict[str, Query] = {}
    for place, likeness in _alike(told):
        prompt = told[place][0]
        answers = {
            earlier.session: cosine
            for earlier, cosine in likeness
            if earlier.session != prompt.session and not related(by_key[earlier.session], by_key[prompt.session])
        }
        if 0 < len(answers) <= _MAX_REPEATS and max(answers.values()) < _SAME:
            queries[prompt.text] = _query(prompt, sorted(answers))
    found = list(queries.values())
    random.shuffle(found)
    return found[:limit]


def _query(prompt: Prompt, answers: Sequence[str]) -> Query:
    return Query(
        f"reask-{prompt.session[:8]}-{prompt.at:%Y%m%d%H%M%S}",
        prompt.text,
        dict.fromkeys(answers, 1),
        now=prompt.at,
        exclude=prompt.session,
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(analyze(_ELSEWHERE.sub(" ", text)).words)


def _alike(told: Sequence[tuple[Prompt, frozenset[str]]]) -> Iterator[tuple[int, list[tuple[Prompt, float]]]]:
    """Each prompt's place with the earlier ones that are about the same and their cosines, least alike first."""
    holders: dict[str, set[str]] = {}
    for prompt, words in told:
        for word in words:
            holders.setdefault(word, set()).add(prompt.session)
    sessions = len({prompt.session for prompt, _ in told})
    weights = {word: math.log(1 + sessions / len(held)) ** 2 for word, held in holders.items()}

    def size(words: frozenset[str]) -> float:
        return sum(weights[word] for word in sorted(words))

    rare: dict[str, list[int]] = {word: [] for word, held in holders.items() if len(held) <= _RARE}
    for place, (_, words) in enumerate(told):
        shared = Counter(earlier for word in words if word in rare for earlier in rare[word])
        near = []
        for earlier in sorted(earlier for earlier, count in shared.items() if count >= _SHARED_RARE):
            prompt, others = told[earlier]
            cosine = size(words & others) / math.sqrt(size(words) * size(others))
            if cosine >= _ALIKE:
                near.append((prompt, cosine))
        yield place, sorted(near, key=lambda pair: pair[1])
        for word in words & rare.keys():
            rare[word].append(place)


# Apart from the rest: a ranker that reads dates wins these whatever else it does.
DATED = "questions with a date"
_MAX_TOUCHING = 20  # a file that everybody touches, such as a lock file, tells nothing


def mine_dates(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` files that different sessions touched on different days, each asked for with one of the days.

    Of the form ``path on 2026-01-31``, with the date written in three ways in turns.
    """
    by_key = {session.key: session for session in sessions}
    touched: dict[str, dict[str, set[str]]] = {}
    for session in sessions:
        for path, days in session.files.items():
            for day in days:
                touched.setdefault(path, {}).setdefault(day, set()).add(session.key)
    asked = [
        (path, day, keys)
        for path, days in touched.items()
        for day, keys in days.items()
        if _tells(path, days, keys, by_key)
    ]
    random.shuffle(asked)
    now = latest(sessions)
    queries: list[Query] = []
    seen: set[str] = set()
    for path, day, keys in asked:
        if path not in seen and len(queries) < limit:
            seen.add(path)
            text = f"{_tail(path)} {_written(date.fromisoformat(day), len(queries))}"
            relevant = dict.fromkeys(sorted(keys), 1)
            queries.append(Query(f"temporal-{len(queries)}", text, relevant, "temporal", now, part=DATED))
    return queries


def _tells(path: str, days: dict[str, set[str]], keys: set[str], by_key: dict[str, MinedSession]) -> bool:
    """Whether the day decides: others touched the file too, on other days alone, and not on this session's behalf."""
    others = set().union(*days.values()) - keys
    if len(keys) != 1 or not 0 < len(others) < _MAX_TOUCHING or "." not in path.rpartition("/")[2]:
        return False
    session = by_key[next(iter(keys))]
    return not any(related(session, by_key[other]) for other in others)


def _tail(path: str) -> str:
    """Returns the last two names of a path, which is the part that people remember."""
    return "/".join(path.split("/")[-2:])


def _written(day: date, form: int) -> str:
    return (f"on {day.isoformat()}", f"on {day.day} {day:%B %Y}", f"on {day:%B} {day.day}, {day.year}")[form % 3]


# Things people ask about elsewhere. A corpus in which one of them was discussed is not asked about that one.
TOPICS = (
    "how does the kubernetes ingress renew its tls certificate",
    "why was the kafka consumer group rebalanced so often",
    "unity shader flickers on android tablets",
    "which airflow dag loads the invoices into the warehouse",
    "terraform state lock in the s3 bucket after the failed apply",
    "rails migration that renamed the customers table",
    "how do we throttle the bluetooth scan on ios",
    "the postgres replica lags behind during vacuum",
    "stripe webhook signature fails in the sandbox",
    "who decided against graphql subscriptions",
    "latex bibliography is missing in the printed thesis",
    "wordpress plugin breaks the checkout page",
    "why does the elasticsearch shard stay unassigned",
    "camera calibration of the drone before take-off",
    "excel macro that merges the payroll sheets",
    "how was the cuda kernel made faster on the jetson",
    "ansible playbook hangs while gathering facts",
    "translation of the onboarding emails into portuguese",
    "rollback of the mobile banking release in spring",
    "the recommender overfits on the movie ratings",
    "oauth consent screen for the calendar add-on",
    "why did the raspberry pi lose its wifi at night",
    "mongodb aggregation that counts the tickets per venue",
    "seat map of the theatre shows sold places as free",
    "fortran solver diverges for the turbulent inlet",
    "how do we anonymise patient records for the study",
    "jenkins agent runs out of disk on the windows node",
    "the chess engine blunders in rook endgames",
    "swift widget does not refresh the weather",
    "spark job skews on the country column",
    "which font does the museum catalogue use",
    "redis cluster failover lost the shopping carts",
    "vhdl testbench for the uart receiver",
    "speech recogniser confuses dialects of swiss german",
    "the ledger rounds vat wrongly for reverse charge",
    "how is the satellite orbit propagated between passes",
    "salesforce sync creates duplicate leads",
    "flutter map tiles are blurred on retina displays",
    "grafana alert fires for the night shift only",
    "protein folding run crashed on the second gpu",
)  # fmt: skip
_MAX_SHARE = 0.5  # of a topic's words that any session may hold
_FEW = 3  # sessions at most that hold a word which tells one session from another


def mine_absent(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions about what was never discussed: right are no answers, or those labelled as weak.

    Half of them are topics of other trades, half two rare words of unrelated sessions.
    """
    held = {session.key: words_of(session) for session in sessions}
    elsewhere = [topic for topic in random.sample(TOPICS, len(TOPICS)) if is_elsewhere(topic, list(held.values()))]
    apart = _apart(sessions, held, limit, random)
    texts = [*elsewhere[: limit - min(len(apart), limit // 2)], *apart][:limit]
    now = latest(sessions)
    return [Query(f"negative-{number}", text, type="negative", now=now) for number, text in enumerate(texts)]


def words_of(session: MinedSession) -> frozenset[str]:
    """Every word of a session, as an index has it."""
    return frozenset(analyze(" ".join(session.texts)).words)


def is_elsewhere(topic: str, held: Sequence[frozenset[str]]) -> bool:
    """Whether no session holds more than half of its words."""
    words = frozenset(analyze(topic).words)
    return all(len(words & each) <= _MAX_SHARE * len(words) for each in held)


def _apart(sessions: Sequence[MinedSession], held: dict[str, frozenset[str]], limit: int, random: Random) -> list[str]:
    """Pairs of words, each typed in a prompt of its own folder, that no session holds together."""
    typed: dict[str, MinedSession] = {}
    for session in sessions:
        for prompt in session.prompts:
            typed |= dict.fromkeys((word for word in prompt.text.lower().split() if word.isalpha()), session)
    counts = {word: sum(stem in words for words in held.values()) for word in typed if (stem := _stem(word))}
    rare = sorted(word for word, count in counts.items() if 0 < count <= _FEW)
    random.shuffle(rare)
    pairs: list[str] = []
    for one, other in zip(rare[::2], rare[1::2], strict=False):
        first, second = typed[one], typed[other]
        together = any({_stem(one), _stem(other)} <= words for words in held.values())
        if len(pairs) < limit and not first.folders & second.folders and not together:
            pairs.append(f"{one} {other}")
    return pairs


def _stem(word: str) -> str:
    return next(iter(analyze(word).words), "")
