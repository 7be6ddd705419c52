"""The command `aicx`, and `python -m aicx`: the one place where exceptions become exit codes."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from pathlib import Path

from aicx.caller import keep
from aicx.installation import clash, keep_path_safe

# New objects before the next search for garbage in cycles. Modules and classes are made by the ten thousand at every
# start and stay; with Python's own 700, a short command would search them dozens of times and find nothing.
_OBJECTS_PER_COLLECTION = 100_000


def main() -> None:
    """Runs the command line and exits with its code."""
    _open_closed_streams()
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    _forget_current_folder()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what libraries warn programmers of helps no user
        sys.warnoptions.append("ignore")  # for worker processes
    # Whatever is written is for its owner, also in a folder that others may read.
    keep(os.umask(0o077))
    keep_path_safe()
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        # An agent waits for it: without what a command line needs, and with a deadline of its own.
        from aicx.agents.hook import main as hook

        hook(sys.argv[2:])
    try:
        from aicx.config import library_environment

        for name, value in library_environment().items():
            os.environ.setdefault(name, value)
        from aicx.cli import run
    except ImportError:
        if other := clash():
            sys.exit(f"aicx cannot start: {other}")
        raise
    try:
        code = run(sys.argv[1:])
    finally:
        gc.freeze()  # it all goes with the process; Python would look through it for garbage first
    sys.exit(code)


def _open_closed_streams() -> None:
    """Gives a stream that was closed before the start (`>&-`) a place to write to, so that no file of ours gets its
    number."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: PTH123, SIM115 - until the end


def _forget_current_folder() -> None:
    """`python -m` puts the current folder first on the path, and a user's project may hold an `indexer/` of its own."""
    try:
        here = str(Path.cwd())
    except FileNotFoundError:  # it was deleted, so nothing can be in it
        return
    package_parent = str(Path(__file__).resolve().parent.parent)
    sys.path[:] = [entry for entry in sys.path if entry not in ("", here) or entry == package_parent]


if __name__ == "__main__":
    main()
