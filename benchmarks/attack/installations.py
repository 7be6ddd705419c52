"""The four ways in which aicx gets onto a machine, each made in a temporary folder without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
KINDS = ("checkout", "venv", "user", "prefix")
_OWN = ("aicx", "indexer", "retrieval", "pip", "__pycache__")


class Impossible(Exception):
    """Why an installation of a kind cannot be made here."""


@dataclass(frozen=True, slots=True)
class Installation:
    """One aicx: the words that start it, its interpreter, and what the environment has to say for them."""

    kind: str
    command: tuple[str, ...]
    python: str
    environ: Mapping[str, str]


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built in ``folder``. Raises Impossible without what builds it."""
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    name = _run([sys.executable, "-P", "-c", code], cwd=ROOT).split()[-1]
    return folder / name


def install(kind: str, wheel: Path, folder: Path) -> Installation:
    """An installation of one of KINDS below ``folder``. Raises Impossible."""
    home = folder / "home"
    home.mkdir(parents=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
    bare = str(Path(sys.base_prefix) / "bin" / Path(sys.executable).resolve().name)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if kind == "checkout":
        return Installation(
            kind, (sys.executable, "-P", "-m", "aicx"), sys.executable, environ | {"PYTHONPATH": str(ROOT)}
        )
    if kind == "venv":
        place = folder / "venv"
        _run([bare, "-P", "-m", "venv", "--without-pip", str(place)])
        python = str(place / "bin" / "python")
        _pip(["--python", python, "install"], wheel, environ)
        _link_dependencies(place / "lib" / version / "site-packages")
        return Installation(kind, (str(place / "bin" / "aicx"),), python, environ)
    if kind == "user":
        environ["PYTHONUSERBASE"] = str(home / ".local")
        _pip(["install", "--user"], wheel, environ, bare)
        _link_dependencies(home / ".local" / "lib" / version / "site-packages")
        return Installation(kind, (str(home / ".local" / "bin" / "aicx"),), bare, environ)
    place = folder / "prefix"
    _pip(["install", "--ignore-installed", "--prefix", str(place)], wheel, environ, bare)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    _link_dependencies(site)
    return Installation(kind, (str(place / "bin" / "aicx"),), bare, environ | {"PYTHONPATH": str(site)})


def _pip(words: list[str], wheel: Path, environ: Mapping[str, str], python: str = sys.executable) -> None:
    quiet = ["--no-deps", "--no-index", "--no-compile", "--quiet", "--disable-pip-version-check"]
    _run([python, "-P", "-m", "pip", *words, *quiet, str(wheel)], {**environ, "PIP_BREAK_SYSTEM_PACKAGES": "1"})


def dependencies() -> Iterator[Path]:
    """What this interpreter has beside aicx: the packages and modules, with what is known of them."""
    for place in map(Path, sys.path):
        for path in sorted(place.iterdir()) if place.name in ("site-packages", "dist-packages") else ():
            if path.suffix != ".pth" and not path.name.startswith(_OWN):
                yield path


def _link_dependencies(site: Path) -> None:
    site.mkdir(parents=True, exist_ok=True)
    for path in dependencies():
        target = site / path.name
        if not target.exists() and not target.is_symlink():
            target.symlink_to(path)


def _run(words: list[str], environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(words, env=environ, cwd=cwd, capture_output=True, text=True, timeout=300)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2]
        raise Impossible(f"{' '.join(words[3:6])}: {said}")
    return done.stdout
