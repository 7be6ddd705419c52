"""Secrets in HTTP headers and URLs: credentials, bearer tokens, session cookies, passwords, paths that are secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.values import is_code, is_numbered_word, is_random, is_reference, is_stand_in

_MAX_CHARS = 4096
_SCHEMES = "bearer|basic|token|apikey|api-key|key|negotiate|splunk"


@cache
def _header_patterns() -> dict[str, re.Pattern[str]]:
    return {
        "credentials": re.compile(
            rf"""[\s"'`\\\]|*:=,]{{0,10}}(?:({_SCHEMES})[ \\t"']{{1,4}})?([\w.~+/=|:-]{{6,{_MAX_CHARS}}})""",
            re.IGNORECASE | re.ASCII,
        ),
        # `SSWS …`, `GenieKey …`, and whatever an API calls its scheme
        "scheme": re.compile(r"""[\s"'`\\\]|*:=,]{0,10}[A-Za-z][\w-]{1,40}[ ]{1,2}(?=\S)""", re.ASCII),
        "parameter": re.compile(
            rf"""(?<![\w.~+/=-])(?:[\w-]{{1,40}}=)?\\?["']?([\w.~+/=|:@!-]{{16,{_MAX_CHARS}}})""", re.ASCII
        ),
        "bearer": re.compile(rf"bearer\s{{1,3}}([\w.~+/=-]{{16,{_MAX_CHARS}}})", re.IGNORECASE | re.ASCII),
        "cookie": re.compile(rf"(?<=[\s;:\"'])[\w.-]{{1,60}}=([\w.%~+/=:-]{{16,{_MAX_CHARS}}})", re.ASCII),
    }


def credentials_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The credentials in an Authorization header whose value begins at ``at``, with or without their scheme."""
    found = list(_known_scheme(text, at))
    yield from found
    scheme = None if found else _header_patterns()["scheme"].match(text, at)
    if scheme is None:
        return
    line_end = text.find("\n", scheme.end(), scheme.end() + _MAX_CHARS)
    end = line_end if line_end >= 0 else scheme.end() + _MAX_CHARS
    # The header ends where its own quote does; those of its parameters are followed by a comma, or by `=` before them.
    for match in _header_patterns()["parameter"].finditer(text, scheme.end(), end):
        given = match[1].rstrip(".:|,")
        if text[scheme.end() : match.start()].count('"') > 8:
            break
        if is_random(given, 16) and not is_stand_in(given) and not is_code(given):
            yield SecretFinding(match.start(1), match.start(1) + len(given), "authorization")


def _known_scheme(text: str, at: int) -> Iterator[SecretFinding]:
    match = _header_patterns()["credentials"].match(text, at)
    if match is None:
        return
    scheme, given = match[1], match[2].rstrip(".:|")
    if (
        is_stand_in(given)
        or is_code(given)
        or is_numbered_word(given)
        or text[match.end() : match.end() + 1] in ("(", "[", "{", "$")
    ):
        return
    # After a scheme even words may be meant, when there are several; one alone is prose.
    chosen = scheme and (len(given) >= 24 or "-" in given.strip("-"))
    if chosen or is_random(given, 6 if scheme else 12):
        yield SecretFinding(match.start(2), match.start(2) + len(given), "authorization")


def bearer_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The token after the word ``bearer`` at ``at``."""
    match = _header_patterns()["bearer"].match(text, at)
    if match and is_random(match[1], 16) and not is_stand_in(match[1]) and not is_code(match[1]):
        yield SecretFinding(match.start(1), match.end(1), "authorization")


def cookies_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The long generated values in the Cookie or Set-Cookie header whose value begins at ``at``."""
    line_end = text.find("\n", at, at + _MAX_CHARS)
    for match in _header_patterns()["cookie"].finditer(text, at, line_end if line_end >= 0 else at + _MAX_CHARS):
        if is_random(match[1], 16) and not is_stand_in(match[1]):
            yield SecretFinding(match.start(1), match.end(1), "cookie")


@cache
def _url_patterns() -> dict[str, re.Pattern[str]]:
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
    patterns = _url_patterns()
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
    match = _url_patterns()["login"].match(text, at)
    if match:
        given = match[2]
        if given in ("x-oauth-basic", "x-token-auth"):
            return  # what GitHub and Bitbucket want there when the user name is the token
        # Unlike in code, a word such as `secret` in this place is what the server really accepts.
        if not is_reference(given) and not (given.isupper() and is_stand_in(given)):
            yield SecretFinding(match.start(2), match.end(2), "url-password")
        return
    hook = _url_patterns()["hook"].match(text, at)
    if hook:
        # Whoever knows the path may post.
        if is_random(hook[2], 16) and not is_stand_in(hook[2]) and not re.search("X{6}|0{8}", hook[2]):
            yield SecretFinding(hook.start(2), hook.end(2), "slack-webhook" if hook[1] else "discord-webhook")
        return
    alert = _url_patterns()["alert"].match(text, at)
    if alert:
        if not is_stand_in(alert[1]):
            yield SecretFinding(alert.start(1), alert.end(1), "webhook")
        return
    alone = _url_patterns()["token"].match(text, at)
    if alone and is_random(alone[1], 20) and not is_stand_in(alone[1]):
        yield SecretFinding(alone.start(1), alone.end(1), "url-password")
