"""Secrets known by their shape around a fixed string: signed tokens, bot tokens, webhooks, keys beside an id."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import Finding
from aicx.redaction.tokens import begins_here
from aicx.redaction.wrapping import end_of_wrapped

_URL64_DOTS = r"A-Za-z0-9_.-"


@cache
def _shapes() -> dict[str, re.Pattern[str]]:
    return {
        "jwt": re.compile(r"(eyJ[\w-]{5,1024})\.([\w-]{6,16384})(?:\.([\w-]{0,4096})){0,3}", re.ASCII),
        "jwt run": re.compile(r"eyJ[\w-]{16,1024}", re.ASCII),
        "not jwt": re.compile(r"[^\w.-]", re.ASCII),
        "telegram": re.compile(r"(?<![0-9A-Za-z])[0-9]{8,10}:AA[\w-]{20,40}(?![\w-])", re.ASCII),
        "telegram bot": re.compile(r"(?<=/bot)[0-9]{8,10}:AA[\w-]{20,40}(?![\w-])", re.ASCII),
        "discord bot": re.compile(r"(?<![\w.-])[MNO][A-Za-z0-9_-]{22,28}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])", re.ASCII),
        "airtable": re.compile(r"(?<!\w)pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)", re.ASCII),
        "twilio": re.compile(r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    }


def jwt_at(text: str, start: int, _literal: str) -> Iterator[Finding]:
    """A signed or encrypted JSON web token: whole, cut short after its second part began, or broken over lines."""
    if not begins_here(text, start):
        return
    end = _end_of_jwt(text, start)
    if end:
        yield Finding(start, end_of_wrapped(text, end, end - start, _URL64_DOTS), "jwt")
        return
    run = _shapes()["jwt run"].match(text, start)
    end = end_of_wrapped(text, run.end(), run.end() - start, _URL64_DOTS) if run else 0
    if run and end > run.end() and _end_of_jwt(_shapes()["not jwt"].sub("", text[start:end]), 0):
        yield Finding(start, end, "jwt")


def _end_of_jwt(text: str, start: int) -> int:
    """Where the token that begins at ``start`` ends, or 0 when it is none."""
    match = _shapes()["jwt"].match(text, start)
    if match is None:
        return 0
    claims, signature = match[2], match[3] or ""
    # Claims are JSON like the header, save in an encrypted token, which has more parts.
    if not claims.startswith("eyJ") and match[0].count(".") < 2:
        return 0
    return match.end() if _is_jose_header(match[1]) or (claims.startswith("eyJ") and len(signature) >= 10) else 0


def _is_jose_header(part: str) -> bool:
    try:
        decoded = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        return False
    return any(field in decoded for field in (b'"alg"', b'"typ"', b'"kid"', b'"enc"'))


def telegram_at(text: str, start: int, _literal: str) -> Iterator[Finding]:
    """A bot's token: its number, a colon, and 35 signs that begin with AA."""
    for name in ("telegram", "telegram bot"):
        match = _shapes()[name].search(text, max(0, start - 14), start + 60)
        if match and match.start() < start < match.end():
            yield Finding(match.start(), match.end(), "telegram-bot-token")
            return


def twilio_at(text: str, start: int, _literal: str) -> Iterator[Finding]:
    """An API key id of Twilio, which is its user name and half of the secret."""
    match = _shapes()["twilio"].match(text, start)
    if match and begins_here(text, start):
        yield Finding(start, match.end(), "twilio-key")


# In the copy for prefixes: a third part after two dots six apart, and a long hexadecimal run.
UNMARKED_PLACES = (r"(?<=-[A-Za-z0-9-]{6}-)(?=[A-Za-z0-9-]{27})", r"(?=[0-9a-f]{64})")


def unmarked_at(text: str, at: int, _literal: str) -> Iterator[Finding]:
    """Tokens of several parts that no fixed prefix gives away, of which one part begins at ``at``."""
    for name, rule in (("discord bot", "discord-bot-token"), ("airtable", "airtable-token")):
        match = _shapes()[name].search(text, max(0, at - 40), at + 100)
        if match and match.start() < at < match.end():
            yield Finding(match.start(), match.end(), rule)
