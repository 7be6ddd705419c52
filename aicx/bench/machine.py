"""The environment of a result: machine, versions, commit."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import aicx
from aicx.bench.facts import Machine
from aicx.git.state import Git

# What can change a figure: the engines, the models' runtimes, the measures.
_PACKAGES = (
    *("tantivy", "rank-bm25", "pystemmer", "lancedb", "onnxruntime", "tokenizers", "sentence-transformers"),
    *("torch", "numpy", "polars", "pyarrow", "ir-measures", "pytrec-eval-terrier"),
)
_STATUS = Path("/proc/self/status")
_GIT_SECONDS = 60.0


def machine() -> Machine:
    """This machine."""
    return Machine(
        system=platform.system(),
        release=platform.release(),
        architecture=platform.machine(),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
    )


def versions() -> dict[str, str]:
    """aicx, Python and every installed package that can change a figure."""
    import sqlite3

    found = {"aicx": aicx.__version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The commit of the checkout aicx runs from, with ``+`` for changes on top; None where it is installed."""
    folder = Path(aicx.__file__).resolve().parent.parent
    if not (folder / ".git").exists():
        return None
    git = Git(folder, _GIT_SECONDS)
    head = (git.ask("rev-parse", "--short=12", "HEAD") or "").strip() or None
    return f"{head}+" if head and git.begin_status("--porcelain", "--untracked-files=no")() else head


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes."""
    if _STATUS.exists():
        # What `getrusage` says includes the process this one was started from, as it was then.
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
