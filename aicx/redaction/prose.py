"""Secrets that people tell in sentences («the password is X», «use X as the password»), in `.netrc` and in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.values import is_code, is_random, is_stand_in, words


@cache
def app_password() -> re.Pattern[str]:
    """Four groups of four letters, as Google and Apple write passwords for apps."""
    return re.compile(r"""[ \t]{0,3}(?:\\?["'`])?([a-z]{4}(?:[ ][a-z]{4}){3}|[a-z]{4}(?:-[a-z]{4}){3})(?![\w -]*\w)""")


_FOUR_LETTERS = frozenset(
    """
    able also been best both came card case code come data does done down each else even ever file find form from
    full gave give goes good have help here high hold home hour idea into item just keep kept kind know last late less
    like line list long look made mail main make many mean more most move much must name need next once only open over
    page part pass past path plan play read real rest rule same save seen send sent show side some soon sure take tell
    test text than that them then they this time told true turn type upon used user uses very view wait want week well
    went were what when will with word work year your
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a hundred quoted ones
)


def is_said(groups: str) -> bool:
    """Whether four words of four letters are words of a sentence."""
    return sum(word in _FOUR_LETTERS for word in re.split("[ -]", groups)) > 1


_MAX_CHARS = 100
# What a password is said to be, and a number stands behind it by chance.
_SAID_OF_IT = frozenset(
    """
    able about absent already always applied ascii auth base64 base64url base blank broken cached case checked chosen
    cleared compared compromised correct default deleted derived digits easy eight encoded encrypted equal exposed
    expired fine five four gone good handled hard hashed here hex how idempotency incorrect interpolated invalid jwt
    kept known leaked longer long lost managed mandatory masked missing mounted named needed never nine node null
    obsolete okay one only optional out passed path plain plaintext present prompted protected provided put random read
    ready refreshed removed required reset rotated rsa safe salted saved secure sensitive sent seven sha shared short
    six still stored strong ten three too two typed unchanged unique unknown unset url used utf valid validated verified
    version visible weak which with written wrong year zero
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a hundred quoted ones
)

# Words of a sentence about a password.
_SAYS = frozenset("a an and at be for from in is it least must of or should than the to with characters".split())  # noqa: SIM905

# «as the password», «(password)»
_BEFORE_NAME = (" as ", " as the ", " as my ", " as a ", " as your ", " as its ", " for the ", " (")


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    quoted = rf"""(?P<quote>\\?["'`]|[“„«「『])(?P<inside>[^\n"'`\\”“»」』]{{4,{_MAX_CHARS}}})(?:\\?["'`]|[”“»」』])"""
    bare = rf"""(?P<bare>[!-\[\]-~]{{4,{_MAX_CHARS}}})"""
    verb = r"(?:is|was|are|were|will[ ]be|ist|lautet|war|est|es|era|é|è|to|jest|:|->|→|-|\u2013)"
    return {
        # «for the staging box», «zum Server», «do bazy»
        "link": re.compile(
            rf"""[ \t]{{0,3}}(?:\([^()\n]{{1,40}}\)[ ])?
            (?:(?:for|to|of|on|in|do|od|zu|zum|für|pour|para|del?|di)[ ](?:[\w.@'-]{{1,40}}[ ]){{1,4}}?)?
            {verb}(?:[ ](?:now|set[ ]to|still|changed[ ]to|reset[ ]to))?[ ]?:?[ \t]{{1,3}}(?:{quoted}|{bare})""",
            re.VERBOSE,
        ),
        "app password": re.compile(
            rf"(?:[ ]{verb})?[ ]{{1,3}}[\"'`]?(?P<inside>[a-z]{{4}}(?:[ ][a-z]{{4}}){{3}})(?![\\w -]*\\w)", re.VERBOSE
        ),
        "next": re.compile(rf"[ \t]{{1,3}}(?:{quoted}|{bare})"),
        "in sql": re.compile(
            r"""[ ]{0,2}(?:=[ ]?)?\([ ]?N?(["'])([^\n"']{4,100})\1|[ ]{1,2}(?:=[ ]?)?N?'([^\n']{4,100})'"""
        ),
        "netrc": re.compile(r"(?:machine|default)\b[^\n#]{0,100}\s+login\s+\S{1,100}(?:\s+account\s+\S{1,100})?\s+\Z"),
        "netrc value": re.compile(r"\s{1,4}([^\s\"'`]{3,200})"),
        "as quoted": re.compile(
            r"""(\\?["'`])([^\s"'`\\]{4,100})\1[ ](?:as|for)[ ](?:the|a|my|your|its|his|her)?[ ]?\Z"""
        ),
        "as bare": re.compile(r"(?<![\w.])([!-~]{6,100})[ ]as[ ](?:the|a|my|your|its)?[ ]?\Z"),
        "in brackets": re.compile(r"[/,][ ]([!-~]{6,100})[ ]\(\Z"),
        "login": re.compile(r"(?:[/,;(]|\band|\buser|\blogin)[ ](?:[\w.@-]{1,40}[ ]){0,2}\Z", re.IGNORECASE),
        # «the key is UserProfile2024Settings»
        "words and numbers": re.compile(r"(?:[A-Z]?[a-z]{3,}|[A-Z]{2,5}(?=[A-Z]|\d|$)|\d{1,4}|[-_])+"),
        "identified": re.compile(
            rf"""[ ](?:with[ ][\w'"]{{1,40}}[ ])?(?:by|as)[ ](?:password[ ])?
            (?:(["'])([^\n"']{{4,{_MAX_CHARS}}})\1|([^\s"';,()]{{4,{_MAX_CHARS}}}))""",
            re.IGNORECASE | re.VERBOSE,
        ),
    }


def told_at(text: str, start: int, at: int, rule: str) -> Iterator[SecretFinding]:
    """Finds the value of the secret whose name is ``text[start:at]``, after it or before."""
    patterns = _patterns()
    app = patterns["app password"].match(text, at) if rule == "password" else None
    if app and not is_said(app["inside"]):
        yield SecretFinding(*app.span("inside"), rule)
        return
    given = patterns["link"].match(text, at) if text[start:at].lower() != "pass" else None
    if given:
        yield from _judged(text, given, rule)
        return
    if rule != "password":
        value = patterns["next"].match(text, at)
        # Of a fingerprint it is said, too: «removing key 2485…».
        if value and re.match("(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{20}", value["bare"] or ""):
            yield from _judged(text, value, rule)
        return
    before = text[max(0, start - 240) : start]
    sql = patterns["in sql"].match(text, at) if text[start:at].isupper() else None
    if sql:
        yield from _certain(text, *sql.span(2 if sql[2] else 3))
    elif "login" in before and patterns["netrc"].search(before):
        value = patterns["netrc value"].match(text, at)
        if value and not is_stand_in(value[1]):
            yield SecretFinding(*value.span(1), "password")
    elif (
        (value := patterns["next"].match(text, at))
        and _is_meant(value["bare"] or "")
        and patterns["login"].search(before[-60:])
    ):
        yield from _judged(text, value, rule)
    if before.endswith(_BEFORE_NAME):
        yield from _told_before(text, start, before[-110:])


def _told_before(text: str, start: int, before: str) -> Iterator[SecretFinding]:
    """«Use `X` as the password», «admin / X (password)»."""
    patterns = _patterns()
    offset = start - len(before)
    quoted = patterns["as quoted"].search(before)
    if quoted:
        yield from _certain(text, quoted.start(2) + offset, quoted.end(2) + offset)
        return
    bare = patterns["as bare"].search(before) or patterns["in brackets"].search(before)
    if bare and _is_meant(bare[1]):
        yield SecretFinding(bare.start(1) + offset, bare.end(1) + offset, "password")


def identified_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in SQL's `IDENTIFIED BY`, of which the first word ends at ``at``."""
    match = _patterns()["identified"].match(text, at)
    if match is None:
        return
    if match[2]:
        yield from _certain(text, *match.span(2))
    elif text[at - 10 : at].isupper() or is_random(match[3], 8):
        yield from _certain(text, *match.span(3))


def _certain(text: str, start: int, end: int) -> Iterator[SecretFinding]:
    """The value, unless it stands in for one."""
    given = text[start:end]
    if given.isupper() and given.isalpha():
        return  # a word of SQL
    referred = is_stand_in(given) or given.startswith(("$", ":", "?", "@", "<", "%"))
    if not referred and not _is_remark(given) and not is_code(given):
        yield SecretFinding(start, end, "password")


def _judged(text: str, given: re.Match[str], rule: str) -> Iterator[SecretFinding]:
    group = "inside" if given["inside"] else "bare"
    start, end = given.span(group)
    value = given[group]
    if group == "bare":
        value = value.rstrip(".,;:!?)]}\"'`")
        if "(" in value or value.startswith(("<", "$", "{", "[", "(", "@", "/", "-")) or "://" in value:
            return
    if rule != "password":
        if (
            is_random(value, 16)
            and not is_stand_in(value)
            and not is_code(value)
            and " " not in value
            and not _is_remark(value)
            and not _patterns()["words and numbers"].fullmatch(value)
        ):
            yield SecretFinding(start, start + len(value), rule)
    elif group == "inside":
        parts = value.split(" ")
        phrase = len(parts) in range(3, 10) and "".join(parts).isalpha() and value.islower()
        phrase = phrase or (len(parts) in (2, 3, 4) and any(map(str.isdigit, value)) and not _SAYS.intersection(parts))
        if (" " not in value or phrase) and not is_stand_in(value) and not is_code(value) and not _is_remark(value):
            yield SecretFinding(start, end, rule)
    elif _is_meant(value):
        yield SecretFinding(start, start + len(value), rule)


def _is_remark(value: str) -> bool:
    """Whether ``value`` says something about a password, such as `case-sensitive` or `sha256`."""
    return any(word in _SAID_OF_IT for word in words(value))


def _is_meant(value: str) -> bool:
    """Whether an unquoted ``value`` in a sentence is a password: letters with digits, or with signs inside."""
    if len(value) < 6 or not value.isascii() or is_stand_in(value) or is_code(value) or _is_remark(value):
        return False
    if re.search(r"\w[!#$%^&*+?~]+\w", value):
        return True
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and not re.fullmatch(r"\d+\w{0,8}", value)
