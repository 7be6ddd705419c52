"""Draws up the contract of a session from what `resume` found for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from aicx.git.roots import inside
from aicx.resume.select.considered import Reason
from aicx.resume.select.report import ResumeReport
from aicx.work.contract import Contract, Ground, draw_up
from aicx.work.conventions import choose_test_command
from aicx.work.record import MAX_GOAL, clean

# A command is repeated only if a shell would read it as one command: it was written by a log.
_PLAIN = re.compile(r"[\w@%+=:,./ \[\]*^-]{1,160}")
_FILE = re.compile(r"[\w@.+/-]*\.\w{1,10}(?=$|::)")


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
    mapped = [symbol.path for symbol in report.structure.symbols]
    return draw_up(
        Ground(
            goal=clean(report.task, MAX_GOAL) if report.task.strip() else report.task,
            is_continuation=not topic,
            files=[] if report.has_no_history else [file.path for file in report.files],
            edited={file.path for file in report.files if Reason.EDITED_BEFORE in file.reasons} if resumed else (),
            mapped=list(dict.fromkeys(path for path in mapped if path not in report.dropped_files)),
            task_status=_task_status(report),
            task_files=[path for path in files if root is None or inside(root, path)],
            missing=[path for path in files if root is not None and not inside(root, path)],
            discarded=task.texts("discarded_paths") if task else [],
            known={path for strategy in report.strategies for path in strategy.entry_points},
            session_is_done=brief is not None and brief.state == "completed",
            test_command=test_command,
            sources=[ref for ref in sources if ":" in ref],
        )
    )


def _task_status(report: ResumeReport) -> Literal["active", "paused"] | None:
    if report.tasks is None:
        return None
    return "active" if report.tasks.active else "paused" if report.tasks.waiting else None


def _is_there(root: Path | None, command: str) -> bool:
    """Whether every file that a command names is still in the repository."""
    named = [found[0] for word in command.split() if (found := _FILE.match(word)) and not word.startswith("-")]
    return root is None or all(inside(root, path) for path in named)
