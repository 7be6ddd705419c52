"""What the words for a password, a key, a token and a secret announce, with no sign behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import Finding
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


def password_word_at(text: str, hit: re.Match[bytes]) -> Iterator[Finding]:
    """What is told about the word for a password that ends before a blank."""
    yield from labelled_at(text, hit.end())
    yield from told_at(text, hit.start(), hit.end(), "password")
    if "mysqladmin" in text[max(0, hit.start() - 100) : hit.start()]:
        yield from argument_at(text, hit.start())
    if text.endswith(LAST_ARGUMENT, 0, hit.end()):
        yield from last_argument_after(text, hit.end())


def said_word_at(text: str, hit: re.Match[bytes]) -> Iterator[Finding]:
    """What a PIN, a code or a pw is said to be, with ` is ` in ``hit``."""
    if text.endswith(("secret", "Secret", "SECRET"), 0, hit.start()):
        yield from told_at(text, hit.start() - 6, hit.start(), "secret")
    elif text[hit.start() - 3 : hit.start()].lower() == " pw":
        yield from told_at(text, hit.start() - 2, hit.start(), "password")
    elif _opens().search(text[max(0, hit.start() - 20) : hit.start()]):
        yield from figures_after(text, hit.start())


def key_word_at(text: str, hit: re.Match[bytes]) -> Iterator[Finding]:
    """What the word with a k at its end, or before it, is about: `hook/`, `PRIVATE KEY`, `--key X`, «the key is X»."""
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
