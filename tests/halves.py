"""Runs pytest twice at once, each time on half of the modules.

The base install has nothing that spreads tests, and spreading many small ones takes longer than it saves.

`python -m tests.halves ARGUMENTS`, which are pytest's.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from random import Random

_NO_TESTS = 5


def main(arguments: Sequence[str]) -> int:
    """Shows what one half prints as it goes, then what the other did. The exit code is the first that is a failure."""
    if find_spec("pytest_randomly") and "no:randomly" not in arguments:  # one seed for both
        arguments = [f"--randomly-seed={Random().getrandbits(32)}", *arguments]
    command = [sys.executable, "-m", "pytest", *arguments]
    halves = [[*command, "--half", str(number)] for number in (1, 2)]
    if "no:cacheprovider" not in arguments:
        halves = [[*half, "-o", f"cache_dir=.pytest_cache/half-{half[-1]}"] for half in halves]
    with tempfile.TemporaryFile() as printed:
        other = subprocess.Popen(halves[1], stdout=printed, stderr=subprocess.STDOUT)
        try:
            codes = [subprocess.run(halves[0], check=False).returncode, other.wait()]
        finally:
            other.kill()
        printed.seek(0)
        sys.stdout.flush()
        sys.stdout.buffer.write(printed.read())
    return next((code for code in codes if code not in (0, _NO_TESTS)), min(codes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
