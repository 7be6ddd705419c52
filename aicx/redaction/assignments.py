"""Values given to a name that announces a secret: `KEY=value`, `"key": "value"`, headers, options, table cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.bare import words_at
from aicx.redaction.encoded import decoded
from aicx.redaction.given import name_before, value_after
from aicx.redaction.headers import cookies_after, credentials_after
from aicx.redaction.names import SAMPLE, Value, classify, is_secret
from aicx.redaction.prose import app_password, is_said
from aicx.redaction.values import end_of_wrapped, is_random, is_stand_in

_MAX_CHARS = 4096


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        # openssl's `-passin pass:…`
        "passed": re.compile(r"-pass(?:in|out|word)?[ =][\"']?pass\Z"),
        "user above": re.compile(
            r"(?i)\b(?:login|user(?:name)?|email)[\"']?[ ]?[:=][^\n]{1,80}\n\s{0,20}[\"'-]?[ ]?\w{0,20}[\"']?\s?\Z"
        ),
        "after user": re.compile(r"""[ ]{0,2}["'`]?[\w.@-]{2,60}["'`]?[ ]?[/:][ ]?["'`]?([^\s"'`/]{6,100})"""),
        "rest": re.compile(rf"""[^\s"'`;&|,<>#(){{}}\[\]\\\x1b]{{1,{_MAX_CHARS}}}"""),
        "continued": re.compile(r"\\\r?\n[ \t]*([^\s\"'`\\]{4,4096})"),
    }


def assigned_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds the value of the name before the sign at ``at``, if the name announces a secret and the value is one."""
    word, spaced = name_before(text, at)
    name = classify(word)
    if name is None:
        return
    if name.rule == "authorization":
        yield from credentials_after(text, at + 1)
    elif name.rule == "cookie":
        yield from cookies_after(text, at + 1)
    elif name.rule == "mnemonic":
        yield from words_at(text, at + 1)
    elif name.rule == "docker-auth":
        value = value_after(text, at, spaced=spaced)
        plain = decoded(value.given) if value else None
        if value and plain and (":" in plain[1:-2] and not is_stand_in(plain.partition(":")[2])):
            yield SecretFinding(value.start, value.end, name.rule)
    elif name.rule == "password" and (groups := app_password().match(text, at + 1)) and not is_said(groups[1]):
        yield SecretFinding(groups.start(1), groups.end(1), name.rule)
    elif word == "pass" and _patterns()["passed"].search(text, max(0, at - 20), at):
        value = value_after(text, at, spaced=False)
        if value and not is_stand_in(value.given):
            yield SecretFinding(value.start, value.end, name.rule)
    elif name.rule == "secret" and word.lower().endswith(("creds", "credentials")):
        pair = _patterns()["after user"].match(text, at + 1)
        if pair and is_random(pair[1], 6) and not is_stand_in(pair[1]):
            yield SecretFinding(pair.start(1), pair.end(1), name.rule)
    elif name.vague and word.lower() == "pass" and _patterns()["user above"].search(text, max(0, at - 120), at):
        value = value_after(text, at, spaced=spaced)
        if value and is_random(value.given, 6) and not is_stand_in(value.given):
            yield SecretFinding(value.start, value.end, name.rule)
    else:
        value = value_after(text, at, spaced=spaced)
        if value and is_secret(name, value):
            yield SecretFinding(value.start, _end_of_value(text, value), name.rule)


def _end_of_value(text: str, value: Value) -> int:
    """Where ``value`` ends, counting the lines it continues on."""
    end = value.end
    if not value.quote and end - value.start == SAMPLE:
        rest = _patterns()["rest"].match(text, end)
        end = rest.end() if rest else end
    continued = _patterns()["continued"].match(text, end)
    if continued and value.sign == "=":
        return continued.end()
    if is_random(value.given, 16) and (not value.quote or text[end : end + 1] == "\n"):
        return end_of_wrapped(text, end, end - value.start, "A-Za-z0-9+/_-")
    return end
