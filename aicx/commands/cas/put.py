"""`aicx cas put`: stores a file, or what comes in on standard input."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated, BinaryIO

import typer

from aicx import console, options
from aicx.api.answers.cas import PUT_SCHEMA, ObjectPut
from aicx.cas.writing import Origin, put
from aicx.commands.cas.common import entry_of, print_entry
from aicx.config import load_settings
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", click_type=options.PATH, help="The file; - for standard input.")
    ],
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="WORD", help="A word to find it by; several times.")
    ] = None,
    binary: Annotated[
        bool, typer.Option("--binary", help="Store the bytes as they are. No secret is looked for in them.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Store a text under the digest of what it says. Secrets in it are replaced by marks first.

    The digest is that of the redacted text, so it differs from the file's own where a secret was found. A text may have
    32 MiB. What is not text in UTF-8 is refused without --binary, because no secret can be found in it.

    Example: aicx cas put notes.md --tag release
    Example: git bundle create - main | aicx cas put - --binary
    """
    settings = load_settings()
    origin = Origin("binary" if binary else "text", tuple(tag or ()))
    with _opened(file) as stream:
        try:
            done = put(settings, stream, origin, options.now(), console.notify)
        except IsADirectoryError:
            raise UsageError(f"{file} is a folder", hint="name a file") from None
    if json:
        console.out_answer(PUT_SCHEMA, ObjectPut(entry_of(done.entry), done.new, done.redactions))
        return
    print_entry(done.entry)
    if done.redactions:
        console.warn(f"{console.plural(done.redactions, 'secret')} replaced; the digest is of what was stored")
    word = "Stored:" if done.new else "Known:"
    console.notify(f"{console.style(word, fg='green', bold=True)} {done.entry.digest}")


def _opened(file: str) -> nullcontext[BinaryIO] | BinaryIO:
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    path = user_path(file)
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="name a file, or - for standard input") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="name a file that may be read") from error
