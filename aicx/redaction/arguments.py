"""Passwords that commands take in a fixed place, with no option before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.commands import VALUE
from aicx.redaction.values import is_code, is_random, is_stand_in

_LINE = 200


@cache
def _commands() -> tuple[re.Pattern[str], ...]:
    """One for each command, with its password in the group `inside` or `bare`."""
    word = r"""["']?[^\s"']{1,100}["']?"""
    return tuple(
        re.compile(rf"(?:{command})[ ]{{1,3}}{VALUE}", re.IGNORECASE)
        for command in (
            r"\bnet[ ]use[ ](?:[a-z*]:?[ ])?\\{2,4}[\w.\\$-]{1,100}(?:[ ]/user:[^\s]{1,60})?",
            r"\bnet[ ]user[ ][\w.-]{1,40}",
            rf"\brabbitmqctl[ ](?:-\w[ ]{word}[ ])?(?:add_user|change_password)[ ]{word}",
            r"\bvault[ ]login(?:[ ]-(?!method)[\w-]{1,20}){0,3}",
            r"\bbw[ ]unlock",
            r"\bmysqladmin[ ][^\n]{0,100}?\bpassword",
            r"(?:\bredis-cli[^\n|;]{0,80}|>[ ])auth(?:[ ][\w.-]{1,40}(?=[ ][^\s-]))?",
        )
    )


def argument_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password among the arguments of the command on whose line ``at`` is."""
    start = max(text.rfind("\n", max(0, at - _LINE), at) + 1, at - _LINE)
    for command in _commands():
        for found in command.finditer(text, start, at + _LINE):
            group = "inside" if found["inside"] else "bare"
            given = found[group]
            if given.startswith(("-", "/", "$", "<", "*")) or is_stand_in(given) or is_code(given):
                continue
            if group == "inside" or is_random(given, 6) or re.search(r"\w[!#%^&*+?@~]", given):
                yield SecretFinding(*found.span(group), "password")


@cache
def _slashed() -> re.Pattern[str]:
    return re.compile(rf":{VALUE}")


def slashed_at(text: str, at: int) -> Iterator[SecretFinding]:
    """The password in the option `/p:X` of a Windows program, with the colon at ``at``."""
    match = _slashed().match(text, at)
    if match:
        group = "inside" if match["inside"] else "bare"
        if is_random(match[group], 6) and not is_stand_in(match[group]) and not is_code(match[group]):
            yield SecretFinding(*match.span(group), "password")


@cache
def _figures() -> re.Pattern[str]:
    return re.compile(r"(?:[ ](?:code|number))?(?:[ ](?:is|was))?[ ]?:?[ ]{1,2}[\"'`]?(\d{4,8})(?![\w.,:/-]{0,20}\d)")


def figures_after(text: str, at: int) -> Iterator[SecretFinding]:
    """The number that is said to be a PIN or a code that opens something, behind the word that ends at ``at``."""
    match = _figures().match(text, at)
    if match and not match[1].startswith(("19", "20")):
        yield SecretFinding(*match.span(1), "password")
