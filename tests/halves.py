"""Runs pytest twice at once, each time on half of the modules: the base install has nothing that spreads tests.

`python -m tests.halves ARGUMENTS`, which are pytest's.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence

_NO_TESTS = 5


def main(arguments: Sequence[str]) -> int:
    """Shows what one half prints as it goes, then what the other did. The exit code is the first that is a failure."""
    command = [sys.executable, "-m", "pytest", *arguments]
    with tempfile.TemporaryFile() as printed:
        other = subprocess.Popen([*command, *_half(2)], stdout=printed, stderr=subprocess.STDOUT)
        try:
            codes = [subprocess.run([*command, *_half(1)], check=False).returncode, other.wait()]
        finally:
            other.kill()
        printed.seek(0)
        sys.stdout.flush()
        sys.stdout.buffer.write(printed.read())
    return next((code for code in codes if code not in (0, _NO_TESTS)), min(codes))


def _half(number: int) -> list[str]:
    return ["--half", str(number), "-o", f"cache_dir=.pytest_cache/half-{number}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
