"""A command of aicx with the embedder for tests, which workers open as is said first; each session is a unit.

python -m tests.share.on_cluster killed_with_its_machine share build --engine ray --address 127.0.0.2:6379
"""

from __future__ import annotations

import sys

from aicx.cli import run
from aicx.share import build, cluster
from tests.share import workers

if __name__ == "__main__":
    build.open_here = getattr(workers, sys.argv[1])
    build._UNIT = 1
    cluster._IN_TASKS = ("test",)
    sys.exit(run(sys.argv[2:]))
