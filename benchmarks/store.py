"""How fast the corpus is written and asked: `python -m benchmarks.store --home FOLDER [--scale 1,4,16] [--steer]`.

FOLDER is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`). It is only read. Every figure is of a whole
process, the median of several runs; times also come as multiples of a bare `python -c pass` in the same run, because
that is what survives a noisy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_IDS = re.compile(rb"\b[0-9a-f]{4}(?=[0-9a-f]{4}-[0-9a-f]{4}-)|(?<=toolu_)\w{4}|(?<=msg_)\w{4}|(?<=call_)\w{4}")
_YEAR = re.compile(rb"\b202[4-9](?=-\d\d-\d\d)")
_AGENT_FOLDERS = (".claude", ".codex", ".gemini")


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process: wall and CPU seconds, peak memory in MB, what it printed."""

    wall: float
    cpu: float
    memory: float
    output: str


def measure(command: list[str], environment: dict[str, str]) -> Run:
    """Runs a command to its end. Raises CalledProcessError when it fails: a figure of a failure is none."""
    started = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        output, errors = process.communicate()
        wall = time.perf_counter() - started
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, output, errors)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.decode())


def measure_isolated(command: list[str], environment: dict[str, str]) -> Run:
    """As `measure`, with the resource figures of this command alone."""
    code = (
        "import json,sys; from benchmarks.store import measure; import os;"
        "r=measure(json.loads(sys.argv[1]), dict(os.environ)); print(json.dumps([r.wall,r.cpu,r.memory,r.output]))"
    )
    outer = subprocess.run(
        [sys.executable, "-c", code, json.dumps(command)], env=environment, capture_output=True, check=True
    )
    return Run(*json.loads(outer.stdout))


def aicx(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "aicx", *arguments]


def median_wall(command: list[str], environment: dict[str, str], runs: int) -> float:
    measure(command, environment)
    return statistics.median(measure(command, environment).wall for _ in range(runs))


def copies_of(home: Path, scale: int, target: Path) -> None:
    """``scale`` copies of a home's logs in one: every copy with ids and years of its own, so that nothing is a copy."""
    for number in range(scale):
        for agent in _AGENT_FOLDERS:
            for path in sorted((home / agent).rglob("*")):
                if path.is_file():
                    relative = _renamed(str(path.relative_to(home)).encode(), number).decode()
                    place = target / relative
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(_renamed(path.read_bytes(), number))


def _renamed(body: bytes, number: int) -> bytes:
    if number == 0:
        return body
    mark = f"{number:04x}".encode()
    return _YEAR.sub(f"20{number:02d}".encode(), _IDS.sub(mark, body))


def store_figures(home: Path, runs: int) -> None:
    """Cold store, no-change re-run, and the same as multiples of a bare interpreter."""
    with scratch() as folder:
        environment = environment_for(home, folder / "aicx")
        bare = median_wall([sys.executable, "-c", "pass"], environment, 9)
        cold = []
        for number in range(runs):
            # A folder of its own each time: file systems are slow to hand out again what was deleted just now.
            environment = environment_for(home, folder / f"aicx{number}")
            cold.append(measure_isolated(aicx("store", "--json"), environment))
        report = json.loads(cold[-1].output)
        again = median_wall(aicx("store"), environment, runs)
        rescan = measure_isolated(aicx("store", "--full-rescan", "--json"), environment)
        wall = statistics.median(run.wall for run in cold)
        print(f"logs                {report['logs']} ({report['bytes_read'] / 1e6:.0f} MB)")
        print(f"sessions, chunks    {report['sessions']}, {report['chunks_written']}")
        print(f"bare python         {bare * 1000:.0f} ms")
        print(f"cold store          {wall:.2f} s wall, {cold[-1].cpu:.2f} s CPU ({wall / bare:.0f}x bare)")
        print(f"peak memory         {max(run.memory for run in cold):.0f} MB")
        print(f"no-change re-run    {again:.2f} s ({again / bare:.1f}x bare)")
        rescanned = json.loads(rescan.output)
        print(f"full rescan         {rescan.wall:.2f} s, {rescanned['chunks_written']} chunks differ")


def scale_figures(home: Path, scales: list[int]) -> None:
    """Cost by size of history: cold, then what one new session costs on top."""
    print("\nscale  logs MB   cold s   s per 100 MB   no-change s   one new session s   memory MB")
    for scale in scales:
        with scratch() as folder:
            copies_of(home, scale, folder / "home")
            environment = environment_for(folder / "home", folder / "aicx")
            cold = measure_isolated(aicx("store", "--json"), environment)
            size = json.loads(cold.output)["bytes_read"] / 1e6
            again = median_wall(aicx("store"), environment, 3)
            new = []
            for number in range(3):
                add_session(folder / "home", number)
                new.append(measure(aicx("store"), environment).wall)
            print(
                f"{scale:>4}x  {size:>7.0f}  {cold.wall:>7.2f}  {cold.wall / size * 100:>13.2f}  {again:>12.2f}"
                f"  {statistics.median(new):>18.2f}  {cold.memory:>10.0f}"
            )


def add_session(home: Path, number: int) -> None:
    """One more small Claude session, of a kind that every home has."""
    session = f"{number:08x}-0000-4000-8000-00000000beef"
    folder = home / ".claude" / "projects" / "-new-work"
    folder.mkdir(parents=True, exist_ok=True)
    records = (
        {
            "type": "user" if turn % 2 == 0 else "assistant",
            "uuid": f"{number}-{turn}",
            "sessionId": session,
            "cwd": "/new/work",
            "timestamp": f"2030-01-01T00:{turn // 60:02d}:{turn % 60:02d}.000Z",
            "message": {
                "role": "user" if turn % 2 == 0 else "assistant",
                "id": f"m{turn}",
                "content": [{"type": "text", "text": f"Session {number}, turn {turn}: part {turn * 7} is due. " * 20}],
            },
        }
        for turn in range(200)
    )
    (folder / f"{session}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def steer_figures(chunks: int) -> None:
    """`steer` from a cold process over a corpus of a given size, against a bare interpreter in the same minutes."""
    with scratch() as folder:
        environment = environment_for(folder / "home", folder / "aicx")
        made = 0
        number = 0
        while made < chunks:
            for _ in range(200):
                add_session(folder / "home", number)
                number += 1
            made += json.loads(measure(aicx("store", "--json"), environment).output)["chunks_written"]
        print(f"\nsteer, cold process, {made} chunks")
        questions = {
            "newest 20": ("steer",),
            "by project": ("steer", "-p", "work", "--limit", "5"),
            "by session": ("steer", "--session", f"{number - 1:08x}"),
            "by file": ("steer", "--file", "nothing.py"),
            "as JSON": ("steer", "--json"),
        }
        for name, arguments in questions.items():
            ratios = [
                measure(aicx(*arguments), environment).wall / measure([sys.executable, "-c", "pass"], environment).wall
                for _ in range(11)
            ]
            spread = f"(min {min(ratios):.1f}, max {max(ratios):.1f})"
            print(f"  {name:<12} {statistics.median(ratios):>5.1f}x bare python  {spread}")


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder that goes away."""
    with tempfile.TemporaryDirectory(prefix="aicx-bench-") as folder:
        yield Path(folder)


def environment_for(home: Path, aicx_home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("CLAUDE_CONFIG_DIR", "CODEX_HOME")}
    root = str(Path(__file__).resolve().parent.parent)
    return kept | {"HOME": str(home), "AICX_HOME": str(aicx_home), "NO_COLOR": "1", "PYTHONPATH": root}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a home folder with agents' logs")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", default="", help="sizes to grow the home to, such as 1,4,16")
    parser.add_argument("--steer", type=int, metavar="CHUNKS", help="measure steer over so many chunks")
    arguments = parser.parse_args()
    if arguments.home:
        store_figures(arguments.home, arguments.runs)
        if arguments.scale:
            scale_figures(arguments.home, [int(part) for part in arguments.scale.split(",")])
    if arguments.steer:
        steer_figures(arguments.steer)


if __name__ == "__main__":
    main()
