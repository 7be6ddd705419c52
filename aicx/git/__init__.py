"""Git: which repository and worktree a folder belongs to, and the state of its branches, always read-only.

Here is how git is called for a look at a repository that somebody else may have set up: running nothing that it names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

# A repository's own settings may name programs that git would run for a mere look; and a look writes nothing.
_FLAGS = (
    "--no-optional-locks",
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "core.quotePath=0"),
)
# A clone may hold a folder that git takes for a bare repository, with settings that came with the clone.
_NO_BARE = ("-c", "safe.bareRepository=explicit")
# A look must not fetch either: a partial clone names where from, and by which program.
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# Set inside hooks, where they would lead every question to another repository; `git rev-parse --local-env-vars` lists
# them. GIT_CONFIG would have `git config` read another file than the rest of git does.
_MISLEADING = frozenset(
    {
        *("GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY"),
        *("GIT_PREFIX", "GIT_WORK_TREE"),
    }
)
# Names of all settings in force, from every file that git reads them from. Asking runs nothing.
LIST_SETTINGS = ("config", "--null", "--name-only", "--list")
# Empty, a filter does nothing; and one that is not required may do nothing.
_FILTER_OFF = {"clean": "", "process": "", "smudge": "", "required": "false"}


def command(folder: Path, *arguments: str, bare: bool = False) -> list[str]:
    """``git arguments`` at ``folder``; ``bare`` lets git take it for a bare repository."""
    return ["git", "-C", str(folder), *_FLAGS, *(() if bare else _NO_BARE), *arguments]


def environment() -> dict[str, str]:
    """Returns the environment that git runs in: nothing of another repository, and no key that aicx was given."""
    kept = {name: value for name, value in os.environ.items() if name not in _MISLEADING and name[:5] != "AICX_"}
    return kept | _ENVIRONMENT


def without_filters(environ: Mapping[str, str], listed: str) -> dict[str, str]:
    """``environ`` with every filter of the settings turned off, for a call of git that compares files with the index.

    ``listed`` is what `LIST_SETTINGS` printed at the same folder. The user's own filters are off too: git-lfs would in
    turn run what the repository's settings name.
    """
    given = environ.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdecimal() else 0
    found = dict(environ)
    for name in sorted(set(listed.split("\0"))):
        last = name.rpartition(".")[2]
        if name.startswith("filter.") and last in _FILTER_OFF:
            found[f"GIT_CONFIG_KEY_{count}"] = name
            found[f"GIT_CONFIG_VALUE_{count}"] = _FILTER_OFF[last]
            count += 1
    return found | {"GIT_CONFIG_COUNT": str(count)}
