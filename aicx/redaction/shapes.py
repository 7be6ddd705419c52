"""Secrets known by their shape around a fixed string: signed tokens, bot tokens, webhooks, keys beside an id."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.tokens import begins_here
from aicx.redaction.values import is_stand_in
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
        "azure secret": re.compile(r"(?<![\w.~-])[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w~-])", re.ASCII),
        "maxmind": re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])"),
        "pgpass": re.compile(
            r"[^\n:]{0,30}?(?P<host>(?<![\w:.])(?:[\w.-]+|\*)):(?P<port>\d{4,5}|\*):[A-Za-z_*][\w.*-]{0,62}:(?P<user>[A-Za-z_*][\w.*@-]{0,62}):"
            r"(?P<password>[^\s:\"'`]{4,200})(?=\s|$)",
            re.ASCII,
        ),
        "yandex": re.compile(r"(?<![\w-])AQVN[\w-]{34,60}", re.ASCII),
        "jfrog": re.compile(r"(?<![A-Za-z0-9])AKCp[A-Za-z0-9]{60,80}"),
        "mailchimp": re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}-us\d{1,2}(?!\w)", re.ASCII),
        "asana": re.compile(r"(?<!\w)[0-2]/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}(?!\w)", re.ASCII),
        "twilio": re.compile(r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    }


def jwt_at(text: str, start: int, _literal: str) -> Iterator[SecretFinding]:
    """A signed or encrypted JSON web token: whole, cut short after its second part began, or broken over lines."""
    if not begins_here(text, start):
        return
    end = _end_of_jwt(text, start)
    if end:
        yield SecretFinding(start, end_of_wrapped(text, end, end - start, _URL64_DOTS), "jwt")
        return
    run = _shapes()["jwt run"].match(text, start)
    end = end_of_wrapped(text, run.end(), run.end() - start, _URL64_DOTS) if run else 0
    if run and end > run.end() and _end_of_jwt(_shapes()["not jwt"].sub("", text[start:end]), 0):
        yield SecretFinding(start, end, "jwt")


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


def telegram_at(text: str, start: int, _literal: str) -> Iterator[SecretFinding]:
    """A bot's token: its number, a colon, and 35 signs that begin with AA."""
    for name in ("telegram", "telegram bot"):
        match = _shapes()[name].search(text, max(0, start - 14), start + 60)
        if match and match.start() < start < match.end():
            yield SecretFinding(match.start(), match.end(), "telegram-bot-token")
            return


def twilio_at(text: str, start: int, _literal: str) -> Iterator[SecretFinding]:
    """An API key id of Twilio, which is its user name and half of the secret."""
    match = _shapes()["twilio"].match(text, start)
    if match and begins_here(text, start):
        yield SecretFinding(start, match.end(), "twilio-key")


def mailchimp_at(text: str, start: int) -> Iterator[SecretFinding]:
    """A key of Mailchimp, whose data centre (`-us14`) begins at ``start``."""
    match = _shapes()["mailchimp"].match(text, max(0, start - 32))
    if match:
        yield SecretFinding(match.start(), match.end(), "mailchimp-key")


def unnamed_at(text: str, at: int) -> Iterator[SecretFinding]:
    """A personal token of Asana, or the password in a line of `.pgpass`, with a colon at ``at`` inside."""
    asana = _shapes()["asana"].search(text, max(0, at - 44), at + 34)
    if asana:
        yield SecretFinding(asana.start(), asana.end(), "asana-token")
    line = _shapes()["pgpass"].match(text, max(0, text.rfind("\n", max(0, at - 100), at) + 1))
    if (
        line
        and line.end("host") == at
        and not line["password"].isdigit()
        and not is_stand_in(line["password"])
        and line["port"] != line["user"]
    ):
        yield SecretFinding(line.start("password"), line.end("password"), "password")


# Four signs of the base64 of ASCII, in the copy for prefixes: each of the first three can be only half of its alphabet.
_QUAD = "[C-IL-Za-f-][B-HQ-Xg-nw-y0-3-][BEFIMNQRUVYZcdghkloptswx014589-][A-Za-z0-9-]"
# In the copy for prefixes: a third part after two dots six apart, a long hexadecimal run, the end of a key of MaxMind,
# and base64 of ASCII.
UNMARKED_PLACES = (
    r"(?<=-[A-Za-z0-9-]{6}-)(?=[A-Za-z0-9-]{27})",
    r"(?=[0-9a-f]{64})",
    r"(?=[A-Za-z0-9-]{29}-mmk)",
    rf"(?=[A-Za-z0-9-]{{0,3}}?(?:{_QUAD}){{5}})",
    "(?<=Q-)(?<=[0-9]Q-)(?=[A-Za-z0-9-]{31})",
    "(?<=--)(?=Cp[A-Za-z0-9-]{60})",
    "(?=QVN[A-Za-z0-9-]{30})",
)


# (shape, what it cannot be without, rule)
_UNMARKED = (
    ("discord bot", ".", "discord-bot-token"),
    ("airtable", "pat", "airtable-token"),
    ("maxmind", "_mmk", "maxmind-key"),
    ("jfrog", "AKCp", "jfrog-token"),
    ("yandex", "AQVN", "yandex-key"),
    ("azure secret", "Q~", "azure-key"),
)


def unmarked_at(text: str, at: int, _literal: str) -> Iterator[SecretFinding]:
    """Tokens of several parts that no fixed prefix gives away, of which one part begins at ``at``."""
    window = text[max(0, at - 40) : at + 100]
    for name, sign, rule in _UNMARKED:
        if sign not in window:
            continue
        match = _shapes()[name].search(text, max(0, at - 40), at + 100)
        if match and match.start() < at < match.end():
            yield SecretFinding(match.start(), match.end(), rule)
