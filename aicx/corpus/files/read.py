"""Reads stored chunks: one by its path, verified where it is quoted, or all of them by walking the store.

The inventory has all files in the store: chunks, their sidecars, and files that are neither.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from aicx.corpus.files import Sidecar, decode_sidecar
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout, parse_chunk_name
from aicx.system import STRICT
from aicx.values import dataclass

# What every door says beside the words of an altered chunk.
ALTERED = "altered on disk since it was stored, so not what the log said"

_SIDECAR_SUFFIX = ".meta.json"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredText:
    """A stored chunk as it may be quoted. ``altered``: the Markdown is not the one that its sidecar was written for."""

    sidecar: Sidecar
    markdown: bytes
    altered: bool


def sidecar_path(chunk_path: str) -> str:
    """The sidecar's path for a chunk's, both relative to the home."""
    return f"{chunk_path.removesuffix('.md')}{_SIDECAR_SUFFIX}"


def load_sidecar(layout: Layout, chunk_path: str) -> Sidecar:
    """The sidecar of a stored chunk. Raises NotFound or CorpusDamaged."""
    name = sidecar_path(chunk_path)
    return decode_sidecar(_read(layout, name), name)


def load_markdown(layout: Layout, chunk_path: str) -> bytes:
    """The Markdown of a stored chunk. Raises NotFound."""
    return _read(layout, chunk_path)


def read_chunk(layout: Layout, chunk_path: str) -> StoredText:
    """A stored chunk, compared with its sidecar's checksum: the one way to read words that are shown to anybody.

    Raises NotFound or CorpusDamaged.
    """
    sidecar = load_sidecar(layout, chunk_path)
    markdown = load_markdown(layout, chunk_path)
    return StoredText(sidecar, markdown, is_altered(sidecar, markdown))


def read_intact(layout: Layout, chunk_path: str) -> StoredText:
    """`read_chunk` for what passes words on without a place to say more. Raises CorpusDamaged for an altered chunk."""
    found = read_chunk(layout, chunk_path)
    if found.altered:
        raise CorpusDamaged(f"{chunk_path} was {ALTERED}", hint="aicx doctor --fix")
    return found


def is_altered(sidecar: Sidecar, markdown: bytes) -> bool:
    """Whether a chunk's Markdown is another than the one that its sidecar was written for."""
    return sha256(markdown).hexdigest() != sidecar.content_sha256


def walk_chunks(layout: Layout) -> Iterator[str]:
    """The relative path of every chunk in the store, sorted. Symbolic links are not followed."""
    for top in (layout.store, layout.non_repository):
        yield from _walk(top, f"{top.name}/")


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise CorpusDamaged(f"{folder} cannot be listed: {error.strerror or error}", hint="aicx doctor") from error
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{prefix}{entry.name}/")
        elif entry.is_file(follow_symlinks=False) and parse_chunk_name(entry.name):
            yield prefix + entry.name


def _read(layout: Layout, relative: str) -> bytes:
    # As text: a question reads some thirty files, and paths as objects would take longer than the files.
    home = str(layout.home)
    path = f"{home}/{layout.checked(relative)}"
    if _leads_out(path.rpartition("/")[0], home):
        raise _leading_out(path)
    try:
        file = os.open(path, os.O_RDONLY | STRICT)
        try:
            return _all_of(file)
        finally:
            os.close(file)
    except FileNotFoundError:
        raise NotFound(f"{relative} does not exist", hint="aicx doctor") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _leading_out(path) from error
        raise CorpusDamaged(f"{path} cannot be read: {error.strerror or error}", hint="aicx doctor") from error


def _all_of(file: int) -> bytes:
    size = os.fstat(file).st_size
    body = os.read(file, size + 1)
    while len(body) != size and (more := os.read(file, _BLOCK)):  # it has grown, or came in part
        body += more
    return body


def _leading_out(path: str) -> NotFound:
    return NotFound(f"{path} leads out of the store through a symbolic link", hint="put the real file there")


@lru_cache(1024)
def _leads_out(folder: str, home: str) -> bool:
    """Whether a folder of the store lies elsewhere. Looked at once a process: there are far more files than folders."""
    return os.path.commonpath((os.path.realpath(folder), home := os.path.realpath(home))) != home


def take_inventory(layout: Layout) -> tuple[dict[str, list[bool]], list[str]]:
    """Lists the chunks of the store by the path of their Markdown, and the files among them that aicx did not name.

    Of each chunk it is said whether its Markdown is there, and whether its sidecar is.

    Symbolic links are not followed; they count among the latter.
    """
    found: dict[str, list[bool]] = {}
    strays: list[str] = []
    for top in (layout.store, layout.non_repository):
        for path, is_file in _walk_all(top, f"{top.name}/"):
            chunk = path.removesuffix(_SIDECAR_SUFFIX) + ".md" if path.endswith(_SIDECAR_SUFFIX) else path
            if is_file and parse_chunk_name(chunk.rpartition("/")[2]):
                found.setdefault(chunk, [False, False])[path != chunk] = True
            else:
                strays.append(path)
    return dict(sorted(found.items())), sorted(strays)


def _walk_all(folder: Path, prefix: str) -> Iterator[tuple[str, bool]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk_all(Path(entry.path), f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.is_file(follow_symlinks=False)
