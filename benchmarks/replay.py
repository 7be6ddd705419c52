"""Replays real session starts: what a session would have been told, beside what the person then asked.

    python -m benchmarks.replay HOMES REPOSITORIES [--limit 25 --seed 7] [--json]

HOMES holds folders that are laid out as a home (`.claude/`, `.codex/`), REPOSITORIES bare repositories named
`OWNER+NAME.git`, with or without the contents of files. For each session that a person began in one of them, a clone is
put at the commit and branch at which it began, only what the home's logs held before is stored, and the real commands
run with the clock at that moment: `resume` alone, with `--start` and with `--next`, and the notes that the session
before would have left.

Scored: whether the session that the brief goes on from is a right one (`replay_logs.right_sessions`), whether `next`
speaks of another one, and lines that the commits of the head or a session before the start contradict. Commits of
sessions are those that the home's `commit_to_session.jsonl` names.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.readings import share
from benchmarks.replay_logs import (
    SESSION_IDS,
    Line,
    RawLog,
    against_git,
    against_later,
    homes_in,
    logs_of,
    open_against_git,
    open_against_later,
    right_sessions,
    said_open,
    strictly_right,
)
from benchmarks.replay_place import Clone, asked_at, grow


@dataclass(frozen=True, slots=True)
class Start:
    """One start with what was said to it. ``gone_on`` is the session that the brief goes on from."""

    home: str
    session: str
    at: str
    branch: str | None
    commit: str
    gone_on: str | None
    right: dict[str, str]
    strictly: dict[str, str]
    next_from: list[str]
    next: list[str]
    banner: str
    brief: str
    notes: str
    asked: list[str]
    against_git: list[tuple[str, str]] = field(default_factory=list)
    against_later: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return self.gone_on in self.right

    @property
    def is_of_two(self) -> bool:
        """Whether `next` speaks of another session than the brief goes on from."""
        return bool(self.next_from) and self.gone_on not in self.next_from


def replay(homes: Path, repositories: Path, limit: int | None, seed: int) -> Iterator[Start]:
    """Each start, in the order of time within its home; ``limit`` of all that there are, drawn with ``seed``."""
    found = [
        (home, bare, logs, start)
        for home in homes_in(homes)
        for bare in sorted(repositories.glob("*.git"))
        for logs in [logs_of(home, _name(bare))]
        for start in logs
        if not (start.program or start.copied) and _earlier(start, logs)
    ]
    chosen = found if limit is None or limit >= len(found) else random.Random(seed).sample(found, limit)
    for key in dict.fromkeys((home, bare) for home, bare, _, _ in found):
        mine = sorted((one for one in chosen if one[:2] == key), key=lambda one: one[3].first)
        if mine:
            with tempfile.TemporaryDirectory(prefix="aicx-replay-") as folder:
                yield from _of_home(*key, mine[0][2], [one[3] for one in mine], Path(folder).resolve())


def _of_home(
    home: Path, bare: Path, logs: Sequence[RawLog], starts: Sequence[RawLog], scratch: Path
) -> Iterator[Start]:
    clone = Clone(bare.resolve(), scratch / "work" / _name(bare))
    clone.create()
    user, environ = scratch / "home", {"HOME": str(scratch / "home"), "AICX_HOME": str(scratch / "corpus")}
    made = _commits(home)
    for start in starts:
        commit = clone.move(start.first, start.branch, start.commit)
        grow(logs, home, user, start.first, clone.folder)
        earlier = _earlier(start, logs)
        last = max((one for one in earlier if not one.program), key=lambda one: one.last, default=None)
        save = (
            ["task", "note", "save", "--repo", str(clone.folder), "--log", str(user / last.path)]
            if last
            else ["--version"]
        )
        at = ["--repo", str(clone.folder)]
        _, resumed, brief, prepared, ahead, _, notes = asked_at(
            start.first,
            [
                ["store"],
                ["resume", *at, "--json", "--exclude-session", start.session],
                ["resume", *at, "--exclude-session", start.session],
                ["resume", "--start", *at, "--dry-run", "--json", "--session-id", start.session],
                ["resume", "--next", *at, "--json"],
                save,
                ["resume", "--note", *at],
            ],
            environ,
        )
        yield _scored(home, start, earlier, commit, clone, [resumed, brief, prepared, ahead, notes], made, last)


def _scored(
    home: Path,
    start: RawLog,
    earlier: Sequence[RawLog],
    commit: str,
    clone: Clone,
    printed: Sequence[str],
    made: Sequence[tuple[str, str]],
    last: RawLog | None,
) -> Start:
    resumed, brief, prepared, ahead, notes = printed
    capsule = _object(resumed).get("capsule") or {}
    gone_on = next(iter(SESSION_IDS.findall(capsule.get("resuming") or "")), None)
    steps = _object(ahead).get("steps") or []
    banner = _object(prepared).get("startup_banner_text") or ""
    left: list[Line] = [
        (one["text"], gone_on) for name in ("next", "failures") for one in capsule.get(name) or [] if one.get("text")
    ]
    sources = [SESSION_IDS.findall(json.dumps(step)) for step in steps]
    left += [(step["text"], (found or [None])[0]) for step, found in zip(steps, sources, strict=True)]
    left += [(line[2:], last.session) for line in notes.splitlines() if line.startswith("- ") and last]
    every = [text for text, _ in left] + banner.splitlines()[1:] + [line for line in brief.splitlines() if line.strip()]
    every += (_object(resumed).get("warnings")) or []
    texts = list(dict.fromkeys(every))
    subjects = clone.subjects()
    held = set(subjects)
    in_head, claims = [one for one in made if one[1] in held], list(said_open(brief))
    return Start(
        home=home.name,
        session=start.session,
        at=start.first.isoformat(timespec="seconds"),
        branch=start.branch,
        commit=commit,
        gone_on=gone_on,
        right=right_sessions(start, [one for one in earlier if not one.program]),
        strictly=strictly_right(start, [one for one in earlier if not one.program]),
        next_from=list(dict.fromkeys(name for found in sources for name in found)),
        next=[step["text"] for step in steps],
        banner=banner,
        brief=brief,
        notes=notes,
        asked=list(start.prompts[:2]),
        against_git=[*against_git(texts, subjects), *open_against_git(claims, in_head)],
        against_later=[
            *against_later(dict.fromkeys(left), earlier, in_head),
            *open_against_later(claims, earlier),
        ],
    )


def _earlier(start: RawLog, logs: Sequence[RawLog]) -> list[RawLog]:
    """The sessions that had begun before; those still at work count as they were then, with all of their edits."""
    return [one for one in logs if one.first < start.first and one.until(start.first)]


def _commits(home: Path) -> list[tuple[str, str]]:
    """(session, subject) of the commits that sessions made, as the home's own table says."""
    path = home / "commit_to_session.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []
    return [
        (session, row["query"]) for row in rows for session in row.get("editing_sessions") or row["relevant_sessions"]
    ]


def _object(printed: str) -> dict[str, Any]:
    try:
        found = json.loads(printed)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _name(bare: Path) -> str:
    return bare.name.removesuffix(".git").rpartition("+")[2]


def summary(starts: Sequence[Start]) -> Iterator[str]:
    """The scores, each with its n."""
    telling = [one for one in starts if one.right]
    yield share("right session to go on from", sum(one.is_right for one in telling), len(telling))
    for why in ("words", "branch", "files", "latest"):
        of = [one for one in telling if why in one.right.values()]
        yield share(f"  of those that {why} tell", sum(one.is_right for one in of), len(of))
    judged = [one for one in starts if one.strictly]
    yield share("right by the strict rule", sum(one.gone_on in one.strictly for one in judged), len(judged))
    yield share("briefs that go on from nothing", sum(one.gone_on is None for one in starts), len(starts))
    speaking = [one for one in starts if one.next]
    yield share("`next` that speaks", len(speaking), len(starts))
    yield share("`next` of another session than the brief", sum(one.is_of_two for one in speaking), len(speaking))
    for name in ("against_git", "against_later"):
        lines = [line for one in starts for line in getattr(one, name)]
        with_one = sum(bool(getattr(one, name)) for one in starts)
        yield share(f"starts with lines {name.replace('_', ' ')} ({len(lines)} lines)", with_one, len(starts))
    yield f"starts: {len(starts)}, by home: {dict(Counter(one.home for one in starts))}"


def _print(one: Start) -> None:
    print(f"\n=== {one.home} {one.at} {one.session} on {one.branch} at {one.commit[:8]}")
    verdict = "right" if one.is_right else "WRONG" if one.right else "nothing tells"
    print(f"goes on from: {one.gone_on} ({verdict}: {one.right})")
    print(f"next: {one.next or 'nothing'} of {one.next_from}")
    for title, text in (("banner", one.banner), ("brief", one.brief), ("notes", one.notes)):
        print(f"--- {title}\n{text.strip()}")
    print("--- what the person asked")
    print("\n".join(prompt[:600] for prompt in one.asked))
    for name in ("against_git", "against_later"):
        for line, why in getattr(one, name):
            print(f"!!! {name.replace('_', ' ')}: {line}   <- {why}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("homes", type=Path, metavar="HOMES")
    parser.add_argument("repositories", type=Path, metavar="REPOSITORIES")
    parser.add_argument("--limit", type=int, help="so many of the starts, drawn at random; all by default")
    parser.add_argument("--seed", type=int, default=7, help="of the draw")
    parser.add_argument("--json", action="store_true", help="one object a start, and the scores on stderr")
    given = parser.parse_args()
    starts = []
    for one in replay(given.homes, given.repositories, given.limit, given.seed):
        starts.append(one)
        if given.json:
            print(json.dumps(asdict(one)), flush=True)
        else:
            _print(one)
    print("", *summary(starts), sep="\n", file=sys.stderr if given.json else sys.stdout)


if __name__ == "__main__":
    main()
