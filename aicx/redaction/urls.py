"""Passwords inside URLs, and the options by which commands are given one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import Finding
from aicx.redaction.assignments import given_to
from aicx.redaction.values import is_random, is_reference, is_stand_in


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "login": re.compile(r""":\\?/\\?/([^\s/:@"'`<>\\]{0,100}):([^\s/"'`<>\\?]{1,200})@(?=[\w\[.$%{-])""", re.ASCII),
        "token": re.compile(r""":\\?/\\?/([A-Za-z0-9_-]{20,200})@(?=[\w.-]+\.[a-z])""", re.ASCII),
        "hook": re.compile(
            r""":\\?/\\?/(?:hooks\.(slack)\.com|discord(?:app)?\.com\\?/api)(?:\\?/[a-z]\w{0,20}){1,3}\\?/
            ((?:T\w{6,}|\d{15,})(?:\\?/[\w-]{6,}){1,3})""",
            re.ASCII | re.VERBOSE,
        ),
        "user": re.compile(r"""[ ]--?u(?:ser)?[ ]{1,3}(?:\\?["'])?[^\s:"'`\\]{1,64}:([^\s"'`\\]{3,200})"""),
        "option": re.compile(r"""[ ]--([\w-]{2,40})[ ]{1,3}(?:\\?["'])?([^\s"'`\\]{3,4096})"""),
        "label": re.compile(r"""pass(?:word|phrase)?[ ]{1,4}(?:-p[ ]?)?(?:\\?["'])?([^\s"'`\\]{8,200})""", re.IGNORECASE),
    }


def url_at(text: str, at: int) -> Iterator[Finding]:
    """The password in the URL whose ``://`` is at ``at``; a token that stands alone before the host counts as one."""
    match = _patterns()["login"].match(text, at)
    if match:
        given = match[2]
        if given in ("x-oauth-basic", "x-token-auth"):
            return  # what GitHub and Bitbucket want there when the user name is the token
        # Unlike in code, a word such as `secret` in this place is what the server really accepts.
        if not is_reference(given) and not (given.isupper() and is_stand_in(given)):
            yield Finding(match.start(2), match.end(2), "url-password")
        return
    hook = _patterns()["hook"].match(text, at)
    if hook:
        # Whoever knows the path may post.
        if is_random(hook[2], 16) and not is_stand_in(hook[2]):
            yield Finding(hook.start(2), hook.end(2), "slack-webhook" if hook[1] else "discord-webhook")
        return
    alone = _patterns()["token"].match(text, at)
    if alone and is_random(alone[1], 20) and not is_stand_in(alone[1]):
        yield Finding(alone.start(1), alone.end(1), "url-password")


def option_at(text: str, at: int) -> Iterator[Finding]:
    """The secret given to the long command-line option that begins, with its space, at ``at``."""
    option = _patterns()["option"].match(text, at)
    if option:
        yield from given_to(text, option[1], option.start(2), option.end(2))


def login_at(text: str, at: int) -> Iterator[Finding]:
    """The password in curl's ``-u name:password``."""
    login = _patterns()["user"].match(text, at)
    # `-u 1000:1000` and `-u host:/path` have other second halves.
    if login and not login[1].isdigit() and not login[1].startswith("/"):
        if is_random(login[1], 6) and not is_stand_in(login[1]):
            yield Finding(login.start(1), login.end(1), "password")


def spaced_at(text: str, at: int) -> Iterator[Finding]:
    """The password after ``password`` in a .netrc, after ``requirepass``, or after ``sshpass -p``."""
    label = _patterns()["label"].match(text, at)
    if label:
        yield from given_to(text, "password", label.start(1), label.end(1))
