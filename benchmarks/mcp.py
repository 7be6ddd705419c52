"""How fast and how steady `aicx serve` answers: `python -m benchmarks.mcp --home FOLDER [--workers 1,2] [--soak 60]`.

FOLDER is a corpus (AICX_HOME), which is only read. The questions are titles of its sessions and are not shown. The
server is a process of its own on a free port of this machine; everything ends by itself.

Clients speak plain HTTP, so that the figures are the server's: a client with the whole SDK takes long itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aicx.config import load_settings
from aicx.corpus.catalog.query import steer
from aicx.filters import Filters

_TOKEN = "benchmark-on-loopback-only"
_TICKS = os.sysconf("SC_CLK_TCK")
_MAX_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process holds and has used: resident MB and how much of them is its own, CPU seconds, files, threads."""

    memory: float
    own: float
    cpu: float
    files: int
    threads: int


@dataclass(slots=True)
class Load:
    """Answers in the order they came: milliseconds each."""

    times: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


@contextmanager
def served(environment: dict[str, str], workers: int = 1) -> Iterator[tuple[int, int, float]]:
    """A server on a free port: its process id, the port, and the moment it was started."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "aicx", "serve", "-t", "http", "--port", "0", "--rate", "10000"]
    command += ["--workers", str(workers)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            port = re.search(r":(\d+)/mcp", process.stderr.readline())
            if port is None:
                raise SystemExit("the server did not start: " + process.stderr.read())
            yield process.pid, int(port[1]), started
        finally:
            process.terminate()


def usage(process: int) -> Usage:
    folder = Path("/proc", str(process))
    fields = folder.joinpath("stat").read_text("ascii").rpartition(")")[2].split()
    status = dict(line.split(":", 1) for line in folder.joinpath("status").read_text("ascii").splitlines())
    memory, own = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))
    cpu = (int(fields[11]) + int(fields[12])) / _TICKS
    return Usage(memory, own, cpu, len(list(folder.joinpath("fd").iterdir())), int(fields[17]))


def call(number: int, tool: str, arguments: dict[str, Any]) -> bytes:
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return json.dumps(body).encode()


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Any]:
    """A function that posts a body over one connection and returns the answer's JSON."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {_TOKEN}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "MCP-Protocol-Version: 2025-06-18\r\nContent-Length: "
    ).encode()

    async def post(body: bytes) -> Any:
        writer.write(head + str(len(body)).encode() + b"\r\n\r\n" + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer)
        assert length is not None, answer
        return json.loads(await reader.readexactly(int(length[1])))

    try:
        yield post
    finally:
        writer.close()
        await writer.wait_closed()


async def put_load(port: int, questions: Sequence[str], clients: int, seconds: float, pause: float) -> Load:
    """So many clients at once, each asking its next question when it has its answer and ``pause`` seconds are over."""
    load = Load()
    ends = time.perf_counter() + seconds

    async def client(number: int) -> None:
        async with connected(port) as post:
            asked = number * 7919
            while time.perf_counter() < ends:
                await asyncio.sleep(pause * (0.5 + (asked * 0.618) % 1))
                body = call(asked, "aicx_search", {"query": questions[asked % len(questions)]})
                started = time.perf_counter()
                answer = await post(body)
                load.times.append((time.perf_counter() - started) * 1000)
                if answer.get("result", {}).get("isError", True):
                    load.failures.append(str(answer)[:200])
                asked += 1

    started = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
    load.seconds = time.perf_counter() - started
    return load


async def first_answer(port: int, question: str) -> None:
    async with connected(port) as post:
        answer = await post(call(1, "aicx_search", {"query": question}))
        if answer["result"].get("isError"):
            raise SystemExit(answer["result"]["content"][0]["text"])


def first_answer_stdio(environment: dict[str, str], question: str) -> float:
    """Seconds from starting the process to its first answer on stdio."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        call(1, "aicx_search", {"query": question}),
    ]
    started = time.perf_counter()
    command = [sys.executable, "-m", "aicx", "serve"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n".join(lines) + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        answer = json.loads(process.stdout.readline())
        seconds = time.perf_counter() - started
        process.terminate()
    if answer["result"].get("isError"):
        raise SystemExit(answer["result"]["content"][0]["text"])
    return seconds


def titles(home: Path) -> list[str]:
    """Questions to ask: what sessions of the corpus were called, each once."""
    settings = load_settings({"AICX_HOME": str(home)})
    items = steer(settings.layout, Filters(), 20_000).items
    found = dict.fromkeys(str(item["title"])[:200] for item in items if item.get("title"))
    return [title for title in found if re.search(r"[a-z]{4}", title)] or ["migration"]


def quantiles(times: Sequence[float]) -> str:
    ordered = sorted(times)
    return f"p50 {statistics.median(ordered):.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms"


def in_words(found: Usage) -> str:
    return f"{found.memory:.0f} MB ({found.own:.0f} its own, the rest mapped files)"


def report(name: str, load: Load, before: Usage, after: Usage) -> None:
    asked = len(load.times)
    cpu = (after.cpu - before.cpu) / asked * 1000
    print(f"{name}: {quantiles(load.times)}; {asked / load.seconds:.0f} answers/s, {cpu:.1f} ms of CPU each")
    if load.failures:
        raise SystemExit(f"{len(load.failures)} of {asked} failed, the first: {load.failures[0]}")


def soak(process: int, port: int, questions: Sequence[str], clients: int, seconds: float) -> None:
    """Load for a while; growth is looked for after the first third, when everything that stays open is open."""
    samples = []
    for _ in range(12):
        load = asyncio.run(put_load(port, questions, clients, seconds / 12, 0.0))
        if load.failures:
            raise SystemExit(f"failed during the soak: {load.failures[0]}")
        samples.append((usage(process), load))
        print(f"  {in_words(samples[-1][0])}, {samples[-1][0].files} files, {quantiles(load.times)}", flush=True)
    memory = [found.own for found, _ in samples]
    # Single figures go up and down by a tenth, so thirds are compared.
    middle, end = statistics.mean(memory[4:8]), statistics.mean(memory[8:])
    asked = sum(len(load.times) for _, load in samples)
    files = samples[-1][0].files - samples[4][0].files
    print(
        f"soak: {asked} answers in {seconds:.0f} s; from the second third to the last {end - middle:+.1f} MB of its own"
    )
    print(f"  ({middle:.0f} to {end:.0f}), {files:+d} files, {samples[-1][0].threads} threads")


def on_several_cores(
    environment: dict[str, str], questions: Sequence[str], clients: int, seconds: float, workers: int
) -> None:
    """What several processes on one socket answer, and what each takes of memory that it does not share."""
    with served(environment, workers) as (process, port, _):
        asyncio.run(put_load(port, questions, clients, 3, 0.0))
        load = asyncio.run(put_load(port, questions, clients, seconds, 0.0))
        begun = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split() or [str(process)]
        own = [_private(int(one)) for one in begun]
    answers = f"{len(load.times) / load.seconds:.0f} answers a second, {quantiles(load.times)}"
    print(f"{clients} clients without a pause, --workers {workers}: {answers}, {len(load.failures)} failures")
    print(f"  each of its own: {', '.join(f'{size:.0f} MB' for size in own)}")


def _private(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:")) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--workers", default="", metavar="N,N", help="also that many processes, as 1,2")
    parser.add_argument("--soak", type=float, default=0, metavar="SECONDS")
    options = parser.parse_args()
    questions = titles(options.home)
    print(f"{len(questions)} questions; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as user:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": user,
            "AICX_HOME": str(options.home.absolute()),
            "AICX_HTTP_AUTH_TOKEN": _TOKEN,
        }
        starts = [first_answer_stdio(environment, questions[number]) for number in range(options.starts)]
        print(f"start to first answer, stdio: median {statistics.median(starts):.2f} s, best {min(starts):.2f} s")
        with served(environment) as (process, port, started):
            idle = usage(process)
            asyncio.run(first_answer(port, questions[0]))
            seconds = time.perf_counter() - started
            used = usage(process)
            print(f"start to first answer, HTTP: {seconds:.2f} s, {used.cpu:.2f} s of CPU")
            print(f"memory: {in_words(idle)} idle, {in_words(used)} after one answer")
            asyncio.run(put_load(port, questions, options.clients, 3, 0.0))  # opens what threads keep open
            for name, clients, pause in (
                ("one client", 1, 0.0),
                (f"{options.clients} clients, an answer a second each", options.clients, 1.0),
                (f"{options.clients} clients without a pause", options.clients, 0.0),
            ):
                before = usage(process)
                load = asyncio.run(put_load(port, questions, clients, options.seconds, pause))
                report(name, load, before, usage(process))
            print(f"memory after the load: {in_words(usage(process))}")
            if options.soak:
                soak(process, port, questions, options.clients, min(options.soak, _MAX_SECONDS))
        for count in filter(None, options.workers.split(",")):
            on_several_cores(environment, questions, options.clients, options.seconds, int(count))


if __name__ == "__main__":
    main()
