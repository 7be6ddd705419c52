"""The summary of a run of `aicx store` for people: what was stored, what was left out, what could not be read."""

from __future__ import annotations

from aicx import console
from aicx.config import Settings
from aicx.corpus.ingest.report import StoreReport, StoreRequest
from aicx.sources.items import BadRecord
from aicx.sources.unread import NAMES

_MAX_PROBLEMS = 10


def print_summary(settings: Settings, request: StoreRequest, report: StoreReport) -> None:
    notify, style, plural = console.notify, console.style, console.plural
    if report.logs == 0:
        notify(f"No agent logs found below {settings.user_home}.")
        notify(
            "Looked for Claude Code, Codex, Gemini CLI, Antigravity, OpenCode, Copilot CLI, Cursor and Pi;"
            " CLAUDE_CONFIG_DIR and CODEX_HOME are honoured."
        )
        _print_other_agents(report)
        return
    if report.chunks_written == 0 and report.logs_read == 0:
        head = style("Up to date.", fg="green", bold=True)
        notify(f"{head} {plural(report.logs, 'log')} looked at, none changed.")
    else:
        head = style("Would store" if request.dry_run else "Stored", fg="green", bold=True)
        notify(
            f"{head} {plural(report.chunks_written, 'chunk')} with {plural(report.messages, 'new message')};"
            f" read {plural(report.logs_read, 'log')} of {plural(report.sessions, 'session')},"
            f" {console.size(report.bytes_read)}."
        )
    for project, agents in sorted(report.buckets.items(), key=lambda item: -sum(item[1].values())):
        notify(f"  {style(project, bold=True)}: {counts_of(agents)}")
    if report.redactions:
        total = plural(sum(report.redactions.values()), "secret")
        notify(f"  {style(f'{total} redacted', fg='magenta')}: {counts_of(report.redactions)}")
    if report.duplicates:
        notify(f"  met {plural(report.duplicates, 'message')} again that are stored already; noted as duplicates")
    if report.chunks_moved:
        notify(f"  {plural(report.chunks_moved, 'chunk')} moved to another repository; `aicx projects` says why")
    if report.forgotten:
        notify(f"  {report.forgotten} left out because you had them forgotten")
    for note in report.notes:
        notify(f"  {note}")
    _print_problems(report)
    _print_unread(report)
    _print_other_agents(report)
    if report.chunks_written and not request.dry_run:
        notify(f'The corpus is in {settings.layout.home}. Next: aicx search "a question"')


def counts_of(counts: dict[str, int]) -> str:
    """``secret 2, password 1``, the most first."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _print_problems(report: StoreReport) -> None:
    if not report.problems:
        return
    console.warn(f"{console.plural(len(report.problems), 'record')} could not be read; the rest is stored")
    for problem in report.problems[:_MAX_PROBLEMS]:
        where = problem.path if problem.line is None else f"{problem.path}, line {problem.line}"
        console.notify(f"  {where}: {problem.reason}")
    _print_rest(report.problems)


def _print_unread(report: StoreReport) -> None:
    """Prints what was read and gave nothing: records of unknown types, and logs without a chunk."""
    unknown = {reason: count for reason, count in report.skipped.items() if reason.startswith("unknown ")}
    if unknown:
        console.notify(f"  {console.plural(sum(unknown.values()), 'record')} not read: {counts_of(unknown)}")
    if report.without_chunks:
        console.notify(f"  {console.plural(len(report.without_chunks), 'log')} gave nothing to store:")
        for log in report.without_chunks[:_MAX_PROBLEMS]:
            console.notify(f"  {log.path}: {log.reason}")
        _print_rest(report.without_chunks)


def _print_other_agents(report: StoreReport) -> None:
    if report.unread:
        counts = [f"{NAMES[agent]} ({console.plural(count, 'session')})" for agent, count in report.unread.items()]
        console.notify(f"  aicx does not read the logs of {', '.join(counts)}")


def _print_rest(listed: list[BadRecord]) -> None:
    if len(listed) > _MAX_PROBLEMS:
        console.notify(f"  and {len(listed) - _MAX_PROBLEMS} more; --json lists them all")
