"""Signs in the wording of a line: an outcome, the announcement of some work, or a question.

General cues of several languages. They order lines that share words with a question; no line is dropped for them alone.
Plain phrases, since hundreds of lines are looked at for one answer and an expression for all of them takes far longer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from aicx.values import regex

Wording = Literal["outcome", "narration", "plain"]


def _by_first_word(phrases: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Phrases by the word that a line has to have for each of them; by nothing where they are parts of a word."""
    found: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        word, space, _ = phrase.partition(" ")
        key = word if space else ""
        found[key] = (*found.get(key, ()), f" {phrase}")
    return found


# Compared with a line in lower case whose words stand between single spaces; a phrase that ends in none is a beginning.
_OUTCOME_WORDS = frozenset(
    """
    because conclusion decision decided confirmed failed fails never cannot can't doesn't don't didn't isn't wasn't
    fixed resolved removed replaced changed renamed moved added merged deleted updated pushed published released
    disabled enabled deprecated broken unsupported supported intended passes passed
    weil wegen ursache behoben entschieden ergebnis porque
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a column of strings
)
_OUTCOMES = _by_first_word(
    (
        *(
            "due to ",
            "thanks to ",
            "owing to ",
            "caused by ",
            "root cause ",
            "turns out ",
            "turned out ",
            "instead of ",
        ),
        *("reason is ", "reason was ", "issue is ", "issue was ", "problem is ", "problem was ", "bug is ", "bug was "),
        *("fix is ", "fix was ", "cause is ", "cause was ", "answer is ", "difference is ", "result is ", "error is "),
        *("means that ", "which means ", "in short ", "found the ", "found it ", "only works ", "no longer "),
        *("does not ", "do not ", "did not ", "is not ", "was not ", "now works ", "now uses "),
        *("grund ist ", "grund war ", "liegt an ", "parce qu", "à cause d", "grâce à ", "corrigé", "décidé"),
        *("au lieu d", "résultat", "debido a", "causa", "corregid", "decidi", "en lugar de ", "resultado", "gracias a"),
    )
)
_OPENING_OUTCOMES = (" yes ", " no ", " done ", " ja ", " nein ", " oui ", " non ", " sí ", " sim ", " não ")
_ANNOUNCEMENTS = (
    *("let me ", "let's ", "let us ", "i'll ", "i will ", "i shall ", "i should ", "i need to ", "i want to "),
    *("i must ", "i'd like to ", "the user is ", "the user was ", "the user want", "the user ask"),
    *("the user report", "the user mention", "the user say", "the user said ", "the user would ", "the user has "),
    *("user wants ", "ich werde ", "ich schaue ", "ich prüfe ", "ich suche ", "ich lese ", "ich sehe mir "),
    *("lass mich ", "lassen sie mich ", "nutzer möchte ", "benutzer möchte ", "nutzer will ", "benutzer will "),
    *("je vais ", "laissez moi ", "laisse moi ", "l'utilisateur veut ", "l'utilisateur demande ", "voyons "),
    *("voy a ", "vamos a ", "déjame ", "veamos ", "el usuario quiere ", "el usuario pide ", "vou ", "deixe me "),
)
_NARRATIONS = _by_first_word(_ANNOUNCEMENTS)
_OPENING_NARRATIONS = (
    *(f" {phrase}" for phrase in _ANNOUNCEMENTS),
    *(" i see ", " i can see ", " i have ", " i understand ", " looking at "),
)
# Chinese, Japanese and Korean have no spaces to look for.
_CJK_OUTCOMES = (
    *("ため", "原因", "修正しました", "決定", "結果", "ではなく", "因为", "由于", "修复", "决定", "结果", "而不是"),
    *("때문", "원인", "수정했", "결정했", "결과", "대신"),
)
_CJK_NARRATIONS = (
    *("確認します", "調査します", "検索します", "調べます", "見てみ", "ユーザーは", "让我", "我来", "我将", "我先"),
    *("用户想", "用户要", "用户希望", "用户问", "확인하겠", "살펴보겠", "찾아보겠", "사용자가", "사용자는"),
)
# "I'm checking", "I have been looking": any verb will do.
_AT_WORK = regex(r" i(?:'m| am) (?:now |currently |also |just |still )?\w+ing | i(?:'ve| have) been \w+ing ")
_INTERJECTION = regex(r"(?: (?:now|next|first|then|so|ok|okay|good|great|perfect|alright|also|excellent))+(?= )")
_NO_WORD = regex(r"[^\w']+")
# The same for a line in ASCII, as most are, and its letters as small ones: in a tenth of the time.
_SPACES = bytes(32 if sign < 128 and _NO_WORD.match(chr(sign)) else sign for sign in range(256)).lower()
_QUESTION = regex(
    r"[?\uff1f]\s*$|^\W*(?:why|what|how|when|where|which|who|does|do|did|is|are|was|can|could|should|would|will"
    r"|warum|wieso|was|wie|wann|wo|welche\w*|pourquoi|comment|quand|por ?qué|cómo|cuándo|qué)\b",
    re.IGNORECASE,
)
_MEMO_SIZE = 4096


@lru_cache(_MEMO_SIZE)
def wording_of(line: str) -> Wording:
    """Classifies a line, or a sentence: it says how something is, announces what comes next, or neither can be told."""
    wide = not line.isascii()
    if wide:
        words = _NO_WORD.sub(" ", line.replace(chr(0x2019), chr(39)).lower()).split(" ")
        words = words[not words[0] : len(words) - (not words[-1])]
    else:
        words = line.encode().translate(_SPACES).decode().split()
    plain = f" {' '.join(words)} "
    opening = plain[found.end() :] if (found := _INTERJECTION.match(plain)) else plain
    at_work = _AT_WORK.search(opening) if " i" in opening else None
    # What opens with an announcement gives reasons for that, not an answer.
    if opening.startswith(_OPENING_NARRATIONS) or (at_work and at_work.start() == 0):
        return "narration"
    narrates = at_work or _has(_NARRATIONS, opening, words) or (wide and _any(_CJK_NARRATIONS, plain))
    tells = plain.startswith(_OPENING_OUTCOMES) or not _OUTCOME_WORDS.isdisjoint(words)
    tells = tells or _has(_OUTCOMES, plain, words) or (wide and _any(_CJK_OUTCOMES, plain))
    return "plain" if bool(narrates) == tells else "narration" if narrates else "outcome"


def asks(line: str) -> bool:
    """Whether a line is a question."""
    return _QUESTION.search(line) is not None


def _has(phrases: dict[str, tuple[str, ...]], text: str, words: list[str]) -> bool:
    """Whether one of the phrases is in a text of these words."""
    if _any(phrases.get("", ()), text):
        return True
    keys = phrases.keys()
    return not keys.isdisjoint(words) and any(_any(phrases[word], text) for word in keys & words)


def _any(phrases: tuple[str, ...], text: str) -> bool:
    for phrase in phrases:  # noqa: SIM110 - a loop takes half the time of `any`
        if phrase in text:
            return True
    return False
