"""Secrets that only a blank separates from their name: options of commands, `.netrc`, `setx`, `requirepass`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.given import name_before, trimmed
from aicx.redaction.names import SAMPLE, Value, classify, is_secret
from aicx.redaction.values import is_random, is_stand_in


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "given": re.compile(r"""[ \t]{1,4}(?:-p[ ]?|→ ?|-> ?)?(?:\\?["'])?([^\s"'`\\]{3,4096})"""),
        "joined login": re.compile(r"""(?<=[uU])[ =]{1,3}(?:\\?["'])?[^\s:"'`\\]{1,64}:([^\s"'`\\]{3,200})"""),
        "login": re.compile(
            r"""[ ]-(?:u|-user|-proxy-user)[ =]{0,3}(?:\\?["'])?[^\s:"'`\\]{1,64}:([^\s"'`\\]{3,200})"""
        ),
    }


def labelled_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds the value after the blank at ``at``, if the name before it announces a secret and it looks generated."""
    given = _patterns()["given"].match(text, at)
    if given is None:
        return
    word, _ = name_before(text, at)
    name = classify({"--key": "api_key", "--pass": "password"}.get(word, word))
    start, end = given.start(1), trimmed(text, *given.span(1))
    # Prose has names and blanks too; an option or a password is meant more often than not.
    least = 8 if word.startswith("--") or (name and name.rule == "password") else 16
    if name and end - start >= least:
        sample = text[start : min(end, start + SAMPLE)]
        if is_secret(name, Value(start, end, sample, "", " ", spaced=True, vague=True)):
            yield SecretFinding(start, end, name.rule)


def curl_login_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in the login that curl's options, several as one, end with at ``at``: ``-su name:password``."""
    login = _patterns()["joined login"].match(text, at)
    if login is not None and not login[1].startswith(("$", "{", "<", "/")) and not is_stand_in(login[1]):
        yield SecretFinding(login.start(1), login.end(1), "password")


def login_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in curl's ``-u name:password``."""
    login = _patterns()["login"].match(text, at)
    # `-u 1000:1000` and `-u host:/path` have other second halves.
    if login is None or login[1].isdigit() or login[1].startswith("/"):
        return
    if is_random(login[1], 6) and not is_stand_in(login[1]):
        yield SecretFinding(login.start(1), login.end(1), "password")
