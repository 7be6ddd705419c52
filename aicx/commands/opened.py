"""How `aicx show` prints what is not in the corpus: records, tasks, failures, objects, places in a repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aicx import console, options
from aicx.opening import Kind, lines_of_place


def printers(repo: str | None, *, json: bool) -> Mapping[Kind, Callable[[str], None]]:
    """What prints each kind of thing. The command of each is imported when it is needed: together they take long."""

    def record(ref: str) -> None:
        from aicx.commands.memory.reading import get

        get(ref, repo=repo, json=json)

    def task(ref: str) -> None:
        from aicx.commands.task.showing import show

        show(ref, repo=repo, json=json)

    def failure(ref: str) -> None:
        from aicx.commands.failures import show_failure

        show_failure(ref, json=json)

    def kept(ref: str) -> None:
        from aicx.commands.cas import get

        get(ref, json=json)

    def window(ref: str) -> None:
        from aicx.commands.sessions.summarize import summarize_session

        summarize_session(ref, json=json)

    def session(ref: str) -> None:
        from aicx.commands.sessions.showing import show

        show(ref, repo=repo, json=json)

    return {
        "record": record,
        "task": task,
        "failure": failure,
        "object": kept,
        "window": window,
        "session": session,
        "place": lambda ref: _print_place(ref, repo, json=json),
    }


def _print_place(ref: str, repo: str | None, *, json: bool) -> None:
    from aicx.corpus.views.show import SCHEMA, ListFound

    first, answer = lines_of_place(ref, options.folder(repo))
    if json:
        console.out_answer(SCHEMA, answer)
        return
    assert isinstance(answer.what, ListFound)
    with console.paged():
        for at, line in enumerate(answer.what.lines or (), first):
            console.out(f"{console.style(f'{at:>5}', dim=True)}  {line}")
    console.notify_notes(answer.notes)
