"""Which language a text is in, told by its commonest words, and the stems of words in languages other than English.

English is the language of everything that is not clearly in another one: of code and of what tools print, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

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
_SAMPLE, _FEWEST, _SHARE = 60, 2, 0.1


def language_of(runs: Sequence[str]) -> str:
    """The language of a text by its words; empty for English, and where nothing tells."""
    sample = runs[:_SAMPLE]
    if _ANY.isdisjoint(sample):
        return ""
    words = [run.lower() for run in sample]
    score, language = max((score, language) for language, score in _scores(words).items())
    return language if score >= max(_FEWEST, _SHARE * len(words)) and score > _english(words) else ""


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
