"""What runs beside a store, and what must not be started for nothing."""

import subprocess
import sys

UNUSED = """
import sys
from aicx.corpus.ingest.workers import background, map_in_order
with background(print, "x"):
    assert list(map_in_order(str, [1, 2], 1)) == ["1", "2"]
assert "multiprocessing" not in sys.modules
"""


def test_workers_that_are_not_needed_start_no_process():
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
