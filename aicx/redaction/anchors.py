"""Finding the few places of a text worth a closer look, fast: nearly all text holds no secret.

A regular expression with a hundred alternatives reads 20 MB/s. One that begins with a single fixed byte hops from one
such byte to the next and reads 1 GB/s. So a text is copied as bytes, with all the signs we wait for written as one. In
the copy for prefixes every ``_ . - A J K z ~`` is a ``-`` (each prefix we know holds one of them), and the signs of
shells and of encodings, ``| $ % & <``, are a ``|``. In the copy for names every sign that can stand between a name and
its value is a ``=``, a ``q`` or ``v`` is a ``c``, and every control is an escape. A copy has one byte for each code
point, so its offsets are the text's own; a hit in it is only a candidate, to be checked in the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType

from aicx.terminal import CONTROLS
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """``text[start:end]`` is a secret, according to ``rule``."""

    start: int
    end: int
    rule: str


def as_bytes(text: str) -> bytes:
    """One byte for each code point of ``text``; what Latin-1 lacks becomes ``?``."""
    return text.encode("latin-1", "replace")


def as_utf8(text: str) -> bytes:
    """``text`` in UTF-8 where it is not all ASCII; empty where it is, and every sign of it is in `as_bytes`."""
    return b"" if text.isascii() else text.encode("utf-8", "surrogatepass")


def _table(folds: Iterable[tuple[str, str]]) -> bytes:
    table = bytearray(range(256))
    for signs, folded in folds:
        for at, sign in enumerate(signs):
            table[ord(sign)] = ord(folded[at % len(folded)])
    return bytes(table)


_LITERAL_SIGN = "-"
_LITERALS = _table([("_.AJKz~", _LITERAL_SIGN), ("$%&<", "|")])
_NAMES = _table(
    [
        (CONTROLS.decode("latin-1"), "\x1b"),
        (ascii_uppercase, ascii_lowercase),
        ("_", "-"),
        ("qQvV", "c"),
        (":>|,", "="),
        ("\"'`\\])\t", " "),
    ]
)


def has_controls(names: bytes) -> bool:
    """Whether the text that ``names`` is a copy of holds a control of ASCII or Latin-1."""
    return b"\x1b" in names


def literals_copy(data: bytes) -> bytes:
    """The copy in which prefixes and the signs of shells are looked for."""
    return data.translate(_LITERALS)


def names_copy(data: bytes) -> bytes:
    """The copy in which names and the signs after them are looked for."""
    return data.translate(_NAMES)


def fold_name(name: str) -> str:
    """``name`` as it stands in the names copy."""
    return names_copy(as_bytes(name)).decode("latin-1")


def preceded_by(words: Mapping[str, str], then: str = "") -> str:
    """A regular expression for «one of ``words``, then ``then``, stand before this point, and its own end follows».

    ``words`` are given with their ends, which are regular expressions. Most places are given up after one look at the
    last sign: an engine that finds another one there does not even begin with an alternative.
    """
    ways = []
    for last, group, kinds in _by_last_sign(words):
        # Look-behinds take a fixed width, so words are grouped by length.
        by_length: dict[tuple[int, str], list[str]] = {}
        for word in group:
            by_length.setdefault((len(word), words[word]), []).append(re.escape(word))
        exact = "|".join(f"(?<={'|'.join(same)}){re.escape(then)}{end}" for (_, end), same in sorted(by_length.items()))
        ways.append(f"{re.escape(last)}{f'(?<={kinds})' if len(group) > 1 else ''}(?:{exact})")
    return f"(?<={'|'.join(ways)})"


def nearly_preceded_by(words: Iterable[str], then: str) -> str:
    """As `preceded_by`, but only the last four signs are looked at, and each for itself: it compiles in no time."""
    return f"(?<=(?:{'|'.join(f'{re.escape(last)}(?<={kinds})' for last, _, kinds in _by_last_sign(words))}){then})"


def _by_last_sign(words: Iterable[str]) -> Iterator[tuple[str, list[str], str]]:
    """For each sign that words end in: it, the words, and a regular expression for the kinds of their last signs."""
    words = sorted(words)
    for last in sorted({word[-1] for word in words}):
        group = [word for word in words if word[-1] == last]
        shown = range(-min(4, *map(len, group)), 0)
        yield last, group, "".join(f"[{re.escape(''.join(sorted({word[at] for word in group})))}]" for at in shown)


# What follows a prefix: the first signs of a body, which a line break, a quote or a backslash may interrupt. Asking for
# them first is what makes the scan fast, since few of the signs we hop between are followed by so much unbroken text.
SHORTEST_BODY = 16
_BODY_AHEAD = rf"""(?=[A-Za-z0-9\n\\"'{_LITERAL_SIGN}]{{{SHORTEST_BODY}}})(?!{_LITERAL_SIGN * 3})"""

# Stands for the prefix at a place that has none.
UNMARKED = ""


class LiteralScan:
    """Finds the places where one of many prefixes ends and a body begins; each prefix holds a ``_ . - A J K z``.

    ``unmarked`` are regular expressions for other places worth a look, given at the end of a sign of the copy;
    ``demands`` says what must follow a prefix that ends in such a sign, in the copy.
    """

    def __init__(
        self, prefixes: Iterable[str], unmarked: Iterable[str] = (), demands: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._by_head: dict[bytes, list[str]] = {}
        for prefix in prefixes:
            folded = literals_copy(as_bytes(prefix))
            head = folded[: folded.rindex(_LITERAL_SIGN.encode()) + 1]
            assert len(head) > 1, f"{prefix} would stop the scan at every sign"
            self._by_head.setdefault(head, []).append(prefix)
        # The longest first: in `xoxe.xoxp-` the shorter prefix `xoxp-` is found too.
        self._lengths = sorted({len(head) for head in self._by_head}, reverse=True)
        # Short prefixes end many words, so the scan looks at what surrounds them, too.
        asked = {literals_copy(as_bytes(prefix)): demand for prefix, demand in demands.items()}
        sign = -len(_LITERAL_SIGN)
        heads = {head[:sign].decode("latin-1"): asked.get(head, "") for head in self._by_head}
        ways = "|".join([preceded_by(heads, _LITERAL_SIGN), *unmarked])
        self.hop = re.compile(f"{_LITERAL_SIGN}{_BODY_AHEAD}(?:{ways})".encode("latin-1"))

    def hits(self, text: str, copy: bytes) -> list[tuple[int, str]]:
        """(offset, prefix) for every prefix in ``text``, of which ``copy`` is the one for prefixes."""
        hop = self.hop.search(copy)
        found: list[tuple[int, str]] = []
        while hop:
            end = hop.end()
            starts = [end - length for length in self._lengths if length <= end]
            here = [
                (start, prefix)
                for start in starts
                for prefix in self._by_head.get(copy[start:end], ())
                if text.startswith(prefix, start)
            ]
            found += here or [(end, UNMARKED)]
            hop = self.hop.search(copy, end)
        return found
