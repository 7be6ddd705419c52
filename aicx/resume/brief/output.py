"""A report as it is printed: free of secrets, fitted into its budget, with the manifest of what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from aicx.brief import check_budget, fit
from aicx.config import Settings
from aicx.resume.brief.compose import compose
from aicx.resume.brief.markdown import markdown, printed
from aicx.resume.brief.part import Fitted, Part
from aicx.resume.query import MIN_TOKENS
from aicx.resume.select.report import ResumeReport
from aicx.storage.texts import texts_of, with_texts
from aicx.terminal import invisible
from aicx.text import estimate_tokens

if TYPE_CHECKING:
    from aicx.resume.brief.selection_manifest import Format


# Of the Markdown for a task with which nothing in the history has to do: more would only be read in vain.
NO_HISTORY_TOKENS = 300
# How long texts from outside may be (the task, names, warnings) in the part of a brief that is never left out.
_TEXT_LIMITS = (300, 100, 30, 0)


class Brief(NamedTuple):
    """What is printed, and its size in tokens. ``manifest`` gives the record of how it was chosen."""

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
