"""Opens the page in a browser without putting the token on its command line, which others can read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from aicx.errors import StoreUnwritable
from aicx.storage.atomic import create_private

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>aicx dashboard</title>
<p><a href="{address}">Open the dashboard</a></p>
</html>
"""


@contextmanager
def redirect_page(address: str) -> Iterator[str]:
    """The address of a file that leads on to ``address``. Nobody else can read it, and it goes with the block."""
    try:
        folder = TemporaryDirectory(prefix="aicx-", ignore_cleanup_errors=True)  # made with mode 0700
    except OSError as error:
        raise _unwritable(error) from error
    with folder:
        path = Path(folder.name, "dashboard.html")
        try:
            with create_private(path) as stream:
                stream.write(_PAGE.format(address=escape(address)).encode())
        except OSError as error:
            raise _unwritable(error) from error
        yield path.as_uri()


def _unwritable(error: OSError) -> StoreUnwritable:
    return StoreUnwritable(
        f"no file for the browser can be written: {error.strerror or error}",
        hint="--no-open, then open the address yourself",
    )
