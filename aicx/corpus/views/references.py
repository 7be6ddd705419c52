"""Finds what a user means by a reference: a chunk's id or path, a session, a touched file, a commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import SessionKey, find_session
from aicx.corpus.files.read import is_altered, load_markdown, load_sidecar
from aicx.errors import CorpusDamaged, NotFound, UnsafePath, UsageError
from aicx.paths import NON_REPOSITORY, Layout, parse_chunk_name, user_path
from aicx.refs import Ref
from aicx.sources import SOURCES

_CHUNK_ID = re.compile(r"(?:(?P<agent>[a-z-]+):)?(?P<session>.+):(?P<number>\d+)")
# Git abbreviates to no fewer, and fewer would fit too many other numbers in a text.
_ABBREVIATED = 7


def parse_reference(text: str, layout: Layout) -> Ref:
    """Tells the kind of reference that ``text`` is. Raises UnsafePath for a path that is not in the store."""
    # Line breaks, terminal commands, bytes that are no text: no id or path of ours has them.
    if not text.isprintable():
        raise UnsafePath(f"the reference holds control characters: {text!r}")
    ref = Ref.parse(text)
    if ref.kind == "name" and (text.startswith("~") or "/" in text or text.endswith((".md", ".meta.json"))):
        return Ref("path", _stored_path(text, layout))
    return ref


def find_target(reference: Ref, catalog: Catalog) -> str | SessionKey:
    """The path below the home of the chunk that is meant, or the session that is.

    Raises NotFound with the nearest ones, UsageError where several fit.
    """
    if reference.kind == "path":
        return reference.value
    if reference.kind in ("chunk", "name"):
        if path := catalog.path_of(reference.value):
            return path
        match = _CHUNK_ID.fullmatch(reference.value)
        # `codex:019` is the beginning of a session's id.
        if match and match["session"] not in SOURCES:
            return _numbered_chunk(catalog, match["agent"], match["session"], int(match["number"]))
        if reference.kind == "chunk":
            raise UsageError(f"{reference.value!r} is not a chunk's id", hint="one looks like claude:SESSION:003")
    return find_session(reference.value, _sessions(catalog))


def find_commit(
    layout: Layout, paths: Iterable[str], commit: str, notify: Callable[[str], None]
) -> Iterator[tuple[str, dict[str, Any], str, bool]]:
    """The chunks, in the order given, whose session began at the commit or which mention it.

    Yields of each the path, the sidecar's fields, where it is found (``commit``, ``commands`` or ``text``), and whether
    its text is not what was stored.
    """
    token = re.compile(rf"(?<![\w-]){commit[:_ABBREVIATED]}[0-9a-f]*(?![\w-])")
    for path in paths:
        try:
            sidecar = load_sidecar(layout, path)
            text = load_markdown(layout, path)
        except (NotFound, CorpusDamaged) as error:
            notify(f"{error.message}; `aicx doctor` says more")
            continue
        fields = dict(sidecar.fields)
        commands = " ".join(map(str, fields.get("commands") or ()))
        found_in: str | None = None
        if _same_commit(str(fields.get("commit") or ""), commit):
            found_in = "commit"
        elif _mentions(commands, token, commit):
            found_in = "commands"
        # Decoding every chunk to find out that it says nothing of the commit would take most of the time.
        elif commit[:_ABBREVIATED].encode() in text and _mentions(text.decode("utf-8", "replace"), token, commit):
            found_in = "text"
        if found_in is not None:
            yield path, fields, found_in, is_altered(sidecar, text)


def _mentions(text: str, token: re.Pattern[str], commit: str) -> bool:
    return any(_same_commit(found, commit) for found in token.findall(text))


def _same_commit(found: str, wanted: str) -> bool:
    return found.startswith(wanted) or (len(found) >= _ABBREVIATED and wanted.startswith(found))


# --- paths


def _stored_path(text: str, layout: Layout) -> str:
    """A chunk's path below the home. It must be in the store as written and after following links."""
    path = user_path(text)
    home = layout.home.absolute()
    if not path.is_absolute():
        path = home / path if path.parts[:1] in (("store",), (NON_REPOSITORY,)) else path.absolute()
    relative = next((path.relative_to(top) for top in (home, home.resolve()) if path.is_relative_to(top)), None)
    if relative is None:
        raise UnsafePath(f"{text} is not in the store", hint=f"chunks lie below {layout.store}")
    name = str(relative)
    if name.endswith(".meta.json"):
        name = f"{name.removesuffix('.meta.json')}.md"
    real = _resolved(layout.inside(name))
    if not any(real.is_relative_to(top.resolve()) for top in (layout.store, layout.non_repository)):
        raise UnsafePath(f"{text} leads out of the store through a symbolic link", hint="put the real file there")
    if parse_chunk_name(Path(name).name) is None:
        raise NotFound(f"{text} is not the name of a chunk", hint="`aicx steer` prints the chunks' paths")
    return name


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise UnsafePath(f"{path} cannot be followed: {error}") from error


# --- chunks and sessions


def _numbered_chunk(catalog: Catalog, agent: str | None, session: str, number: int) -> str:
    plain, _, stream = session.partition("~")
    found = find_session(f"{agent}:{plain}" if agent else plain, _sessions(catalog))
    rows = catalog.rows(
        "SELECT id, number, path FROM chunks WHERE agent=? AND session_id=? AND stream=? ORDER BY number",
        (*found, stream),
    )
    path: str | None = next((row["path"] for row in rows if row["number"] == number), None)
    if path is None:
        known = " to ".join(dict.fromkeys((rows[0]["id"], rows[-1]["id"]))) if rows else "none"
        raise NotFound(f"session {found[1]} has no chunk {number:03d}", hint=f"its chunks: {known}")
    return path


def _sessions(catalog: Catalog) -> list[SessionKey]:
    return [(row["agent"], row["session_id"]) for row in catalog.rows("SELECT DISTINCT agent, session_id FROM chunks")]
