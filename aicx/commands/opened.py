"""What `aicx show` opens beside what is stored: records, tasks, failures, objects, places in a repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import NotFound
from aicx.refs import HASH, Ref

_ROWS = 20  # of a file, from the line that a map names

Opener = Callable[[], None]


def opener_of(ref: str, repo: str | None, *, json: bool) -> Opener | None:
    """What opens the reference, by its prefix; None where that is the corpus."""
    match ref.partition(":")[0]:
        case "mem" | "live":
            return _record(ref, repo, json=json)
        case "work":
            return _task(ref, repo, json=json)
        case "failure":
            return _failure(ref, json=json)
        case "sha256" | "cas":
            from aicx.commands.cas.actions import get

            return lambda: get(ref, json=json)
        case "session" if "#w" in ref:
            from aicx.commands.sessions.summarize import command

            return lambda: command(ref, json=json)
    return None


def opened_otherwise(ref: str, repo: str | None, *, json: bool) -> bool:
    """Opens what the corpus does not know: the name of a record or a task, a session that is only begun, a place."""
    for opener in _others(ref, repo, json=json):
        try:
            opener()
        except NotFound:
            continue
        return True
    return False


def _others(ref: str, repo: str | None, *, json: bool) -> Iterator[Opener]:
    """What may open a reference that the corpus does not know, the likeliest first."""
    kind = Ref.parse(ref).kind
    if kind == "map":
        yield lambda: _show_place(ref, repo, json=json)
    if kind == "name" and ":" not in ref:
        yield _record(ref, repo, json=json)
        yield _task(ref, repo, json=json)
        if HASH.fullmatch(ref):
            yield _failure(ref, json=json)
    if kind in ("name", "session") and _is_stated(ref):
        from aicx.commands.sessions.showing import show

        yield lambda: show(ref, repo=repo, json=json)


def _is_stated(ref: str) -> bool:
    """Whether something was stated of a session of such an id: else there is no need to read what all sessions did."""
    from aicx.sessions.stated import read_stated

    stated = read_stated(load_settings().layout)
    start = ref.rpartition(":")[2]
    return any(f":{start}" in one for one in {*stated.lives, *stated.ends})


def _record(ref: str, repo: str | None, *, json: bool) -> Opener:
    from aicx.commands.memory.reading import get

    return lambda: get(ref, repo=repo, json=json)


def _task(ref: str, repo: str | None, *, json: bool) -> Opener:
    from aicx.commands.task.showing import show

    return lambda: show(ref, repo=repo, json=json)


def _failure(ref: str, *, json: bool) -> Opener:
    from aicx.commands.failures.show import command

    return lambda: command(ref, json=json)


def _show_place(ref: str, repo: str | None, *, json: bool) -> None:
    """The lines of a file of the repository from the one that a map names on. Raises NotFound."""
    # Imported here: the rules of redaction take a while to compile.
    from aicx.corpus.views.show_answer import SCHEMA, ListFound, ShowAnswer
    from aicx.git.identity import find_repository
    from aicx.redaction import redact
    from aicx.repomap.exclusions import excluded_by_name
    from aicx.repomap.files import is_inside

    place = Ref.parse(ref)
    root = find_repository(options.folder(repo)).root
    if ".." in place.path.split("/") or excluded_by_name(place.path) or not is_inside(root, place.path):
        raise NotFound(f"there is no file {place.path} in {root}")
    number = place.value.removeprefix(place.path).removeprefix(":")
    first = max(int(number or 1), 1)
    lines = redact((root / place.path).read_text("utf-8", "replace")).text.splitlines()[first - 1 : first - 1 + _ROWS]
    note = f"no stored session touched {place.path}; these are its lines in {root}"
    if json:
        console.out_answer(SCHEMA, ShowAnswer(ref, ListFound("file", 0, [], lines), None, [note]))
        return
    with console.paged():
        for at, line in enumerate(lines, first):
            console.out(f"{console.style(f'{at:>5}', dim=True)}  {line}")
    console.notify_notes([note])
