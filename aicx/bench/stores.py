"""Stored sessions as a corpus to measure on: the logs of a home folder, stored once into a home of the harness."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import aicx
from aicx.config import Settings, load_settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.doctor.inputs import discover_logs
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from aicx.corpus.views import documents
from aicx.engine.lexical_index import refresh_lexical
from aicx.errors import NotFound
from aicx.paths import Layout
from aicx.sources.items import LogFile
from aicx.types import Document

# Marks a home that was stored to its end, and says how many seconds its BM25 index took.
_COMPLETE = "bench-complete"

Notify = Callable[[str], None]

# What decides how a log is stored and what its BM25 index holds, below the folder the packages lie in.
_CODE = (
    "aicx/corpus",
    "aicx/sources",
    "aicx/redaction",
    "aicx/data",
    "aicx/engine/lexical_index.py",
    "indexer/lexical.py",
)
_ANALYSIS = ("retrieval/analysis.py",)
_ELSEWHERE = ("CLAUDE_CONFIG_DIR", "CODEX_HOME")


def untold(*_: object) -> None:
    """Takes what is told of how far a step is, and tells nobody."""


def settings_for(aicx_home: Path, user_home: Path | None = None) -> Settings:
    """Settings for an AICX_HOME, and for the logs below ``user_home``, other than the user's own."""
    environ = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return load_settings(environ | {"AICX_HOME": str(aicx_home)}, user_home)


def stored_home(user_home: Path, cache: Path, notify: Notify) -> Path:
    """The AICX_HOME below ``cache`` with everything the logs of ``user_home`` hold, stored now if it is not yet.

    Logs and the code that stores them decide its name, so a change of either stores anew.
    """
    if not user_home.is_dir():
        raise NotFound(f"{user_home} is not a folder", hint="--home FOLDER, laid out like a home folder")
    logs, _ = discover_logs(settings_for(cache, user_home).homes)
    if not logs:
        raise NotFound(f"{user_home} holds no agents' logs", hint="--home FOLDER, laid out like a home folder")
    home = cache / "stores" / _fingerprint(logs)
    if (home / _COMPLETE).exists():
        return home
    shutil.rmtree(home, ignore_errors=True)  # left by a run that was killed
    notify(f"storing the {len(logs)} logs of {user_home} into {home}")
    settings = settings_for(home, user_home)
    store(settings, StoreRequest(), untold, notify)
    started = time.perf_counter()
    refresh_lexical(settings, notify)
    (home / _COMPLETE).write_text(str(time.perf_counter() - started))
    return home


def stored_documents(home: Path) -> Sequence[Document]:
    """Every chunk of a store as indexes see it, in the order of ids."""
    layout = Layout(home)
    with open_catalog(layout) as opened:
        rows = opened.catalog.rows("SELECT id, content_sha256 FROM chunks WHERE ignored=0 ORDER BY id")
        # The version that `aicx index` gives a chunk, so that its vectors are good for both.
        versions = {row["id"]: row["content_sha256"] for row in rows}
        found = documents(layout, opened.catalog, versions)
        return [replace(document, version=versions[document.id]) for document in found]


def seconds_of_lexical(home: Path) -> float | None:
    """How long the BM25 index of a home made by `stored_home` took; None for any other."""
    note = home / _COMPLETE
    return float(note.read_text()) if note.exists() else None


def _fingerprint(logs: Sequence[LogFile]) -> str:
    digest = sha256()
    for log in sorted(logs, key=lambda log: log.path):
        digest.update(f"{log.path}\0{log.fingerprint}\0".encode())
    root = Path(aicx.__file__).parent.parent
    for name in (*_CODE, *_ANALYSIS):
        for path in sorted((root / name).rglob("*.*") if (root / name).is_dir() else [root / name]):
            if path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
