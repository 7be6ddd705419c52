"""Secrets with neither a name nor one of the signs that the scan for prefixes stops at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.phrases import words_at
from aicx.redaction.values import is_random, is_stand_in

# (rule, shape): facts of the same kind as those in `issuers.py`, common knowledge on 2026-11-22
_TOKENS = (
    ("databricks-token", r"dapi[0-9a-f]{32}(?:-\d)?"),
    ("crates-token", r"cio[A-Za-z0-9]{32}"),
    ("clickhouse-key", r"4b1d[A-Za-z0-9]{38}"),
    ("google-refresh-token", r"1//0[\w-]{40,200}"),
    ("yandex-key", r"AQVN[\w-]{34,60}"),
    ("gitlab-token", r"GR1348941[\w-]{20}"),
)
# How they begin, in the copy for names: each with one letter that is taken, not looked at.
BEGINNINGS = "d(?=api[0-9a-f]{8})|c(?=io[a-z0-9]{32})|4(?=b1d[a-z0-9]{38})|1(?=//0)|a(?=ccn)|g(?=r1348941)"
# A dozen small words in a row.
PHRASE = r"[a-z](?=[a-z]{2,7}+ [a-z]{3,8}+[ =]{1,2}+[a-z]{3,8}+[ =]{1,2}+(?:[a-z]{3,8}+[ =]{1,2}+){8}[a-z]{3,8})"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    tokens = "|".join(f"(?P<t{number}>{shape})" for number, (_, shape) in enumerate(_TOKENS))
    return {
        "lead": re.compile(r"""\n?[ \t"'`\\(\[]{0,6}"""),
        "token": re.compile(rf"(?:{tokens})(?![\w-])", re.ASCII),
        "words": re.compile(r"(?:1[.)][ ])?[a-z]{3,8}[ ,\n]"),
        "hash": re.compile(
            r"""\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}
            | (?:[156]|apr1|md5|sha1)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}
            | (?:y|7|gy|scrypt)\$[./A-Za-z0-9=,+]{3,40}\$[./A-Za-z0-9+=]{8,100}(?:\$[./A-Za-z0-9+=]{20,100})?
            | argon2(?:id?|d)\$(?:v=\d{1,3}\$)?[mtp=,\d]{5,40}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{16,120}=?
            | pbkdf2[\w-]{0,12}\$\d{1,9}\$[./A-Za-z0-9+=]{4,100}\$[./A-Za-z0-9+=]{20,200})""",
            re.VERBOSE,
        ),
        "django": re.compile(r"(?:pbkdf2|scrypt|bcrypt|argon2)\w{0,12}\$[\w=,./+$]{1,60}\$[A-Za-z0-9+/]{20,120}={0,2}"),
        "ntlm": re.compile(r"([0-9a-f]{32}):([0-9a-f]{32})(?=:::|\b)", re.IGNORECASE),
    }


def bare_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The token, or the phrase of a wallet, that stands at ``at`` after blanks and quotes."""
    patterns = _patterns()
    lead = patterns["lead"].match(text, at)
    begin = lead.end() if lead else at
    token = patterns["token"].match(text, begin)
    if token and token.lastgroup:
        if is_random(token[0], 16) and not is_stand_in(token[0]):
            yield SecretFinding(begin, token.end(), _TOKENS[int(token.lastgroup[1:])][0])
    elif patterns["words"].match(text, begin):
        yield from words_at(text, begin, announced=False)


def hash_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The hash of a password whose first ``$`` is at ``at``, or which has it behind its method's name."""
    match = _patterns()["hash"].match(text, at)
    if match is None:
        name = re.compile(r"\w{6,16}\Z").search(text, max(0, at - 16), at)
        match = _patterns()["django"].match(text, name.start()) if name else None
    if match and not is_stand_in(match[0]):
        yield SecretFinding(match.start(), match.end(), "password-hash")


def windows_hash_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The two hashes that Windows keeps of a password, with the colon between them at ``at``."""
    match = _patterns()["ntlm"].match(text, max(0, at - 32))
    if match and match.end(1) == at:
        yield SecretFinding(match.start(), match.end(), "password-hash")
