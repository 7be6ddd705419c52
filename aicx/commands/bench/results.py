"""Shared by the actions of `aicx bench`: options, the folder of results, and showing one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console
from aicx.config import Settings
from aicx.output import check_outside

if TYPE_CHECKING:
    from aicx.bench.results import Result

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for results and indexes.")
]
Against = Annotated[
    str, typer.Option("--against", metavar="NAME", help="The retriever that a report compares the others with.")
]
OneResult = Annotated[
    Path | None, typer.Argument(metavar="[RESULT]", help="A result, or a folder, of which the newest is taken.")
]


def results_folder(settings: Settings, output: Path | None) -> Path:
    """Where results are written and looked for."""
    own = settings.layout.home / "bench"
    if output is not None:
        check_outside(output, settings.corpus_folders, own)
    return (output or own).resolve()


def find_result(given: Path | None, folder: Path) -> Path:
    """The result that is given, else the newest one."""
    from aicx.bench.results import newest_result

    path = given.expanduser() if given else folder
    return newest_result(path) if path.is_dir() else path


def check_page(path: Path, settings: Settings) -> None:
    """Refuses a result whose page, which is put beside it, would be in the corpus. Raises UnsafePath."""
    check_outside(path, settings.corpus_folders, settings.layout.home / "bench")


def show_result(result: Result, path: Path, against: str) -> None:
    """Prints a result as Markdown and writes its page beside it."""
    from aicx.bench.report.markdown import markdown
    from aicx.bench.report.page import page
    from aicx.storage.atomic import replace_file

    html = path.with_suffix(".html")
    replace_file(html, page(result, against).encode())
    console.out(markdown(result, against).rstrip())
    console.notify(f"page: {html}")
