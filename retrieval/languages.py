"""Words as languages have them: stems, the commonest ones, which tell a text's language, and what a slip was meant for.

English is the language of everything that is not clearly in another one: of code and of what tools print, too.

Last, signs in the wording of a line: an outcome, the announcement of some work, or a question. General cues of several
languages. They order lines that share words with a question; no line is dropped for them alone. Plain phrases, since
hundreds of lines are looked at for one answer and an expression for all of them takes far longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Literal

from aicx.values import regex

# The commonest words of each language: they tell it from the others, and are not indexed.
_COMMON = {
    "german": """
        aber als am an auch auf aus bei beim bin bis bitte da damit dann das dass dem den der des die dies diese diesem
        diesen dieser dieses doch du durch ein eine einem einen einer eines er es für geht gibt hat habe haben hast
        hatte hier ich ihr im in ist ja jetzt kann kannst kein keine keinen können man mein mit muss nach nicht noch nur
        ob oder ohne schon sehr sein sich sie sind so soll sollen sollte über um und uns unser vom von vor wann waren
        war warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder wieso wir wird wo wohl
        wurde wurden zu zum zur zwischen
    """,
    "french": """
        a ai alors au aussi aux avec avons avez c ce ces cet cette comme comment d dans de des donc du elle elles en est
        et etait été était être fait faire il ils j je l la le les leur lui m ma mais me mes moi mon n ne nos notre nous
        on ont ou où par pas peut peux plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se
        ses si son sont sur t ta te tes toi ton tout tu un une vos votre vous y à ça
    """,
    "spanish": """
        a al algo ahora aqui aquí así como cómo con cual cuál cuales cuando cuándo de del desde donde dónde e el él ella
        en entre era es esa ese eso esta está están este esto estos fue ha hace han hasta hay he la las le les lo los
        más me mi muy nada ni no nos o para pero por porque puede que qué quien quién se sea ser si sí sin sobre son su
        sus también tan tiene tu tú un una unas uno unos usted y ya yo
    """,
}
STOP_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ENGLISH = frozenset(
    """
    and are be can did does for from have how is it not of that the this to was what why with you your
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a column of strings
)
# What English, and the words of programs, have as well; so have single letters.
_SHARED = frozenset(
    """
    ai am an as del die do en es in me mi no on or para se si so son sur ton tu un war was
    """.split()  # noqa: SIM905
)
_TELLING = {
    language: frozenset(word for word in words - _SHARED - _ENGLISH if len(word) > 1)
    for language, words in STOP_WORDS.items()
}
# What alone does not make a question one in another language: "needle in the hay".
_AMBIGUOUS = frozenset(
    """
    bin el est fait fort fue gene ha han hat hay he im la las les lo los main man par pour sans tan tout
    """.split()  # noqa: SIM905
)
_ANY = frozenset().union(*_TELLING.values())
# A text is judged by how it begins: by so many words, of which so many, and such a share, have to tell.
SAMPLE, _MIN_WORDS, _SHARE = 60, 2, 0.1


def language_of(runs: Sequence[str]) -> str:
    """The language of a text by its words; empty for English, and where nothing tells."""
    sample = runs[:SAMPLE]
    if _ANY.isdisjoint(sample):
        return ""
    words = [run.lower() for run in sample]
    score, language = max((score, language) for language, score in _scores(words).items())
    return language if score >= max(_MIN_WORDS, _SHARE * len(words)) and score > _english(words) else ""


def languages_of(question: Sequence[str]) -> tuple[str, ...]:
    """The languages that a question may be in, other than English: it is short, so that one clear word has to do."""
    words = [run.lower() for run in question]
    scores = _scores(words)
    most = max(scores.values())
    if most <= _english(words) or (most == 1 and not _AMBIGUOUS.isdisjoint(words)):
        return ()
    return tuple(name for name, score in scores.items() if score == most)


def _scores(words: Sequence[str]) -> dict[str, int]:
    return {language: sum(word in telling for word in words) for language, telling in _TELLING.items()}


def _english(words: Sequence[str]) -> int:
    return sum(word in _ENGLISH for word in words)


@lru_cache(50_000)
def stem(word: str, language: str) -> str:
    """The stem of a word in lower case, with its diacritics; empty for one of the language's commonest."""
    return "" if word in STOP_WORDS[language] else str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(language)


# How long a word has to be for a slip to be more likely than another word: two letters swapped or one doubled
# ("serach", "aplied"), a letter left out or put in ("boost" is not "boot"), another letter ("concert", "convert").
_SWAPPED, _LEFT_OUT, _REPLACED = 5, 6, 8
# Of fewer letters, what is left of a word is not known to be the same word.
SHORTEST = 5
# The stemmer takes one of these letters with the ending, so that "backoffing" is not found where "backoff" is.
_UNDOUBLED = regex(r"(\w+(bb|dd|ff|gg|mm|nn|pp|rr|tt))(ings?|ingly|ed|edly)")
_TRIPLED = regex(r"(.)\1\1")
# What words are made of others with: "rebalance" and "balancer" are words where "balance" is one.
_PREFIXES = """
    anti auto co counter cross de dis down fore hyper in inter mega meta micro mid mini mis multi non out over post pre
    proto pseudo re self semi sub super trans ultra un under up
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a column of strings
_SUFFIXES = """
    able d ed er ers ess ful ish ism ist ists less let like ness or ors r rs s ship st y
    """.split()  # noqa: SIM905


def slips(word: str) -> Iterator[list[str]]:
    """Yields the words that a word in lower case may be a slip of, the likelier slips in a list before others.

    First and last letter are as they were meant; words that end otherwise are other words, but for an ending that the
    stemmer takes off together with a letter of the word.
    """
    if whole := _UNDOUBLED.fullmatch(word):
        yield _others(word, [whole[1]])
    inner = range(1, len(word) - 1)
    if len(word) >= _SWAPPED:
        swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
        doubled = [word[:at] + word[at] + word[at:] for at in inner]
        single = [word[:at] + word[at + 1 :] for at in inner if word[at] == word[at + 1]]
        yield _others(word, [*swapped, *doubled, *single])
    if len(word) >= _LEFT_OUT:
        put_in = [word[:at] + letter + word[at:] for at in (*inner, len(word) - 1) for letter in _LETTERS]
        yield _others(word, [*put_in, *(word[:at] + word[at + 1 :] for at in inner)])
    if len(word) >= _REPLACED:
        yield _others(word, [word[:at] + letter + word[at + 1 :] for at in inner for letter in _LETTERS])


def made_of(word: str) -> list[str]:
    """Returns the words that a word may be made of by putting something before or behind it."""
    rests = [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    rests += [word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)]
    return [rest for rest in rests if len(rest) >= SHORTEST]


def _others(word: str, slipped: list[str]) -> list[str]:
    return [other for other in dict.fromkeys(slipped) if other != word and not _TRIPLED.search(other)]


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
