"""The index of what earlier sessions asked, decided and mended, for hooks: one SQLite file below ``index/``.

Derived: it may be deleted at any time, and the next `aicx store` makes it again. This module only reads: the words and
names in a text, the turns that are known by them, and after a failed command what ended the same failure in an earlier
session, known by its message. It imports little, since it is read at every prompt.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

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
    """Returns what the first ``limit`` signs of a text are recognised by.

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


VERSION = 3
NAME = "reminders.sqlite"
# That another process writes at this moment is no reason to keep a session waiting.
_BUSY_SECONDS = 0.15
_MAX_FIXES = 400
SCHEMA = """
CREATE TABLE meta(version TEXT, state TEXT) STRICT;
CREATE TABLE places(folder TEXT PRIMARY KEY, project TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE parts(agent TEXT, session TEXT, project TEXT, stamp TEXT, PRIMARY KEY (agent, session, project))
    STRICT, WITHOUT ROWID;
CREATE TABLE turns(id INTEGER PRIMARY KEY, project TEXT, agent TEXT, session TEXT, kind TEXT, at TEXT, chunk TEXT,
    asked TEXT, came TEXT, own TEXT, more TEXT) STRICT;
CREATE INDEX turns_by_part ON turns(project, agent, session);
CREATE TABLE finds(project TEXT, word TEXT, turn INTEGER, PRIMARY KEY (project, word, turn)) STRICT, WITHOUT ROWID;
CREATE INDEX finds_by_turn ON finds(turn);
CREATE TABLE spread(project TEXT, word TEXT, sessions INTEGER, PRIMARY KEY (project, word)) STRICT, WITHOUT ROWID;
CREATE TABLE fixes(project TEXT, id TEXT, agent TEXT, session TEXT, chunk TEXT, at TEXT, message TEXT, needle TEXT,
    must TEXT, command TEXT, files TEXT, ran TEXT, PRIMARY KEY (project, id)) STRICT, WITHOUT ROWID;
"""


class Turn(NamedTuple):
    """Something that an earlier session asked or decided. ``own`` are its words, ``more`` those of what came.

    ``came`` is what was reported, a sentence a line, and ``more`` has the names of what was changed meanwhile too.
    """

    id: int
    agent: str
    session: str
    kind: str
    at: str
    chunk: str
    asked: str
    came: str
    own: frozenset[str]
    more: frozenset[str]


class Fix(NamedTuple):
    """A failure that was seen to end, and the files and commands that ended it."""

    id: str
    agent: str
    session: str
    chunk: str
    at: str
    message: str
    needle: str
    must: str
    command: str
    files: str
    ran: str


class Index:
    """The file as it is, of one project. Raises sqlite3.Error for one that is busy or damaged."""

    def __init__(self, connection: sqlite3.Connection, project: str) -> None:
        self._asking = connection
        self.project = project

    @property
    def sessions(self) -> int:
        question = "SELECT count(DISTINCT agent || session) FROM turns WHERE project=?"
        found: int = self._asking.execute(question, [self.project]).fetchone()[0]
        return found

    def spread(self, words: Iterable[str]) -> dict[str, int]:
        """In how many sessions each word comes up, of those that come up at all."""
        wanted = list(words)
        rows = self._asking.execute(
            f"SELECT word, sessions FROM spread WHERE project=? AND word IN ({_marks(wanted)})", [self.project, *wanted]
        )
        return dict(rows.fetchall())

    def turns(self, words: Iterable[str], without: str) -> list[Turn]:
        """The turns in which one of these words comes up, but none of the session ``without``."""
        wanted = list(words)
        rows = self._asking.execute(
            "SELECT id, agent, session, kind, at, chunk, asked, came, own, more FROM turns WHERE id IN"
            f" (SELECT turn FROM finds WHERE project=? AND word IN ({_marks(wanted)})) AND session!=?",
            [self.project, *wanted, without],
        )
        return [_turn(*row) for row in rows]

    def fixes(self, without: str) -> list[Fix]:
        """The failures that something ended, the last first, but none that only this session saw."""
        rows = self._asking.execute(
            "SELECT id, agent, session, chunk, at, message, needle, must, command, files, ran FROM fixes"
            " WHERE project=? AND session!=? ORDER BY at DESC LIMIT ?",
            [self.project, without, _MAX_FIXES],
        )
        return [Fix(*row) for row in rows]

    def decided(self, path: str, without: str) -> list[Turn]:
        """The decisions that name a file, by its path or the end of it, the last first."""
        parts = path.split("/")
        ends = ["/".join(parts[at:]) for at in range(max(1, len(parts) - 1))]
        found = self.turns(map(path_word, ends), without)
        return sorted((turn for turn in found if turn.kind == "decided"), key=lambda turn: turn.at, reverse=True)

    def close(self) -> None:
        self._asking.close()


def open_index(home: str, folder: str, remote: Callable[[], str]) -> Index | None:
    """Returns what is known of the repository at ``folder``; None where there is nothing. Raises sqlite3.Error.

    It is known by a folder that sessions worked in, or else as ``remote`` says.
    """
    path = os.path.join(home, "index", NAME)  # noqa: PTH118 - pathlib takes a fifth of what a silent hook costs
    if not os.path.exists(path):  # noqa: PTH110
        return None
    found = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
    version = found.execute("SELECT version FROM meta").fetchone()
    if version is None or version[0].partition(" ")[0] != str(VERSION):
        found.close()
        return None
    row = found.execute("SELECT project FROM places WHERE folder=?", [folder]).fetchone()
    return Index(found, row[0] if row else remote())


def _turn(
    id_: int, agent: str, session: str, kind: str, at: str, chunk: str, asked: str, came: str, own: str, more: str
) -> Turn:
    words = frozenset(own.split("\n")), frozenset(more.split("\n"))
    return Turn(id_, agent, session, kind, at, chunk, asked, came, *words)


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


# The end of an output says what went wrong; what a megabyte begins with does not.
MAX_OUTPUT = 200_000
# A message of fewer signs, or words, comes up everywhere.
_MIN_LENGTH, _MIN_WORDS = 16, 3
_SPACE = re.compile(r"\s+")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def normal(text: str) -> str:
    """A text as it is compared: without colours and case, one space between words, every number the same."""
    return _NUMBERS.sub("0", _SPACE.sub(" ", _COLOURS.sub("", text[-MAX_OUTPUT:]).casefold())).strip()


def needle_of(message: str) -> str | None:
    """Returns what an output has to hold; None for a message that would be found in many."""
    found = normal(message).rstrip("….")
    return found if len(found) >= _MIN_LENGTH and found.count(" ") + 1 >= _MIN_WORDS else None


def holds(output: str, needle: str, must: str) -> bool:
    """Whether a normal output reports a failure: by its message, and by the test or the file that it is about."""
    return needle in output and must in output


def find_fix(index: Index, session: str, output: str, command: str | None = None) -> Fix | None:
    """The failure that an output reports and that another session saw end, the longest message first.

    With ``command`` it is not known whether that failed: the failures of its program count, since another one may only
    show what was once printed. None where the output reports none of them.
    """
    said = normal(output)
    words = None if command is None else set(command.replace("/", " ").split())
    found = [
        fix
        for fix in index.fixes(session)
        if holds(said, fix.needle, fix.must) and (words is None or words & set(fix.command.split()[:1]))
    ]
    return max(found, key=lambda fix: (len(fix.needle), fix.at), default=None)
