"""At a prompt: the one earlier turn that this was asked, decided or tried in, where the evidence is strong."""

from __future__ import annotations

from functools import cache
from math import fsum, log

from aicx.reminders.index import Index, Turn, Wording, file_name, identifier, is_file, wording

# A word is evidence where it comes up in few sessions: in two, or in one of twelve. So is a name, in these.
_FEW, _SHARE = 2, 1 / 12
_NAMED_IN = 5
# How much of what a prompt is about must come up in what was said then, by how much else speaks for it: nothing but the
# words of the question, a file that both name, an identifier that is told, phrases, or words made up for code.
_SAME, _SAME_WORDS, _ALIKE = 0.6, 4, 0.4
_WITH_FILE, _FILE_WORDS = 0.25, 2
_WITH_CODE, _WITH_SHORT, _SHORT = 0.2, 0.3, 14
_WITH_NAMES, _NAMES = 0.4, 2
_WITH_PHRASES, _PHRASES = 0.3, 2
_WITH_ONE_PHRASE, _WORDS_BESIDE, _RARE = 0.5, 4, 3
# Files of which every other repository has one say little.
_EVERYWHERE = """AGENTS.md CLAUDE.md GEMINI.md SKILL.md README.md CHANGELOG.md package.json pyproject.toml Cargo.toml
    go.mod settings.json config.yaml config.toml index.js index.ts index.html main.go main.py main.rs __init__.py"""
# Words of a prompt from which on it is a long one, which names much: that much of it has to be what was asked then.
_LONG, _LONG_OWN, _LONG_NAMES = 30, 0.15, 2
# A decision of whose words the prompt has so many tells nothing that the prompt does not say.
_RESTATED = 0.7
# A prompt of fewer words leans on what was said before it.
_MIN_WORDS = 3
# What was asked word for word in so many sessions is asked by a program, or as a matter of course.
_TEMPLATE = 2
# How much of a question, and of what came of it, is told; of the latter what says most of the names and words of the
# prompt, a name counting as much as words that few sessions say.
_TOLD = 320
_NAME = 4.0
_ENDS = (".", "!", "…", "。")


def find_earlier(index: Index, session: str, prompt: str) -> list[Turn]:
    """The earlier turns that a prompt is about, the most certain first, one of each session; none most of the time."""
    asked = wording(prompt, index.project)
    if not asked.names and len(asked.words) < _MIN_WORDS:
        return []
    spread = index.spread(asked.every)
    sessions = index.sessions
    few = max(_FEW, sessions * _SHARE)
    # A question whose every word is a common one is found by all of them.
    telling = {word for word, count in spread.items() if count <= (_NAMED_IN if word in asked.names else few)}
    telling = telling or set(asked.words)
    turns = index.turns(telling, session) if telling else []
    if sum(" ".join(prompt.split()) == turn.asked for turn in turns) >= _TEMPLATE:
        return []
    weights = {word: log(1 + sessions / spread.get(word, 0.7)) for word in asked.words}
    weighed = sorted((found for turn in turns if (found := _weigh(turn, asked, weights, spread, few))), reverse=True)
    best: dict[str, Turn] = {}
    for _, _, turn in weighed:
        best.setdefault(turn.session, turn)
    return [turn._replace(came=_to_the_point(turn.came, asked, weights, index.project)) for turn in best.values()]


def _to_the_point(came: str, asked: Wording, weights: dict[str, float], project: str) -> str:
    """Of the sentences of a report those that a prompt is about, as far as they fit; its first where none is."""

    def worth(line: str) -> float:
        said = wording(line, project)
        return _NAME * len(asked.names & said.names) + fsum(weights[word] for word in asked.words & said.words)

    lines = came.split("\n")
    worths = list(map(worth, lines))
    best = max(range(len(lines)), key=worths.__getitem__)
    # The sentence that names what was asked for may only announce the one below it.
    order = [place for place in sorted(range(len(lines)), key=lambda place: -worths[place]) if worths[place]]
    kept, room = list[int](), _TOLD
    for place in dict.fromkeys([best, *order, *range(best + 1, len(lines))]):
        if kept and len(lines[place]) > room:
            break
        kept.append(place)
        room -= len(lines[place]) + 1
    told = [lines[place] for place in sorted(kept)]
    return " ".join(line if line.endswith(_ENDS) else f"{line};" for line in told).rstrip(";")


def _weigh(
    turn: Turn, asked: Wording, weights: dict[str, float], spread: dict[str, int], few: float
) -> tuple[float, str, Turn] | None:
    """How strongly a turn is what a prompt is about; None where nothing speaks for it but a few words."""
    every = turn.own | turn.more
    total = sum(weights.values()) or 1.0
    own, shared = asked.words & turn.own, asked.words & every
    share_own = fsum(weights[word] for word in own) / total
    share = fsum(weights[word] for word in shared) / total
    words_then = sum("#" not in word and ":" not in word and " " not in word for word in turn.own)
    if not turn.came and len(own) >= _RESTATED * words_then:
        return None
    alike = len(own) / max(1, len(asked.words) + words_then - len(own))
    is_long = len(asked.words) >= _LONG
    named = {name for name in asked.names & every if spread[name] <= _NAMED_IN}
    if is_long and share_own < _LONG_OWN and len(named) < _LONG_NAMES:
        named = set()
    files, code = set(filter(is_file, named)), set(filter(identifier, named))
    if subjects := named - files - code:
        return 4 + bool(subjects & turn.own) + share, turn.at, turn
    if len(own) >= _SAME_WORDS and share_own >= _SAME and alike >= _ALIKE:
        return 3 + share_own, turn.at, turn
    # What a long prompt says besides is often pasted: only what was asked then counts for it.
    pairs = {pair for pair in asked.pairs & (turn.own if is_long else every) if spread[pair] <= few}
    rare = {word for word in shared if spread[word] <= few}
    if (
        (len(pairs) >= _PHRASES and share >= _WITH_PHRASES)
        or (pairs & turn.own and len(rare) >= _RARE and len(shared) >= _WORDS_BESIDE and share >= _WITH_ONE_PHRASE)
        or (files - _everywhere() and len(shared) >= _FILE_WORDS and share >= _WITH_FILE)
        or _tells(turn, {identifier(name) for name in code if spread[name] <= few}, share)
    ):
        return 2 + (share + share_own) / 2, turn.at, turn
    made_up = {word for word in asked.made_up & every if spread[word] <= few}
    if len(made_up) >= _NAMES and share >= _WITH_NAMES:
        return 1 + share, turn.at, turn
    return None


def _tells(turn: Turn, code: set[str], share: float) -> bool:
    """Whether what is told of a turn names these identifiers of the code; a short one may be a product or a type."""
    words = f"{turn.asked[:_TOLD]} {turn.came}".casefold()
    named = [name for name in code if name in words]
    is_short = len(named) == 1 and len(named[0]) < _SHORT
    return bool(named) and share >= (_WITH_SHORT if is_short else _WITH_CODE)


@cache
def _everywhere() -> frozenset[str]:
    return frozenset(map(file_name, _EVERYWHERE.split()))
