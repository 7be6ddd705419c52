"""What `search` and `show` print where stdout is no terminal: a line that says what it is, and a quotation."""

from __future__ import annotations

from aicx.brief import QUOTED


def inside(printed: str) -> str:
    """The text between the fences; what is empty was not fenced."""
    if not printed:
        return ""
    notice, empty, fence, *body, end = printed.splitlines()
    assert (notice, empty) == (QUOTED, "")
    assert fence == f"{end} quoted-history"
    assert set(end) == {"`"}
    return "".join(f"{line}\n" for line in body)
