"""Runs every scan over a text, and gathers what is found at the places they stop at."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aicx.redaction import shapes
from aicx.redaction.anchors import UNMARKED, Finding, as_bytes, names_copy
from aicx.redaction.announced import key_word_at
from aicx.redaction.arguments import argument_at, figures_after, slashed_at
from aicx.redaction.assignments import assigned_at
from aicx.redaction.bare import bare_after, hash_at, windows_hash_at
from aicx.redaction.commands import option_at
from aicx.redaction.encoded import behind_quotes, in_percent_signs, run_at, says_secret
from aicx.redaction.labels import labelled_at
from aicx.redaction.languages import foreign
from aicx.redaction.prose import told_at
from aicx.redaction.scans import scans
from aicx.redaction.standard_input import here_string_at, piped_at
from aicx.redaction.urls import url_at

# How many encodings are taken off, one within the other.
_DEEPEST = 3
_SHORTEST_RUN = 24
# «pw: abcd» is the shortest text that holds a secret.
_SHORTEST_TEXT = 7
# What follows the colon in a token of Asana and in a line of `.pgpass`, where it stands before the port.
_BEGIN_UNNAMED = b"0123456789abcdef*"
# What the scan for words that hold a `k` takes; all else that it takes begins with a `v` or `q`.
_KEY_WORDS = (b"k", b"ken", b"key")
_BEFORE_OPTIONS = " \n\t\"'`("


def find_all(text: str, depth: int = 0) -> list[Finding]:
    """Every secret of ``text``, in no order and possibly overlapping; ``depth`` counts the encodings taken off."""
    data = as_bytes(text)
    return find_in(text, data, names_copy(data), depth)


def find_in(text: str, data: bytes, names: bytes, depth: int = 0) -> list[Finding]:
    """``find_all`` of ``text``, of which the copies are made already."""
    if len(text) < _SHORTEST_TEXT:
        return []
    scan = scans()
    found = _by_prefix(text, data, depth)
    if scan.begin.match(names):
        found += bare_after(text, 0)
    if b"$" in data:
        found += (f for dollar in scan.hashes.finditer(data) for f in hash_at(text, dollar.start()))
    if b" " not in names and b"=" not in names and b"%" not in names and text.isascii():
        return found  # one word: an id, a path
    for sign in scan.signs.finditer(names):
        found += _at_sign(text, names, sign.start())
    if names.startswith((b"pw=", b"pin=")):
        found += _at_sign(text, names, names.index(b"="))
    for hit in scan.keys.finditer(names):
        if (hit[0] in _KEY_WORDS) == (text[hit.start()] in "kK"):
            found += _at_word(text, hit)
    for needed, where, find in scan.rare:
        if needed in names:
            found += (finding for hit in where.finditer(names) for finding in find(text, hit))
    # One byte is looked for in a tenth of the time it takes to begin a search.
    for dash in scan.dashes.finditer(data) if b"-" in data else ():
        at = dash.start()
        if text.startswith(("-secret ", "-SECRET "), at):
            found += labelled_at(text, at + len("-secret"))
        elif text.startswith("-cli ", at):
            found += argument_at(text, at)
        else:
            found += option_at(text, at) if text[at - 1] in _BEFORE_OPTIONS else shapes.mailchimp_at(text, at)
    if b"|" in data:
        found += (f for pipe in scan.pipes.finditer(data) for f in piped_at(text, pipe.start()))
    here = data.find(b"<<<") if b"<" in data else -1
    while here >= 0:
        found += here_string_at(text, here)
        here = data.find(b"<<<", here + 3)
    if b"%" in data and scan.percent.search(data):
        found += in_percent_signs(text)
    if not text.isascii():
        found += foreign(text, names)
    if b"\\" in data and b" u003d" in names:  # `=` as JSON escapes it
        found += (f for escaped in re.finditer(b"u003d", names) for f in assigned_at(text, escaped.start()))
    if depth < _DEEPEST and (
        (b"\\" in data and scan.quotes.search(data)) or (b"&" in data and scan.entities.search(data))
    ):
        found += behind_quotes(text, lambda plain: find_all(plain, _DEEPEST))
    return found


def _at_sign(text: str, names: bytes, at: int) -> list[Finding]:
    """What stands behind the sign at ``at``, or around it."""
    if names.startswith((b"//", b" / /"), at + 1):
        return list(url_at(text, at))
    if names.endswith(b"/user", 0, at) or names.startswith(b" auth ", at + 1):
        return list(argument_at(text, at))
    if names.endswith((b" /p", b" /pass"), 0, at):
        return list(slashed_at(text, at))
    if names.endswith(b"pin", 0, at):
        return list(figures_after(text, at))
    found = list(bare_after(text, at + 1)) if scans().bare.match(names, at + 1) else []
    found = found or list(assigned_at(text, at))
    if not found and names[at + 1 : at + 2] in _BEGIN_UNNAMED:
        found += list(shapes.unnamed_at(text, at)) or windows_hash_at(text, at)
    return found


def _at_word(text: str, hit: re.Match[bytes]) -> Iterable[Finding]:
    """What follows a word that holds a ``k``, ``v`` or ``q`` where ``hit`` begins."""
    if hit[0] in _KEY_WORDS:
        return key_word_at(text, hit)
    if hit[0] == b"ke":
        return told_at(text, hit.start() - 3, hit.end(), "password")
    return argument_at(text, hit.start())


def _by_prefix(text: str, data: bytes, depth: int) -> list[Finding]:
    """The tokens with a mark of their own, and the runs of base64 that hide one."""
    scan = scans()
    found: list[Finding] = []
    reached = run_end = 0
    for start, literal in scan.literals.hits(text, data):
        if start < reached:
            continue  # inside the last one found
        secrets = list(scan.finders[literal](text, start, literal))
        if not secrets and literal == UNMARKED and depth < _DEEPEST and start >= run_end:
            begin, run_end = run_at(text, start)
            if run_end - begin >= _SHORTEST_RUN and says_secret(
                text[begin:run_end], lambda plain: find_all(plain, depth + 1)
            ):
                secrets = [Finding(begin, run_end, "encoded-secret")]
        found += secrets
        reached = secrets[0].end if secrets else reached
    return found
