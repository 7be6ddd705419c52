"""The opener of references, for `aicx show` and for the tool `aicx_read`, each of which shows them in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from aicx.errors import NotFound
from aicx.paths import Layout
from aicx.refs import HASH, Ref

if TYPE_CHECKING:
    from aicx.corpus.views.show import ShowAnswer

_ROWS = 20  # of a file, from the line that a map names

# What the corpus does not have: a record or a statement of a file, a task or a handoff, what failed, a kept object, a
# window of a session, a session of which something was stated, a place in the repository.
Kind = Literal["record", "task", "failure", "object", "window", "session", "place"]
_BY_PREFIX: Mapping[str, Kind] = {
    "mem": "record",
    "live": "record",
    "work": "task",
    "failure": "failure",
    "sha256": "object",
    "cas": "object",
}


Shown = TypeVar("Shown")


def open_ref(
    ref: str, layout: Layout, in_corpus: Callable[[str], Shown], openers: Mapping[Kind, Callable[[str], Shown]]
) -> Shown:
    """Shows what its prefix says, else what the corpus has, else what goes by such a name. Raises NotFound."""
    prefix = ref.partition(":")[0]
    kind = "window" if prefix == "session" and "#w" in ref else _BY_PREFIX.get(prefix)
    if kind is not None:
        return openers[kind](ref)
    try:
        return in_corpus(ref)
    except NotFound:
        for other in _others(ref, layout):
            with suppress(NotFound):
                return openers[other](ref)
        raise


def _others(ref: str, layout: Layout) -> Iterator[Kind]:
    """Yields what a reference may mean that the corpus does not know, the likeliest first."""
    kind = Ref.parse(ref).kind
    if kind == "map":
        yield "place"
    if kind == "name" and ":" not in ref:
        yield from ("record", "task")
        if HASH.fullmatch(ref):
            yield "failure"
    if kind in ("name", "session") and _is_stated(ref, layout):
        yield "session"


def _is_stated(ref: str, layout: Layout) -> bool:
    """Whether something was stated of a session of such an id: else there is no need to read what all sessions did."""
    from aicx.sessions.stated import read_stated

    stated = read_stated(layout)
    start = ref.rpartition(":")[2]
    return any(f":{start}" in one for one in {*stated.lives, *stated.ends})


def lines_of_place(ref: str, folder: Path) -> tuple[int, ShowAnswer]:
    """The number of the line that a map names, and the lines of the repository's file from there. Raises NotFound."""
    # Imported here: the rules of redaction take a while to compile.
    from aicx.corpus.views.show import ListFound, ShowAnswer
    from aicx.git.identity import find_repository
    from aicx.redaction import redact
    from aicx.repomap.files import is_inside
    from aicx.repomap.kinds import excluded_by_name

    place = Ref.parse(ref)
    root = find_repository(folder).root
    if ".." in place.path.split("/") or excluded_by_name(place.path) or not is_inside(root, place.path):
        raise NotFound(f"there is no file {place.path} in {root}")
    number = place.value.removeprefix(place.path).removeprefix(":")
    first = max(int(number or 1), 1)
    lines = redact((root / place.path).read_text("utf-8", "replace")).text.splitlines()[first - 1 : first - 1 + _ROWS]
    note = f"no stored session touched {place.path}; these are its lines in {root}"
    return first, ShowAnswer(ref, ListFound("file", 0, [], lines), None, [note])
