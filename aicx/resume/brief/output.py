"""A report as it is printed: without secrets, fitted into its budget, with the manifest of what was chosen; or kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from aicx.brief import QUOTED_WITH_GIT, check_budget, fit, listed, page, to_check
from aicx.config import Settings
from aicx.evidence.session_brief import StateReason
from aicx.resume import MIN_TOKENS
from aicx.resume.brief import Fitted, Part, Section, clean
from aicx.resume.brief.compose import BRANCH_STATE_WORDS, compose, where_of
from aicx.resume.report import BriefedSession, ResumeReport
from aicx.storage.typed import texts_of, with_texts
from aicx.terminal import invisible
from aicx.text import ago, estimate_tokens, first_of, local, plural, shorten, time_span, zone_name
from aicx.values import regex

if TYPE_CHECKING:
    from datetime import datetime

    from aicx.resume.brief.selection_manifest import Format
    from aicx.work.record import WorkRecord


_LAST = "last session"
_AUTHORS = 3  # that are named
# Of the Markdown for a task with which nothing in the history has to do: more would only be read in vain.
NO_HISTORY_TOKENS = 300
# How long texts from outside may be (the task, names, warnings) in the part of a brief that is never left out.
_TEXT_LIMITS = (300, 100, 30, 0)


class Brief(NamedTuple):
    """The brief as it is printed, and its size in tokens. ``manifest`` gives the record of how it was chosen."""

    text: bytes
    tokens: int
    manifest: Callable[[], Mapping[str, Any]]


def markdown_brief(settings: Settings, report: ResumeReport, budget: int) -> Brief:
    """The brief for people and agents, of at most ``budget`` tokens."""
    report, parts = _cleaned(settings, report)
    check_budget("brief", budget, MIN_TOKENS)
    budget = min(budget, NO_HISTORY_TOKENS) if report.has_no_history else budget
    lines = printed(report, parts)
    fitted = fit_parts(lines, budget, lambda kept, limit: markdown(report, kept, limit).encode())
    return _brief(settings, report, (parts, lines), fitted, budget, "markdown")


def json_brief(
    settings: Settings,
    report: ResumeReport,
    budget: int,
    *,
    explain: bool = False,
    written: Sequence[str] = (),
    attempt: str | None = None,
    capsule: str | None = None,
) -> Brief:
    """The brief as one JSON object on a line, of at most ``budget`` tokens; with ``explain`` the manifest on top.

    ``written`` are the files that whoever asks is going to write, ``attempt`` the record of the session that begins,
    ``capsule`` the digest of the brief that is kept with it.
    """
    from aicx.resume.brief.json_brief import json_line  # imported here: a page of Markdown does without its classes

    report, parts = _cleaned(settings, report)
    check_budget("brief", budget, MIN_TOKENS)
    refs = {"contract_ref": attempt, "capsule_ref": capsule}
    files: dict[str, Any] = {"written_files": list(written), **{name: ref for name, ref in refs.items() if ref}}
    values = [part for part in parts if part.slot != "text"]  # the details of others, for people
    fitted = fit_parts(values, budget, lambda kept, limit: json_line(report, kept, limit, budget, files))
    brief = _brief(settings, report, (parts, values), fitted, budget, "json")
    if not explain:
        return brief
    explained = json_line(report, fitted.parts, fitted.limit, budget, {**files, "manifest": brief.manifest()})
    return brief._replace(text=explained)


def fit_parts(parts: Sequence[Part], budget: int, render: Callable[[Sequence[Part], int], bytes]) -> Fitted:
    """The brief with as many parts as fit into ``budget`` tokens, the most important ones.

    ``render`` gives what is printed for some parts, with outside texts cut to a length.
    """
    worth = [part.priority for part in parts]
    for limit in _TEXT_LIMITS:

        def text_of(kept: Sequence[int], _: object, limit: int = limit) -> bytes:
            return render([parts[number] for number in kept], limit)

        text, kept, _ = fit(worth, text_of, lambda text: estimate_tokens(text) <= budget)
        if (tokens := estimate_tokens(text)) <= budget:
            return Fitted(text, tokens, tuple(parts[number] for number in kept), limit)
    raise AssertionError("an empty brief is larger than the least budget")


def _brief(
    settings: Settings,
    report: ResumeReport,
    parts: tuple[Sequence[Part], Sequence[Part]],
    fitted: Fitted,
    budget: int,
    format: Format,
) -> Brief:
    """``parts`` are all there are, and those that this format has."""

    def manifest() -> Mapping[str, Any]:
        # Imported here, and made when it is asked for: it is many times the brief.
        from aicx.resume.brief.selection_manifest import manifest_of

        made = manifest_of(report, *parts, fitted, budget, format)
        return with_texts(made, _redacted) if settings.redact_secrets else made

    return Brief(fitted.text, fitted.tokens, manifest)


def _cleaned(settings: Settings, report: ResumeReport) -> tuple[ResumeReport, list[Part]]:
    """The report's own texts and its parts without secrets: a task or a branch may hold one that never was stored."""
    parts = compose(report)
    names = ("task", "agent", "folder", "warnings", "unavailable", "contract")
    mine = {name: getattr(report, name) for name in names}
    of_git = {name: getattr(report.git, name) for name in ("branch", "root", "upstream", "superproject")}
    if not settings.redact_secrets or not _holds_secret(texts_of([*mine.values(), *of_git.values(), parts])):
        return report, parts
    git = replace(report.git, **with_texts(of_git, _redacted))
    return replace(report, git=git, **with_texts(mine, _redacted)), with_texts(parts, _redacted)


def _holds_secret(texts: Iterable[str]) -> bool:
    """Whether any of the texts has to be redacted. Looked at as one text, which is ten times as fast as each alone."""
    from aicx.redaction import redact

    return bool(redact("\n\n".join(texts).translate(invisible())).counts)


def _redacted(text: str) -> str:
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    # Without what nobody sees, which is not printed either and may stand within a secret.
    return redact(text.translate(invisible())).text


_CHUNK = regex(r"(chunk:[a-z-]+:)(.+)(:\d+)")
_TITLES: dict[Section, str] = {
    "summary": "Summed up by a configured command, from what is quoted below",
    "now": "Now",
    "stated": "Stated at the end of a session, and not checked",
    "ran": "Programs that `aicx run` ran here",
    "tasks": "Open tasks, as stated",
    "agreed": "Agreed; the lower the tier, the stronger",
    "guidance": "Guidance of instruction files, not agreed",
    "session": "Goes on from",
    "latest": "Earlier work here, not known to be of what is checked out",
    "failures": "Failed, and did not pass since",
    "ahead": "Next, as it said",
    "decisions": "Decided",
    "done": "Done there",
    "files": "Look here first",
    "contract": "What to begin with, and what proves it",
    "symbols": "Places the repository map names",
    "recalled": "From the history",
    "sessions": "Other sessions of this repository",
    "team": "Sessions of other members, as they shared them; `aicx search --team` finds their passages",
    "branches": "On other branches, not merged here: not the current state",
}
_WEAK = "Nearest earlier session, though little ties it to this task"
# How a session ended, where it is sure that what it left is open, and where that is not known.
_OPEN: dict[str, str] = {
    "failure_open": "something failed and did not pass since",
    "question_open": "a question waits for an answer",
    "interrupted": "it ended in the middle",
    "plan_open": "its plan has items left",
    "said_next": "it said what comes next",
}
_ENDED: dict[StateReason, str] = {
    "failure_open": "something failed there",
    "question_open": "it ended with a question",
    "interrupted": "it ended in the middle",
    "plan_open": "its plan had items left",
    "said_next": "",
    "said_done": "finished, as it said",
    "nothing_said": "",
}
_EVIDENCE = f"{QUOTED_WITH_GIT}."
_ONLY_GIT = f"No session of this place is stored. Between the fences is what git says of it: {to_check('facts')}."


def markdown(report: ResumeReport, parts: Sequence[Part], limit: int) -> str:
    """The brief with the given parts. ``limit`` bounds the texts from outside that are no parts."""
    if _is_bare(report):
        return f"{shorten(report.empty or '', 600)}\n"
    sections: list[tuple[str, list[str]]] = []
    for section, title in _TITLES.items():
        found = [
            f"{part.text}{_refs(part, report.short)}"
            for part in parts
            if part.section == section and not _is_title(part)
        ]
        more, *head = _head(report, section, limit) or [""]
        weak = section == "sessions" and report.is_guess
        sections.append((f"{_WEAK if weak else title}{more}", [*head, *found]))
    top = [f"# {shorten(where_of(report), limit)}: what a new session needs to know"]
    if report.task.strip():
        top.append(f"Task: {shorten(report.task, limit)}")
    top += [f"Warning: {shorten(warning, limit)}" for warning in report.warnings[:3] if limit]
    said = _EVIDENCE if report.session_count or report.recalled or _is_told_more(report) else _ONLY_GIT
    return page(top, said, listed(sections))


def printed(report: ResumeReport, parts: Sequence[Part]) -> list[Part]:
    """The parts that a page has lines of; that the session is gone on with is in its title, which is never left out."""
    if _is_bare(report):
        return []
    titled = report.resumed is not None and not report.is_guess
    found = [part for part in parts if part.text and (titled or not _is_title(part))]
    return [part._replace(priority=-1) if _is_title(part) else part for part in found]


def _is_bare(report: ResumeReport) -> bool:
    """Whether a page says only why there is nothing to say."""
    return report.empty is not None and not _is_told_more(report)


def _is_told_more(report: ResumeReport) -> bool:
    """Whether something was agreed, stated, run or shared, which no log of this home is needed for."""
    agreed = report.memory is not None and bool(report.memory.agreed)
    return agreed or report.left is not None or report.left_before is not None or bool(report.ran or report.team)


def _is_title(part: Part) -> bool:
    return part.section == "session" and part.slot in ("context", "text")


def _head(report: ResumeReport, section: Section, limit: int) -> list[str]:
    """Returns what a section says besides its parts: first what follows its title, then lines. Empty for nothing."""
    if section == "now":
        return ["", *_git_lines(report, limit)]
    told = {"session": None if report.is_guess else report.resumed, "latest": report.latest}.get(section)
    return _session_head(report, told, limit) if told else []


def _git_lines(report: ResumeReport, limit: int) -> list[str]:
    git = report.git
    if not git.usable:
        return ["not a git repository" if git.kind == "none" and report.folder else "the repository is not at hand"]
    facts = []
    if git.head is None:
        facts.append(f"branch `{_name(git.branch, limit)}`, nothing committed yet")
    elif git.branch is None:
        facts.append(f"detached head at `{git.head[:9]}`")
    else:
        facts.append(f"branch `{_name(git.branch, limit)}` at `{git.head[:9]}`")
    if git.ahead or git.behind:
        facts.append(f"{git.ahead} ahead of and {git.behind} behind {_name(git.upstream, limit)}")
    if git.kind == "bare":
        facts.append("a bare repository, without files")
    elif git.changed_count is not None:
        facts.append(f"{plural(git.changed_count, 'file')} changed or untracked" if git.changed_count else "no changes")
    if git.shallow:
        facts.append("a shallow clone: older history is not here")
    if git.superproject:
        facts.append(f"a submodule of `{shorten(clean(git.superproject), limit)}`")
    if git.worktree_count > 1:
        facts.append(f"{git.worktree_count:,} worktrees")
    if report.commit_count:
        by = f", by {first_of(list(map(clean, report.authors)), _AUTHORS)}" if len(report.authors) > 1 else ""
        is_told = (report.resumed or report.latest) and not report.is_guess
        facts.append(f"{plural(report.commit_count, 'commit')} since the {'session below' if is_told else _LAST}{by}")
    return ["; ".join(facts)]


def _session_head(report: ResumeReport, item: BriefedSession, limit: int) -> list[str]:
    facts = item.facts
    where = f", branch {_name(facts.branch, limit)}" if facts.branch else ""
    if item.standing in BRANCH_STATE_WORDS:
        where += f" ({BRANCH_STATE_WORDS[item.standing]})"
    since = ago(facts.completed_at, report.now)
    state = _ENDED[item.brief.state_reason] if item.brief and not report.is_stated_of(item) else ""
    if state == _ENDED["failure_open"] and item.brief and not item.brief.failing:
        state = ""  # what was only looked up or tried says nothing of the work
    if state == _ENDED["question_open"] and item.brief and item.brief.questions:
        state += f": {shorten(clean(item.brief.questions[-1].text), limit)}"
    if (left := report.still_open) is not None:
        state = f"open: {_OPEN.get(left.reason) or shorten(clean(left.step), limit)}"
    if item.brief and item.brief.may_be_at_work(report.now) and not report.is_stated_of(item):
        state = "it may still be at work"
    reopen = f"{'; ' if state else ''}reopen with `{item.reopen}`" if item.reopen else ""
    began, ended = local(facts.started_at), local(facts.completed_at)
    when = f"{time_span(began, ended)} {zone_name(ended)}"
    title = f": {facts.agent}, {when} ({since}){where}"
    return [title, f"{state}{reopen} [{shorten(facts.ref, 2 * limit)}]".lstrip()]


def _refs(part: Part, short: Mapping[str, str]) -> str:
    refs = [clean(_shortened(ref, short)) for ref in part.refs]
    return f" [{' '.join(refs)}]" if refs else ""


def _shortened(ref: str, short: Mapping[str, str]) -> str:
    """A chunk's reference with no more of its session's id than it takes; a session's own stays whole."""
    found = _CHUNK.fullmatch(ref)
    return f"{found[1]}{short[found[2]]}{found[3]}" if found and found[2] in short else ref


def _name(name: str | None, limit: int) -> str:
    return shorten(clean(name), limit) if name else "?"


CAPSULE_TAG = "resume-capsule"
_CAPSULE_TOKENS = 4000


def keep_capsule(
    settings: Settings, report: ResumeReport, attempt: WorkRecord, now: datetime, notify: Callable[[str], None]
) -> str:
    """Stores the brief of an attempt as JSON, in a file beside the attempt's own too, and returns its digest.

    What it quotes is known, so that `forget` takes it along. Raises StoreLocked, StoreUnwritable, UsageError for what
    was forgotten.
    """
    # Imported here: most briefs are only printed.
    from io import BytesIO

    from aicx.cas.writing import Origin, put
    from aicx.work.attempts import write_capsule

    body = json_brief(settings, report, _CAPSULE_TOKENS, attempt=attempt.ref).text
    write_capsule(settings, attempt, body, now, notify)
    others = [report.resumed, *report.others]
    sessions = {f"{item.facts.agent}:{item.facts.session_id}" for item in others if item is not None}
    sessions |= {f"{item.agent}:{item.session_id}" for item in report.recalled}
    sessions |= set(re.findall(r"(?<=session:)[a-z-]+:[\w.-]+", body.decode()))
    projects = (report.project,) if report.project else ()
    origin = Origin("text", (CAPSULE_TAG, attempt.ref), tuple(sorted(sessions)), projects)
    return put(settings, BytesIO(body), origin, now, notify).object.digest
