"""What `aicx why` costs in repositories of growing size: seconds of CPU of its own and of git, memory, git's processes.

    python -m benchmarks.why_scale [--commits N ...] [--corpus FOLDER]

Makes repositories of N commits with `git fast-import` (the same number of files, a tag every thousand commits, a
request number in each subject), asks for a commit, a file, a line, a number, a tag, a range and a subject, each in a
process of its own, and prints a line for each. ``--corpus`` names a corpus to ask; without it an invented one is made.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

_FILES = 2_000
_BEGIN, _STEP = 1_500_000_000, 600  # seconds
_LOG = {
    "type": "user",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "sessionId": "00000000-0000-4000-8000-000000000002",
    "timestamp": "2020-01-01T10:00:00.000Z",
    "message": {"role": "user", "content": "Change the middle of the history"},
}
# One question in a process of its own: what it costs is what the system says of that process and of git.
_ASK = """
import json, resource, subprocess, sys, time
from datetime import UTC, datetime
from pathlib import Path
count = 0
real = subprocess.Popen.__init__
def counted(self, *arguments, **options):
    global count
    count += 1
    real(self, *arguments, **options)
subprocess.Popen.__init__ = counted
from aicx.config import load_settings
from aicx.why.run import WhyQuery, why
begun = time.monotonic()
report = why(load_settings(corpus=Path(sys.argv[1])), WhyQuery(sys.argv[3], datetime.now(UTC), Path(sys.argv[2])))
own, git = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps([len(report.wanted), count, time.monotonic() - begun, own.ru_utime + own.ru_stime,
    git.ru_utime + git.ru_stime, own.ru_maxrss / 1024, git.ru_maxrss / 1024, list(report.notes)]))
"""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    parser.add_argument("--corpus", type=Path)
    given = parser.parse_args(arguments)
    print(f"{'commits':>8} {'target':<10} {'found':>5} {'gits':>4}  wall s  own s  git s  own MB  git MB")
    with TemporaryDirectory() as scratch:
        corpus = given.corpus or _make_corpus(Path(scratch))
        for commits in given.commits:
            folder = Path(scratch) / f"of-{commits}"
            make_repository(folder, commits)
            middle = commits // 2
            targets = {
                "commit": _git(folder, "rev-list", "--max-count=1", f"--skip={middle}", "HEAD").strip(),
                "HEAD": "HEAD",
                "file": "src/part7/file7.py",
                "line": "src/part7/file7.py:1",
                "number": f"#{middle}",
                "tag": f"v{middle // 1000}.0",
                "range": f"HEAD~{middle}..HEAD",
                "subject": f"Change part {middle}",
            }
            for name, target in targets.items():
                command = [sys.executable, "-c", _ASK, str(corpus), str(folder), target]
                said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
                found, gits, wall, own, git, memory, git_memory, notes = json.loads(said)
                print(
                    f"{commits:>8} {name:<10} {found:>5} {gits:>4}  {wall:6.2f} {own:6.2f} {git:6.2f}"
                    f"  {memory:6.0f}  {git_memory:6.0f}  {'; '.join(notes)}",
                    flush=True,
                )
    return 0


def make_repository(folder: Path, commits: int) -> None:
    """A repository of that many commits, each of one file, ten minutes apart."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    with subprocess.Popen(["git", "-C", str(folder), "fast-import", "--quiet"], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for number in range(commits):
            at = f"Ada <ada@example.org> {_BEGIN + number * _STEP} +0000"
            subject = f"Change part {number} (#{number})"
            text = f"line of change {number}\n"
            file = number % _FILES
            process.stdin.write(
                f"commit refs/heads/main\ncommitter {at}\ndata {len(subject)}\n{subject}\n"
                f"M 100644 inline src/part{file % 40}/file{file}.py\ndata {len(text)}\n{text}\n".encode()
            )
            if number % 1000 == 0:
                process.stdin.write(f"reset refs/tags/v{number // 1000}.0\nfrom refs/heads/main\n\n".encode())
        process.stdin.close()
    _git(folder, "reset", "-q", "--hard")


def _make_corpus(scratch: Path) -> Path:
    log = scratch / "home" / ".claude" / "projects" / "x" / f"{_LOG['sessionId']}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(f"{json.dumps(_LOG)}\n", "utf-8")
    environ = {**os.environ, "HOME": str(scratch / "home"), "AICX_HOME": str(scratch / "corpus")}
    subprocess.run([sys.executable, "-m", "aicx", "store"], env=environ, check=True, capture_output=True)
    return scratch / "corpus"


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
