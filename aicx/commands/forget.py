"""`aicx forget`: takes a session, a project or a text out of the corpus, for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.forget.holding import Affected, ForgetPlan, ForgetRequest
from aicx.corpus.forget.run import end_forgetting, forget, plan_or_finished
from aicx.engine.forgetting import finish_forgetting, settle_interrupted
from aicx.engine.holders import load_holders
from aicx.questions import Option
from aicx.text import first_of, local
from aicx.values import dataclass

SCHEMA = "aicx.forget/1"


@dataclass(frozen=True, slots=True)
class ForgetAnswer:
    """The things that were removed, or would be. The pattern is not repeated.

    After a kill the same call finishes the work and reports all of it, with `[forgotten]` for titles that are gone.
    """

    dry_run: bool
    sessions: Annotated[list[Affected], "oldest first"]
    chunks_removed: Annotated[int, "chunks that are gone"]
    chunks_rewritten: Annotated[int, "chunks that lost a message"]
    messages_blanked: Annotated[int, "messages replaced by `[forgotten]`"]
    references_removed_from: Annotated[int, "chunks that only lost references to forgotten sessions"]
    runs_removed: Annotated[int, "logs of `aicx run` that are gone"]
    set_apart_removed: Annotated[int, "chunks deleted of those that `doctor --fix` had set apart"]
    memory_removed: Annotated[int, "records of the memory that are gone"]
    review_removed: Annotated[int, "patches for instruction files that are gone"]
    work_removed: Annotated[int, "tasks that are gone"]
    cas_removed: Annotated[int, "objects that are gone, packs that quoted it among them"]
    identities_removed: Annotated[int, "files of `aicx sessions open` that are gone"]
    continuity_removed: Annotated[int, "notes of continuity that lost something, or are gone"]
    stays: Annotated[list[str], "tasks, handoffs and notes that only lose a part, because somebody stated the rest"]
    notes: Annotated[
        list[str], "matches outside messages, which a pattern cannot remove; whether the text was forgotten before"
    ]


_MAX_SHOWN = 20

SessionOption = Annotated[
    str | None,
    Option("--session", "-s", metavar="ID", help="A session and its subagents; the beginning of the id is enough."),
]
ProjectOption = Annotated[
    str | None,
    Option("--project", "-p", metavar="NAME", help="A repository (owner/repo) or working folder, whole name."),
]
PatternOption = Annotated[
    str | None, Option("--pattern", metavar="REGEX", help="Every message in which this regular expression matches.")
]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, Option("--dry-run", "-n", help="Show what would be removed and change nothing.")]


@options.either("session")
def command(
    session: SessionOption = None,
    project: ProjectOption = None,
    pattern: PatternOption = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Remove a session, a project or a text from the corpus so that it does not come back.

    Name exactly one. With a session, its subagents are removed too. A project is also kept out of later runs.

    With --pattern (Python syntax, case matters; start with (?i) to ignore it) each matching message is blanked to
    [forgotten], and so are titles, commands, files and other fields that repeat it; the rest of the session stays.

    forgotten.jsonl records the ids, never the text. `store` then leaves these messages out, also after the catalogue
    was deleted and with --full-rescan. The agents' own logs are not touched: delete those yourself. The vector index
    keeps everything else. After a kill, the same call finishes the work, and so do `store` and `doctor --fix`. Later
    messages that match the pattern are stored like any other.

    Example: aicx forget --session 3f2a9c --dry-run
    Example: aicx forget --project acme/widgets
    Example: aicx forget --pattern '(?i)project titan' --yes
    """
    settings = load_settings()
    if project is not None and project.startswith("~"):
        project = str(Path(project).expanduser())
    request = ForgetRequest(session and session.removeprefix("session:"), project, pattern)
    # A call that was killed is finished first; when it was this one, what it did is what there is to say.
    earlier = None if dry_run else finish_forgetting(settings, console.notify)
    if not dry_run:
        settle_interrupted(settings, console.notify)
    plan = plan_or_finished(settings.layout, request, earlier, load_holders())
    if not json:
        with console.may_stay_unread(yes):
            _show(plan)
    if not dry_run and not plan.empty and (earlier is None or plan is not earlier.plan):
        if not yes:
            options.need_person(
                "this cannot be undone and needs a confirmation", "add --yes, or --dry-run to look first"
            )
            console.confirm("Forget this? It cannot be undone")
        plan = forget(settings, request, console.notify, load_holders())
        finish_forgetting(settings, console.notify)
    if json:
        console.out_answer(SCHEMA, _answer(plan, dry_run))
    else:
        _print_summary(plan, dry_run)
    if not dry_run:
        end_forgetting(settings.layout)


def _answer(plan: ForgetPlan, dry_run: bool) -> ForgetAnswer:
    held = [holder.name for holder in load_holders() if holder.removed]
    return ForgetAnswer(
        dry_run=dry_run,
        sessions=_sorted(plan),
        chunks_removed=len(plan.removed),
        chunks_rewritten=len(plan.rewritten),
        messages_blanked=plan.blanked,
        references_removed_from=len(plan.references),
        stays=plan.stays,
        notes=_notes(plan),
        **{f"{name}_removed": len(plan.held.get(name, ())) for name in held},
    )


def _show(plan: ForgetPlan) -> None:
    affected = _sorted(plan)
    for session in affected[:_MAX_SHOWN]:
        console.out(_line(session))
    if affected:
        console.say_zone()
    if len(affected) > _MAX_SHOWN:
        console.notify(f"and {console.plural(len(affected) - _MAX_SHOWN, 'more session')}; --json lists them all")


def _line(session: Affected) -> str:
    style = console.style
    started = local(session.started_at)
    facts = [session.project, f"{session.agent}:{session.session_id}"]
    if session.parent_session:
        facts.append("subagent")
    facts += [console.plural(session.chunks, "chunk"), console.plural(session.messages, "message")]
    return f"{style(console.when(started), fg='cyan')}  {style(session.title, bold=True)}\n  {' · '.join(facts)}"


def _print_summary(plan: ForgetPlan, dry_run: bool) -> None:
    if plan.empty:
        console.notify("Nothing in the corpus matches.")
    else:
        done = "Would forget" if dry_run else "Forgotten"
        parts = []
        if plan.removed:
            parts.append(f"{console.plural(len(plan.removed), 'chunk')} removed")
        if plan.blanked:
            parts.append(f"{console.plural(plan.blanked, 'message')} blanked")
        if plan.rewritten:
            parts.append(f"{console.plural(len(plan.rewritten), 'chunk')} rewritten")
        parts += [
            f"{console.plural(len(held), holder.noun)} {holder.removed}"
            for holder in load_holders()
            if holder.removed and (held := plan.held.get(holder.name))
        ]
        if plan.references:
            parts.append(f"references dropped from {console.plural(len(plan.references), 'chunk')}")
        console.notify(f"{console.style(f'{done}:', fg='green', bold=True)} {', '.join(parts)}.")
    console.notify_notes(_notes(plan))
    if not plan.empty and not dry_run:
        console.notify("The agents' own logs still hold it; delete those yourself if they should not.")


def _notes(plan: ForgetPlan) -> list[str]:
    notes = []
    if plan.before:
        notes.append("it was forgotten before, and nothing of it is stored")
    if plan.stays:
        notes.append(f"stays in part, because somebody stated the rest: {first_of(plan.stays, _MAX_SHOWN)}")
    if plan.shortened:
        notes.append(
            f"{console.plural(plan.shortened, 'tool text')} stored without the middle: a match there is not in the"
            " corpus and was not looked for"
        )
    if plan.named:
        notes.append(
            f"{console.plural(plan.named, 'chunk')} with a match in the name of the project, session or log, which"
            " stays; --project or --session takes them away whole"
        )
    return notes


def _sorted(plan: ForgetPlan) -> list[Affected]:
    return sorted(plan.affected.values(), key=lambda session: (session.started_at, session.agent, session.session_id))
