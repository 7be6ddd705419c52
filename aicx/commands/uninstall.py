"""`aicx init --undo` and its `--everywhere`: takes out what `aicx init` put in; the corpus stays."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from aicx import console, options
from aicx.agents import records
from aicx.agents.change import SetupChange, make
from aicx.agents.mcp_entry import plan_entry
from aicx.agents.plan import SetupPlan, apply, place_of, plan_clean
from aicx.agents.records import SetupRecord
from aicx.agents.table import SERVERS
from aicx.commands.init import (
    CLEAN_SCHEMA,
    UNINSTALL_SCHEMA,
    DryRun,
    InitAnswer,
    UninstallAnswer,
    Yes,
    confirm,
    files_of,
    show,
)
from aicx.config import Settings, load_settings
from aicx.errors import AicxError
from aicx.git.identity import Repository
from aicx.paths import user_path


def command(dry_run: DryRun = False, yes: Yes = False, json: options.Json = False) -> None:
    """Take aicx out of every repository and every agent's settings; what is stored stays.

    Does what `aicx init --undo` does in each repository that was set up, and `aicx init --undo --mcp` for each MCP
    client. What cannot be changed is listed with the reason, and the rest is done all the same. The corpus is a folder,
    ~/.aicx or AICX_HOME, which may be deleted afterwards.

    Example: aicx init --undo --everywhere --dry-run
    Example: aicx init --undo --everywhere --yes
    """
    settings = load_settings()
    failed: list[str] = []
    entries = list(_entries(settings, failed))
    folders = list(records.everywhere(settings.layout))
    plans = [_plan(settings, record, failed) for _, record in folders]
    changes = _each_once([change for plan in plans if plan for change in plan.changes] + entries)
    if not json:
        with console.may_stay_unread(yes):
            show(changes)
    done: list[str] = []
    if not dry_run:
        confirm(changes, yes=yes)
        for (name, record), plan in zip(folders, plans, strict=True):
            if plan is not None and _clean(settings, name, record, failed):
                done.append(record.folder)
        for entry in _entries(settings, []):  # again: a client may have its hooks in the same file
            try:
                make([entry])
            except AicxError as error:
                failed.append(error.message)
        if not failed:
            shutil.rmtree(settings.layout.agents, ignore_errors=True)
    if json:
        console.out_answer(UNINSTALL_SCHEMA, UninstallAnswer(done, dry_run, files_of(changes), failed))
    else:
        for reason in failed:
            console.warn(reason)
        if dry_run:
            console.notify("Nothing was changed; without --dry-run it would be.")
        elif not changes and not failed:
            console.notify("aicx is in no repository and in the settings of no agent.")
        else:
            console.notify(f"Taken out. What is stored is still in {settings.layout.home}.")
    if failed:
        raise options.Ended(1)


def _entries(settings: Settings, failed: list[str]) -> Iterator[SetupChange]:
    """Yields what takes aicx out of the MCP clients that know it."""
    for servers in SERVERS.values():
        try:
            _, change = plan_entry(servers, servers.file(settings), None)
        except AicxError as error:
            failed.append(error.message)
            continue
        if change.action != "unchanged":
            yield change


def _each_once(changes: list[SetupChange]) -> list[SetupChange]:
    """Without the same file twice: what all repositories share is in the plan of each."""
    found = {change.target: change for change in reversed(changes) if change.action != "unchanged"}
    return list(reversed(found.values()))


def _plan(settings: Settings, record: SetupRecord, failed: list[str]) -> SetupPlan | None:
    """None where it cannot be made, which ``failed`` then says."""
    try:
        # The folder may be gone, and what it shares with others is still there.
        return plan_clean(settings, Repository(Path(record.folder), None), last=True)
    except AicxError as error:
        failed.append(f"{record.folder}: {error.message}")
        return None


def _clean(settings: Settings, name: str, record: SetupRecord, failed: list[str]) -> bool:
    # Planned again: the folder before this one has changed what they share.
    plan = _plan(settings, record, failed)
    if plan is None:
        return False
    try:
        apply(settings, plan)
    except AicxError as error:
        failed.append(f"{record.folder}: {error.message}")
        return False
    return True


def clean(repo: options.Repo = None, dry_run: DryRun = False, yes: Yes = False, json: options.Json = False) -> None:
    """Take out of a repository what `aicx init` put in, and nothing else.

    Shows the changes and asks. Files and folders that `aicx init` made are deleted when nothing else is in them. The
    settings of Codex, which all repositories share, lose our hooks with the last repository. What is stored stays.

    Example: aicx init --undo
    Example: aicx init --undo --dry-run
    """
    settings = load_settings()
    plan = plan_clean(settings, place_of(settings, user_path(repo or ".")))
    if not json:
        with console.may_stay_unread(yes):
            show(plan.changes)
    if not dry_run:
        confirm(plan.changes, yes=yes)
        apply(settings, plan)
    if json:
        console.out_answer(CLEAN_SCHEMA, InitAnswer(str(plan.folder), [], dry_run, files_of(plan.changes), []))
    elif plan.is_empty:
        console.notify(f"Nothing of aicx is in {plan.folder}.")
    elif dry_run:
        console.notify("Nothing was changed; without --dry-run it would be.")
    else:
        console.notify(f"{plan.folder} is as it was without aicx.")
