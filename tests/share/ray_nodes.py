"""A Ray cluster of two machines that are processes of this one, each with a core and a loopback address of its own."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from aicx.values import dataclass

_ROOT = Path(__file__).parents[2]
_HEAD, SECOND = "127.0.0.2", "127.0.0.3"
_SECONDS_TO_BEGIN = 180
_OPTIONS = [
    *("--num-cpus=1", "--object-store-memory=100000000", "--min-worker-port=0", "--max-worker-port=0"),
    *("--disable-usage-stats", "--block"),
]


@dataclass(frozen=True, slots=True)
class Nodes:
    """What is needed to join the cluster, which wants a token, and where it keeps its logs."""

    address: str
    token: str
    folder: Path

    def environment(self, **more: str) -> dict[str, str]:
        """That of this process without what it knows of Ray and of stores."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "AWS_"))}
        return {**kept, "PYTHONPATH": str(_ROOT), **more}


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    with TemporaryDirectory(prefix="ray-", dir="/tmp") as folder, socket.socket() as held, ExitStack() as begun:
        held.bind((_HEAD, 0))
        port = held.getsockname()[1]
        held.close()
        nodes = Nodes(f"{_HEAD}:{port}", secrets.token_hex(32), Path(folder))
        head = [
            "--head",
            "--include-dashboard=false",
            f"--port={port}",
            f"--temp-dir={folder}",
            f"--node-ip-address={_HEAD}",
        ]
        begun.enter_context(_node(nodes, "head", head))
        begun.enter_context(_node(nodes, "second", [f"--address={nodes.address}", f"--node-ip-address={SECOND}"]))
        yield nodes


@contextmanager
def _node(nodes: Nodes, name: str, options: list[str]) -> Iterator[None]:
    log = nodes.folder / f"{name}.log"
    environment = nodes.environment(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=nodes.token)
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", *options, *_OPTIONS]
    with log.open("w") as written:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT
        )
    try:
        ends = time.monotonic() + _SECONDS_TO_BEGIN
        while "Ray runtime started" not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < ends, log.read_text()
            time.sleep(0.2)
        yield
    finally:
        process.terminate()  # it ends those that it began
        process.wait(90)
