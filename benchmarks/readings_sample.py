"""Draws rows to read by eye: `python -m benchmarks.readings_sample FOLDER --home HOME... --repositories FOLDER`.

Each HOME is laid out as a home folder (`.claude/`, `.codex/`, …), stored into a corpus of its own; REPOSITORIES holds
bare repositories as OWNER+NAME.git, and a project without one gets an empty repository with its remote. A release is
asked through its public commands (``--aicx``), and FOLDER receives a JSON Lines file a kind: what is told, of which
session, with an id that is the same for as long as the same is told. How rows are drawn is in `docs/readings.md`.
`moments.jsonl` names the session starts at which briefs, `next` and notes are to be replayed.

FOLDER holds text of the logs: keep it out of the repository. Labels go to `benchmarks/readings`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PARTS = ("before", "fresh")
_SEED = "readings"
_MANY = "10000"
# What tells which projects a home has, and in which days.
PROJECTS = ("status", "--projects")

Row = dict[str, Any]


def hashed(*words: str) -> str:
    """What a name or a text is known by in the readings."""
    return blake2b("\0".join(words).encode(), digest_size=8).hexdigest()


def part_of(name: str) -> str:
    """A third of all names is kept for a fresh reading."""
    return PARTS[int(hashed(_SEED, name), 16) % 3 == 0]


def row_of(kind: str, home: str, name: str, said: Mapping[str, Any] | str) -> Row:
    """A row of the sample: it belongs to ``name``, a session or a commit, and its id changes with what is said."""
    return {"id": hashed(kind, name, json.dumps(said, sort_keys=True)), "home": home, "of": name, "said": said}


def drawn(rows: Iterable[Row], part: str, count: int) -> list[Row]:
    """The first ``count`` rows of a part: the homes in turn, each in the order of its hashes."""
    homes: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (hashed(_SEED, row["of"]), hashed(_SEED, row["id"]))):
        if part_of(row["of"]) == part:
            homes.setdefault(row["home"], []).append(row)
    turns = chain.from_iterable(zip_longest(*(homes[name] for name in sorted(homes))))
    return [row for row in turns if row][:count]


class Release:
    """The commands of an installed aicx over the logs of one home."""

    def __init__(self, executable: str, home: Path, corpus: Path) -> None:
        self._executable = executable
        self._environment = {**os.environ, "HOME": str(home), "AICX_HOME": str(corpus)}

    def run(self, *arguments: str) -> str:
        """What a command prints. Raises CalledProcessError where it fails, but not where it found nothing (3)."""
        command = [self._executable, *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        return done.stdout

    def items(self, field: str, *arguments: str) -> list[Row]:
        """The items that a command answers with as JSON."""
        return list(json.loads(self.run(*arguments, "--json")).get(field, ()))


def place_of(project: str, repositories: Path, target: Path) -> Path:
    """A working copy of a project: of its bare repository, with empty files, else an empty one with its remote."""
    source = repositories / f"{project.replace('/', '+')}.git"
    remote = f"https://github.com/{project}.git"
    if not source.is_dir():
        git(None, "init", "-q", "-b", "main", str(target))
        git(target, "remote", "add", "origin", remote)
        return target
    git(None, "clone", "-q", "--shared", "--no-checkout", str(source), str(target))
    git(target, "remote", "set-url", "origin", remote)
    git(target, "read-tree", "HEAD")
    names = git(target, "ls-files", "-z")
    for name in filter(None, names.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).touch()
    git(target, "update-index", "-z", "--assume-unchanged", "--stdin", given=names)
    return target


def git(folder: Path | None, *arguments: str, given: str = "") -> str:
    """What git prints. Raises CalledProcessError where it fails."""
    here = ["-C", str(folder)] if folder else []
    return subprocess.run(["git", *here, *arguments], input=given, check=True, capture_output=True, text=True).stdout


def rows_of_home(release: Release, name: str) -> Iterator[tuple[str, Row]]:
    """What is told of a whole home: titles, failures, candidates, and the session starts to replay."""
    begun: set[str] = set()
    for item in sorted(release.items("items", "sessions", "list", "-n", _MANY), key=lambda item: item["started_at"]):
        session = f"{item['agent']}:{item['session_id']}"
        told = {key: item[key] for key in ("title", "automated", "runs")}
        yield "titles", row_of("title", name, session, told)
        if item["lane"] == "primary" and not item["automated"] and item["project"] in begun:
            told = {key: item[key] for key in ("project", "branch", "started_at")}
            yield "moments", row_of("moment", name, session, told)
        begun.add(item["project"])
    for item in release.items("items", "failures", "list", "--everywhere", "-n", _MANY):
        yield "failures", row_of("failure", name, item["sessions"][0].removeprefix("session:"), item)
    for item in release.items("candidates", "memory", "candidates", "-n", _MANY):
        session = item["evidence"][0]["session"].removeprefix("session:")
        yield "candidates", row_of("candidate", name, session, item)


def handoff_rows(release: Release, name: str, folder: Path) -> Iterator[Row]:
    """What the sessions of a working copy left."""
    for item in release.items("items", "task", "handoffs", "-n", _MANY, "-r", str(folder)):
        yield row_of("handoff", name, item["session"].removeprefix("session:"), item)


def why_rows(
    release: Release, name: str, folder: Path, known: set[str], days: tuple[str, str], part: str, count: int
) -> Iterator[Row]:
    """The answers for commits of a working copy: the ``known`` ones where there are any, else those of ``days``."""
    between = (f"--since={days[0]} 00:00", f"--until={days[1]} 23:59")
    here = git(folder, "rev-list", "--all", "--no-merges", *(() if known else between)).split()
    asked = [row_of("commit", name, commit, "") for commit in here if not known or commit in known]
    for row in drawn(asked, part, count):
        yield row_of("why", name, row["of"], release.run("why", row["of"], "-r", str(folder)))


def known_commits(home: Path) -> set[str]:
    """The commits whose sessions are known, where a home names them."""
    table = home / "commit_to_session.jsonl"
    return {json.loads(line)["commit"] for line in table.read_text("utf-8").splitlines()} if table.exists() else set()


def sample(
    release: Release, home: Path, repositories: Path, scratch: Path, part: str, count: int
) -> dict[str, list[Row]]:
    """Every row of a home, by kind. Reads the logs of the home, which are stored first."""
    release.run("store")
    found: dict[str, list[Row]] = {"handoffs": [], "why": []}
    for kind, row in rows_of_home(release, home.name):
        found.setdefault(kind, []).append(row)
    known = known_commits(home)
    for item in (item for item in release.items("projects", "refs") if "/" in item["project"]):
        project, days = item["project"], (item["first_date"], item["last_date"])
        folder = place_of(project, repositories, scratch / project.replace("/", "+"))
        found["handoffs"] += handoff_rows(release, home.name, folder)
        found["why"] += why_rows(release, home.name, folder, known, days, part, count)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--home", type=Path, nargs="+", required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--aicx", default="aicx", help="the release to ask; by default the one on the path")
    parser.add_argument("--part", choices=PARTS, default="before")
    parser.add_argument("--count", type=int, default=60, help="rows of each kind")
    given = parser.parse_args()
    every: dict[str, list[Row]] = {}
    with TemporaryDirectory() as scratch:
        for home in (home.resolve() for home in given.home):
            release = Release(given.aicx, home, Path(scratch) / home.name / "corpus")
            places = Path(scratch) / home.name / "places"
            for kind, rows in sample(
                release, home, given.repositories.resolve(), places, given.part, given.count
            ).items():
                every.setdefault(kind, []).extend(rows)
    given.folder.mkdir(parents=True, exist_ok=True)
    for kind, rows in every.items():
        lines = [json.dumps(row, ensure_ascii=False) for row in drawn(rows, given.part, given.count)]
        (given.folder / f"{kind}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        print(f"{kind}: {len(lines)} rows")


if __name__ == "__main__":
    main()
