"""The table of rules: what each catches, and which function looks at which anchor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import AnyStr

from aicx.redaction import blocks, shapes
from aicx.redaction.anchors import UNMARKED, Finding, LiteralScan, as_bytes, fold_name, names_copy, preceded_by
from aicx.redaction.assignments import assigned_at
from aicx.redaction.headers import bearer_at
from aicx.redaction.names import ENDINGS
from aicx.redaction.tokens import TOKENS, token_at
from aicx.redaction.urls import login_at, option_at, spaced_at, url_at

Finder = Callable[[str, int], Iterator[Finding]]
LiteralFinder = Callable[[str, int, str], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret; its placeholder is ``[REDACTED:<name>]``."""

    name: str
    what: str


def _token_rules() -> Iterator[Rule]:
    prefixes: dict[str, list[str]] = {}
    for token in TOKENS:
        prefixes.setdefault(token.rule, []).extend(token.prefixes)
    return (Rule(name, "tokens that begin with " + ", ".join(f"`{p}`" for p in found)) for name, found in prefixes.items())


# The order decides which name a secret gets when several rules see it: first the ones that know its issuer.
RULES: tuple[Rule, ...] = (
    Rule("private-key", "private keys in PEM armour, whole or cut"),
    *_token_rules(),
    Rule("jwt", "JSON web tokens, signed or encrypted"),
    Rule("telegram-bot-token", "tokens of Telegram bots"),
    Rule("discord-bot-token", "tokens of Discord bots"),
    Rule("airtable-token", "personal access tokens of Airtable"),
    Rule("twilio-key", "`SK` ids of Twilio"),
    Rule("slack-webhook", "the path of an incoming webhook of Slack"),
    Rule("discord-webhook", "the path of a webhook of Discord"),
    Rule("aws-secret-key", "secret access keys by name, or near an access key id"),
    Rule("azure-key", "`AccountKey` and `SharedAccessKey` of connection strings"),
    Rule("azure-sas", "the `sig` of a shared access signature"),
    Rule("gcp-key-id", "the `private_key_id` of a service account"),
    Rule("url-password", "the password, or the lone token, before the host of a URL"),
    Rule("authorization", "what an Authorization header carries, and other bearer tokens"),
    Rule("cookie", "long generated values in Cookie and Set-Cookie headers"),
    Rule("password", "values given to names that end in password, passwd, passphrase, pwd or pass"),
    Rule("api-key", "values given to names that end in api key, subscription key and their like"),
    Rule("token", "values given to names that end in token or PAT"),
    Rule("secret", "values given to names that end in secret, credentials, or a key that signs or encrypts"),
)


def _literal_finders() -> dict[str, LiteralFinder]:
    finders: dict[str, LiteralFinder] = {prefix: token_at for token in TOKENS for prefix in token.prefixes}
    finders |= {
        blocks.LITERAL: blocks.key_at,
        "eyJ": shapes.wrapped_jwt_at,
        ":AA": shapes.telegram_at,
        "SK": shapes.twilio_at,
        UNMARKED: shapes.unmarked_at,
    }
    return finders


# What the scan for prefixes cannot hop to (see `LiteralScan`) is looked for one by one.
_PLAIN = (blocks.LITERAL, "1//0", "dapi")


@dataclass(frozen=True, slots=True)
class _Scans:
    finders: dict[str, LiteralFinder]
    literals: LiteralScan
    signs: re.Pattern[bytes]
    spaced: tuple[tuple[bytes, re.Pattern[bytes], Finder], ...]


def _after_a_name() -> str:
    """A regular expression for «a name that announces a secret ends here»: at the sign, or up to four quotes before."""
    endings = [fold_name(ending) for ending in ENDINGS]
    near = [preceded_by(endings, " " * gap + "=") for gap in range(5)]
    # Nested, so that most signs are given up after one look at the byte before them.
    return f"{near[0]}|(?<= =)(?:{near[1]}|(?<=  =)(?:{near[2]}|{near[3]}|{near[4]}))"


@cache
def _scans() -> _Scans:
    finders = _literal_finders()
    options = "token|password|passwd|passphrase|secret|key|pass|pat"
    return _Scans(
        finders,
        LiteralScan((one for one in finders if one and one not in _PLAIN), shapes.UNMARKED_PLACES),
        re.compile(f"=(?:{_after_a_name()}|(?= ?/ ?/(?:hooks\\.slack|discord|[^ \\n/@]{{1,300}}@)))".encode("latin-1")),
        (
            # (must occur, where to look, what looks): labels that a blank separates from the value.
            (b" --", re.compile(rf" --(?=[a-z])[a-z-]{{0,24}}?(?:{options}) ".encode()), option_at),
            (b"curl", re.compile(b" --?u(?:ser)? "), login_at),
            (b"pass", re.compile(b"pass(?:word|phrase)? "), spaced_at),
            (b"bearer ", re.compile(b"bearer "), bearer_at),
        ),
    )


def find_all(text: str) -> list[Finding]:
    """Every secret of ``text``, in no order and possibly overlapping."""
    scans = _scans()
    found: list[Finding] = []
    data = as_bytes(text)
    reached = 0
    for start, literal in scans.literals.hits(text, data):
        if start >= reached:  # else it is inside the last one found
            found += scans.finders[literal](text, start, literal)
            reached = found[-1].end if found else 0
    for literal in _PLAIN:
        if literal in text:
            found += (f for at in _offsets(text, literal) for f in scans.finders[literal](text, at, literal))
    names = names_copy(data)
    for sign in scans.signs.finditer(names):
        at = sign.start()
        found += (url_at if names.startswith((b"//", b" / /"), at + 1) else assigned_at)(text, at)
    for needed, where, find in scans.spaced:
        if needed in names:
            found += (f for hit in where.finditer(names) for f in find(text, hit.start()))
    if "\\" in text and "\\u003" in text:
        found += (f for at in _offsets(text.lower(), "u003d") for f in assigned_at(text, at))
    return found


def _offsets(text: AnyStr, literal: AnyStr) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))
