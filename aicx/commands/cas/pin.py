"""`aicx cas pin` and `aicx cas unpin`: whether `gc` leaves an object."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.cas import PIN_SCHEMA, ObjectPinned
from aicx.cas.writing import pin
from aicx.commands.cas.common import Digest, entry_of, print_entry
from aicx.config import load_settings


@options.either("digest", "--digest")
def command(digest: Digest, json: options.Json = False) -> None:
    """Keep an object: `aicx cas gc` leaves it, however old it is.

    Example: aicx cas pin sha256:3fa29c01
    """
    _set(digest, pinned=True, json=json)


@options.either("digest", "--digest")
def unpin(digest: Digest, json: options.Json = False) -> None:
    """Let an object go with `aicx cas gc` once it is old enough.

    Example: aicx cas unpin sha256:3fa29c01
    """
    _set(digest, pinned=False, json=json)


def _set(digest: str, *, pinned: bool, json: bool) -> None:
    entry = pin(load_settings(), digest, options.now(), pinned=pinned, notify=console.notify)
    if json:
        console.out_answer(PIN_SCHEMA, ObjectPinned(entry_of(entry)))
        return
    print_entry(entry)
