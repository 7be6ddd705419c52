"""aicx keeps the logs of coding agents as a canonical corpus and answers questions from it.

From Python, `aicx.open` gives a corpus to ask: ``search``, ``steer``, ``show``, ``resume``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from aicx.library import AicxError, Brief, ChunkFound, Corpus, ListFound, SessionFound, to_fields

__all__ = [
    "AicxError",
    "Brief",
    "ChunkFound",
    "Corpus",
    "ListFound",
    "SessionFound",
    "__version__",
    "open",
    "to_fields",
]
__version__ = "0.2.0"


def open(home: str | PathLike[str] | None = None) -> Corpus:  # noqa: A001 - `aicx.open`, as `gzip.open`
    """The corpus in a folder, for ``with``; without one that of `AICX_HOME`, or ``~/.aicx``."""
    from aicx.library import Corpus

    return Corpus(home)


def __getattr__(name: str) -> Any:
    # Every command imports this package: what the API needs is imported when it is asked for.
    if name not in __all__:
        raise AttributeError(f"module 'aicx' has no attribute {name!r}")
    from aicx import library

    return getattr(library, name)
