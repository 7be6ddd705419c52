"""How the running aicx was installed, and the command that adds one of its optional parts.

The package is on no index under its name, so the command points to where this copy came from.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

DISTRIBUTION = "aicx-py"
_OTHER = "aicx"  # what the package index has under that name is another project's
_PACKAGE = Path(__file__).resolve().parent


def program() -> list[str]:
    """The words that start this very aicx in any folder and with any PATH; nothing of that folder is imported."""
    script = Path(sys.executable).parent / "aicx"
    if script.exists():
        return [str(script)]
    found = [] if _is_searched(_PACKAGE.parent) else ["env", f"PYTHONPATH={_PACKAGE.parent}"]
    return [*found, sys.executable, "-P", "-m", "aicx"]


def _is_searched(folder: Path) -> bool:
    """Whether this interpreter looks for modules in ``folder`` by itself, without PYTHONPATH or a current folder."""
    import site

    return folder in map(Path.resolve, map(Path, [*site.getsitepackages(), site.getusersitepackages()]))


def keep_path_safe() -> None:
    """Has no Python that this process starts look for modules in the folder it is started in.

    multiprocessing passes on the flag -P where this process has it, which the script of an installation has not. Left
    on: taking it back while other threads read the environment is not safe.
    """
    os.environ["PYTHONSAFEPATH"] = "1"


def spawning() -> SpawnContext:
    """multiprocessing that starts each process anew, without the current folder on its path."""
    from multiprocessing import get_context, util  # imported here: most commands start no process

    keep_path_safe()
    words = util._args_from_interpreter_flags()  # type: ignore[attr-defined] # no public way to pass on a flag
    if sys.flags.ignore_environment and "-P" not in words and "-I" not in words:
        # This Python was started with -E, which is passed on, and has the new one ignore the variable.
        util._args_from_interpreter_flags = lambda: [*words, "-P"]  # type: ignore[attr-defined]
    return get_context("spawn")


def install_command(extra: str) -> str:
    """The shell command that adds the optional part ``extra`` to the aicx that is running."""
    return command_for(extra, checkout_of(_PACKAGE), _direct_url())


def checkout_of(package: Path) -> Path | None:
    """The folder of the source checkout that the package folder belongs to; None when it was installed as a copy."""
    try:
        described = (package.parent / "pyproject.toml").read_text("utf-8")
    except OSError:
        return None
    return package.parent if f'name = "{DISTRIBUTION}"' in described else None


def command_for(extra: str, checkout: Path | None, direct_url: str | None) -> str:
    """The command for a copy in ``checkout``, else for one whose installer left ``direct_url``, the text of PEP 610."""
    if checkout is not None:
        return _pip("-e", f"{checkout}[{extra}]")
    requirement = _requirement(extra, direct_url)
    # Without a record of the origin, no command that names one can be right.
    return _pip(requirement) if requirement else f"in a checkout of aicx: {_pip(f'.[{extra}]')}"


def clash() -> str | None:
    """Says that another project's `aicx` is installed beside this one, and what helps; None where it is not."""
    from importlib.metadata import PackageNotFoundError, version  # imported here: it takes as long as a short command
    from importlib.util import find_spec

    try:
        found = version(_OTHER)
    except PackageNotFoundError:
        return None
    pip, where = (f"{sys.executable} -m pip", "") if find_spec("pip") else ("uv pip", f"--python {sys.executable} ")
    return (
        f"another project's package, {_OTHER} {found}, is installed here too, and the two overwrite each other's files;"
        f" run `{pip} uninstall {where}{_OTHER}`, then install {DISTRIBUTION} again: nothing that is stored is lost"
    )


def _requirement(extra: str, direct_url: str | None) -> str | None:
    import json
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(direct_url or "")
        url, control = str(origin["url"]), origin.get("vcs_info")
        if control:
            url = f"{control['vcs']}+{url}@{control['commit_id']}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if urlsplit(url).scheme != "file":
        return f"{DISTRIBUTION}[{extra}] @ {url}"
    path = unquote(urlsplit(url).path)
    return f"{path}[{extra}]" if Path(path).exists() else None


def _pip(*arguments: str) -> str:
    import shlex
    from importlib.util import find_spec

    # Environments made by uv hold no pip. -P: a `pip.py` in the current folder is not run in its place.
    pip = [sys.executable, "-P", "-m", "pip", "install"]
    command = pip if find_spec("pip") else ["uv", "pip", "install", "--python", sys.executable]
    return shlex.join([*command, *arguments])


def _direct_url() -> str | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        return None
