"""The checks of `doctor` on the store, the catalogue and `index.json`: whether each is what the others say of it."""

from __future__ import annotations

import sqlite3
from typing import Any

import orjson

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import apply_ignore_file, summarise
from aicx.corpus.catalog.rebuild import index_chunks
from aicx.corpus.doctor.inputs import (
    FIX,
    MAX_NAMED,
    STORE,
    Check,
    DoctorInputs,
    Severity,
    compare_catalog,
    counted,
    more,
    while_nobody_writes,
)
from aicx.corpus.files import without_tool_facts
from aicx.corpus.forget.apart import list_apart
from aicx.corpus.views.provenance import is_there
from aicx.errors import UsageError


@while_nobody_writes("canonical_store")
def canonical_store(facts: DoctorInputs) -> Check:
    survey = facts.survey
    lines = [
        counted("chunk", survey.without_sidecar, "without a sidecar"),
        counted("sidecar", survey.without_chunk, "without its chunk"),
        counted("chunk", survey.altered, "altered since it was written"),
        counted("chunk", list(survey.misfiled), "in another place than its sidecar says"),
    ]
    strays = counted("file", survey.strays, "that aicx did not write")
    hashed = "not compared with their checksums" if facts.quick else f"{survey.hashed:,} compared with their checksums"
    if problems := [line for line in lines if line]:
        advice = FIX
        if survey.misfiled and not (survey.broken or survey.altered):
            advice = "move the files back to where their sidecars say, or remove those that are copies"
        return Check("canonical_store", "critical", "; ".join(problems), advice)
    detail = f"{len(survey.chunks):,} chunks, {hashed}"
    if strays:
        return Check("canonical_store", "warning", f"{detail}; {strays}", "move them elsewhere")
    return Check("canonical_store", "green", detail)


def set_apart(facts: DoctorInputs) -> Check:
    named = [f"{item.path}: {item.reason}" for item in list_apart(facts.layout)]
    lines = [counted("chunk", named, "altered on disk and out of every answer")]
    if facts.layout.bad_tombstones.exists():
        lines.append("lines of forgotten.jsonl that could not be understood")
    if not any(lines):
        return Check("set_apart", "green", "nothing")
    advice = f"compare with a backup, or delete from {facts.layout.set_apart} what may be lost"
    return Check("set_apart", "warning", "; ".join(filter(None, lines)), advice)


@while_nobody_writes("sidecars")
def sidecars(facts: DoctorInputs) -> Check:
    damaged = facts.survey.damaged
    if damaged:
        named = "; ".join([*list(damaged.values())[:MAX_NAMED], *more(len(damaged))])
        return Check("sidecars", "critical", named, FIX)
    if newer := facts.survey.newer:
        detail = counted("sidecar", sorted(newer), f"of a newer version ({', '.join(sorted(set(newer.values())))})")
        return Check("sidecars", "warning", detail, "a newer aicx reads them")
    return Check("sidecars", "green", f"{len(facts.survey.chunks):,} read")


@while_nobody_writes("tool_facts")
def tool_facts(facts: DoctorInputs) -> Check:
    logs = [seen.log_without_facts for seen in facts.survey.chunks.values() if seen.log_without_facts is not None]
    if not logs:
        return Check("tool_facts", "green", "no chunk was stored without them")
    left = sum(map(is_there, logs))
    detail = f"{without_tool_facts(len(logs))}; the logs of {left:,} are there"
    return Check("tool_facts", "warning" if left else "green", detail, f"{STORE} --full-rescan" if left else None)


@while_nobody_writes("catalog")
def catalog_as_stored(facts: DoctorInputs) -> Check:
    if facts.catalog is None:
        if not facts.survey.chunks:
            return Check("catalog", "skipped", "nothing is stored yet")
        severity: Severity = "critical" if facts.layout.catalog.exists() else "warning"
        return Check("catalog", severity, f"{facts.catalog_problem}; every question reads all sidecars", FIX)
    try:
        differences = compare_catalog(facts.catalog, facts.survey)
    except sqlite3.DatabaseError as error:
        return Check("catalog", "critical", f"it is damaged: {error}", FIX)
    if not any(differences.values()):
        return Check("catalog", "green", f"{len(facts.survey.chunks):,} chunks, as in the store")
    said = {"missing": "not in it", "changed": "different in it", "extra": "in it but not on disk"}
    lines = [counted("chunk", paths, said[kind]) for kind, paths in differences.items() if paths]
    return Check("catalog", "critical", "; ".join(lines), FIX)


@while_nobody_writes("index_json")
def index_json(facts: DoctorInputs) -> Check:
    if not facts.survey.chunks:
        return Check("index_json", "skipped", "nothing is stored yet")
    try:
        found = orjson.loads(facts.layout.summary.read_bytes())
    except FileNotFoundError:
        return Check("index_json", "warning", "there is none", FIX)
    except (OSError, orjson.JSONDecodeError) as error:
        return Check("index_json", "critical", f"it cannot be read: {error}", FIX)
    try:
        expected = _recount(facts)
    except UsageError as error:
        return Check("index_json", "skipped", error.message)
    if found != expected:
        return Check("index_json", "warning", "its numbers are not those of the store", FIX)
    return Check("index_json", "green", f"as counted again: {expected['totals']['chunks']:,} chunks")


def _recount(facts: DoctorInputs) -> dict[str, Any]:
    if facts.catalog is not None and not any(compare_catalog(facts.catalog, facts.survey).values()):
        return summarise(facts.catalog)
    catalog = Catalog.in_memory()
    try:
        index_chunks(facts.layout, catalog, facts.survey.chunks, lambda line: None)
        apply_ignore_file(facts.layout, catalog)
        return summarise(catalog)
    finally:
        catalog.close()
