"""Whether a name can be a person's: agents, vendors, programs, roles and placeholders are none, however they are spelt.

A name that is typed is a claim. This keeps programs from being named by mistake or by habit, and proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

import orjson

from aicx.values import dataclass

MAX_NAME = 80
_WORD = re.compile(r"[^\W\d_]+")
_ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "LISU", "COPTIC"})
# Cyrillic, Greek and Lisu letters that look like Latin ones.
_ALIKE = str.maketrans(
    "\u0430\u0432\u0441\u0501\u0435\u04bb\u0456\u0458\u043a\u04cf\u043c\u043e\u0440\u051b\u0455\u0442\u0443\u0445\u050d"
    "\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"
    "\ua4d0\ua4d1\ua4d3\ua4d4\ua4d6\ua4d7\ua4d9\ua4da\ua4dc\ua4dd\ua4df\ua4e0\ua4e1\ua4e2\ua4e3\ua4e6\ua4e7\ua4ea\ua4eb"
    "\ua4ec\ua4ee\ua4f0\ua4f2\ua4f3\ua4f4",
    "abcdehijklmopqstyxgaeikvoptux" + "bpdtgkjczfmnlsrvhwxyaeiou",
)
# Letters that are named for a Latin one: with a stroke or a hook, as a small capital, in a box.
_LATIN = re.compile(
    r"(?:LATIN|REGIONAL INDICATOR).* LETTER (?:SMALL CAPITAL |DOTLESS |OPEN |SCRIPT |TURNED )?([A-Z])(?: WITH .*)?"
)
# Digits and signs that are written for letters; 1 and its like for two.
_LEET = str.maketrans("0134578@$!|\u20ac69", "oleastbasllegg")
_LEET_I = str.maketrans("1!|", "iii")
_MIN_PART = 3  # of words that are written as one, such as "claudecode"
_MIN_RUN = 5


@dataclass(frozen=True, slots=True)
class _Names:
    """Words, as they are compared: none of ``nobody`` is a person's name by itself, nor beside those of ``beside``."""

    models: frozenset[str]
    nobody: frozenset[str]
    never: frozenset[str]
    beside: frozenset[str]
    through: frozenset[str]
    whole: frozenset[str]
    without_runs: frozenset[str]


@cache
def _names() -> _Names:
    listed = orjson.loads(files("aicx").joinpath("data/names.json").read_bytes())

    def words(*keys: str) -> frozenset[str]:
        return frozenset("".join(_words(_plain(one))) for key in keys for one in listed[key])

    models = words("agents", "vendors", "kinds")
    runs = frozenset(_runs_off(one) for one in models if len(one) >= _MIN_RUN)
    whole = words("whole")
    nobody = models | words("programs", "roles", "placeholders")
    return _Names(models, nobody, words("never"), words("beside"), words("through"), whole, runs)


@lru_cache(maxsize=1024)
def is_person(name: str | None) -> bool:
    """Whether ``name`` can be a person's: printable words on one line that name no program, role or placeholder."""
    if not name or len(name) > MAX_NAME or not name.isprintable() or name != name.strip():
        return False
    return bool(_words(_plain(name))) and not _mixes_alphabets(name) and not any(map(_is_nobody, _readings(name)))


@lru_cache(maxsize=1024)
def is_model(name: str) -> bool:
    """Whether a name is an agent's or a model's, whose word proves nothing, in whatever spelling."""
    listed = _names()
    for words in _readings(name):
        whole = "".join(words)
        if whole in listed.models or (set(words) & listed.models and set(words) <= listed.models | listed.beside):
            return True
    return False


def _is_nobody(words: list[str]) -> bool:
    listed, found, whole = _names(), set(words), "".join(words)
    if found & listed.never or whole in listed.nobody or whole in listed.whole:
        return True
    if found & listed.models and found & listed.through:
        return True
    if found & listed.nobody and found <= listed.nobody | listed.beside:
        return True
    # What a stretched or joined spelling hides: "claudee", "claudecode", "O p e n A I".
    if len(whole) >= _MIN_RUN and _runs_off(whole) in {_runs_off(one) for one in listed.models if len(one) >= _MIN_RUN}:
        return True
    return (len(words) == 1 or all(len(word) == 1 for word in words)) and _is_joined(whole, listed)


def _is_joined(whole: str, listed: _Names) -> bool:
    """Whether one word is made of listed ones, one of them of those that are nobody's name."""
    known = {one for one in listed.nobody | listed.beside if len(one) >= _MIN_PART}
    reached = {0: False}  # by how many letters are taken: whether one of nobody's words is among them
    for end in range(1, len(whole) + 1):
        for start in range(max(0, end - 20), end):
            part = whole[start:end]
            if start in reached and part in known:
                reached[end] = reached.get(end, False) or reached[start] or part in listed.nobody
    return reached.get(len(whole), False)


def _readings(name: str) -> Iterator[list[str]]:
    """The words of a name without digits, and with digits as the letters that they are written for."""
    plain = _plain(name)
    words = _words(plain)
    yield words
    if not plain.isascii() or not plain.isalpha():
        for table in (_LEET, {**_LEET, **_LEET_I}):
            yield _words(plain.translate(table))
    if sum(map(len, words)) <= 1 and any(map(str.isdigit, plain)):  # "o3", "4o"
        yield ["model"]


def _words(plain: str) -> list[str]:
    return _WORD.findall(plain)


def _plain(name: str) -> str:
    """A name as it is compared: small, without accents, and with Latin letters for those that only look like them."""
    small = unicodedata.normalize("NFKC", name).casefold().translate(_ALIKE)
    plain = unicodedata.normalize("NFKD", small)
    return "".join(map(_latin, plain))


def _latin(sign: str) -> str:
    if sign.isascii():
        return sign
    if unicodedata.combining(sign):
        return ""
    found = _LATIN.fullmatch(unicodedata.name(sign, ""))
    return found[1].lower() if found else sign


def _runs_off(text: str) -> str:
    return re.sub(r"(.)\1+", r"\1", text)


def _mixes_alphabets(name: str) -> bool:
    """Whether a word has letters of several alphabets, as none has that a person writes."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name))
    return any(len({unicodedata.name(sign, "").partition(" ")[0] for sign in word} & _ALPHABETS) > 1 for word in words)
