"""How long a cold `aicx resume` takes: `python -m benchmarks.resume [--chunks 25000] [--files 10000] [--dense]`.

A repository and the sessions that worked in it are made up. Every figure is of a whole process, alternating with a bare
`python -c pass`, and comes as a multiple of it: that is what survives a noisy machine. With `--dense` the vector index
is built too, which takes minutes, and hybrid search is measured as well.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.store import aicx, environment_for, measure, scratch

_SPOKEN = (
    "cache parser lexer login token session queue worker retry timeout schema index search chunk vector config "
    "route handler client server socket stream buffer limit filter query result report budget branch commit merge"
)
_WORDS = _SPOKEN.split()
_START = datetime(2026, 1, 1, 8, tzinfo=UTC)
_TURNS = 40
_TASK = "fix the retry of the login token in src/m07/login_token.py, the timeout of the client is ignored"
_RUNS = 15


def make_repository(folder: Path, files: int) -> None:
    """A git repository of small Python files, all committed but one."""
    draw = random.Random(1)
    for number in range(files):
        name = f"src/m{number % 100:02d}/{draw.choice(_WORDS)}_{draw.choice(_WORDS)}_{number}.py"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def {draw.choice(_WORDS)}_{number}(value):\n    return value\n")
    (folder / "src/m07/login_token.py").write_text("def login_token(value):\n    return value\n")
    environ = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("remote", "add", "origin", "git@example.org:bench/repo.git"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Everything"),
    ):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, env={"PATH": "/usr/bin:/bin", **environ})
    (folder / "src/m07/login_token.py").write_text("def login_token(value):\n    return value + 1\n")


def make_session(home: Path, repository: Path, number: int) -> None:
    """One Claude session: prompts, edits, commands that fail and pass, answers."""
    draw = random.Random(number)
    session = f"{number:08x}-0000-4000-8000-00000000beef"
    paths = [f"{repository}/src/m{draw.randrange(100):02d}/{draw.choice(_WORDS)}.py" for _ in range(5)]
    records: list[dict[str, object]] = []

    def add(kind: str, content: object) -> None:
        at = _START + timedelta(hours=number, seconds=len(records) * 20)
        message = {"role": kind, "id": f"m{len(records)}", "content": content}
        common = {"type": kind, "uuid": f"{number}-{len(records)}", "sessionId": session, "cwd": str(repository)}
        records.append({**common, "gitBranch": "main", "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z", "message": message})

    def call(name: str, arguments: dict[str, str], result: str, *, failed: bool = False) -> None:
        name_of_call = f"toolu_{number}_{len(records)}"
        add("assistant", [{"type": "tool_use", "id": name_of_call, "name": name, "input": arguments}])
        add("user", [{"type": "tool_result", "tool_use_id": name_of_call, "content": result, "is_error": failed}])

    for _ in range(_TURNS):
        said = " ".join(draw.choices(_WORDS, k=12))
        add("user", f"Please fix the {said}")
        path = draw.choice(paths)
        call("Edit", {"file_path": path, "old_string": "x = 1\n" * 40, "new_string": "x = 2\n" * 40}, "updated")
        failed = draw.random() < 0.3
        call(
            "Bash",
            {"command": f"pytest -q tests/{draw.choice(_WORDS)}"},
            "1 failed" if failed else "9 passed",
            failed=failed,
        )
        sentences = (
            f"The {' '.join(draw.choices(_WORDS, k=9))} was changed because of the {draw.choice(_WORDS)}."
            for _ in range(20)
        )
        add("assistant", [{"type": "text", "text": " ".join(sentences)}])
    folder = home / ".claude" / "projects" / "-bench-repo"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{session}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def ratios(command: Sequence[str], environment: dict[str, str]) -> list[float]:
    """The command's time as multiples of a bare interpreter that ran right before it."""
    measure(list(command), environment)
    found = []
    for _ in range(_RUNS):
        bare = measure([sys.executable, "-c", "pass"], environment).wall
        found.append(measure(list(command), environment).wall / bare)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=25_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--dense", action="store_true")
    arguments = parser.parse_args()
    with scratch() as folder:
        repository, environment = folder / "repo", environment_for(folder / "home", folder / "aicx")
        make_repository(repository, arguments.files)
        made = number = 0
        while made < arguments.chunks:
            for _ in range(100):
                make_session(folder / "home", repository, number)
                number += 1
            made += json.loads(measure(aicx("store", "--json"), environment).output)["chunks_written"]
        print(f"{made:,} chunks of {number} sessions in a repository of {arguments.files:,} files")
        questions = {
            "where was I": ("resume", "--repo", str(repository)),
            "with a task": ("resume", "--repo", str(repository), "--task", _TASK),
            "with a task, as JSON": ("resume", "--repo", str(repository), "--task", _TASK, "--json"),
        }
        report(questions, environment)
        measure(aicx("map", "refresh", "--repo", str(repository)), environment)
        report({"with a task and a map": questions["with a task"]}, environment)
        if arguments.dense:
            measure(aicx("index", "--embedder", "static"), environment)
            report({"with a task, hybrid": questions["with a task"]}, environment)


def report(questions: dict[str, tuple[str, ...]], environment: dict[str, str]) -> None:
    for name, question in questions.items():
        found = sorted(ratios(aicx(*question), environment))
        print(f"  {name:<22} {statistics.median(found):>5.1f}x bare python (min {found[0]:.1f}, max {found[-1]:.1f})")


if __name__ == "__main__":
    main()
