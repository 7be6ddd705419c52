"""Runs pytest several times at once, each time on a part of the modules, and says at the end what all of them did.

A process that hands tests to others, all of which import all modules, takes longer to run many small ones.

`python -m tests.spread PROCESSES ARGUMENTS`, the latter pytest's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from zlib import crc32

_NO_TESTS = 5
# What the modules of one of these areas share takes long to begin: a browser, a process to fork from, an object store.
_TOGETHER = ("tests/servers", "tests/share", "tests/survival")


def main(number: int, arguments: Sequence[str]) -> int:
    """Shows what the first prints as it goes, then what the others did. Returns the first code that is a failure."""
    if find_spec("pytest_randomly") and "no:randomly" not in arguments:  # one seed for all
        arguments = [f"--randomly-seed={Random().getrandbits(32)}", *arguments]
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        runs = [_start(part, number, arguments, Path(folder)) for part in range(1, number + 1)]
        try:
            codes = [run.wait() for run in runs]
        finally:
            for run in runs:
                run.kill()
        for part in range(2, number + 1):
            sys.stdout.write(Path(folder, f"{part}.out").read_text("utf-8", "replace"))
        counts = [json.loads(file.read_text("utf-8")) for file in Path(folder).glob("*.json")]
    skips, outcomes = (sum((Counter(of[kind]) for of in counts), Counter[str]()) for kind in ("skips", "outcomes"))
    lines = [f"skipped {times}: {why}" for why, times in skips.most_common()]
    done = ", ".join(f"{times} {outcome}" for outcome, times in sorted(outcomes.items()))
    sys.stdout.write("\n".join(["", f"all {number} parts:", *lines, f"{done} in {time.monotonic() - begun:.0f} s", ""]))
    return next((code for code in codes if code not in (0, _NO_TESTS)), min(codes))


def is_of_part(module: str, part: str) -> bool:
    """Says whether a module, by its path from the root, is of a part such as ``2/3``.

    The letters are ones with which two parts take as long as each other, and three and four as well.
    """
    number, parts = map(int, part.split("/"))
    area = "/".join(module.split("/")[:2])
    return crc32(f"hm{area if area in _TOGETHER else module}".encode()) % parts == number % parts


def _start(part: int, number: int, arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", *arguments, "--part", f"{part}/{number}"]
    if "no:cacheprovider" not in arguments:
        command += ["-o", f"cache_dir=.pytest_cache/part-{part}"]
    command += ["--counts", str(folder / f"{part}.json")]
    if part == 1:
        return subprocess.Popen(command)
    with (folder / f"{part}.out").open("wb") as printed:
        return subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
