"""Takes expected types out of the JSON of a log, which may have null or another type instead.

And takes embedded data (pictures, documents) out of a record that is too large to hold, while its bytes pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from aicx.values import regex

_MAX_NAME_LENGTH = 80
_MAX_CODE = 1 << 31
_WORDS = re.compile(r"[A-Z0-9]{1,15}(?:[_ ][A-Z0-9]{1,15})*")
_DATA_URL = re.compile(
    r"data:([\w.+/-]*)(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_-]+(?:\[\d+ bytes of data left out[^\]]*\])?"
)


def text_of(value: Any) -> str | None:
    """``value`` when it is a text with something in it."""
    return value if isinstance(value, str) and value else None


def string_of(value: Any) -> str:
    """``value`` when it is a text, else an empty one: for where no text and an empty one mean the same."""
    return value if isinstance(value, str) else ""


def quoted(name: Any) -> str:
    """A name from a log as part of a reason. One that is too long is not cut: no rule knows the half of a secret."""
    text = str(name)
    return text if len(text) <= _MAX_NAME_LENGTH else f"a name of {len(text)} characters"


def lowered(name: str) -> str:
    """A name in small letters if it is made of words; a key with its letters changed is one that no rule knows."""
    return name.lower() if _WORDS.fullmatch(name) else name


def object_of(value: Any) -> dict[str, Any]:
    """``value`` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items_of(value: Any) -> list[Any]:
    """``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, whatever else is in it."""
    return [item for item in items_of(value) if isinstance(item, dict)]


def exit_code_of(value: Any) -> int | None:
    """``value`` when it is a number that a command can end with."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_CODE else None


def parse_json(text: str | bytes) -> Any:
    """The value that ``text`` holds as JSON, None when it holds none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def replace_data_urls(text: str, mark: Callable[[str], str]) -> str:
    """``text`` with ``mark(media type)`` in place of every file that is embedded in it as base64."""
    return _DATA_URL.sub(lambda found: mark(found[1]), text) if ";base64," in text else text


def without_data(text: str) -> str:
    """``text`` with a plain mark in place of every embedded file."""
    return replace_data_urls(text, lambda media: f"[{media or 'data'} left out]")


BLOCK = 1024 * 1024
# A shorter run stays: no word, path or hash is as long.
_SHORTEST = 2048
# No piece of a run is longer than this: what could be half of one at the end of a block waits for the next block.
_MARGIN = 160
# The start of a run stays: after a backslash it is the rest of an escape such as `\n` or `\u00e9`.
_KEPT = 8

# Base64 in either alphabet, as JSON and URLs write it: `\/` and `%2B` inside, or wrapped into lines of 64 or 76.
# JSON inside JSON has more backslashes; a text file has none.
_LINE_END = rb"(?:\\{1,4}r|\r)?(?:\\{1,4}n|\n)"
_BASE64 = (
    rb"(?:[\w+/=-]++"
    rb"|\\{1,4}/|%%[0-9A-Fa-f]{2}"
    rb"|%(end)s(?:[\w+/=]{76}|[\w+/=]{64})(?![\w+/=-])"
    rb"|%(end)s[\w+/]{1,75}={1,2}(?![\w+/=-]))"
) % {b"end": _LINE_END}
# The content of a data URL that is not base64, such as a percent-encoded drawing.
_ENCODED = rb"[\w!#$%&'()*+,./:;=?@~-]"
_RUN = regex(
    rb"data:[\w.+/-]{1,80}(?:;(?!base64,)[\w.=+-]{1,80})*+,(?P<encoded>%s{60,}+)" % _ENCODED
    + rb"|(?=[\w+/=-]{60})%s++" % _BASE64
)
# Turns every byte that a run can begin with into an x: where no 60 of these are together, no run is looked for.
_SIGNS = bytes(ord("x" if re.match(rb"[\w+/=-]", bytes([sign])) else " ") for sign in range(256))
_REST = {True: re.compile(_ENCODED + rb"*+"), False: re.compile(_BASE64 + rb"*+")}


CUT_OUT = "embedded data left out of a large record"  # the reason under which reports count it


class DataCutter:
    """Bytes go in block by block and come out with a mark in the place of each run of data; ``count`` is how many.

    A mark says how long the run was, and its hash: two records that differ in their data alone stay different.
    """

    def __init__(self) -> None:
        self.count = 0
        self._held = b""
        self._encoded: bool | None = None  # of the run that is being cut: whether it is percent-encoded
        self._size = 0
        self._digest = sha256()

    def feed(self, block: bytes, *, last: bool = False) -> bytes:
        """Returns the bytes to give out after ``block``; possible data is held back, but not after the last."""
        data = self._held + block
        kept = []
        at = 0
        end = len(data) if last else max(len(data) - _MARGIN, 0)
        may_hold_run = b"data:" in data or b"x" * 60 in data.translate(_SIGNS)
        while True:
            if self._encoded is not None:
                at = self._drop(data, at)
                if at >= end and not last:
                    break
                kept.append(self._mark())
            run = _RUN.search(data, at) if may_hold_run else None
            if run is None or run.start() >= end:
                kept.append(data[at : max(at, end)])
                at = max(at, end)
                break
            if run.end() - run.start() < _SHORTEST:
                if run.end() >= end and not last:
                    kept.append(data[at : run.start()])
                    at = run.start()
                    break
                kept.append(data[at : run.end()])
                at = run.end()
                continue
            self._encoded = run["encoded"] is not None
            start = run.start("encoded") if self._encoded else run.start() + _KEPT
            kept.append(data[at:start])
            at = start
        self._held = data[at:]
        return b"".join(kept)

    def _drop(self, data: bytes, at: int) -> int:
        rest = _REST[bool(self._encoded)].match(data, at)
        assert rest is not None  # it matches the empty run as well
        self._size += rest.end() - at
        self._digest.update(rest[0])
        return rest.end()

    def _mark(self) -> bytes:
        mark = b"[%d bytes of data left out, sha256 %s]" % (self._size, self._digest.hexdigest()[:16].encode())
        self.count += 1
        self._encoded, self._size, self._digest = None, 0, sha256()
        return mark


def read_cut(path: Path, limit: int) -> tuple[bytes, int, str, int]:
    """The words of a large file, its size, its SHA-256, and how many pieces of embedded data were left out.

    Reading ends when the words are more than ``limit`` bytes. Raises OSError.
    """
    cutter, kept, digest, size = DataCutter(), bytearray(), sha256(), 0
    with path.open("rb") as stream:
        while len(kept) <= limit and (block := stream.read(BLOCK)):
            kept += cutter.feed(block)
            digest.update(block)
            size += len(block)
    kept += cutter.feed(b"", last=True)
    return bytes(kept), size, digest.hexdigest(), cutter.count
