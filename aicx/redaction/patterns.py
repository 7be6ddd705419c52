"""The table of rules: the secrets each finds, and the function for each anchor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from aicx.redaction import shapes
from aicx.redaction.anchors import UNMARKED, Finding, LiteralScan, as_bytes, fold_name, names_copy, preceded_by
from aicx.redaction.assignments import assigned_at
from aicx.redaction.blocks import key_at
from aicx.redaction.headers import bearer_at
from aicx.redaction.labels import labelled_at, login_at
from aicx.redaction.names import ENDINGS
from aicx.redaction.tokens import TOKENS, token_at
from aicx.redaction.urls import url_at

Finder = Callable[[str, re.Match[bytes]], Iterator[Finding]]
_BLANK = ord(" ")

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
    return (
        Rule(name, "tokens that begin with " + ", ".join(f"`{p}`" for p in found)) for name, found in prefixes.items()
    )


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
        "eyJ": shapes.jwt_at,
        ":AA": shapes.telegram_at,
        "SK": shapes.twilio_at,
        UNMARKED: shapes.unmarked_at,
    }
    return finders


@dataclass(frozen=True, slots=True)
class _Scans:
    """The compiled scans: one for prefixes, the others for the copy for names."""

    finders: dict[str, LiteralFinder]
    literals: LiteralScan
    signs: re.Pattern[bytes]
    # `key` and `token` before a blank, and private keys, in one scan that hops from k to k
    keys: re.Pattern[bytes]
    # (what must occur, where to look then, what looks): one quick search each
    rare: tuple[tuple[bytes, re.Pattern[bytes], Finder], ...]


def _after_a_name() -> str:
    """A regular expression for «a name that announces a secret ends here»: at the sign, or up to four quotes before."""
    endings = [fold_name(ending) for ending in ENDINGS]
    near = [preceded_by(endings, " " * gap + "=") for gap in range(5)]
    # Nested, so that most signs are given up after one look at the byte before them.
    return f"{near[0]}|(?<= =)(?:{near[1]}|(?<=  =)(?:{near[2]}|{near[3]}|{near[4]}))"


@cache
def _scans() -> _Scans:
    finders = _literal_finders()
    url = r"(?= ?/ ?/(?:hooks\.slack|discord|[^ \n/@]{1,300}@))"
    return _Scans(
        finders,
        LiteralScan([prefix for prefix in finders if prefix != UNMARKED], shapes.UNMARKED_PLACES),
        re.compile(f"=(?:{_after_a_name()}|{url})".encode("latin-1")),
        re.compile(rb"k(?:en(?= )(?<=-token)|ey(?:(?<=private key)|(?= )(?<=-key)))"),
        (
            (b"pass", re.compile(rb"pass(?:word|phrase)?(?= )"), lambda text, hit: labelled_at(text, hit.end())),
            (b"-secret ", re.compile(b"-secret"), lambda text, hit: labelled_at(text, hit.end())),
            (b"curl", re.compile(b" --?u(?:ser)? "), lambda text, hit: login_at(text, hit.start())),
            (b"bearer ", re.compile(b"bearer "), lambda text, hit: bearer_at(text, hit.start())),
        ),
    )


def find_all(text: str) -> list[Finding]:
    """Every secret of ``text``, in no order and possibly overlapping."""
    scans = _scans()
    data = as_bytes(text)
    found: list[Finding] = []
    reached = 0
    for start, literal in scans.literals.hits(text, data):
        if start < reached:
            continue  # inside the last one found
        secrets = list(scans.finders[literal](text, start, literal))
        found += secrets
        reached = secrets[0].end if secrets else reached
    names = names_copy(data)
    for sign in scans.signs.finditer(names):
        at = sign.start()
        found += (url_at if names.startswith((b"//", b" / /"), at + 1) else assigned_at)(text, at)
    for hit in scans.keys.finditer(names):
        found += key_at(text, hit.start()) if names[hit.start() - 1] == _BLANK else labelled_at(text, hit.end())
    for needed, where, find in scans.rare:
        if needed in names:
            found += (finding for hit in where.finditer(names) for finding in find(text, hit))
    if "\\" in text and b" u003d" in names:  # `=` as JSON escapes it
        found += (f for escaped in re.finditer(b"u003d", names) for f in assigned_at(text, escaped.start()))
    return found
