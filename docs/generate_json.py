"""Writes docs/json.md from the classes of the answers; with --check says whether it is up to date."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from inspect import cleandoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from aicx import failure, reports
from aicx.agents import readiness
from aicx.bench import results
from aicx.bench.report import ablations, comparison, tables
from aicx.cas import entry as cas
from aicx.commands import bench_results as bench
from aicx.commands import dashboard, demo, doctor, extract, forget, init, install, store
from aicx.commands import state as states
from aicx.continuity import answers as continuity
from aicx.corpus.catalog import overview
from aicx.corpus.catalog import overview as refs
from aicx.corpus.catalog import sessions as sessions
from aicx.corpus.forget.redact_again import Redaction
from aicx.corpus.places import report as projects
from aicx.corpus.views import show as show
from aicx.corpus.views.report import REPORT_SCHEMA, EntryReport
from aicx.engine import index_answer as index
from aicx.engine import search_answer as search
from aicx.engine import steer_answer as steer
from aicx.lifecycle import answers as lifecycle
from aicx.lifecycle import usage
from aicx.memory import answers as memory
from aicx.memory import checks as memory_checks
from aicx.memory import curator as memory_curate
from aicx.memory import proposals as memory_candidates
from aicx.memory import sources as memory_sources
from aicx.memory.recall import asking as memory_recall
from aicx.memory.review import answers as review
from aicx.memory.review import building as memory_backfill
from aicx.packs import answers as pack
from aicx.reminders import told as reminders
from aicx.repomap import MapStatus
from aicx.repomap import map as maps
from aicx.repomap.refresh import Refreshed
from aicx.resume.brief import answer as resume
from aicx.servers.described import Described, reachable
from aicx.sessions import answers as lineage
from aicx.sessions import life
from aicx.sessions import recall as session_recall
from aicx.sessions import restore_block as session_restore
from aicx.sessions import summarize as session_summary
from aicx.sessions import windows as session_windows
from aicx.toolchains.parsing import Parsed
from aicx.why import answer as why
from aicx.work import answers as task
from aicx.work import areas
from aicx.work import failures as failures
from benchmarks.peers.command import SCHEMA as PEERS_SCHEMA

PAGE = Path(__file__).parent / "json.md"
TEMPLATE = Path(__file__).parent / "json.template.md"
# What is put in the template for each name in braces: the schema, and the classes of the answers that have it.
ANSWERS: Mapping[str, tuple[str, Sequence[type[Any]]]] = {
    "errors": (failure.SCHEMA, [failure.Failure]),
    "store": (store.SCHEMA, [store.StoreAnswer]),
    "redaction": (store.REDACTION_SCHEMA, [Redaction]),
    "entries": (store.ENTRIES_SCHEMA, [store.EntriesAnswer]),
    "report": (REPORT_SCHEMA, [EntryReport]),
    "steer": (steer.SCHEMA, [steer.SteerAnswer]),
    "sessions": (sessions.SCHEMA, [sessions.SessionsAnswer]),
    "search": (search.SCHEMA, [search.SearchAnswer]),
    "rank": (steer.RANK_SCHEMA, [steer.RankAnswer]),
    "index": (index.SCHEMA, [index.IndexBuilt, index.IndexAnswer, index.IndexDropped]),
    "why": (why.SCHEMA, [why.WhyAnswer]),
    "recall": (memory_recall.SCHEMA, [memory_recall.RecallAnswer]),
    "resume": (resume.SCHEMA, [resume.ResumeAnswer]),
    "map": (maps.SCHEMA, [MapStatus, Refreshed, maps.MapAnswer]),
    "dashboard": (dashboard.SCHEMA, [dashboard.DashboardServed, dashboard.DashboardPage]),
    "prepare": (lifecycle.PREPARE_SCHEMA, [lifecycle.PrepareAnswer]),
    "finalize": (lifecycle.FINALIZE_SCHEMA, [lifecycle.FinalizeAnswer]),
    "boot": (lifecycle.BOOT_SCHEMA, [lifecycle.BootAnswer]),
    "task handoffs": (lifecycle.HANDOFFS_SCHEMA, [lifecycle.HandoffsAnswer]),
    "task areas": (areas.SCHEMA, [areas.AreasAnswer]),
    "sessions show": (lineage.SCHEMA, [lineage.SessionAnswer]),
    "sessions chain": (lineage.CHAIN_SCHEMA, [lineage.ChainAnswer]),
    "sessions search": (lineage.SEARCH_SCHEMA, [lineage.SessionSearchAnswer]),
    "sessions change": (life.CHANGE_SCHEMA, [life.SessionChangeAnswer]),
    "sessions stats": (lineage.STATS_SCHEMA, [lineage.SessionStatsAnswer]),
    "sessions windows": (session_windows.SCHEMA, [session_windows.WindowsAnswer]),
    "sessions summarize": (session_summary.SCHEMA, [session_summary.SessionSummaryAnswer]),
    "sessions restore": (session_restore.SCHEMA, [session_restore.RestoreAnswer]),
    "sessions recall": (session_recall.SCHEMA, [session_recall.SessionRecallAnswer]),
    "status": (reminders.SCHEMA, [reminders.RemindersAnswer]),
    "usage": (usage.SCHEMA, [usage.UsageAnswer]),
    "failures list": (failures.LIST_SCHEMA, [failures.FailuresAnswer]),
    "failures show": (failures.SCHEMA, [failures.FailureAnswer]),
    "memory entry": (memory.ENTRY_SCHEMA, [memory.EntryAnswer]),
    "memory list": (memory.LIST_SCHEMA, [memory.ListAnswer]),
    "memory get": (memory.GET_SCHEMA, [memory.GetAnswer]),
    "memory history": (memory.HISTORY_SCHEMA, [memory.HistoryAnswer]),
    "memory seal": (memory.SEAL_SCHEMA, [memory.SealAnswer]),
    "memory verify": (memory.VERIFY_SCHEMA, [memory.VerifyAnswer]),
    "memory stats": (memory.STATS_SCHEMA, [memory.StatsAnswer]),
    "memory sources": (memory_sources.SCHEMA, [memory_sources.SourcesAnswer]),
    "memory candidates": (memory_candidates.SCHEMA, [memory_candidates.CandidatesAnswer]),
    "memory backfill": (memory_backfill.BACKFILL_SCHEMA, [memory_backfill.BackfillAnswer]),
    "memory lint": (memory_checks.LINT_SCHEMA, [memory_checks.LintAnswer]),
    "memory curate": (memory_curate.SCHEMA, [memory_curate.CurateAnswer]),
    "memory eval": (memory_checks.EVAL_SCHEMA, [memory_checks.EvalAnswer]),
    "memory audit": (memory_checks.AUDIT_SCHEMA, [memory_checks.AuditAnswer]),
    "review candidates": (review.LIST_SCHEMA, [review.ReviewListAnswer]),
    "review build": (review.BUILD_SCHEMA, [review.ReviewBuildAnswer]),
    "review show": (review.SHOW_SCHEMA, [review.ReviewShowAnswer]),
    "review step": (review.STEP_SCHEMA, [review.ReviewStepAnswer]),
    "review apply": (review.APPLY_SCHEMA, [review.ReviewApplyAnswer]),
    "failures parse": (failures.PARSE_SCHEMA, [Parsed]),
    "task status": (task.STATUS_SCHEMA, [task.TaskStatus]),
    "task change": (task.CHANGE_SCHEMA, [task.TaskChange]),
    "task list": (task.LIST_SCHEMA, [task.TaskList]),
    "task show": (task.SHOW_SCHEMA, [task.TaskWhole]),
    "pack": (pack.SCHEMA, [pack.PackAnswer]),
    "task pack": (pack.TASK_SCHEMA, [pack.TaskPack]),
    "family pack": (pack.FAMILY_SCHEMA, [pack.FamilyPack]),
    "object put": (cas.PUT_SCHEMA, [cas.ObjectPut]),
    "object get": (cas.GET_SCHEMA, [cas.ObjectGot]),
    "object list": (cas.LIST_SCHEMA, [cas.ObjectList]),
    "object pin": (cas.PIN_SCHEMA, [cas.ObjectPinned]),
    "object gc": (cas.GC_SCHEMA, [cas.ObjectsCollected]),
    "next": (task.NEXT_SCHEMA, [task.NextAnswer]),
    "continuity load": (continuity.LOAD_SCHEMA, [continuity.ContinuityLoad]),
    "continuity status": (continuity.STATUS_SCHEMA, [continuity.ContinuityStatus]),
    "continuity change": (continuity.CHANGE_SCHEMA, [continuity.ContinuityChange]),
    "continuity clear": (continuity.CLEAR_SCHEMA, [continuity.ContinuityCleared]),
    "continuity open": (continuity.OPEN_SCHEMA, [continuity.ContinuityPaths]),
    "reports": (reports.SCHEMA, [reports.Bundle]),
    "init": (init.SCHEMA, [init.InitAnswer]),
    "clean": (init.CLEAN_SCHEMA, [init.InitAnswer]),
    "install": (install.SCHEMA, [install.InstallAnswer]),
    "uninstall": (init.UNINSTALL_SCHEMA, [init.UninstallAnswer]),
    "show": (show.SCHEMA, [show.ShowAnswer]),
    "refs": (refs.SCHEMA, [refs.RefsAnswer]),
    "projects": (projects.SCHEMA, [projects.ProjectsAnswer]),
    "decision": (projects.DECISION_SCHEMA, [projects.DecisionAnswer]),
    "list": (states.LOGS_SCHEMA, [overview.LogList]),
    "state": (states.SCHEMA, [states.StatusAnswer, overview.LogsReset]),
    "doctor": (doctor.SCHEMA, [doctor.DoctorAnswer]),
    "doctor repo": (readiness.SCHEMA, [readiness.RepoDoctorAnswer]),
    "extract": (extract.SCHEMA, [extract.ExtractAnswer]),
    "forget": (forget.SCHEMA, [forget.ForgetAnswer]),
    "demo": (demo.SCHEMA, [demo.DemoAnswer]),
    "bench": (results.SCHEMA, [bench.BenchAnswer]),
    "bench report": (bench.REPORT_SCHEMA, [tables.BenchReport]),
    "bench recommend": (bench.RECOMMENDATION_SCHEMA, [ablations.BenchRecommendation]),
    "bench compare": (bench.COMPARISON_SCHEMA, [comparison.Comparison]),
    "bench list": (bench.LIST_SCHEMA, [bench.BenchList]),
    "bench peers": (PEERS_SCHEMA, [bench.BenchPeers]),
}
_WORDS = {
    str: "string",
    Path: "string",
    datetime: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


def render() -> str:
    """The whole page. A class that several answers have is described once, with the first of them."""
    page = TEMPLATE.read_text("utf-8")
    # Each of several answers has a heading of its own, in the section of its command.
    places = {kind: kind.__name__.lower() for _, kinds in ANSWERS.values() if len(kinds) > 1 for kind in kinds}
    for name, (schema, answers) in ANSWERS.items():
        mark = f"{{{name}}}"
        heading = next(line for line in page.splitlines() if line.startswith("## ") and line.endswith(f"{mark}"))
        lines = [f"{heading.removesuffix(mark)}`{schema}`", *_section(answers, places)]
        page = page.replace(heading, "\n".join(lines))
    return page


def _section(answers: Sequence[type[Any]], places: dict[type[Any], str]) -> Iterator[str]:
    described = {kind: rows for kind, rows in reachable(*answers).items() if kind in answers or kind not in places}
    for kind in described:
        if kind not in answers:
            name = kind.__name__.lower()
            again = sum(place.rpartition("-")[0] == name or place == name for place in places.values())
            places[kind] = f"{name}-{again}" if again else name
    for kind, rows in described.items():
        if kind in places:
            yield from ("", f"### `{kind.__name__}`")
        # A dataclass without a docstring gets its own signature for one.
        if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}("):
            yield from ("", cleandoc(kind.__doc__).replace("``", "`"))
        yield from ("", "| Field | Type | Meaning |", "|---|---|---|")
        yield from (_row(one, places) for one in rows)


def _row(one: Described, places: Mapping[type[Any], str]) -> str:
    if not one.name:
        return f"| | {_type(one.type, places)} | {one.meaning or 'the fields of one of these'} |"
    kind = _type(one.type, places)
    return f"| `{one.name}` | {kind.replace(' or null', ', or left out') if one.optional else kind} | {one.meaning} |"


def _type(kind: Any, places: Mapping[type[Any], str]) -> str:
    """A type as JSON has it, with a link to what is described."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return ", ".join(f"`{value}`".lower() if isinstance(value, bool) else f"`{value}`" for value in arguments)
    if origin in (Union, UnionType):
        return " or ".join(_type(one, places) for one in arguments)
    if kind in places:
        return f"[{kind.__name__}](#{places[kind]})"
    if kind in _WORDS:
        return _WORDS[kind]
    if (isinstance(origin, type) and issubclass(origin, Mapping)) or kind in (dict, Mapping):
        return "object" if not arguments or arguments[1] is Any else f"object of {_several(arguments[1], places)}"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return f"array of {_several(arguments[0], places)}"
    raise TypeError(f"no word for {kind}")


def _several(kind: Any, places: Mapping[type[Any], str]) -> str:
    first, space, rest = _type(kind, places).partition(" ")
    return first + ("" if first[0] in "[`" else "s") + space + rest


def main(arguments: list[str]) -> int:
    """Writes the page, or compares it; 1 when it is out of date."""
    wanted = render()
    if "--check" not in arguments:
        PAGE.write_text(wanted, "utf-8")
        return 0
    found = PAGE.read_text("utf-8") if PAGE.exists() else ""
    if found == wanted:
        return 0
    changes = difflib.unified_diff(found.splitlines(), wanted.splitlines(), "docs/json.md", "the classes", "", "", 1)
    sys.stderr.write("\n".join(changes) + "\ndocs/json.md is out of date: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
