"""Makes a release and checks it, without publishing anything: python release.py (as `make release` does).

Builds the wheel and the sdist, has twine check them, installs the wheel into an environment of its own, does there what
a person does first, opens a home of each earlier format and release with it, and writes the notes from the changelog.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOOLS = ("build>=1.2,<2", "twine>=6,<7")
QUESTION = "why does the export of empty files fail"


def main() -> None:
    version = _version()
    notes = notes_of((ROOT / "docs/changelog.md").read_text("utf-8"), version)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tools = _environment(work / "tools")
        _run(tools, "-m", "pip", "install", "--quiet", *TOOLS)
        shutil.rmtree(DIST, ignore_errors=True)
        _run(tools, "-m", "build", "--outdir", str(DIST), str(ROOT), quiet=True)
        made = sorted(DIST.glob(f"aicx_py-{version}*"))
        if [path.name for path in made] != [f"aicx_py-{version}-py3-none-any.whl", f"aicx_py-{version}.tar.gz"]:
            sys.exit(f"built {[path.name for path in made]}, which is not a wheel and an sdist of {version}")
        _run(tools, "-m", "twine", "check", "--strict", *map(str, made))
        installed = _environment(work / "installed")
        _run(installed, "-m", "pip", "install", "--quiet", f"{made[0]}[mcp,web]", "jsonschema")
        aicx = installed.parent / "aicx"
        said = subprocess.run([aicx, "--version"], capture_output=True, text=True, check=True, cwd=work).stdout
        if said.strip() != f"aicx {version}":
            sys.exit(f"the installed wheel says {said.strip()!r}")
        _run(installed, str(ROOT / ".ci/first_minutes.py"), str(aicx), cwd=work)
        fixtures = ROOT / "tests/fixtures"
        for home in sorted([*fixtures.glob("homes/*.tar.xz"), *fixtures.glob("released/*.tar.xz")]):
            upgrade(aicx, home, work / home.name.removesuffix(".tar.xz"))
    (DIST / f"notes-{version}.md").write_text(notes, "utf-8")
    print(f"dist/ has {', '.join(path.name for path in sorted(DIST.iterdir()))}; nothing was published")


def notes_of(changelog: str, version: str) -> str:
    """The section of a version, without its heading. A version without one, or with an empty one, is no release."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for section in sections:
        heading, _, body = section.partition("\n")
        if heading.split()[:1] == [version] and body.strip():
            return body.strip() + "\n"
    sys.exit(f"docs/changelog.md says nothing of {version}; its sections: {[one.split()[0] for one in sections]}")


def upgrade(aicx: Path, archive: Path, folder: Path) -> None:
    """Opens an earlier home with the installed wheel: it holds what it held, and a store and doctor are content."""
    home = folder / "aicx"
    home.mkdir(parents=True)
    with tarfile.open(archive) as packed:
        packed.extractall(home, filter="data")
    place = {**os.environ, "HOME": str(folder), "AICX_HOME": str(home)}

    def asked(*words: str, allowed: tuple[int, ...] = (0,)) -> dict[str, object]:
        done = subprocess.run([aicx, *words, "--json"], env=place, cwd=folder, capture_output=True, text=True)
        if done.returncode not in allowed:
            sys.exit(f"{archive.name}: aicx {' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    before = asked("sessions")["items"]
    asked("store")
    found = asked("search", QUESTION)["items"]
    checks = asked("doctor", allowed=(0, 1))["checks"]
    critical = [
        check
        for check in checks  # type: ignore[attr-defined]
        # What a person decided before decisions had seals proves nothing until a person seals it.
        if check["severity"] == "critical" and check["name"] != "memory_events"
    ]
    if not before or not found or critical or asked("sessions")["items"] != before:
        sys.exit(f"{archive.name}: {before=} {found=} {critical=}")
    print(f"upgrade of {archive.name}: {len(before)} sessions as before, found, nothing critical")  # type: ignore[arg-type]


def _version() -> str:
    return re.findall(r'^__version__ = "(.+)"$', (ROOT / "aicx/__init__.py").read_text("utf-8"), re.MULTILINE)[0]


def _environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def _run(python: Path, *words: str, cwd: Path = ROOT, quiet: bool = False) -> None:
    done = subprocess.run([python, *words], cwd=cwd, stdout=subprocess.DEVNULL if quiet else None, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}")


if __name__ == "__main__":
    main()
