"""Secrets known by their shape: tokens with a fixed prefix of their issuer, signed tokens, keys beside an id."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.issuers import TOKENS, WORDS, Token
from aicx.redaction.values import end_of_wrapped, is_random, is_stand_in

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
