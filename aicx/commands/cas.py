"""`aicx pack objects`: objects under the digest of what they are."""

from __future__ import annotations

import shutil
import sys
from contextlib import nullcontext
from typing import Annotated, BinaryIO

from aicx import console, options
from aicx.cas.entry import (
    GC_SCHEMA,
    GET_SCHEMA,
    KINDS,
    LIST_SCHEMA,
    PIN_SCHEMA,
    PUT_SCHEMA,
    ObjectEntry,
    ObjectGot,
    ObjectList,
    ObjectPinned,
)
from aicx.cas.reading import BLOCK, entry_or_none, find, list_entries, opened, read
from aicx.cas.writing import DAYS, Origin, collect, pin, put
from aicx.config import load_settings
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.storage import check_outside, replacing
from aicx.terminal import without_controls

Digest = Annotated[str, Argument(metavar="DIGEST", help="sha256: and at least 8 of its digits.")]


def print_entry(entry: ObjectEntry) -> None:
    facts = [console.when(entry.put_at), entry.kind.replace("_", " "), f"{entry.size:,} bytes"]
    facts += [*(["pinned"] if entry.pinned else []), *entry.tags]
    console.out(f"{console.style(entry.digest, fg='cyan')}  {console.style(' · '.join(facts), fg='bright_black')}")


def list_objects(
    tag: Annotated[list[str] | None, Option("--tag", metavar="WORD", help="Only with this tag.")] = None,
    kind: Annotated[str | None, Option("--kind", metavar="KIND", help=f"One of {', '.join(KINDS)}.")] = None,
    pinned: Annotated[bool, Option("--pinned", help="Only those that are pinned.")] = False,
    limit: options.Limit = 50,
    utc: options.Utc = False,
) -> options.Answered:
    """List objects, those that were put last first.

    Example: aicx pack objects list --tag release
    Example: aicx pack objects list --kind task_pack --limit 5
    """
    if kind is not None:
        options.one_of(kind, KINDS, "is not a kind of object", "--kind")
    entries, damaged = list_entries(load_settings().layout)
    fitting = [
        entry
        for entry in entries
        if (kind is None or entry.kind == kind) and set(tag or ()) <= set(entry.tags) and (entry.pinned or not pinned)
    ]
    yield LIST_SCHEMA, ObjectList(fitting[:limit], len(fitting), [f"sha256:{name}" for name in damaged])
    for entry in fitting[:limit]:
        print_entry(entry)
    for name in damaged:
        console.warn(f"sha256:{name} has no sidecar that can be read; put or pin it again")
    if len(fitting) > limit:
        console.notify(f"{limit:,} of {len(fitting):,} objects; --limit shows more.")
    if not fitting:
        console.notify("No object fits. `aicx pack task` makes one of what is being worked on here.")


@options.either("digest", "--digest")
def get(
    digest: Digest,
    output: Annotated[
        str | None,
        Option(
            *("--output", "-o"), metavar="FILE", click_type=PATH, help="Write it to this file, which must not exist."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Print an object, byte for byte, after all of it was compared with its digest.

    Example: aicx pack objects get sha256:3fa29c01
    Example: aicx pack objects get sha256:3fa29c01 --output pack.json
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
        console.out_answer(GET_SCHEMA, ObjectGot(entry, text, str(target) if output is not None else None))
    elif output is None and sys.stdout.isatty():
        if not is_text:
            raise UsageError("a binary is not printed on a terminal", hint="--output FILE")
        console.out(without_controls(read(layout, name).decode()))
    elif output is None:
        with opened(layout, name) as stream:
            while block := stream.read(BLOCK):
                sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()


def put_object(
    file: Annotated[str, Argument(metavar="FILE", click_type=PATH, help="The file; - for standard input.")],
    tag: Annotated[
        list[str] | None, Option("--tag", metavar="WORD", help="A word to find it by; several times.")
    ] = None,
    binary: Annotated[
        bool, Option("--binary", help="Store the bytes as they are. No secret is looked for in them.")
    ] = False,
) -> options.Answered:
    """Store a text under the digest of what it says. Secrets in it are replaced by marks first.

    The digest is that of the redacted text, so it differs from the file's own where a secret was found. A text may have
    32 MiB. What is not text in UTF-8 is refused without --binary, because no secret can be found in it.

    Example: aicx pack objects put notes.md --tag release
    Example: git bundle create - main | aicx pack objects put - --binary
    """
    settings = load_settings()
    origin = Origin("binary" if binary else "text", tuple(tag or ()))
    with _opened(file) as stream:
        try:
            done = put(settings, stream, origin, options.now(), console.notify)
        except IsADirectoryError:
            raise UsageError(f"{file} is a folder", hint="name a file") from None
    yield PUT_SCHEMA, done
    print_entry(done.object)
    if done.redactions:
        console.warn(f"{console.plural(done.redactions, 'secret')} replaced; the digest is of what was stored")
    word = "Stored:" if done.new else "Known:"
    console.notify(f"{console.style(word, fg='green', bold=True)} {done.object.digest}")


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


@options.either("digest", "--digest")
def pin_object(digest: Digest) -> options.Answered:
    """Keep an object: `aicx pack objects gc` leaves it, however old it is.

    Example: aicx pack objects pin sha256:3fa29c01
    Example: aicx pack objects pin sha256:3fa29c01 --json
    """
    yield from _set(digest, pinned=True)


@options.either("digest", "--digest")
def unpin_object(digest: Digest) -> options.Answered:
    """Let an object go with `aicx pack objects gc` once it is old enough.

    Example: aicx pack objects unpin sha256:3fa29c01
    Example: aicx pack objects unpin sha256:3fa29c01 --json
    """
    yield from _set(digest, pinned=False)


def _set(digest: str, *, pinned: bool) -> options.Answered:
    entry = pin(load_settings(), digest, options.now(), pinned=pinned, notify=console.notify)
    yield PIN_SCHEMA, ObjectPinned(entry)
    print_entry(entry)


def collect_objects(
    older_than: Annotated[
        float, Option("--older-than", metavar="DAYS", min=0, max=36_500, help="Days since it was put last; 0 for all.")
    ] = DAYS,
    most: Annotated[
        int | None, Option("--max-delete", metavar="N", min=1, help="At most this many, the oldest first.")
    ] = None,
    apply: Annotated[bool, Option("--apply", help="Delete them. Without it they are only shown.")] = False,
) -> options.Answered:
    """Show which objects would go: those that are not pinned and were not put for 30 days. --apply deletes them.

    Example: aicx pack objects gc
    Example: aicx pack objects gc --older-than 90 --apply
    """
    settings = load_settings()
    found = collect(settings, options.now(), days=older_than, most=most, apply=apply, notify=console.notify)
    yield GC_SCHEMA, found
    for entry in found.objects:
        print_entry(entry)
    done = "Deleted:" if apply else "Would delete:"
    console.notify(
        f"{console.style(done, fg='green', bold=True)} {console.plural(len(found.objects), 'object')},"
        f" {found.bytes:,} bytes. Kept: {found.pinned:,} pinned, {found.younger:,} younger."
    )
    if found.unknown:
        console.warn(f"{console.plural(len(found.unknown), 'object')} left, whose sidecars cannot be read")
    if found.objects and not apply:
        console.notify("Nothing was changed; --apply deletes them.")
