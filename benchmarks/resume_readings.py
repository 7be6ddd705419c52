"""The briefs that were read by eye, made again: `python -m benchmarks.resume_readings --home FOLDER --repos FOLDER`.

FOLDER of ``--home`` is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`), that of ``--repos`` as
OWNER/NAME, a git repository each. Every brief is asked at the moment at which a stored session began, with the clock,
the branch and the commit of that moment, half of them with the session's first request as the task; nothing later is
visible. Prints each brief with an id before every line. ``--labels FILE`` (JSON Lines: ``id`` of the brief, ``line``,
``label``, ``reason``) compares with a reading: which lines are true, which also useful, which session is the right one
to go on from; with ``--unread`` only lines without a label are printed.

A line's id is made from its words, without references: it stays the same as long as the words do.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from aicx.config import Settings, load_settings
from aicx.corpus.catalog import Catalog
from aicx.evidence import read_steps
from aicx.evidence.statements import requests
from aicx.git import repository_of
from aicx.paths import NON_REPOSITORY
from aicx.resume import ResumeQuery
from aicx.resume.brief.output import markdown_brief
from aicx.resume.report import ResumeReport
from aicx.resume.run import resume
from benchmarks.store import aicx, environment_for, measure

# The last one was read once, when nothing was changed any more.
SETS = {"tuning": 40, "second": 20, "third": 20, "fresh": 20}
_BUDGET = 2000
_TASK_LENGTH = 600
_REFS = re.compile(r" \[[^\[\]]*(?:chunk|commit|file|session):[^\[\]]*\]$")
# The line that says which session the work goes on from; its label is "right", "wrong" or "none" (there is none).
CHOICE = "session"


@dataclass(frozen=True, slots=True)
class Moment:
    """When a session began, and where: the question is asked as it would have been then."""

    agent: str
    session: str
    place: str  # owner/name, or the repository's folder where none is known
    folder: str  # where it worked
    branch: str | None
    at: datetime
    task: str

    @property
    def id(self) -> str:
        return f"{self.session[-12:]}{'+task' if self.task else ''}"


def moments(settings: Settings, catalog: Catalog) -> dict[str, list[Moment]]:
    """By place, every primary session that began after another one of it and has a request."""
    rows = catalog.rows(
        "SELECT agent, session_id, project, cwd, branch, min(started_at) AS first, path FROM chunks WHERE ignored=0"
        " AND stream='' AND lane='primary' AND number=1 GROUP BY agent, session_id ORDER BY first, session_id"
    )
    found: dict[str, list[Moment]] = {}
    for row in rows:
        place = row["project"] if row["project"] != NON_REPOSITORY else row["cwd"] and repository_of(row["cwd"])
        wanted = requests(read_steps(settings.layout, [row["path"]])[0])
        if not place or not wanted:
            continue
        at = datetime.fromisoformat(row["first"])
        task = wanted[0][0].text[:_TASK_LENGTH]
        moment = Moment(row["agent"], row["session_id"], place, row["cwd"] or place, row["branch"], at, task)
        found.setdefault(place, []).append(moment)
    return {place: of[1:] for place, of in found.items() if len(of) > 1}


def drawn(found: Mapping[str, Sequence[Moment]]) -> dict[str, list[Moment]]:
    """The moments of each set: places in turn, so that none decides the figure; every other one without its task."""
    draw = random.Random(13)
    left = {place: draw.sample(found[place], len(found[place])) for place in sorted(found)}
    sets: dict[str, list[Moment]] = {name: [] for name in SETS}
    for name, count in SETS.items():
        while len(sets[name]) < count and any(left.values()):
            for of in left.values():
                if of and len(sets[name]) < count:
                    moment = of.pop()
                    task = moment.task if len(sets[name]) % 2 else ""
                    sets[name].append(replace(moment, task=task))
    return sets


def checked_out(repos: Path, moment: Moment, target: Path) -> Path | None:
    """The repository of a moment as it was then, on its branch; None where there is none."""
    name = moment.place if not moment.place.startswith("/") else "/".join(Path(moment.place).parts[-2:])
    source = repos / name
    if not (source / ".git").is_dir():
        found = [path for path in repos.glob("*/*") if path.name == Path(moment.place).name]
        if not found:
            return None
        source = found[0]

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()

    commit = git("-C", str(source), "rev-list", "-1", f"--before={moment.at.isoformat()}", "HEAD")
    if not commit:
        return None
    shutil.rmtree(target, ignore_errors=True)
    git("clone", "-q", "--shared", "--no-checkout", str(source), str(target))
    here = ("-C", str(target))
    git(*here, "checkout", "-q", "-B", "as-it-was", commit)
    for name in git(*here, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags").split():
        if name != "refs/heads/as-it-was":
            git(*here, "update-ref", "--no-deref", "-d", name)
    if moment.branch and moment.branch != "HEAD":
        git(*here, "branch", "-M", moment.branch)
    return target


def asked(settings: Settings, moment: Moment, folder: Path | None) -> ResumeReport:
    """The report for a moment; the session that begins there is left out, as a client's own session is."""
    query = ResumeQuery(
        now=moment.at,
        task=moment.task,
        folder=folder,
        project=moment.folder if moment.place.startswith("/") else moment.place,
        branch=moment.branch,
        exclude_session=(moment.session,),
    )
    return resume(settings, query)


def lines_of(brief: str) -> Iterator[tuple[str, str, str]]:
    """(section, id, text) of every line of a brief between its fences, without references; JSON has those."""
    section = ""
    for line in brief.splitlines():
        if line.startswith("## "):
            section = line[3:].split(":")[0]
        elif line.startswith("- "):
            text = _REFS.sub("", line[2:])
            yield section, sha256(f"{section}\n{text}".encode()).hexdigest()[:8], line[2:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="a home folder with agents' logs")
    parser.add_argument("--repos", type=Path, required=True, help="git repositories as OWNER/NAME")
    parser.add_argument("--corpus", type=Path, help="an AICX_HOME with the logs stored; by default a scratch one")
    parser.add_argument("--set", choices=SETS, default="tuning")
    parser.add_argument("--labels", type=Path, help="a reading, as JSON Lines")
    parser.add_argument("--unread", action="store_true", help="print only lines without a label")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aicx-readings-") as scratch:
        environ = environment_for(arguments.home, Path(scratch))
        if arguments.corpus:
            environ["AICX_HOME"] = str(arguments.corpus)
        else:
            measure(aicx("store"), environ)
        settings = load_settings(environ, user_home=arguments.home)
        catalog = Catalog.open_for_reading(settings.layout.catalog)
        assert catalog is not None
        labels = _labels(arguments.labels) if arguments.labels else {}
        counts: Counter[str] = Counter()
        for moment in drawn(moments(settings, catalog))[arguments.set]:
            folder = checked_out(arguments.repos, moment, Path(scratch) / "checkout")
            _read(settings, moment, asked(settings, moment, folder), labels, counts, arguments.unread)
    _conclude(counts)


def _labels(path: Path) -> dict[tuple[str, str], str]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {(row["id"], row["line"]): row["label"] for row in rows}


def _read(
    settings: Settings,
    moment: Moment,
    report: ResumeReport,
    labels: Mapping[tuple[str, str], str],
    counts: Counter[str],
    unread: bool,
) -> None:
    brief = markdown_brief(settings, report, _BUDGET)
    chosen = report.resumed.facts.session_id if report.resumed else None
    choice = f"{CHOICE}:{chosen[-12:] if chosen else 'none'}"
    print(f"\n=== {moment.id} at {moment.at:%Y-%m-%d %H:%M} in {moment.place}, {moment.agent}, branch {moment.branch}")
    print(f"    {brief.tokens} tokens; {choice} {labels.get((moment.id, choice), '?')}; task: {moment.task[:300]!r}")
    counts[f"choice {labels.get((moment.id, choice), 'unread')}"] += 1
    counts["tokens"] += brief.tokens
    counts["briefs"] += 1
    last = ""
    for section, line, text in lines_of(brief.text.decode()):
        label = labels.get((moment.id, line), "unread")
        counts[f"line {label}"] += 1
        if unread and label != "unread":
            continue
        if section != last:
            print(f"  ## {section}")
        last = section
        print(f"  {line} {label if labels else ''} {text}")


def _conclude(counts: Mapping[str, int]) -> None:
    lines = {name: counts.get(f"line {name}", 0) for name in ("useful", "true", "false", "unread")}
    read = sum(lines.values()) - lines["unread"]
    right, wrong = counts.get("choice right", 0), counts.get("choice wrong", 0)
    size = counts["tokens"] / max(1, counts["briefs"])
    print(f"\n{counts['briefs']} briefs of {size:.0f} tokens; {read} lines read, {lines}")
    if read:
        print(f"true {(lines['useful'] + lines['true']) / read:.3f}, true and useful {lines['useful'] / read:.3f}")
    if right + wrong:
        print(f"session to go on from: {right} of {right + wrong} right, {right / (right + wrong):.2f}")


if __name__ == "__main__":
    main()
