"""Where to look first: files of the sessions gone on from, of the task and of git, and places that the map names."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from aicx.errors import NotFound, UsageError
from aicx.evidence.calls import FileEdit
from aicx.git import Roots, inside
from aicx.git.state import GitState
from aicx.managed import is_ours_alone, may_be_ours
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.resume.ranking import Ask, Mentions, Scored
from aicx.resume.report import Considered, EntryFile, Reason
from aicx.resume.state import ResumeState
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.repomap import EntryPoint, RepoMap


_WITHOUT_INDEX = {"index_available": False, "query_available": False, "last_refresh_status": "never"}
_NO_MAP = "there is no map of the repository's symbols (next: aicx map refresh)"


def choose_files(state: ResumeState) -> None:
    """Chooses the files to look at first."""
    place, ranked = state.place, state.ranked
    state.report.strategies = state.history.strategies(state.topic, state.mentions.written)
    root, roots = Path(place.state.root) if place.state.root else None, place.roots
    files, considered = entry_files(
        ranked,
        {item.session.ref: state.reader.edits(item.session) for item in ranked[:MAX_SESSIONS]},
        [
            (passage.score, [path for name in passage.files if (path := roots.relative(name, passage.cwd))])
            for passage in state.chosen
            if passage.relation is None
        ],
        [(one.score, one.edited) for one in state.report.strategies],
        state.ask,
        state.mentions,
        roots,
        state.query.limits.files,
        (lambda path: inside(root, path)) if root else None,
        (lambda path: may_be_ours(path) and is_ours_alone(root, path)) if root else (lambda path: False),
    )
    state.report.files = tuple(files)
    state.considered += considered


def consider_changed(state: ResumeState) -> None:
    """Says of the files that are changed now that they were looked at, where nothing else did."""
    known = {item.ref for item in state.considered}
    changes = [str(Ref("file", path)) for path in state.place.state.changed]
    state.considered += (Considered(ref, "file", None, (Reason.CHANGED_NOW,)) for ref in changes if ref not in known)


def ask_map(state: ResumeState) -> None:
    """The places that the map names for the task, the files to look at first above others."""
    files = [file.path for file in state.report.files]
    limit, report = state.query.limits.symbols, state.report
    report.map_status, report.symbols, notes = read_structure(
        state.settings.layout, state.place.state, state.query.task, limit, files
    )
    state.unavailable += notes
    state.considered += (
        Considered(str(Ref.of_symbol(symbol.path, symbol.line)), "symbol", symbol.score, (Reason.IN_MAP,))
        for symbol in report.symbols
    )


def read_structure(
    layout: Layout, state: GitState, task: str, limit: int, boost: Sequence[str]
) -> tuple[Mapping[str, Any], tuple[EntryPoint, ...], list[str]]:
    """The state of the repository map, where it says to look for a task, and notes. Nothing without a task.

    The map is asked, never refreshed.
    """
    if state.root is None or not task.strip():
        return {}, (), []
    if not layout.repomap.is_dir():
        # Nothing was ever mapped on this machine: not worth importing what would say so.
        return _WITHOUT_INDEX, (), [_NO_MAP]
    from aicx.repomap import open_map

    try:
        found = open_map(layout, Path(state.root))
    except (NotFound, UsageError) as error:
        return {}, (), [f"no map: {error.message}"]
    about = _about(layout, found)
    if about is None:
        # Asked all the same, it would read the names and headings of the whole repository.
        return _WITHOUT_INDEX, (), [_NO_MAP]
    answer = found.answer(task, limit, boost)
    return about, tuple(answer.items), answer.notes


def _about(layout: Layout, found: RepoMap) -> Mapping[str, Any] | None:
    """Returns what a stored map says of itself; None where there is none that can be read.

    The map's own status also looks at the grammars and counts what is in every file, which takes longer than asking.
    """
    from aicx.repomap.store import MapLocation, MapStore

    store = MapStore.open_for_reading(MapLocation.of(layout, found.repository))
    if store is None:
        return None
    with closing(store):
        return {
            "index_available": True,
            "query_available": True,
            "last_refresh_status": store.about("status"),
            "last_refresh_at": store.about("refreshed_at"),
            "files_indexed": store.about("files_indexed"),
            "symbols_indexed": store.about("symbols_indexed"),
        }


# What each way of coming up is worth. Edits of the best sessions decide; what was merely read there says little.
EDITED, READ, MENTIONED, RECALLED, OFTEN, SUCCEEDED = 1.0, 0.2, 1.0, 0.25, 0.5, 0.5
# Sessions beyond these are rarely what the work goes on from, and their files drown the others.
MAX_SESSIONS = 3
# What is listed as considered; hundreds of files more have a score of almost nothing.
_MAX_CONSIDERED = 40
_MAX_OUTSIDE = 20


@dataclass(slots=True)
class _Tally:
    score: float = 0.0
    reasons: dict[Reason, float] = field(default_factory=dict)
    seen: bool = False  # in a stored session

    def add(self, worth: float, reason: Reason) -> None:
        self.score += worth
        self.reasons[reason] = self.reasons.get(reason, 0.0) + worth


def entry_files(
    ranked: Sequence[Scored],
    edits: Mapping[str, Sequence[FileEdit]],
    recalled: Sequence[tuple[float, Sequence[str]]],
    succeeded: Sequence[tuple[float, Sequence[str]]],
    ask: Ask,
    mentions: Mentions,
    roots: Roots,
    limit: int,
    is_there: Callable[[str], bool] | None,
    is_ours: Callable[[str], bool] = lambda path: False,
) -> tuple[list[EntryFile], list[Considered]]:
    """The files to look at first, and all that were considered.

    ``edits`` are those of sessions that were read, by reference; ``recalled`` the files of passages with their scores,
    ``succeeded`` those that sessions which succeeded at something similar edited, with theirs.
    ``is_there`` tells whether a path exists in the repository; None where the repository is not at hand. ``is_ours``
    tells whether a file holds nothing but what `aicx init` wrote.
    """
    tallies = _tallies(ranked, edits, recalled, succeeded, ask, mentions)
    paths = {*tallies, *(path for item in ranked for path in item.files)}
    folders = {str(folder) for path in paths for folder in PurePosixPath(path).parents}
    changes = [edit.path for item in ranked[:MAX_SESSIONS] for edit in edits.get(item.session.ref, ())]
    order = {path: number for number, path in reversed(list(enumerate(changes)))}
    # Of two that are worth the same, the one that was changed last.
    ordered = sorted(tallies, key=lambda path: (-round(tallies[path].score, 9), order.get(path, len(changes)), path))
    ordered = ordered[:_MAX_CONSIDERED]
    chosen: list[EntryFile] = []
    considered: list[Considered] = []
    for path in ordered:
        tally = tallies[path]
        reasons = tuple(sorted(tally.reasons, key=lambda reason: (-tally.reasons[reason], reason)))
        left_out: Reason | None = None
        if path in folders:
            left_out = Reason.FOLDER
        elif is_there is not None and not is_there(path):
            left_out = Reason.NOT_THERE
        elif is_ours(path):
            left_out = Reason.WRITTEN_BY_AICX
        elif len(chosen) >= limit:
            left_out = Reason.OVER_LIMIT
        else:
            refs = (str(Ref("file", path)),) if tally.seen else ()
            chosen.append(EntryFile(path, tally.score, reasons, refs))
        considered.append(Considered(str(Ref("file", path)), "file", tally.score, reasons, left_out))
    return chosen, [*considered, *_outside(ranked, roots)]


def _outside(ranked: Sequence[Scored], roots: Roots) -> list[Considered]:
    """Returns what the best sessions touched elsewhere: never something to look at first."""
    paths = dict.fromkeys(
        path
        for item in ranked[:MAX_SESSIONS]
        for path in item.session.files
        if roots.relative(path, item.session.cwd) is None
    )
    outside = Reason.OUTSIDE_REPOSITORY
    return [Considered(str(Ref("file", path)), "file", None, (), outside) for path in list(paths)[:_MAX_OUTSIDE]]


def _tallies(
    ranked: Sequence[Scored],
    edits: Mapping[str, Sequence[FileEdit]],
    recalled: Sequence[tuple[float, Sequence[str]]],
    succeeded: Sequence[tuple[float, Sequence[str]]],
    ask: Ask,
    mentions: Mentions,
) -> dict[str, _Tally]:
    tallies = defaultdict[str, _Tally](_Tally)
    best = ranked[0].score if ranked else 1.0
    for item in ranked[:MAX_SESSIONS]:
        changed = {edit.path for edit in edits.get(item.session.ref, ())}
        paths = {*item.files, *changed}
        # A session that went through half the repository says less of each file.
        share = item.score / (best or 1.0) / (1 + math.log1p(len(paths)) / 3)
        for path in paths:
            worth, reason = (EDITED, Reason.EDITED_BEFORE) if path in changed else (READ, Reason.READ_BEFORE)
            tallies[path].add(share * worth, reason)
    counts = Counter(path for item in ranked for path in item.files)
    for path, count in counts.items():
        if count > 1:
            tallies[path].add(OFTEN * math.log1p(count) / math.log1p(len(ranked)), Reason.OFTEN_EDITED)
    for path, weight in mentions.weights.items():
        tallies[path].add(MENTIONED * weight, Reason.CHANGED_NOW if path in ask.changed else Reason.NAMED_IN_TASK)
    highest = max((score for score, _ in recalled), default=0.0) or 1.0
    for score, named in recalled:
        for path in named:
            tallies[path].add(RECALLED * score / highest, Reason.IN_RECALLED)
    # By how alike they are in all: the best of several that are little alike is still little alike.
    for score, changed_then in succeeded:
        for path in changed_then:
            tallies[path].add(SUCCEEDED * min(1.0, score), Reason.EDITED_BEFORE)
    for path in {*counts, *(edit.path for of in edits.values() for edit in of)}:
        if path in tallies:
            tallies[path].seen = True
    return tallies
