"""Questions about what was never discussed, in real words: right are no answers, or those labelled as weak."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from aicx.bench.dataset import Query
from aicx.bench.mining.sessions import MinedSession, latest
from retrieval.analysis import analyze

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
_RARE = 3  # sessions at most that hold a word which tells one session from another


def mine(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions: half of them topics of other trades, half two rare words of unrelated sessions."""
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
    rare = sorted(word for word, count in counts.items() if 0 < count <= _RARE)
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
