"""The contract that a session is to keep to, and what earlier sessions show of checks, fixes and ways.

`contract_of` draws it up from what `resume` found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.corpus.catalog import Catalog
from aicx.git import inside
from aicx.paths import Layout
from aicx.resume.report import BriefedSession, Reason, ResumeReport
from aicx.text import instant
from aicx.values import regex
from aicx.work.contract import Contract, Ground, choose_test_command, draw_up
from aicx.work.record import MAX_GOAL, clean

if TYPE_CHECKING:
    from aicx.work.failures import Pattern
    from aicx.work.session_facts import SessionFacts
    from aicx.work.strategy import Strategy

# A command is repeated only if a shell would read it as one command: it was written by a log.
_PLAIN = regex(r"[\w@%+=:,./ \[\]*^-]{1,160}")
_FILE = regex(r"[\w@.+/-]*\.\w{1,10}(?=$|::)")


def contract_of(report: ResumeReport, passed: Mapping[str, Sequence[str]], topic: str) -> Contract:
    """The contract for the report's task. ``passed`` are tests that passed, with the sessions, the best first.

    ``topic`` is the task without one that only asks to go on, which names nothing.
    """
    root = Path(report.git.root) if report.git.root else None
    resumed = None if report.is_guess else report.resumed
    brief = resumed.brief if resumed else None
    task = report.tasks.active[0].record if report.tasks and report.tasks.active else None
    files = task.texts("active_files") if task else []
    runnable = [command for command in passed if _PLAIN.fullmatch(command) and _is_there(root, command)]
    sources = [resumed.facts.ref] if resumed else []
    sources += [ref for file in report.files for ref in file.refs]
    sources += [strategy.session for strategy in report.strategies]
    sources += [task.ref, task.goal_source, *task.sources] if task else []
    test_command = choose_test_command(root, runnable)
    sources += passed.get(test_command.command or "", ())
    mapped = [symbol.path for symbol in report.symbols]
    return draw_up(
        Ground(
            goal=clean(report.task, MAX_GOAL) if report.task.strip() else report.task,
            is_continuation=not topic,
            files=[] if report.has_no_history else [file.path for file in report.files],
            edited={file.path for file in report.files if Reason.EDITED_BEFORE in file.reasons} if resumed else (),
            mapped=list(dict.fromkeys(path for path in mapped if path not in report.dropped_files)),
            task_status="active" if task else "paused" if report.tasks and report.tasks.waiting else None,
            task_files=[path for path in files if root is None or inside(root, path)],
            missing=[path for path in files if root is not None and not inside(root, path)],
            discarded=task.texts("discarded_paths") if task else [],
            known={path for strategy in report.strategies for path in strategy.entry_points},
            session_is_done=brief is not None and brief.state == "completed",
            test_command=test_command,
            sources=[ref for ref in sources if ":" in ref],
        )
    )


def _is_there(root: Path | None, command: str) -> bool:
    """Whether every file that a command names is still in the repository."""
    named = [found[0] for word in command.split() if (found := _FILE.match(word)) and not word.startswith("-")]
    return root is None or all(inside(root, path) for path in named)


_MAX_FIXES, _MAX_STRATEGIES = 3, 2


class History:
    """The facts of the sessions of some projects that were over by ``now``, read when something is asked first.

    ``excluded`` are beginnings of ids of sessions that do not count.
    """

    def __init__(
        self, layout: Layout, catalog: Catalog, projects: Sequence[str], now: datetime, excluded: tuple[str, ...] = ()
    ) -> None:
        self._layout, self._catalog, self._projects = layout, catalog, projects
        self._now, self._excluded = instant(now, "seconds"), excluded

    def known_fixes(self, resumed: BriefedSession | None) -> tuple[Pattern, ...]:
        """The open failures of a session that were resolved once, the last reported first."""
        if resumed is None or resumed.brief is None or not resumed.brief.failures or not self._facts:
            return ()
        from aicx.work.failures import patterns, seen_before  # imported here: most briefs have no open failure

        key = (resumed.facts.agent, resumed.facts.session_id)
        own = [facts for facts in self._facts if (facts.agent, facts.session_id) == key]
        marks = [failure.fingerprint for facts in own for failure in facts.failures if failure.resolved is None]
        return tuple(seen_before(patterns(self._facts), marks)[:_MAX_FIXES])

    def strategies(self, topic: str, files: Collection[str]) -> tuple[Strategy, ...]:
        """The sessions that succeeded at something like ``topic``; ``files`` are those that it surely is about."""
        if not topic or not self._facts:
            return ()
        from aicx.work.strategy import strategies  # imported here: without a topic there is nothing to compare

        return tuple(strategies(topic, self._facts, files, _MAX_STRATEGIES))

    def tests(self) -> Mapping[str, Sequence[str]]:
        """The tests of everything that passed, with the sessions: what most ran first, of equals the latest."""
        from aicx.evidence.fixes import topic_of, whole_check  # imported here: most briefs know a test that passed
        from aicx.shell import simple_commands

        passed: dict[str, list[str]] = {}
        for facts in self._facts:
            parts = (part for run in facts.tests if run.passed for part in simple_commands(run.command))
            for whole in {whole for part in parts if topic_of(part) == "test" and (whole := whole_check(part))}:
                passed.setdefault(whole, []).append(facts.ref)
        return dict(sorted(passed.items(), key=lambda one: -len(one[1])))

    @cached_property
    def _facts(self) -> list[SessionFacts]:
        if not self._projects or not self._layout.work_facts.exists():
            return []
        from aicx.work.facts_index import facts_so_far

        where = f"project IN ({','.join('?' * len(self._projects))})"
        found, _ = facts_so_far(self._layout, self._catalog, where, list(self._projects))
        return [
            facts
            for facts in found
            if facts.ended_at <= self._now and not (self._excluded and facts.session_id.startswith(self._excluded))
        ]
