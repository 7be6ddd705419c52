"""Passwords and tokens inside URLs, and URLs whose path is the secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.values import is_random, is_reference, is_stand_in


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "login": re.compile(r""":\\?/\\?/([^\s/:@"'`<>\\]{0,100}):([^\s/"'`<>\\?]{1,200})@(?=[\w\[.$%{-])""", re.ASCII),
        "token": re.compile(r""":\\?/\\?/([A-Za-z0-9_-]{20,200})@(?=[\w.-]+\.[a-z])""", re.ASCII),
        "hook": re.compile(
            r""":\\?/\\?/(?:hooks\.(slack)\.com|(?:canary\.|ptb\.)?discord(?:app)?\.com\\?/api)(?:\\?/[a-z]\w{0,20}){1,3}\\?/
            ((?:T\w{6,}|\d{15,})(?:\\?/[\w-]{6,}){1,3})""",
            re.ASCII | re.VERBOSE,
        ),
        # hosts whose path is the secret, though they have no `hook` in it
        "alert": re.compile(
            r""":\\?/\\?/(?:events\.(?:eu\.)?pagerduty\.com/(?:integration|generic)|hc-ping\.com|alerts?\.victorops\.com/integrations)
            /((?:[\w-]{1,40}/){0,4}[0-9a-f-]{32,36}(?:/[\w-]{1,40})?)""",
            re.ASCII | re.VERBOSE,
        ),
        "url": re.compile(r"""https?:\\?/\\?/[^\s"'`<>|]{0,300}\Z"""),
        "rest": re.compile(r"""[\w.~%@+-]{0,60}(?:\\?/[\w.~%@+-]{1,200}){1,8}(?:\?key=[\w-]{16,})?""", re.ASCII),
        "segment": re.compile(r"""(?<=/)[\w.~%@+-]{5,200}|(?<=key=)[\w-]{16,}""", re.ASCII),
        "uuid": re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    }


def hook_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The secret part of the path of a URL that has `hook` or `key` before ``at``: whoever knows it may post."""
    patterns = _patterns()
    before = patterns["url"].search(text, max(0, at - 320), at)
    rest = patterns["rest"].match(text, at) if before else None
    if before is None or rest is None:
        return
    short = "hooks.zapier.com" in before[0]
    host_only = before[0].count("/") <= 2
    for number, segment in enumerate(patterns["segment"].finditer(text, at, rest.end())):
        if (
            host_only
            and number == 0
            and "make.com" not in rest[0]
            and "integromat" not in rest[0]
            and not patterns["uuid"].search(segment[0])
        ):
            continue
        given = segment[0]
        generated = patterns["uuid"].search(given) or (is_random(given, 16) and _is_dense(given))
        if generated or (short and re.fullmatch("[a-z0-9]{6,8}", given) and is_random(given, 6)):
            if not is_stand_in(given):
                yield SecretFinding(segment.start(), rest.end(), "webhook")
            return


def _is_dense(given: str) -> bool:
    """Whether ``given`` is one run of a generated string, and not a title with a number in it."""
    return max(map(len, re.split(r"[-_.%@+~]", given))) >= 16


def url_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in the URL whose ``://`` is at ``at``; a token that stands alone before the host counts as one."""
    match = _patterns()["login"].match(text, at)
    if match:
        given = match[2]
        if given in ("x-oauth-basic", "x-token-auth"):
            return  # what GitHub and Bitbucket want there when the user name is the token
        # Unlike in code, a word such as `secret` in this place is what the server really accepts.
        if not is_reference(given) and not (given.isupper() and is_stand_in(given)):
            yield SecretFinding(match.start(2), match.end(2), "url-password")
        return
    hook = _patterns()["hook"].match(text, at)
    if hook:
        # Whoever knows the path may post.
        if is_random(hook[2], 16) and not is_stand_in(hook[2]) and not re.search("X{6}|0{8}", hook[2]):
            yield SecretFinding(hook.start(2), hook.end(2), "slack-webhook" if hook[1] else "discord-webhook")
        return
    alert = _patterns()["alert"].match(text, at)
    if alert:
        if not is_stand_in(alert[1]):
            yield SecretFinding(alert.start(1), alert.end(1), "webhook")
        return
    alone = _patterns()["token"].match(text, at)
    if alone and is_random(alone[1], 20) and not is_stand_in(alone[1]):
        yield SecretFinding(alone.start(1), alone.end(1), "url-password")
