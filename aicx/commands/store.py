"""`aicx store`: everything that is not stored yet becomes part of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aicx import console, options
from aicx.agents.records import has_recall
from aicx.commands.store_summary import counts_of, print_summary
from aicx.config import Settings, load_settings
from aicx.corpus.ingest.report import StoreReport, StoreRequest
from aicx.corpus.ingest.run import store
from aicx.corpus.ingest.workers import background, ended_like_an_interrupt
from aicx.corpus.views.report import EntryList
from aicx.engine.index_answer import IndexBuilt
from aicx.engine.lexical_index import refresh_in_background, refresh_lexical
from aicx.engine.vector_files import heal_record, renew_copied
from aicx.errors import AicxError, UsageError
from aicx.fields import INLINE, OPTIONAL
from aicx.paths import user_path
from aicx.questions import PATH, Option, questions_of
from aicx.sessions.index import refresh_edges
from aicx.storage import check_outside
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.facts_index import refresh_all

if TYPE_CHECKING:
    from aicx.commands.index import Synced

SCHEMA = "aicx.store/1"
REDACTION_SCHEMA = "aicx.redaction/1"
ENTRIES_SCHEMA = "aicx.entries/1"


@dataclass(frozen=True, slots=True)
class IndexFailed:
    """As in [errors](#errors-aicxerror1)."""

    error: Annotated[str, "the error message"]
    kind: Annotated[str, "the error's class"]
    hint: Annotated[str | None, "the next step, or null"]


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """Also of `all`, `claude`, `codex` and `gemini`. Where embedding fails, the exit code is that of the failure."""

    home: Annotated[str, "the corpus's folder"]
    dry_run: Annotated[bool, "whether nothing was written"]
    report: StoreReport = field(metadata=INLINE)
    index: Annotated[IndexBuilt | IndexFailed | None, "only with `--index`: what was embedded, or why not"] = field(
        default=None, metadata=OPTIONAL
    )


@dataclass(frozen=True, slots=True)
class EntriesAnswer:
    """Everything read in this run, redacted, under the names that consumers of such exports expect."""

    generated_at: str
    project_filter: Annotated[str | None, "the project that was asked for"]
    requested_source_filters: Annotated[list[str], "the same as a list"]
    requested_agents: Annotated[list[str], "the agents asked for; all of them: none"]
    requested_since: Annotated[str | None, "from when on; null without a limit"]
    resolved_repositories: Annotated[list[str], "repositories where chunks were written"]
    includes_non_repository_contexts: Annotated[bool, "whether chunks of no repository were written"]
    resolved_store_buckets: Annotated[dict[str, dict[str, int]], "project → agent → chunks written"]
    hours_back: Annotated[float | None, "how many hours that is; null without a limit"]
    entries: EntryList = field(metadata=INLINE)
    store_paths: Annotated[list[str], "chunks written, as absolute paths"]


Emitted = Literal["none", "paths", "json"]
EmitOption = Annotated[
    Emitted, Option("--emit", help="Output on stdout: nothing, the stored paths, or everything read, as JSON.")
]
ReportFolder = Annotated[
    str | None,
    Option(
        "--output",
        "-o",
        metavar="DIR",
        click_type=PATH,
        help="Also write a report of everything read into this folder.",
    ),
]
FullRescan = Annotated[bool, Option("--full-rescan", help="Read every log again, also the unchanged ones.")]
RedactAgain = Annotated[
    bool, Option("--redact-again", help="Redact stored chunks again by the rules of this version; reads no log.")
]
DryRun = Annotated[bool, Option("--dry-run", help="Show what would be stored and write nothing.")]
Index = Annotated[
    bool, Option("--index", "--memex", help="Then embed what is new, as `aicx index` does, to search by meaning.")
]
StoreSince = Annotated[
    str | None,
    Option("--since", metavar="WHEN", help="Only sessions active since then: 2026-01-31, yesterday, 36h, 7d, 2w."),
]


def command(
    agent: options.Agents = None,
    project: options.Projects = None,
    hours: options.Hours = None,
    since: StoreSince = None,
    full_rescan: FullRescan = False,
    dry_run: DryRun = False,
    emit: EmitOption = "none",
    output: ReportFolder = None,
    no_redact_secrets: options.NoRedact = False,
    redact_again: RedactAgain = False,
    index: Index = False,
    json: options.Json = False,
) -> None:
    """Read the agents' logs and store everything that is not stored yet.

    The logs are only read, never changed. Secrets are replaced before anything is written. Running it again costs next
    to nothing; run it daily (from cron, say) and your history survives every agent's clean-up.

    Example: aicx store            everything
    Example: aicx store -a codex   one agent
    Example: aicx store --since 7d --dry-run
    Example: aicx store --index    and embed it, to search by meaning too
    Example: aicx store --redact-again   after an update that knows more kinds of secrets
    """
    if redact_again:
        others = (agent, project, hours, since, full_rescan, dry_run, emit != "none", output, no_redact_secrets)
        if any((*others, index)):
            raise UsageError("--redact-again goes with --json alone", hint="it redacts everything that is stored")
        _redact_again(load_settings(), json)
        return
    if index and dry_run:
        raise UsageError("--dry-run stores nothing that --index could embed", hint="give one of them")
    settings = load_settings()
    folder = user_path(output) if output else None
    if folder is not None:
        check_outside(folder, settings.corpus_folders)
    if no_redact_secrets:
        console.warn("secrets are stored as they are; anyone who can read the corpus can read them")
    request = StoreRequest(
        agents=tuple(agent or ()),
        projects=tuple(project or ()),
        since=_cutoff(hours, since, options.now()),
        full_rescan=full_rescan,
        redact_secrets=not no_redact_secrets,
        dry_run=dry_run,
        keep_entries=emit == "json" or folder is not None,
    )
    if not dry_run and settings.layout.redacting.exists():
        console.notify("an earlier `aicx store --redact-again` was interrupted; finishing it first")
        _redact_again(settings, json=None)
    # The record of one that was killed, or what it had written of it.
    if not dry_run and any(settings.layout.locks.glob(f"*{settings.layout.forgetting.name}*")):
        from aicx.engine.forgetting import complete_forgetting

        try:
            complete_forgetting(settings, console.notify)
        except AicxError as error:  # logs are deleted some day, so they are not made to wait for this
            console.warn(f"an interrupted `aicx forget` is not finished yet: {error.message} (next: {error.hint})")
    with ended_like_an_interrupt():
        # On several cores the index grows while the rest is still being stored.
        with console.progress_bar("Storing") as bar, background(refresh_in_background, settings) as refresh:
            beside = refresh if settings.workers > 1 and not dry_run else _nothing
            report = store(settings, request, bar, console.notify, beside)
        if not dry_run:
            with console.count_bar("Indexing") as counting:
                refresh_lexical(settings, console.notify, counting)
            with console.count_bar("Reading what sessions did") as counting:
                refresh_all(settings, lambda done, of: counting(done, of, ""))
                if has_recall(settings.layout):
                    from aicx.reminders.building import refresh_reminders

                    refresh_reminders(settings)  # it reads new sessions once more
                refresh_edges(settings)
            heal_record(settings)
            renew_copied(settings)
    if folder is not None:
        from aicx.corpus.views.report import write_reports

        for path in write_reports(folder, "-".join(request.agents) or "all", report.entries, options.now()):
            console.notify(f"report: {path}")
    if json and emit != "json":  # its `paths` are what `--emit paths` asks for
        _print_json(settings, request, report, index)
        return
    _emit(settings, request, report, emit)
    if index:
        from aicx.commands.index import print_indexed

        print_indexed(_embed(settings))


def _limited_to(agents: tuple[str, ...], help: str) -> Callable[..., None]:
    """The command that is `store` for some agents only: with its options, but for that which names agents."""

    def limited(**given: Any) -> None:
        command(agent=list(agents), **given)

    limited.__doc__ = help
    return options.asking(
        limited, lambda: [one for one in questions_of(command) if one.name not in ("agent", "redact_again")]
    )


every_agent = _limited_to((), "Store the logs of every agent; the same as `aicx store`.")
claude = _limited_to(("claude",), "Store the logs of Claude Code.")
codex = _limited_to(("codex",), "Store the logs of Codex.")
gemini = _limited_to(("gemini", "gemini-antigravity"), "Store the logs of Gemini CLI and Antigravity.")


def _embed(settings: Settings) -> Synced:
    from aicx.commands.index import embed
    from aicx.engine.vector_state import made_with

    return embed(settings, made_with(settings))


def _print_json(settings: Settings, request: StoreRequest, report: StoreReport, index: bool) -> None:
    """The report as one object. Where embedding fails, it says why, and the exit code is that of the failure."""
    from aicx.engine.index_answer import index_built

    built: IndexBuilt | IndexFailed | None = None
    code = 0
    if index:
        try:
            built = index_built(_embed(settings))
        except AicxError as error:
            built = IndexFailed(error.message, type(error).__name__, error.hint)
            code = error.exit_code
    console.out_answer(SCHEMA, StoreAnswer(str(settings.layout.home), request.dry_run, report, built))
    if code:
        raise options.Ended(code)


def _redact_again(settings: Settings, json: bool | None) -> None:
    """``json`` None: without a word on what was done."""
    from aicx.engine.forgetting import redact_store

    with console.progress_bar("Redacting") as bar:
        report = redact_store(settings, lambda done, total: bar(done, total, "sessions"), console.notify)
    if json:
        console.out_answer(REDACTION_SCHEMA, report)
    if json is not False:
        return
    if not report.changed:
        console.notify(f"Nothing to redact in {console.plural(report.chunks, 'chunk')}.")
    else:
        changed = f"{report.chunks_changed:,} of {console.plural(report.chunks, 'chunk')}"
        console.notify(f"{console.style('Redacted', fg='green', bold=True)} {changed}.")
    for where, counts in (("messages", report.texts), ("names and other fields", report.names)):
        if counts:
            console.notify(f"  in {where}: {counts_of(counts)}")
    if report.elsewhere:
        console.notify(f"  and {console.plural(report.elsewhere, 'place')} beside the chunks")
    for note in report.notes:
        console.notify(f"  {note}")


def _nothing() -> None:
    pass


def _cutoff(hours: float | None, since: str | None, now: datetime) -> datetime | None:
    if since is not None:
        from aicx.corpus.catalog.filters import parse_instant

        return parse_instant(since, now)
    return now - timedelta(hours=hours) if hours else None


def _emit(settings: Settings, request: StoreRequest, report: StoreReport, emit: Emitted) -> None:
    home = settings.layout.home
    if emit == "json":
        console.out_answer(ENTRIES_SCHEMA, _entries(settings, request, report))
    elif emit == "paths":
        for path in report.paths:
            console.out(str(home / path))
    print_summary(settings, request, report)


def _entries(settings: Settings, request: StoreRequest, report: StoreReport) -> EntriesAnswer:
    from aicx.corpus.views.report import entry_list

    now, since = options.now(), request.since
    return EntriesAnswer(
        generated_at=now.isoformat(timespec="seconds"),
        project_filter=next(iter(request.projects), None),
        requested_source_filters=list(request.projects),
        requested_agents=list(request.agents),
        requested_since=instant(since) if since else None,
        resolved_repositories=sorted(name for name in report.buckets if "/" in name),
        includes_non_repository_contexts=any("/" not in name for name in report.buckets),
        resolved_store_buckets=report.buckets,
        hours_back=round((now - since).total_seconds() / 3600, 1) if since else None,
        entries=entry_list(report.entries),
        store_paths=[str(settings.layout.home / path) for path in report.paths],
    )
