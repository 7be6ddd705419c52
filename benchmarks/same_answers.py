"""Whether two versions of aicx give the same answers: 200 questions through the JSON of every command that reads.

    python -m benchmarks.same_answers --home FOLDER --before OLD/bin/aicx --after NEW/bin/aicx

FOLDER is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`). Each version stores it into its own corpus.
The questions are made from what the older one stored: titles, files, branches, projects and words of the sessions. What
differs is listed by command and JSON field with the first example of each; times, sizes of derived files and places of
the two corpora are left out. Exit code 1 when anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

QUESTIONS = 200
# What two runs of one version do not share either.
_UNSTEADY = re.compile(r"(?:^|\.)(?:seconds|elapsed_ms|generated_at|now|built_at|size|bytes|version|last_refresh\w*)$")


@dataclass(frozen=True)
class Version:
    """An installed aicx with the corpus that it stored."""

    program: Path
    home: Path
    corpus: Path

    def ask(self, *arguments: str) -> tuple[int, Any]:
        """The exit code and the JSON of one command, with the place of the corpus taken out."""
        environ = {"HOME": str(self.home), "AICX_HOME": str(self.corpus), "PATH": os.environ["PATH"], "TZ": "UTC"}
        done = subprocess.run(
            [self.program, *arguments, "--json"],
            env=environ,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        text = done.stdout.replace(str(self.corpus), "AICX_HOME")
        try:
            return done.returncode, json.loads(text)
        except json.JSONDecodeError:
            return done.returncode, text


def questions(version: Version) -> list[list[str]]:
    """Command lines made from what is stored, the same for the same corpus."""
    _, listed = version.ask("sessions", "--limit", "400")
    sessions = sorted(listed["items"], key=lambda item: item["session_id"])
    _, steered = version.ask("steer", "--limit", "400")
    chunks = sorted(steered["items"], key=lambda item: item["id"])
    titles = [item["title"] for item in sessions if item.get("title")]
    words = [" ".join(re.findall(r"\w{4,}", title)[:3]) for title in titles]
    projects = sorted({item["project"] for item in sessions})
    branches = sorted({item["branch"] for item in chunks if item.get("branch")})
    days = sorted({item["date"] for item in chunks})
    forms: list[Iterator[list[str]]] = [
        (["search", text] for text in titles),
        (["search", text, "--mode", "lexical", "--group", "chunk"] for text in words if text),
        (["search", text, "--mode", "scan", "--limit", "3"] for text in words if text),
        (["search", text, "-p", project] for text, project in zip(words, cycle(projects), strict=False) if text),
        (["search", text, "--decay", "gentle", "--group", "session"] for text in titles),
        (["steer", "--branch", branch, "--limit", "20"] for branch in branches),
        (["steer", "-p", project, "--limit", "20"] for project in projects),
        (["steer", "--date", day, "--limit", "20"] for day in days),
        (["steer", "--session", item["session_id"]] for item in sessions),
        (["show", item["id"]] for item in chunks),
        (["show", item["session_id"]] for item in sessions),
        (["sessions", "-p", project] for project in projects),
        (["rank", "-p", project, "-H", "0"] for project in projects),
        (["resume", "--project", project] for project in projects if "/" in project),
        (["resume", "--project", item["project"], "--task", item["title"]] for item in sessions if item.get("title")),
        (["extract", "--session", item["session_id"]] for item in sessions[:10]),
        (["refs"], ["list"], ["state"], ["doctor"], ["index", "status"]).__iter__(),
    ]
    found: list[list[str]] = []
    while forms and len(found) < QUESTIONS:
        for form in list(forms):
            line = next(form, None)
            if line is None:
                forms.remove(form)
            elif line not in found:
                found.append(line)
    return list(islice(found, QUESTIONS))


def differences(before: Any, after: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ: the field, with `[]` for any place in a list, and both values."""
    if _UNSTEADY.search(place):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted(before.keys() | after.keys()):
            inner = f"{place}.{name}".lstrip(".")
            if name not in before or name not in after:
                if not _UNSTEADY.search(inner):
                    yield inner, before.get(name, "(absent)"), after.get(name, "(absent)")
            else:
                yield from differences(before[name], after[name], inner)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from differences(one, other, f"{place}[]")
    elif before != after:
        yield place, before, after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="aicx-same-") as folder:
        versions = [
            Version(program.absolute(), asked.home.absolute(), Path(folder, name))
            for name, program in (("before", asked.before), ("after", asked.after))
        ]
        for version in versions:
            for _ in range(2):  # the second run makes the index in one go: entries replaced in it count in its scores
                shutil.rmtree(version.corpus / "index", ignore_errors=True)
                code, _ = version.ask("store")
                if code:
                    sys.exit(f"{version.program} store ended with {code}")
        lines = questions(versions[0])
        counts: Counter[tuple[str, str]] = Counter()
        examples: dict[tuple[str, str], tuple[list[str], Any, Any]] = {}
        same = 0
        for line in lines:
            first, second = (version.ask(*line) for version in versions)
            found = list(differences({"exit": first[0], "answer": first[1]}, {"exit": second[0], "answer": second[1]}))
            same += not found
            for place, one, other in found:
                counts[line[0], place] += 1
                examples.setdefault((line[0], place), (line, one, other))
    print(f"{same} of {len(lines)} questions have the same answer")
    for (command, place), count in counts.most_common():
        line, one, other = examples[command, place]
        print(f"{count:>4}  {command}  {place}\n      {' '.join(line)[:100]}")
        print(f"      - {repr(one)[:160]}\n      + {repr(other)[:160]}")
    return 0 if same == len(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
