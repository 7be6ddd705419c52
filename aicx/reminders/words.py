"""The words and names in a text by which an earlier session is recognised.

A hook reads every prompt with this, so it imports little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

# What is further in a text is mostly pasted: a log, a file, what another program wrote.
MAX_TEXT = 1_500
_SIGNS_A_WORD, _SHORTEST = 37, 3
# What Claude Code puts below every plan that it hands on to a new session.
_PLAN_ENDS = "If you need specific details from before exiting plan mode"
_COMMON = Path(__file__).parents[1] / "data" / "common_words.txt"
_WORD = re.compile(r"[^\W_][\w'\u2019-]*[^\W_]")
# What words on both sides of it say nothing together.
_BETWEEN = re.compile(r"[\n|\"`/()]|[.,;:!?]+\s")
_URL = re.compile(r"https?://\S+")
_FORGE = re.compile(
    r"https?://[^/\s]+/([\w.-]+/[\w.-]+?)(?:/-)?/(?:issues|pull|pulls|merge_requests|discussions)/(\d+)"
)
_NUMBER = re.compile(
    r"\b([\w.-]+/[\w.-]+)#(\d+)\b|\b()(?:issue|pr|bug|pull request|ticket) #?(\d+)\b|(?<![\w/&])()#(\d{3,7})\b",
    re.IGNORECASE,
)
_GH = re.compile(r"\bgh (?:pr|issue) \w+ (?:-\S+ )*#?(\d+)\b")
_GH_OTHER = re.compile(r"\s(?:-R|--repo)[ =](\S+)")
_TICKET = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d{2,6}\b")
_COMMIT = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])(?:[0-9a-f]{7,10}|[0-9a-f]{40})\b")
_FILE = re.compile(r"(?<![\w.@/\\-])(?:[\w@.~-]*[\\/])*[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,5}\b")
# A long word of so many parts is what somebody called one thing in the code.
_CODE_NAME = "code:"
_CODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{9,80}")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CODE_PARTS = 2
# Standards and encodings that look like a ticket.
_NO_TICKETS = frozenset({"UTF", "ISO", "SHA", "RFC", "CVE", "HTTP", "GPT", "OSC"})
# A word that somebody made up for code: parts joined, a capital inside, letters with digits.
_MADE_UP = re.compile(r"\w[_-]\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")


class Wording(NamedTuple):
    """``names`` are the issues, commits, files and identifiers of the code that a text names.

    ``words`` are the stems of what it is about, ``made_up`` those of them that somebody made up for code, ``pairs`` two
    such stems that follow each other, with a space between.
    """

    names: frozenset[str]
    words: frozenset[str]
    made_up: frozenset[str]
    pairs: frozenset[str]

    @property
    def every(self) -> frozenset[str]:
        return self.names | self.words | self.pairs


def wording(text: str, project: str, limit: int = MAX_TEXT) -> Wording:
    """What the first ``limit`` signs of a text are recognised by.

    An issue of ``project`` is the same by its number and by its address.
    """
    # Imported here: the rest of this module is needed where there is nothing to stem.
    import Stemmer

    text = text.partition(_PLAN_ENDS)[0][:limit]
    stem, common = Stemmer.Stemmer("english").stemWord, _common()
    words: dict[str, str] = {}
    pairs: set[str] = set()
    for part in _BETWEEN.split(_FILE.sub("\n", _URL.sub("\n", text))):
        before = None
        for found in _WORD.finditer(part):
            word = found[0].casefold().replace("\u2019", "'")
            if len(word) < _SHORTEST or word in common or word.isdigit() or len(words) >= limit // _SIGNS_A_WORD:
                before = None
                continue
            stemmed = stem(word)
            words.setdefault(stemmed, found[0])
            if before is not None:
                pairs.add(f"{before} {stemmed}")
            before = stemmed
    made_up = (stemmed for stemmed, word in words.items() if _MADE_UP.search(word))
    return Wording(names_in(text, project), frozenset(words), frozenset(made_up), frozenset(pairs))


def names_in(text: str, project: str) -> frozenset[str]:
    """The issues, commits, files and identifiers that a text names."""
    plain = _URL.sub(" ", text)
    numbered = [tuple(filter(None, found)) for found in (*_FORGE.findall(text), *_NUMBER.findall(plain))]
    found = set(_numbered(numbered, project))
    found.update(one.casefold() for one in _TICKET.findall(plain) if one.partition("-")[0] not in _NO_TICKETS)
    found.update(map(commit_name, _COMMIT.findall(plain)))
    found.update(map(file_name, _FILE.findall(plain)))
    return frozenset(found).union(_code_in(_FILE.sub(" ", plain)))


def asked_of_forge(text: str, project: str) -> frozenset[str]:
    """The issues and pull requests that a call of a tool is about, by their addresses or as `gh` takes them."""
    found = set(_FORGE.findall(text)) if "://" in text else set()
    if "gh " in text and (named := _GH.search(text)):
        other = _GH_OTHER.search(text)
        found.add((other[1] if other else project, named[1]))
    return _numbered(found, project)


def _numbered(found: Iterable[Sequence[str]], project: str) -> frozenset[str]:
    """Issues by repository and number, or by number alone, as names; those of ``project`` by their number."""
    own = project.casefold()
    return frozenset(
        f"{'' if one[0].casefold() == own or len(one) < 2 else one[0].casefold()}#{one[-1]}" for one in found
    )


def _code_in(text: str) -> set[str]:
    """The identifiers of the code that a text names: words of several parts."""
    found = (one.strip("_") for one in _CODE.findall(text))
    return {f"{_CODE_NAME}{one.casefold()}" for one in found if len(_PART.findall(one)) >= _CODE_PARTS}


def files_in(text: str) -> list[str]:
    """The files that a text names, as paths with slashes."""
    found = (one.replace("\\", "/").lstrip("@") for one in _FILE.findall(_URL.sub(" ", text)))
    return list(dict.fromkeys(one.removeprefix("./").lstrip("/") for one in found))


def file_name(path: str) -> str:
    """A file as a name to look for: the last part of its path, in small letters."""
    return f"file:{path.replace(chr(92), '/').rsplit('/', 1)[-1].casefold()}"


def commit_name(commit: str) -> str:
    """A commit as a name to look for, however many of its letters are given."""
    return f"commit:{commit[:7]}"


def path_word(path: str) -> str:
    """A file as a word to look for: by its whole path."""
    return f"path:{path}"


def is_file(name: str) -> bool:
    return name.startswith("file:")


def identifier(name: str) -> str:
    """The identifier of the code that a name is, in small letters; empty for any other name."""
    return name.removeprefix(_CODE_NAME) if name.startswith(_CODE_NAME) else ""


@cache
def _common() -> frozenset[str]:
    lines = _COMMON.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
