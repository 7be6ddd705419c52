"""Passwords and tokens inside URLs, and URLs whose path is the secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import Finding
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
