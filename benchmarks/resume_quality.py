"""Does a brief name what the next session really used? `python -m benchmarks.resume_quality --home FOLDER`.

FOLDER is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`). It is stored into a scratch corpus, and each
session in it that goes on from an earlier one becomes a question: its first meaningful prompt is the task, its
beginning the clock, so that only what was stored before it can be seen. See `benchmarks.resume_evaluation`.

Compared are the brief, with the branch that the session's first chunk names and without any, and two baselines: the
latest session, and the passages that lexical search alone gives. With ``--ablate`` also the brief without each part
that comes of what earlier sessions did: the state of work, the fixes of failures, and the strategies.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from aicx.config import Settings, load_settings
from aicx.corpus.catalog import Catalog
from aicx.engine.search import SearchQuery, search
from aicx.evidence.sessions import RepositoryScope, known_folders
from aicx.filters import Filters
from aicx.git import Roots
from aicx.resume import ResumeQuery
from aicx.resume.brief.output import json_brief
from aicx.resume.contract import History
from aicx.resume.run import resume
from aicx.resume.state import ResumeState
from benchmarks.resume_evaluation import Answer, Question, latest_session, questions, score
from benchmarks.store import aicx, environment_for, measure

_END = datetime(2100, 1, 1, tzinfo=UTC)
_DRAWS = 2000
_BUDGET = 4000  # of `aicx resume --json`

Method = Callable[[Question], Answer]


def brief(settings: Settings, *, with_branch: bool) -> Method:
    """What the printed brief names, in its order: the session it goes on from and the others, the files to look at."""

    def method(question: Question) -> Answer:
        report = resume(settings, query_of(question, with_branch=with_branch))
        printed = json.loads(json_brief(settings, report, _BUDGET).text)
        sessions = [item["source_id"] for item in printed["loaded_context"] if item["kind"] in ("handoff", "session")]
        return Answer(sessions, [item["path"] for item in printed["capsule"]["entry_points"]])

    return method


def without(part: str, method: Method) -> Method:
    """``method`` while one part of the brief gives nothing. The parts have no switch of their own."""
    owner, name, nothing = _PARTS[part]

    def answer(question: Question) -> Answer:
        with mock.patch.object(owner, name, nothing):
            return method(question)

    return answer


_PARTS: dict[str, tuple[type, str, object]] = {
    "work state": (ResumeState, "work_place", None),
    "failures": (History, "known_fixes", lambda *_: ()),
    "strategies": (History, "strategies", lambda *_: ()),
}


def query_of(question: Question, *, with_branch: bool) -> ResumeQuery:
    """The question as the new session would ask it at its first prompt, which is stored with it already."""
    return ResumeQuery(
        now=question.now,
        task=question.task,
        project=question.project or question.folder,
        branch=question.branch if with_branch else None,
        exclude_session=(question.session.split(":", 2)[2],),
    )


def lexical_search(settings: Settings, catalog: Catalog) -> Method:
    """The baseline that takes what search alone finds: sessions by their passages, files in the passages' order."""

    def method(question: Question) -> Answer:
        name = question.project or question.folder
        scope = RepositoryScope(question.project, () if question.project else (question.folder,))
        roots = Roots.of([*scope.folders, *known_folders(catalog, scope)])
        filters = Filters(project=(name,), until=question.now)
        asked = SearchQuery(text=question.task, now=question.now, filters=filters, mode="lexical", limit=60)
        sessions: dict[str, float] = {}
        files: dict[str, None] = {}
        counts: dict[str, int] = {}
        for hit in search(settings, asked).hits:
            ref = f"session:{hit.sidecar.agent}:{hit.sidecar.session_id}"
            if ref not in question.earlier:
                continue
            share = (1.0, 0.5, 0.33)[counts.get(ref, 0)] if counts.get(ref, 0) < 3 else 0.0
            counts[ref] = counts.get(ref, 0) + 1
            sessions[ref] = sessions.get(ref, 0.0) + share * hit.score
            for path in hit.sidecar.get("files") or ():
                if relative := roots.relative(path, hit.sidecar.get("cwd")):
                    files[relative] = None
        return Answer(sorted(sessions, key=lambda ref: -sessions[ref]), list(files))

    return method


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="a home folder with agents' logs")
    parser.add_argument("--least-share", type=float, default=0.3, help="of its files that a predecessor changed")
    parser.add_argument("--ablate", action="store_true", help="also the brief without each part of its history")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aicx-resume-") as folder:
        environ = environment_for(arguments.home, Path(folder))
        measure(aicx("store"), environ)
        settings = load_settings(environ, user_home=arguments.home)
        catalog = Catalog.open_for_reading(settings.layout.catalog)
        assert catalog is not None
        asked = questions(settings.layout, catalog, _END, arguments.least_share)
        compare(
            asked,
            {
                "latest session": latest_session(settings.layout, catalog),
                "lexical search": lexical_search(settings, catalog),
                "brief": brief(settings, with_branch=False),
                "brief, branch known": brief(settings, with_branch=True),
                **{
                    f"brief, no {part}": without(part, brief(settings, with_branch=False))
                    for part in (_PARTS if arguments.ablate else ())
                },
            },
        )


def compare(asked: Sequence[Question], methods: dict[str, Method]) -> None:
    """Prints each method's scores, on all questions and on two halves of them that were drawn by their names."""
    remembered = {name: _remembering(method) for name, method in methods.items()}
    halves = [[question for question in asked if _half(question) == half] for half in (0, 1)]
    for title, chosen in (("all", asked), ("first half", halves[0]), ("second half", halves[1])):
        print(f"\n{title}: {len(chosen)} questions   predecessor at 1, at 3   files at 10")
        for name, method in remembered.items():
            found = score(chosen, method)
            print(f"  {name:<24} {found.predecessor_at_1:.3f}  {found.predecessor_at_3:.3f}   {found.files_at_10:.3f}")
    _print_differences(asked, remembered)


def _print_differences(asked: Sequence[Question], methods: dict[str, Method]) -> None:
    """How sure the differences are: 95 % of 2,000 samples of the questions, drawn with replacement."""
    print("\ndifference of `brief` to each baseline, with 95 % intervals")
    draw = random.Random(7)
    samples = [[draw.choice(asked) for _ in asked] for _ in range(_DRAWS)]
    for baseline in ("latest session", "lexical search"):
        for figure in ("predecessor_at_1", "predecessor_at_3", "files_at_10"):
            differences = sorted(
                getattr(score(sample, methods["brief"]), figure) - getattr(score(sample, methods[baseline]), figure)
                for sample in samples
            )
            low, high = differences[int(_DRAWS * 0.025)], differences[int(_DRAWS * 0.975)]
            print(f"  {figure:<17} over {baseline:<15} {low:+.3f} to {high:+.3f}")


def _remembering(method: Method) -> Method:
    known: dict[str, Answer] = {}

    def answer(question: Question) -> Answer:
        if question.session not in known:
            known[question.session] = method(question)
        return known[question.session]

    return answer


def _half(question: Question) -> int:
    return hashlib.sha256(question.session.encode()).digest()[0] % 2


if __name__ == "__main__":
    main()
