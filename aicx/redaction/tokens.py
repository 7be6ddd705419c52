"""Tokens that say what they are: a fixed prefix of their issuer, then a generated body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.issuers import TOKENS, WORDS, Token
from aicx.redaction.values import is_random, is_stand_in
from aicx.redaction.wrapping import end_of_wrapped

# Room for the longest tokens there are; a bound keeps the work on hostile text linear.
_MAX_CHARS = 2048
# As much of a body as is needed to judge it.
_SAMPLE = 128


@cache
def _rows() -> dict[str, Token]:
    return {prefix: token for token in TOKENS for prefix in token.prefixes}


@cache
def _body(alphabet: str) -> re.Pattern[str]:
    return re.compile(f"([{alphabet}]{{0,{_MAX_CHARS}}})")


def token_at(text: str, start: int, prefix: str) -> Iterator[SecretFinding]:
    """The token that begins with ``prefix`` at ``start``, if it is one."""
    if not prefix.startswith(".") and not begins_here(text, start):
        return
    token = _rows().get(prefix)
    match = _body(token.body).match(text, start + len(prefix)) if token else None
    end = _end(token, text, match) if token and match else 0
    if token and end:
        yield SecretFinding(start, end, token.rule)
        if token.rule == "aws-access-key-id":
            yield from _aws_secrets_near(text, start)
    elif prefix in WORDS:
        yield from _worded_at(text, start, start + len(prefix))


@cache
def _worded() -> re.Pattern[str]:
    # In capitals, in small letters and with digits, as few ids are that people give to things.
    kinds = "".join(f"(?=[A-Za-z0-9]{{0,30}}[{kind}])" for kind in ("A-Z", "a-z", "0-9"))
    return re.compile(rf"{kinds}[A-Za-z0-9]{{24,512}}(?![\w-])", re.ASCII)


def _worded_at(text: str, start: int, body: int) -> Iterator[SecretFinding]:
    """The token of an unknown issuer whose prefix ends in a word that announces it."""
    if text[max(0, start - 4) : start].endswith(("pk_", "pk-", "pub_", "pub-")):
        return  # published, in spite of the word
    match = _worded().match(text, body)
    if match and is_random(match[0]) and not is_stand_in(match[0]):
        yield SecretFinding(start, match.end(), "token")


def _end(token: Token, text: str, match: re.Match[str]) -> int:
    """Where the token that begins with ``match`` ends, or 0 when it is none."""
    end = match.end()
    body = match[1][:_SAMPLE]
    if len(match[1]) < (token.full or _MAX_CHARS):
        end = end_of_wrapped(text, end, len(match[1]), token.body, token.full)
        body = re.sub(f"[^{token.body}]+", "", text[match.start(1) : end][:_SAMPLE])
    if token.least == token.full and len(body) != token.full:
        return 0
    if end == match.end():
        end -= len(match[1]) - len(match[1].rstrip("-_."))  # a sentence goes on
    return end if _is_body(body, token.least) and not is_stand_in(body) else 0


def _is_body(body: str, least: int) -> bool:
    if len(body.rstrip("-_.")) < least:
        return False
    # `glpat-like-words-in-a-row` is no token, one long unbroken run is.
    return is_random(body) or max(map(len, re.split(r"[-_.]", body))) >= least


@cache
def _aws_secret() -> re.Pattern[str]:
    return re.compile(r"(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])", re.ASCII)


def _aws_secrets_near(text: str, start: int) -> Iterator[SecretFinding]:
    """The secret keys in sight of an access key id: forty signs of base64 have no mark of their own."""
    for match in _aws_secret().finditer(text, max(0, start - 200), start + 300):
        run = match[0]
        if is_random(run) and any(map(str.isupper, run)) and any(map(str.islower, run)) and "//" not in run:
            yield SecretFinding(match.start(), match.end(), "aws-secret-key")


@cache
def _before() -> dict[str, re.Pattern[str]]:
    return {
        "escape": re.compile(r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|\[[0-9;]{0,8}m)\Z"),
        "mark": re.compile(r"\[REDACTED:[a-z0-9-]+\]\Z"),
    }


def begins_here(text: str, start: int) -> bool:
    """Whether no word runs into ``start``; the letter of an escape such as ``\\n`` or of a colour code is no word.

    What follows a mark directly is the rest of a run that was too long to be one secret.
    """
    if start == 0:
        return True
    before = text[start - 1]
    if before == "]":
        return _before()["mark"].search(text[max(0, start - 60) : start]) is None
    if not (before.isascii() and before.isalnum()):
        return True
    return _before()["escape"].search(text[max(0, start - 12) : start]) is not None
