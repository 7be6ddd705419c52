"""Chunks set apart: altered on disk and not to be had from a log any more. Out of every answer, and never deleted.

Each lies below ``set-apart/`` as it was found, with its sidecar and a ``.reason.json`` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import orjson

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import remove_chunk
from aicx.corpus.catalog.fields import own_messages
from aicx.corpus.files import decode_sidecar
from aicx.corpus.files.read import load_markdown, load_sidecar, sidecar_path
from aicx.corpus.files.tombstones import with_tombstones
from aicx.corpus.forget.holding import ForgetPlan, ForgetRequest, HeldFiles
from aicx.errors import CorpusDamaged
from aicx.paths import Layout
from aicx.regex import searching
from aicx.storage import replace_file
from aicx.storage.journal import Writer
from aicx.values import dataclass

_SCHEMA = "aicx.set-apart/1"
_REASON = ".reason.json"


@dataclass(frozen=True, slots=True)
class Apart:
    """A chunk that was set apart: where its three files are (without their endings), where it was stored, and why."""

    stem: Path
    path: str
    reason: str

    @property
    def sidecar(self) -> Path:
        return Path(f"{self.stem}.meta.json")

    @property
    def files(self) -> HeldFiles:
        return Path(f"{self.stem}.md"), self.sidecar, Path(f"{self.stem}{_REASON}")


def set_apart(layout: Layout, catalog: Catalog, reasons: Mapping[str, str]) -> None:
    """Takes chunks (stored path -> reason) out of the store and the catalogue, which the indexes follow.

    First everything is durable in its new place; then the old one goes, through the journal. Killed anywhere, the same
    call again finishes it: names come from content. Raises StoreUnwritable.
    """
    writer = Writer(layout)
    forgotten: list[str] = []
    catalog.begin()
    for path, reason in sorted(reasons.items()):
        sidecar, markdown = load_sidecar(layout, path), load_markdown(layout, path)
        found = sha256(markdown).hexdigest()
        stem = layout.set_apart / f"{path.removesuffix('.md')}~{found[:8]}"
        why = {"schema": _SCHEMA, "path": path, "reason": reason, "sha256": found, "stored": sidecar.content_sha256}
        replace_file(Path(f"{stem}.md"), markdown)
        replace_file(Path(f"{stem}.meta.json"), layout.inside(sidecar_path(path)).read_bytes())
        replace_file(
            Path(f"{stem}{_REASON}"), orjson.dumps(why, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        )
        if sidecar.get("forgotten"):
            # Its log must not bring back what was blanked in it.
            forgotten += [message["key"] for message in own_messages(sidecar.fields)]
        writer.stage_removal(path)
        writer.stage_removal(sidecar_path(path))
        remove_chunk(catalog, sidecar.id)
        # A log that comes back, or still has some of it, is read again.
        catalog.connection.execute(
            "DELETE FROM sources WHERE agent=? AND session_id=?", (sidecar.agent, sidecar.session_id)
        )
    if forgotten:
        replace_file(layout.tombstones, with_tombstones(layout.tombstones, [{"messages": sorted(forgotten)}]))
    writer.publish()
    catalog.commit()
    writer.finish()


def list_apart(layout: Layout) -> list[Apart]:
    """Everything that is set apart, sorted by where it was stored. A reason that cannot be read says so."""
    found = []
    for file in sorted(layout.set_apart.rglob("*.md")) if layout.set_apart.is_dir() else ():
        stem = file.with_name(file.name.removesuffix(".md"))
        path, reason = str(stem.relative_to(layout.set_apart)), "its reason cannot be read"
        with suppress(OSError, orjson.JSONDecodeError, KeyError, TypeError):
            said = orjson.loads(Path(f"{stem}{_REASON}").read_bytes())
            path, reason = str(said["path"]), str(said["reason"])
        found.append(Apart(stem, path, reason))
    return found


def plan_apart(layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> list[HeldFiles]:
    """The files of what is set apart of the planned sessions and projects, or holds the pattern anywhere.

    Where nothing of a session or project is stored any more, the words of ``request`` are looked for here.
    """
    items = list_apart(layout)
    owners = {item.stem: _owner(item) for item in items}
    if request.pattern is None and not (plan.sessions or plan.projects):
        known = {session for session, _ in owners.values() if all(session)}
        name = request.session or ""
        fitting = [(agent, one) for agent, one in known if name and (one.startswith(name) or f"{agent}:{one}" == name)]
        plan.sessions.update(fitting if len(fitting) == 1 else ())
        plan.projects |= {str(request.project)} & {project for session, project in owners.values() if all(session)}
    holds = searching(request.pattern) if request.pattern is not None else None
    found = []
    for item in items:
        session, project = owners[item.stem]
        if session in plan.sessions or project in plan.projects or (holds and any(map(holds, _texts(item)))):
            found.append(item.files)
    return found


def _texts(item: Apart) -> Iterator[str]:
    for file in item.files:
        with suppress(OSError):
            yield file.read_text("utf-8", "replace")


def _owner(item: Apart) -> tuple[tuple[str, str], str]:
    try:
        sidecar = decode_sidecar(item.sidecar.read_bytes(), str(item.sidecar))
    except (OSError, CorpusDamaged):
        return ("", ""), ""
    return (sidecar.agent, sidecar.session_id), sidecar.project
