"""Words as languages have them: stems, the commonest ones, which tell a text's language, and what a slip was meant for.

English is the language of everything that is not clearly in another one: of code and of what tools print, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

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
