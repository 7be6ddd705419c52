"""At a prompt: the one earlier turn that this was asked, decided or tried in, where the evidence is strong."""

from __future__ import annotations

from math import log
from typing import NamedTuple

from aicx.reminders.index import Index, Turn
from aicx.reminders.words import Wording, is_file, wording

# A name or a word is evidence where it comes up in few sessions: in two, or in one of twelve.
_FEW, _SHARE = 2, 1 / 12
_NAMED_IN = 3
# How much of what a prompt is about must come up in what was said then, by how much else speaks for it: nothing but the
# words of the question, a file that both name, phrases, or names of the code.
_SAME, _SAME_WORDS, _ALIKE = 0.6, 3, 0.4
_WITH_FILE, _FILE_WORDS = 0.25, 2
_WITH_NAMES, _NAMES = 0.4, 2
_WITH_PHRASES, _PHRASES = 0.25, 2
_WITH_ONE_PHRASE, _WORDS_BESIDE, _RARE = 0.45, 4, 3
# Words of a prompt from which on it is a long one.
_LONG = 30
# A decision of whose words the prompt has so many tells nothing that the prompt does not say.
_RESTATED = 0.7
# A prompt of fewer words leans on what was said before it.
_LEAST = 3
# What was asked word for word in so many sessions is asked by a program, or as a matter of course.
_TEMPLATE = 2


class Evidence(NamedTuple):
    """A turn, and how strongly it is the one: compared as it is."""

    rank: float
    at: str
    turn: Turn


def find_earlier(index: Index, session: str, prompt: str) -> list[Turn]:
    """The earlier turns that a prompt is about, the most certain first, one of each session; none most of the time."""
    asked = wording(prompt, index.project)
    if not asked.names and len(asked.words) < _LEAST:
        return []
    spread = index.spread(asked.every)
    sessions = index.sessions
    few = max(_FEW, sessions * _SHARE)
    # A question whose every word is a common one is found by all of them.
    telling = {word for word, count in spread.items() if count <= few} or asked.words
    turns = index.turns(telling, session) if telling else []
    if sum(" ".join(prompt.split()) == turn.asked for turn in turns) >= _TEMPLATE:
        return []
    weights = {word: log(1 + sessions / spread.get(word, 0.7)) for word in asked.words}
    weighed = sorted((found for turn in turns if (found := _weigh(turn, asked, weights, spread, few))), reverse=True)
    best: dict[str, Turn] = {}
    for found in weighed:
        best.setdefault(found.turn.session, found.turn)
    return list(best.values())


def _weigh(
    turn: Turn, asked: Wording, weights: dict[str, float], spread: dict[str, int], few: float
) -> Evidence | None:
    """How strongly a turn is what a prompt is about; None where nothing speaks for it but a few words."""
    every = turn.own | turn.more
    total = sum(weights.values()) or 1.0
    own = asked.words & turn.own
    shared = asked.words & every
    share_own = sum(weights[word] for word in own) / total
    share = sum(weights[word] for word in shared) / total
    named = {name for name in asked.names & every if spread[name] <= _NAMED_IN}
    subjects = {name for name in named if not is_file(name)}
    made_up = {word for word in asked.made_up & every if spread[word] <= few}
    pairs = {pair for pair in asked.pairs & every if spread[pair] <= few}
    # What a long prompt says besides is often pasted: only what was asked then counts for it.
    if len(asked.words) >= _LONG:
        pairs &= turn.own
    rare = {word for word in shared if spread[word] <= few}
    words_then = sum("#" not in word and ":" not in word and " " not in word for word in turn.own)
    alike = len(own) / max(1, len(asked.words) + words_then - len(own))
    if not turn.came and len(own) >= _RESTATED * words_then:
        return None
    if subjects:
        rank = 4 + bool(subjects & turn.own) + share
    elif len(own) >= _SAME_WORDS and share_own >= _SAME and alike >= _ALIKE:
        rank = 3 + share_own
    elif (
        (len(pairs) >= _PHRASES and share >= _WITH_PHRASES)
        or (pairs & turn.own and len(rare) >= _RARE and len(shared) >= _WORDS_BESIDE and share >= _WITH_ONE_PHRASE)
        or (named and len(shared) >= _FILE_WORDS and share >= _WITH_FILE)
    ):
        rank = 2 + share
    elif len(made_up) >= _NAMES and share >= _WITH_NAMES:
        rank = 1 + share
    else:
        return None
    return Evidence(rank, turn.at, turn)
