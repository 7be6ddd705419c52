"""`aicx init --undo`: takes out of a repository what `aicx init` put in."""

from __future__ import annotations

from aicx import console, options
from aicx.agents.plan import apply, place_of, plan_clean
from aicx.commands.init import CLEAN_SCHEMA, DryRun, InitAnswer, Yes, confirm, files_of, show
from aicx.config import load_settings
from aicx.paths import user_path


def command(
    repo: options.Repo = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: options.Json = False,
) -> None:
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
        confirm(plan.changes, yes=yes, json=json)
        apply(settings, plan)
    if json:
        console.out_answer(CLEAN_SCHEMA, InitAnswer(str(plan.folder), [], dry_run, files_of(plan.changes), []))
    elif plan.is_empty:
        console.notify(f"Nothing of aicx is in {plan.folder}.")
    elif dry_run:
        console.notify("Nothing was changed; without --dry-run it would be.")
    else:
        console.notify(f"{plan.folder} is as it was without aicx.")
