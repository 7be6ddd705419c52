"""Secrets in HTTP headers: credentials after Authorization, bearer tokens anywhere, session cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.values import is_code, is_numbered_word, is_random, is_stand_in

_MAX_CHARS = 4096
_SCHEMES = "bearer|basic|token|apikey|api-key|key|negotiate|splunk"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "credentials": re.compile(
            rf"""[\s"'`\\\]|*:=,]{{0,10}}(?:({_SCHEMES})[ \\t"']{{1,4}})?([\w.~+/=|:-]{{6,{_MAX_CHARS}}})""",
            re.IGNORECASE | re.ASCII,
        ),
        # `SSWS …`, `GenieKey …`, and whatever an API calls its scheme
        "scheme": re.compile(r"""[\s"'`\\\]|*:=,]{0,10}[A-Za-z][\w-]{1,40}[ ]{1,2}(?=\S)""", re.ASCII),
        "parameter": re.compile(
            rf"""(?<![\w.~+/=-])(?:[\w-]{{1,40}}=)?\\?["']?([\w.~+/=|:@!-]{{16,{_MAX_CHARS}}})""", re.ASCII
        ),
        "bearer": re.compile(rf"bearer\s{{1,3}}([\w.~+/=-]{{16,{_MAX_CHARS}}})", re.IGNORECASE | re.ASCII),
        "cookie": re.compile(rf"(?<=[\s;:\"'])[\w.-]{{1,60}}=([\w.%~+/=:-]{{16,{_MAX_CHARS}}})", re.ASCII),
    }


def credentials_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The credentials in an Authorization header whose value begins at ``at``, with or without their scheme."""
    found = list(_known_scheme(text, at))
    yield from found
    scheme = None if found else _patterns()["scheme"].match(text, at)
    if scheme is None:
        return
    line_end = text.find("\n", scheme.end(), scheme.end() + _MAX_CHARS)
    end = line_end if line_end >= 0 else scheme.end() + _MAX_CHARS
    # The header ends where its own quote does; those of its parameters are followed by a comma, or by `=` before them.
    for match in _patterns()["parameter"].finditer(text, scheme.end(), end):
        given = match[1].rstrip(".:|,")
        if text[scheme.end() : match.start()].count('"') > 8:
            break
        if is_random(given, 16) and not is_stand_in(given) and not is_code(given):
            yield SecretFinding(match.start(1), match.start(1) + len(given), "authorization")


def _known_scheme(text: str, at: int) -> Iterator[SecretFinding]:
    match = _patterns()["credentials"].match(text, at)
    if match is None:
        return
    scheme, given = match[1], match[2].rstrip(".:|")
    if (
        is_stand_in(given)
        or is_code(given)
        or is_numbered_word(given)
        or text[match.end() : match.end() + 1] in ("(", "[", "{", "$")
    ):
        return
    # After a scheme even words may be meant, when there are several; one alone is prose.
    chosen = scheme and (len(given) >= 24 or "-" in given.strip("-"))
    if chosen or is_random(given, 6 if scheme else 12):
        yield SecretFinding(match.start(2), match.start(2) + len(given), "authorization")


def bearer_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The token after the word ``bearer`` at ``at``."""
    match = _patterns()["bearer"].match(text, at)
    if match and is_random(match[1], 16) and not is_stand_in(match[1]) and not is_code(match[1]):
        yield SecretFinding(match.start(1), match.end(1), "authorization")


def cookies_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The long generated values in the Cookie or Set-Cookie header whose value begins at ``at``."""
    line_end = text.find("\n", at, at + _MAX_CHARS)
    for match in _patterns()["cookie"].finditer(text, at, line_end if line_end >= 0 else at + _MAX_CHARS):
        if is_random(match[1], 16) and not is_stand_in(match[1]):
            yield SecretFinding(match.start(1), match.end(1), "cookie")
