"""The summary of a brief by a command that somebody configured, from the lines that the brief has anyway."""

from __future__ import annotations

from dataclasses import replace

from aicx.resume.brief.compose import compose
from aicx.resume.select.report import ClaimLine, ResumeReport
from aicx.work.summarizer import SECONDS, Fact, summarize


def sum_up(command: str, report: ResumeReport) -> ResumeReport:
    """The report with the claims of the command, each with the evidence of the lines that it names."""
    parts = [part for part in compose(report) if part.text]
    facts = [Fact(part.slot, part.text, part.refs or (part.entry,)) for part in parts]
    found = summarize(command, "brief", report.task, facts, SECONDS)
    lines = tuple(ClaimLine(claim.text, claim.refs, parts[claim.fact].entry) for claim in found.claims)
    return replace(report, summary=lines, summary_by=found.by, summary_note=found.note)
