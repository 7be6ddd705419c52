"""Whether a repository is ready for work that outlives its sessions: agents set up, sessions stored, nothing damaged.

Only looks; nothing is written.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from aicx import __version__
from aicx.agents import records
from aicx.agents.mcp_entry import plan_entry
from aicx.agents.plan import place_of, plan_init
from aicx.agents.table import AGENTS, Servers, entry
from aicx.config import Settings
from aicx.continuity.context import FOLDER, NAME, index_copy, tracked_settings
from aicx.errors import AicxError, plainly
from aicx.git.identity import Repository
from aicx.lifecycle.identity import Asker
from aicx.lifecycle.prepare import prepare
from aicx.memory.checks import duplicates
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.reading import Memory, find_scope
from aicx.repomap import open_map
from aicx.values import dataclass
from aicx.work.attempts import attempts_in
from aicx.work.compliance import results_of
from aicx.work.contract import choose_test_command, missing_in_makefile
from aicx.work.facts_index import facts_at
from aicx.work.holder import MEND_TASKS
from aicx.work.place import WorkPlace, find_place
from aicx.work.state import open_tasks

SCHEMA = "aicx.doctor-repo/1"
Status = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class RepoCheck:
    """One check."""

    name: Annotated[str, "of the check"]
    status: Annotated[Status, "`ok`, `warning` or `error`"]
    summary: Annotated[str, "what was found"]
    recommended_action: Annotated[str | None, "what to do about it"] = None
    details: Annotated[Mapping[str, Any], "figures, by name"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RepoDoctorAnswer:
    """With `error` the exit code is 1."""

    status: Annotated[str, "`ok`, `warning` or `error`: that of the worst check"]
    repo: Annotated[str, "its folder"]
    version: Annotated[str, "of aicx"]
    mode: Annotated[str, "`standard`, or `release` with `--release-readiness`"]
    checks: Annotated[list[RepoCheck], "everything that was looked at"]
    recommended_actions: Annotated[list[str], "of all checks, each once"]


Mode = Literal["standard", "release"]
_ORDER: tuple[Status, ...] = ("ok", "warning", "error")
_PROGRAM_SECONDS = 3.0
_NAMED = 20
REFRESH = "aicx map refresh"
_RECENT = 20  # attempts that say how things go


@dataclass(frozen=True, slots=True)
class _Desk:
    settings: Settings
    place: Repository
    work: WorkPlace
    now: datetime
    mode: Mode


def examine(settings: Settings, folder: Path, now: datetime, *, release: bool = False) -> RepoDoctorAnswer:
    """The checks of a repository. Raises NotFound, and UsageError for what is no repository."""
    place = place_of(settings, folder)
    desk = _Desk(settings, place, find_place(settings, folder), now, "release" if release else "standard")
    checks: tuple[Callable[[_Desk], Iterator[RepoCheck]], ...] = (
        _version, _set_up, _continuity, _configuration, _hosts, _sessions, _tasks, _capture, _contracts, _map, _memory,
        _starts, _release,
    )  # fmt: skip
    found = [one for check in checks for one in check(desk)]
    status = max((one.status for one in found), key=_ORDER.index, default="ok")
    actions = list(dict.fromkeys(one.recommended_action for one in found if one.recommended_action))
    return RepoDoctorAnswer(status, str(place.root), __version__, desk.mode, found, actions)


def _version(desk: _Desk) -> Iterator[RepoCheck]:
    yield RepoCheck("cli_version", "ok", f"aicx {__version__}")


def _set_up(desk: _Desk) -> Iterator[RepoCheck]:
    record = records.load(desk.settings.layout, desk.place.worktree_id)
    if record is None or not record.agents:
        yield RepoCheck("repo_initialized", "warning", "no agent is set up in this repository", "aicx init")
        return
    yield RepoCheck(
        "repo_initialized", "ok", f"set up for {', '.join(record.agents)}", details={"agents": record.agents}
    )
    for name in record.agents:
        try:
            plan = plan_init(desk.settings, desk.place, [name])
        except AicxError as error:
            yield RepoCheck(f"hooks_{name}", "error", error.message, error.hint or "aicx init")
            continue
        changed = [str(change.path) for change in plan.changes if change.action != "unchanged"]
        if changed:
            summary = f"blocks or hooks are not as they were put: {', '.join(changed)}"
            yield RepoCheck(f"hooks_{name}", "warning", summary, f"aicx init --agents {name}", {"files": changed})
        elif plan.needs_path and shutil.which("aicx") is None:
            summary = "hooks call the aicx on the PATH, where there is none"
            yield RepoCheck(f"hooks_{name}", "warning", summary, "put aicx on the PATH, or aicx init --not-shared")
        else:
            yield RepoCheck(f"hooks_{name}", "ok", "blocks and hooks are in place")


def _continuity(desk: _Desk) -> Iterator[RepoCheck]:
    known = records.of_repository(desk.settings.layout, desk.place)
    if not any(record.agents for record in known):
        return
    if records.has_continuity(known):
        yield RepoCheck("continuity", "ok", "notes are saved and shown by themselves")
    else:
        yield RepoCheck("continuity", "ok", "notes are saved and shown when they are asked for: aicx init --continuity")


def _configuration(desk: _Desk) -> Iterator[RepoCheck]:
    """Warns of what the repository's own configuration sets although it may not, or that cannot be used."""
    for warning in tracked_settings(desk.settings, desk.place.root)[1]:
        yield RepoCheck("repository_config", "warning", warning, f"change {FOLDER}/{NAME}")


def _hosts(desk: _Desk) -> Iterator[RepoCheck]:
    """Each agent of this machine: its version, which hooks it has, and whether it reaches the MCP server."""
    for name, agent in AGENTS.items():
        program = shutil.which(name)
        if program is None and not any(path.exists() for path in agent.traces(desk.settings, desk.place.root)):
            continue
        said = _version_of(program) if program else "its program is not on the path"
        server = _server(desk.settings, agent.servers) if agent.servers else None
        reached = server == "unchanged"
        details = {"version": said, "hooks": sorted(agent.events), "mcp": reached}
        lacks = "start another aicx, or in another way" if server == "updated" else "lack aicx"
        without = "" if reached or not agent.servers else f"; its MCP servers {lacks}"
        hooks = f"can run {len(agent.events)} hooks" if agent.events else "has no hooks and reads a block of text alone"
        status: Status = "ok" if reached or not agent.servers else "warning"
        action = None if status == "ok" else f"aicx init --mcp {name}"
        yield RepoCheck(f"host_{name}", status, f"{agent.title}: {said}; {hooks}{without}", action, details)


def _server(settings: Settings, servers: Servers) -> str | None:
    """Says how `aicx init --mcp` would change the agent's list of servers; None where it cannot be changed."""
    try:
        return plan_entry(servers, servers.file(settings), entry(servers, settings))[0]
    except AicxError:
        return None


def _version_of(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_PROGRAM_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "it does not say its version"
    return next(iter(done.stdout.splitlines()), "").strip()[:80] or "it does not say its version"


def _sessions(desk: _Desk) -> Iterator[RepoCheck]:
    try:
        facts, _ = facts_at(desk.settings, desk.place.root)
    except AicxError as error:
        yield RepoCheck("sessions_stored", "warning", error.message, "aicx store")
        return
    if not facts:
        yield RepoCheck("sessions_stored", "warning", "no session of this repository is stored", "aicx store")
        return
    open_ = sum(len([one for one in item.failures if one.resolved is None]) for item in facts)
    details = {"sessions": len(facts), "last": facts[0].ended_at, "open_failures": open_}
    yield RepoCheck(
        "sessions_stored", "ok", f"{len(facts):,} sessions, the last of {facts[0].ended_at}", details=details
    )


def _tasks(desk: _Desk) -> Iterator[RepoCheck]:
    found = open_tasks(desk.settings, desk.work, desk.now)
    counts = {name: len(getattr(found, name)) for name in ("active", "waiting", "skipped", "damaged")}
    if found.damaged:
        paths = ", ".join(one.path for one in found.damaged[:3])
        yield RepoCheck("tasks", "error", f"files that cannot be read as tasks: {paths}", MEND_TASKS, counts)
        return
    said = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none is open"
    yield RepoCheck("tasks", "ok", said, details=counts)


def _capture(desk: _Desk) -> Iterator[RepoCheck]:
    """Whether what sessions did is known: because they said so, or because their logs are stored."""
    found = results_of(desk.settings, desk.work, attempts_in(desk.settings, desk.work.folders, _RECENT))
    if not found:
        yield RepoCheck("capture_quality", "ok", "no session was prepared or finalized here yet")
        return
    known = sum(one.compliance.main_issue != "no_execution_observation" for one in found)
    details = {"recent": len(found), "observed": known}
    few = known * 2 < len(found)
    summary = f"{known} of the last {len(found)} sessions left something that was observed"
    yield RepoCheck("capture_quality", "warning" if few else "ok", summary, "aicx store" if few else None, details)


def _contracts(desk: _Desk) -> Iterator[RepoCheck]:
    found = results_of(desk.settings, desk.work, attempts_in(desk.settings, desk.work.folders, _RECENT))
    scores = [one.compliance.score for one in found if one.compliance.score is not None]
    if not scores:
        yield RepoCheck("contract_compliance", "ok", "no contract was evaluated yet")
        return
    violated = sum(one.compliance.status == "violated" for one in found)
    details = {"evaluated": len(scores), "violated": violated, "mean_score": round(sum(scores) / len(scores), 3)}
    summary = f"{violated} of {len(scores)} contracts violated, mean score {details['mean_score']:.2f}"
    yield RepoCheck("contract_compliance", "warning" if violated * 2 > len(scores) else "ok", summary, None, details)


def _map(desk: _Desk) -> Iterator[RepoCheck]:
    """Whether the map of the repository is there and up to date."""
    try:
        found = open_map(desk.settings.layout, desk.place.root).status()
    except AicxError as error:
        yield RepoCheck("repomap_status", "warning", error.message, error.hint or REFRESH)
        return
    behind = found.changes.total if found.changes else 0
    details = {"files": found.files_indexed, "symbols": found.symbols_indexed, "behind": behind}
    if not found.index_available:
        yield RepoCheck("repomap_status", "warning", "there is no map of the repository", REFRESH, details)
    elif behind:
        yield RepoCheck("repomap_status", "warning", f"the map is {behind:,} files behind", REFRESH, details)
    else:
        yield RepoCheck("repomap_status", "ok", f"{found.files_indexed:,} files are mapped", details=details)


def _memory(desk: _Desk) -> Iterator[RepoCheck]:
    """Warns of records of the memory that went stale, or say the same twice."""
    settings = desk.settings
    if not settings.layout.memory.is_dir():
        yield RepoCheck("stale_duplicate_memory", "ok", "nothing is remembered yet")
        return
    try:
        scope = find_scope(settings, desk.place.root)
        policy = of_records(policy_in(settings, scope), settings, scope)
        with index_copy(settings) as index, Memory(settings, scope, desk.now, policy, index) as memory:
            assessed = memory.assessed()
    except (AicxError, OSError) as error:
        failed: Status = "error" if desk.mode == "release" else "warning"
        yield RepoCheck("stale_duplicate_memory", failed, plainly(error), getattr(error, "hint", None))
        return
    stale = sorted(one.record.ref for one in assessed if one.status == "stale")
    same = sorted(f"mem:{name}" for name in duplicates(assessed))
    details = {"records": len(assessed), "stale": len(stale), "duplicate": len(same), "refs": [*stale, *same][:_NAMED]}
    if stale or same:
        summary = f"{len(stale)} of {len(assessed)} records are stale, {len(same)} say what another one says"
        yield RepoCheck("stale_duplicate_memory", "warning", summary, "aicx memory check curate", details)
    else:
        yield RepoCheck(
            "stale_duplicate_memory", "ok", f"{len(assessed)} records, none stale or twice", details=details
        )


def _starts(desk: _Desk) -> Iterator[RepoCheck]:
    """Whether a session could begin: everything that a hook does, without writing."""
    failed: Status = "error" if desk.mode == "release" else "warning"
    try:
        found = prepare(desk.settings, desk.place.root, Asker("doctor", None), desk.now, record=False, outside=False)
    except AicxError as error:
        yield RepoCheck("session_start", failed, error.message, error.hint)
        return
    yield RepoCheck("session_start", "ok", found.banner.splitlines()[0])


def _release(desk: _Desk) -> Iterator[RepoCheck]:
    """Checks what a release needs besides: a test that can be named, and a clean work tree."""
    if desk.mode != "release":
        return
    test = choose_test_command(desk.place.root)
    if test.command is None:
        yield RepoCheck(
            "test_command", "warning", "nothing says how this project is tested", "add a rule `test` to a Makefile"
        )
    else:
        yield RepoCheck("test_command", "ok", f"`{test.command}` ({test.source.replace('_', ' ')})")
    yield _makefile_and_ci(desk.place.root)
    if not os.access(desk.settings.layout.home, os.W_OK):
        yield RepoCheck(
            "home_writable", "error", f"{desk.settings.layout.home} cannot be written", "change its permissions"
        )


def _makefile_and_ci(root: Path) -> RepoCheck:
    """Whether the rules that CI calls are in the Makefile, and CI runs at all."""
    called, missing = missing_in_makefile(root)
    name, details = "makefile_ci_compatibility", {"ci_files": sorted(called), "missing": missing}
    if not called:
        return RepoCheck(name, "warning", "nothing runs the tests on a server", "add a workflow of your CI", details)
    if missing:
        summary = f"CI calls rules that the Makefile lacks: {', '.join(missing)}"
        return RepoCheck(name, "warning", summary, "add the rules, or change what CI calls", details)
    return RepoCheck(name, "ok", "every rule that CI calls is in the Makefile", details=details)
