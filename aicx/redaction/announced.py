"""What the words for a password, a key, a token and a secret announce, with no sign behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.arguments import argument_at, figures_after
from aicx.redaction.blocks import key_at
from aicx.redaction.encoded import manifest_at
from aicx.redaction.labels import labelled_at
from aicx.redaction.prose import told_at
from aicx.redaction.standard_input import LAST_ARGUMENT, last_argument_after
from aicx.redaction.urls import hook_at


@cache
def _opens() -> re.Pattern[str]:
    return re.compile(r"(?i)\b(?:pin|(?:pin|pass|unlock|door|gate|alarm|lock|access|backup|entry)[ -]?code)\Z")


def password_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets told by the word for a password that ends before a blank."""
    yield from labelled_at(text, hit.end())
    yield from told_at(text, hit.start(), hit.end(), "password")
    if "mysqladmin" in text[max(0, hit.start() - 100) : hit.start()]:
        yield from argument_at(text, hit.start())
    if text.endswith(LAST_ARGUMENT, 0, hit.end()):
        yield from last_argument_after(text, hit.end())


def said_word_at(text: str, at: int) -> Iterator[SecretFinding]:
    """Finds the value that a PIN, a code, a pw or a secret is said to have, with ` is ` at ``at``."""
    if text.endswith(("secret", "Secret", "SECRET"), 0, at):
        yield from told_at(text, at - 6, at, "secret")
    elif text[at - 3 : at].lower() == " pw":
        yield from told_at(text, at - 2, at, "password")
    elif _opens().search(text[max(0, at - 20) : at]):
        yield from figures_after(text, at)


def p_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets after `pass`, `password` and their like, a PIN or a pw."""
    return password_word_at(text, hit) if len(hit[0]) > 3 else said_word_at(text, hit.end())


def c_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets after a code, a secret, `clave`, or a command; which of ``c q v`` begins it, the text says."""
    begin = text[hit.start()].lower()
    if hit[0] in (b"code", b"cret"):
        return said_word_at(text, hit.end()) if begin == "c" else iter(())
    if hit[0] == b"clace":
        return told_at(text, hit.start(), hit.end(), "password")
    return argument_at(text, hit.start())


def key_word_at(text: str, hit: re.Match[bytes]) -> Iterator[SecretFinding]:
    """Finds secrets by the word with a k in it: `hook/`, `PRIVATE KEY`, `--key X`, «the key is X»."""
    word = text[hit.start() : hit.end()].lower()
    if text.startswith("ind:", hit.end()):
        yield from manifest_at(text, hit.start())
        return
    if word == "k" and text.startswith(" ", hit.end()):
        yield from argument_at(text, hit.start())
        return
    if word == "k" or (word == "key" and text.startswith("/", hit.end())):
        yield from hook_at(text, hit.end())
        return
    if text[hit.start() - 1] == " " and text[hit.start() - 8 : hit.start() - 1].lower() == "private":
        yield from key_at(text, hit.start())
    if text[hit.end() - 6 : hit.end() - 5] in ("-", "_", ".") or text[hit.start() - 1] in "-_" or word == "ken":
        yield from labelled_at(text, hit.end())
    yield from told_at(text, hit.start(), hit.end(), "token" if word == "ken" else "api-key")
