"""Private keys in PEM armour: whole, cut at either end, indented, quoted, escaped, numbered, or inside a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding

RULE = "private-key"

# A 16,384-bit RSA key is 13 kB of armour; line numbers and escapes come on top.
_MAX_CHARS = 32_768
_MAX_LINE_LENGTH = 200


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        "begin": re.compile(r"-----BEGIN[A-Z0-9 ]{0,40} PRIVATE \Z"),
        "end": re.compile(r"-----END[A-Z0-9 ]{0,40} PRIVATE \Z"),
        "closing": re.compile(r"KEY(?: BLOCK)?(?:-----)?"),
        "whole end": re.compile(r"-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
        "break": re.compile(r"\r?\n|\\{1,4}r\\{1,4}n|\\{1,4}n"),
        "piece": re.compile(
            r"""[ \t]{0,40}(?:\d{1,6}[→\t:|-][ \t]?)?(?:[>+#*/│|-]{1,3}[ \t]{0,40})?["'`]?
            (?:([A-Za-z0-9+/]*={0,2})|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{0,120})
            ["'`]?[ \t]{0,40}[\\+,;│|]?[ \t]{0,40}""",
            re.VERBOSE,
        ),
        "run": re.compile(r"[A-Za-z0-9+/=]{16,}"),
    }


def key_at(text: str, start: int) -> Iterator[SecretFinding]:
    """The block whose BEGIN or END line holds ``PRIVATE KEY``, with the K at ``start``."""
    patterns = _patterns()
    before = text[max(0, start - 70) : start]
    closing = patterns["closing"].match(text, start)
    if closing is None:
        return  # in lower case, as people write about keys
    begin = patterns["begin"].search(before)
    if begin:
        opening = start - len(before) + begin.start()
        end = _end_of_body(text, closing.end())
        if end:
            yield SecretFinding(opening, end, RULE)
        return
    if patterns["end"].search(before):
        first = _start_of_body(text, start - len(before) + before.rindex("-----END"))
        if first is not None:
            yield SecretFinding(first, closing.end(), RULE)


def _end_of_body(text: str, at: int) -> int:
    """Where the block ends whose body begins at ``at``: after its END line, else after its last line; 0 if none."""
    patterns = _patterns()
    end = patterns["whole end"].search(text, at, at + _MAX_CHARS)
    if end:
        body = text[at : end.start()]
        runs = sum(len(run[0]) for run in patterns["run"].finditer(body))
        if runs >= 40 and runs * 2 > len(body):
            return end.end()
    limit = at + _MAX_CHARS
    last = seen = 0
    while at < min(limit, len(text)):
        gap = patterns["break"].match(text, at)
        if gap is None and last:
            break
        piece = patterns["piece"].match(text, gap.end() if gap else at)
        if piece is None or piece.end() == at or not _is_line_end(text, piece.end()):
            break
        at = piece.end()
        run = len(piece[1] or "")
        if run:
            seen += run
            last = at
        # Only the last line of a body is short.
        if 0 < run < 40:
            break
    return last if seen >= 16 else 0


def _is_line_end(text: str, at: int) -> bool:
    return at == len(text) or _patterns()["break"].match(text, at) is not None


def _start_of_body(text: str, end: int) -> int | None:
    """Where the body begins whose END line begins at ``end``, when its BEGIN line was cut away."""
    first, seen = _line_start(text, end), 0
    if text[first:end].strip(" \t>+#\"'0123456789→:|"):
        return None
    at = first
    while at > 0 and end - at < _MAX_CHARS:
        line_end = at - (1 if text[at - 1] == "\n" else 2)
        at = _line_start(text, line_end)
        piece = _patterns()["piece"].fullmatch(text[at:line_end].rstrip("\r\\"))
        run = len(piece[1] or "") if piece else 0
        # Read backwards, the short line comes first.
        if run < (40 if seen else 1):
            break
        seen += run
        first = at
    return first if seen >= 40 else None


def _line_start(text: str, at: int) -> int:
    """Where the line that holds the sign before ``at`` begins, after a line break or its escape."""
    lowest = max(0, at - _MAX_LINE_LENGTH)
    escaped = text.rfind("\\n", lowest, at)
    return max(lowest, text.rfind("\n", lowest, at) + 1, escaped + 2 if escaped >= 0 else 0)
