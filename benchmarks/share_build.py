"""What it costs to build a share, in one process and by workers of Ray: CPU and clock time, memory and storage.

    python -m benchmarks.share_build CORPUS [ENGINES] [PROJECTS]

CORPUS is a home with a stored history, such as one that `benchmarks.scale` invents. ENGINES are numbers of workers, 0
for one process: 0,1,2,4. PROJECTS is a pattern. Each build is a process of its own with a share of its own. CPU time is
that of all its processes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from aicx.config import load_settings
from aicx.share import cluster
from aicx.share.build import build, find_choice, in_process
from aicx.share.membership import new_membership
from aicx.share.push import plan_push
from aicx.share.seals import verify_database
from aicx.share.shares import create_share
from aicx.share.upkeep import maintain, partitions_of_vectors

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGESIZE") / 1e6


class Watched:
    """The CPU seconds and the memory of this process and of all that it starts, also of those that have ended."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}
        self.peak = 0.0  # MB of all together
        self._ended = Event()
        Thread(target=self._watch, daemon=True).start()

    def seconds(self) -> float:
        self._look()
        return sum(self._seconds.values())

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self._look()

    def _look(self) -> None:
        parents: dict[int, int] = {}
        found: dict[int, tuple[float, float]] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended
            parents[int(folder.name)] = int(fields[1])
            found[int(folder.name)] = ((int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * _PAGE)
        own = {os.getpid()}
        while more := {pid for pid, parent in parents.items() if parent in own} - own:
            own |= more
        self._seconds |= {pid: found[pid][0] for pid in own if pid in found}
        self.peak = max(self.peak, sum(found[pid][1] for pid in own if pid in found))


def one(corpus: Path, workers: int, address: str, projects: str) -> dict[str, Any]:
    """One build, its phases one by one."""
    settings = load_settings(corpus=corpus)
    membership = replace(new_membership(address, "ada", carried=False, before=None), projects=(projects,))
    database = create_share(settings, membership, print)
    choice = find_choice(settings, database, print)
    plan = plan_push(settings, membership, database, database.model.fingerprint if choice else "")
    watched, cluster._MIN_ROWS = Watched(), 0
    vars(cluster)["partitions_of_vectors"] = partial(partitions_of_vectors, least=1)
    now = datetime.now(UTC)
    figures: dict[str, Any] = {"workers": workers, "model": database.model.name}

    def phase(name: str, clock: float, cpu: float) -> tuple[float, float]:
        now = time.monotonic(), watched.seconds()
        figures.update({f"{name} s": round(now[0] - clock, 1), f"{name} CPU s": round(now[1] - cpu, 1)})
        return now

    at = time.monotonic(), watched.seconds()
    with cluster.connected(None, workers) if workers else nullcontext() as ray:
        at = phase("start", *at)
        pushed = build(settings, membership, database, plan, choice, now, ray.write if ray else in_process)
        at = phase("build", *at)
        assert maintain(settings.layout, membership, database, index=ray.index if ray else None) is None
        phase("index", *at)
    assert not verify_database(database)[2]
    figures["rows"] = pushed.chunks
    figures["passages"] = sum(len(one) for one in _vectors(database))
    figures["text MB"] = round(pushed.size / 1e6, 1)
    figures["peak MB"] = round(watched.peak)
    figures["own peak MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
    for name in ("data", "_indices"):
        files = Path(address, "chunks.lance", name).rglob("*")
        figures[f"{name} MB"] = round(sum(file.stat().st_size for file in files if file.is_file()) / 1e6, 1)
    return figures


def _vectors(database: Any) -> Any:
    return database.chunks.search().select(["vectors"]).to_arrow()["vectors"].combine_chunks()


def main(arguments: list[str]) -> None:
    if arguments[0] == "--one":
        print(json.dumps(one(Path(arguments[1]), int(arguments[2]), *arguments[3:])))
        return
    for workers in (arguments[1] if len(arguments) > 1 else "0,1,2,4").split(","):
        with TemporaryDirectory() as scratch:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.share_build", "--one", arguments[0], workers]
            found = subprocess.run(
                [*command, f"{scratch}/share", arguments[2] if len(arguments) > 2 else "*"],
                check=True,
                capture_output=True,
                text=True,
            )
            print(found.stdout.strip().splitlines()[-1], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
