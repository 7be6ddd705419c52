"""Secrets that are written in another way: base64 (of base64), percent signs, and quotes that are escaped.

And private keys in PEM armour: whole, cut at either end, indented, quoted, escaped, numbered, or inside a diff.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from urllib.parse import unquote

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.names import classify
from aicx.redaction.values import is_random, is_reference, is_stand_in

Search = Callable[[str], list[SecretFinding]]

# What a Secret holds beside its secrets.
_OPEN = frozenset(
    (
        "username",
        "user",
        "host",
        "hostname",
        "port",
        "database",
        "dbname",
        "url",
        "endpoint",
        "region",
        "tls.crt",
        "ca.crt",
    )
)
# base64 within base64 within base64 is the deepest that is looked at.
_DEEPEST = 3
_MAX_CHARS = 8192


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "run": re.compile(rf"[A-Za-z0-9+/_-]{{20,{_MAX_CHARS}}}={{0,2}}"),
        "before run": re.compile("[A-Za-z0-9+/_]*"),
        "data": re.compile(r"^[ ]{0,8}(data|stringData):[ ]*\n((?:[ ]{1,12}[^\n]*(?:\n|\Z))+)", re.MULTILINE),
        "entry": re.compile(
            r"""^[ ]{1,12}["']?([\w.-]{1,60})["']?:[ ]["']?([^\s"'|>#]{6,8192})["']?[ ]*$""", re.MULTILINE
        ),
        "login": re.compile(
            r"%3A(?:%2F|/){2}([^\s/%@:\"'<>]{0,64})(?:%3A|:)([^\s/@:\"'<>?&]{3,200}?)(?:%40|@)", re.IGNORECASE
        ),
        "sign": re.compile("%3[ADad]"),
        "before": re.compile(r"(?:%22|%7B|%26|%3F)*([A-Za-z_.-][\w.-]{1,59})(?:%22)?\Z"),
        "after": re.compile(r"(?:%20|\+)?(?:%22)?([\w.~-]{6,2048})"),
        "bearer": re.compile(r"Bearer(?:%20|\+)([\w.~-]{16,2048})", re.IGNORECASE),
        "quote": re.compile(r"(\\{1,4})u0022|\\{1,4}x22|&(?:quot|#34|#x22);"),
    }


def run_at(text: str, at: int) -> tuple[int, int]:
    """Where the run of base64 around ``at`` begins and ends."""
    before = _patterns()["before run"].match(text[max(0, at - 256) : at][::-1])
    start = at - (before.end() if before else 0)
    run = _patterns()["run"].match(text, start)
    return (start, run.end()) if run and run.end() > at else (at, at)


def says_secret(run: str, search: Search) -> bool:
    """Whether ``run`` is the base64 of a text that holds a secret according to ``search``, or is base64 again."""
    for _ in range(_DEEPEST):
        plain = decoded(run)
        if plain is None:
            return False
        if search(plain):
            return True
        inner = _patterns()["run"].fullmatch(plain.strip())
        if inner is None:
            return False
        run = inner[0]
    return False


def decoded(run: str) -> str | None:
    """The text of which ``run`` is the base64, or None when that is no text in ASCII."""
    run = run.rstrip("=")
    run = run[: len(run) - 1] if len(run) % 4 == 1 else run
    try:
        plain = base64.b64decode(run + "=" * (-len(run) % 4), altchars=b"-_" if "-" in run or "_" in run else None)
        text = plain.decode("ascii")
    except (binascii.Error, ValueError):
        return None
    return text if text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else None


def manifest_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The values below `data:` and `stringData:` in the Kubernetes Secret whose `kind` stands at ``at``."""
    first, last = text.rfind("\n---", max(0, at - _MAX_CHARS), at), text.find("\n---", at, at + _MAX_CHARS)
    first, last = max(first, at - _MAX_CHARS, 0), last if last >= 0 else min(len(text), at + _MAX_CHARS)
    for block in _patterns()["data"].finditer(text, first, last):
        for line in _patterns()["entry"].finditer(text, block.start(2), block.end(2)):
            plain = decoded(line[2]) if block[1] == "data" else line[2]
            if (
                plain
                and len(plain) >= 6
                and not is_stand_in(plain)
                and not is_reference(line[2])
                and line[1] not in _OPEN
            ):
                yield SecretFinding(line.start(2), line.end(2), "secret")


def in_percent_signs(text: str) -> Iterator[SecretFinding]:
    """Passwords of URLs and values of names that are percent-encoded, as in the query of another URL."""
    patterns = _patterns()
    for login in patterns["login"].finditer(text):
        given = unquote(login[2])
        if not is_reference(given) and not is_stand_in(given):
            yield SecretFinding(login.start(2), login.end(2), "url-password")
    for sign in patterns["sign"].finditer(text):
        before = patterns["before"].search(text[max(0, sign.start() - 66) : sign.start()])
        name = classify(before[1]) if before else None
        value = patterns["after"].match(text, sign.end()) if name else None
        if name and value and is_random(value[1], 12) and not is_stand_in(value[1]):
            yield SecretFinding(value.start(1), value.end(1), name.rule)
    for bearer in patterns["bearer"].finditer(text):
        if is_random(bearer[1], 16):
            yield SecretFinding(bearer.start(1), bearer.end(1), "authorization")


def behind_quotes(text: str, search: Search) -> Iterator[SecretFinding]:
    """Yields the findings of ``search`` once quotes written as `\\u0022`, `\\x22` or `&quot;` are quotes."""
    pieces: list[str] = []
    offsets: list[int] = []
    places: list[int] = []
    at = place = 0
    for quote in _patterns()["quote"].finditer(text):
        for piece, offset in ((text[at : quote.start()], at), ('"', quote.start())):
            if piece:
                pieces.append(piece)
                offsets.append(offset)
                places.append(place)
                place += len(piece)
        at = quote.end()
    if not pieces:
        return
    pieces.append(text[at:])
    offsets.append(at)
    places.append(place)
    for finding in search("".join(pieces)):
        first, last = (bisect_right(places, sign) - 1 for sign in (finding.start, finding.end - 1))
        yield SecretFinding(
            finding.start - places[first] + offsets[first], finding.end - places[last] + offsets[last], finding.rule
        )


RULE = "private-key"

# A 16,384-bit RSA key is 13 kB of armour; line numbers and escapes come on top.
_MAX_KEY_CHARS = 32_768
_MAX_LINE_LENGTH = 200


@cache
def _key_patterns() -> dict[str, re.Pattern[str]]:
    return {
        "begin": re.compile(r"-----BEGIN[A-Z0-9 ]{0,40} PRIVATE \Z"),
        "end": re.compile(r"-----END[A-Z0-9 ]{0,40} PRIVATE \Z"),
        "closing": re.compile(r"KEY(?: BLOCK)?(?:-----)?"),
        "whole end": re.compile(r"-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
        "break": re.compile(r"\r?\n|\\{1,4}r\\{1,4}n|\\{1,4}n"),
        "piece": re.compile(
            r"""[ \t]{0,40}(?:\d{1,6}[→\t:|-][ \t]?)?(?:[>+#*/│|-]{1,3}[ \t]{0,40})?["'`]?
            (?:([A-Za-z0-9+/]*={0,2})|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{0,120})
            ["'`]?[ \t]{0,40}[\\+,;│|]?[ \t]{0,40}""",
            re.VERBOSE,
        ),
        "run": re.compile(r"[A-Za-z0-9+/=]{16,}"),
    }


def key_at(text: str, start: int) -> Iterator[SecretFinding]:
    """The block whose BEGIN or END line holds ``PRIVATE KEY``, with the K at ``start``."""
    patterns = _key_patterns()
    before = text[max(0, start - 70) : start]
    closing = patterns["closing"].match(text, start)
    if closing is None:
        return  # in lower case, as people write about keys
    begin = patterns["begin"].search(before)
    if begin:
        opening = start - len(before) + begin.start()
        end = _end_of_body(text, closing.end())
        if end:
            yield SecretFinding(opening, end, RULE)
        return
    if patterns["end"].search(before):
        first = _start_of_body(text, start - len(before) + before.rindex("-----END"))
        if first is not None:
            yield SecretFinding(first, closing.end(), RULE)


def _end_of_body(text: str, at: int) -> int:
    """Where the block ends whose body begins at ``at``: after its END line, else after its last line; 0 if none."""
    patterns = _key_patterns()
    end = patterns["whole end"].search(text, at, at + _MAX_KEY_CHARS)
    if end:
        body = text[at : end.start()]
        runs = sum(len(run[0]) for run in patterns["run"].finditer(body))
        if runs >= 40 and runs * 2 > len(body):
            return end.end()
    limit = at + _MAX_KEY_CHARS
    last = seen = 0
    while at < min(limit, len(text)):
        gap = patterns["break"].match(text, at)
        if gap is None and last:
            break
        piece = patterns["piece"].match(text, gap.end() if gap else at)
        if piece is None or piece.end() == at or not _is_line_end(text, piece.end()):
            break
        at = piece.end()
        run = len(piece[1] or "")
        if run:
            seen += run
            last = at
        # Only the last line of a body is short.
        if 0 < run < 40:
            break
    return last if seen >= 16 else 0


def _is_line_end(text: str, at: int) -> bool:
    return at == len(text) or _key_patterns()["break"].match(text, at) is not None


def _start_of_body(text: str, end: int) -> int | None:
    """Where the body begins whose END line begins at ``end``, when its BEGIN line was cut away."""
    first, seen = _line_start(text, end), 0
    if text[first:end].strip(" \t>+#\"'0123456789→:|"):
        return None
    at = first
    while at > 0 and end - at < _MAX_KEY_CHARS:
        line_end = at - (1 if text[at - 1] == "\n" else 2)
        at = _line_start(text, line_end)
        piece = _key_patterns()["piece"].fullmatch(text[at:line_end].rstrip("\r\\"))
        run = len(piece[1] or "") if piece else 0
        # Read backwards, the short line comes first.
        if run < (40 if seen else 1):
            break
        seen += run
        first = at
    return first if seen >= 40 else None


def _line_start(text: str, at: int) -> int:
    """Where the line that holds the sign before ``at`` begins, after a line break or its escape."""
    lowest = max(0, at - _MAX_LINE_LENGTH)
    escaped = text.rfind("\\n", lowest, at)
    return max(lowest, text.rfind("\n", lowest, at) + 1, escaped + 2 if escaped >= 0 else 0)
