"""`aicx cas get`: what an object says."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.cas import GET_SCHEMA, ObjectGot
from aicx.cas.reading import BLOCK, entry_or_none, find, opened, read
from aicx.commands.cas.common import Digest, entry_of
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.output import check_outside
from aicx.paths import user_path
from aicx.storage.atomic import replacing
from aicx.terminal import without_controls


@options.either("digest", "--digest")
def command(
    digest: Digest,
    output: Annotated[
        str | None,
        typer.Option(
            *("--output", "-o"),
            metavar="FILE",
            click_type=options.PATH,
            help="Write it to this file, which must not exist.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Print an object, byte for byte, after all of it was compared with its digest.

    Example: aicx cas get sha256:3fa29c01
    Example: aicx cas get sha256:3fa29c01 --output pack.json
    """
    settings = load_settings()
    layout = settings.layout
    name = find(layout, digest)
    entry = entry_or_none(layout, name)
    is_text = entry is not None and entry.kind != "binary"
    if output is not None:
        target = user_path(output)
        check_outside(target, settings.corpus_folders)
        if target.exists() or target.is_symlink():
            raise UsageError(f"{target} exists", hint="name a file that does not")
        with opened(layout, name) as stream, replacing(target) as file:
            shutil.copyfileobj(stream, file, BLOCK)
        if not json:
            console.notify(f"{console.style('Written:', fg='green', bold=True)} {target}")
    if json:
        text = read(layout, name).decode() if is_text and output is None else None
        shown = entry_of(entry) if entry else None
        console.out_answer(GET_SCHEMA, ObjectGot(shown, text, str(target) if output is not None else None))
    elif output is None and sys.stdout.isatty():
        if not is_text:
            raise UsageError("a binary is not printed on a terminal", hint="--output FILE")
        console.out(without_controls(read(layout, name).decode()))
    elif output is None:
        with opened(layout, name) as stream:
            while block := stream.read(BLOCK):
                sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
