"""The secret that callers over HTTP have to show, and what remote ones are never shown: secrets and paths."""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

import aicx
from aicx.config import Settings
from aicx.errors import StoreUnwritable, UsageError
from aicx.storage import UNFINISHED, create_private

_MIN_LENGTH = 16
_BYTES = 32


def load_token(settings: Settings) -> str:
    """The token. Raises UsageError for one that is no secret: too short, or in a file that others may read."""
    if settings.auth_token is not None:
        return _checked(settings.auth_token, "AICX_HTTP_AUTH_TOKEN")
    path = settings.layout.auth_token
    try:
        if not path.exists():
            _make(path)
        if path.stat().st_mode & 0o077:
            raise UsageError(
                f"others may read the token in {path}",
                hint=f"chmod 600 {path}, or delete it for a new one; clients that have the lost one are refused",
            )
        return _checked(path.read_text("utf-8", "replace").strip(), str(path))
    except OSError as error:
        raise StoreUnwritable(
            f"{path} cannot be used for the token: {error.strerror or error}", hint="set AICX_HTTP_AUTH_TOKEN instead"
        ) from error


def token_of_run(settings: Settings) -> str:
    """A token that ends with the process, unless one is set.

    A page that stays open shows its token to whatever listens on the port next; by then it is good for nothing.
    """
    return load_token(settings) if settings.auth_token is not None else secrets.token_urlsafe(_BYTES)


def _checked(token: str, place: str) -> str:
    if len(token) < _MIN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"what {place} holds is not a token: at least {_MIN_LENGTH} printable ASCII characters without spaces",
            hint="python -c 'import secrets; print(secrets.token_urlsafe(32))' makes one",
        )
    return token


def _make(path: Path) -> None:
    """Writes a new token. Of several servers that start at once, one makes the file and the others read it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{UNFINISHED}")
    with create_private(temporary) as stream:
        stream.write(f"{secrets.token_urlsafe(_BYTES)}\n".encode())
    try:
        with suppress(FileExistsError):
            path.hardlink_to(temporary)
    finally:
        temporary.unlink()


def private(settings: Settings, text: str) -> str:
    """``text`` on one line, without secrets, and with names in place of the paths of the corpus, home and programs."""
    from aicx.installation import checkout_of
    from aicx.redaction import redact

    places = [("AICX_HOME", settings.layout.home), ("~", settings.user_home), ("python", Path(sys.executable))]
    if checkout := checkout_of(Path(aicx.__file__).parent):
        places.append(("CHECKOUT", checkout))
    for name, place in places:
        for spelt in (os.path.realpath(place), str(place.absolute())):
            if spelt != "/":
                text = text.replace(spelt, name)
    return " ".join(redact(text).text.split())
