"""`aicx doctor`: whether everything is in order, and mending what can be mended."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.corpus.doctor.checks import FIX, Check, examine, overall
from aicx.corpus.doctor.inputs import catalog_copy, current_writer
from aicx.corpus.doctor.repair import Repair, repair
from aicx.engine.damage import damaged_maps, recorded_table, remove_damaged_maps, remove_damaged_models, vector_damage
from aicx.engine.forgetting import complete_forgetting
from aicx.engine.index_manifest import lexical_freshness, manifest_damage, read_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_place import heal_record
from aicx.errors import AicxError, UsageError
from aicx.paths import Layout
from aicx.storage.checksums import find_damage, is_recorded

SCHEMA = "aicx.doctor/1"
_COLORS = {"green": "green", "warning": "yellow", "critical": "red", "skipped": "bright_black"}

Fix = Annotated[bool, typer.Option("--fix", help="Repair everything that can be made again; never deletes a chunk.")]
Quick = Annotated[bool, typer.Option("--quick", "-q", help="Do not compare chunks with their checksums.")]


def command(fix: Fix = False, quick: Quick = False, json: options.Json = False) -> int:
    """Check the corpus, everything derived from it, and the logs that are about to be deleted.

    Changes nothing unless --fix is given. With it, an interrupted run is finished, damaged catalogues, indexes and
    index.json are made again, .aicxignore is applied, the home is closed to other users, and
    chunks that lost a file or were altered are read again from their logs if those still have them. An altered chunk
    that is in no log is set apart, and so is an unreadable line of forgotten.jsonl. Of a damaged vector index, only the
    lost part is embedded again.

    Exit code 1 if something critical is found (with --fix: remains), 0 otherwise.

    Example: aicx doctor
    Example: aicx doctor --quick --json
    Example: aicx doctor --fix
    """
    settings, config_error = _settings()
    if fix and config_error is not None:
        raise config_error
    done = _mend(settings) if fix else Repair([], [])
    checks = [*examine(settings, options.now(), quick=quick, config_error=config_error)]
    checks += [
        _lexical_index(settings, quick=quick),
        _vector_index(settings, quick=quick),
        _maps(settings, quick=quick),
    ]
    worst = overall(checks)
    if json:
        fields = {
            "overall": worst,
            "checks": [asdict(check) for check in checks],
            "fixes_applied": done.applied,
            "not_fixed": done.refused,
        }
        console.out_json(SCHEMA, fields)
    else:
        _show(checks, done)
    return AicxError.exit_code if worst == "critical" else 0


def _mend(settings: Settings) -> Repair:
    forgotten, unfinished = False, []
    try:
        forgotten = complete_forgetting(settings, console.say)
    except AicxError as error:
        unfinished.append(f"an interrupted aicx forget: {error.message}")
    done = repair(settings, console.say)
    done.refused.extend(unfinished)
    if forgotten:
        done.applied.append("finished an interrupted aicx forget")
    if written := refresh_lexical(settings, console.say, full=True):
        done.applied.append(f"brought the search index up to date ({written} chunks)")
    if heal_record(settings):
        done.applied.append("recorded the place of the vector index as this home's own")
    if vector_damage(settings, full=True):
        try:
            done.applied.append(_mend_vectors(settings))
        except AicxError as error:
            done.refused.append(f"the vector index: {error.message}")
    if removed := remove_damaged_maps(settings.layout):
        done.applied.append(f"removed {console.plural(len(removed), 'damaged map')}; aicx map refresh makes it again")
    return done


def _mend_vectors(settings: Settings) -> str:
    """Makes damaged vectors and models again; returns what was done."""
    if recorded_table(settings) is None:
        removed = remove_damaged_models(settings.layout, full=True)
        return f"removed {console.plural(len(removed), 'damaged model')}, which the next aicx index makes again"
    from aicx.engine.vector_index import build_vectors, made_with

    say = console.say
    synced = build_vectors(settings, made_with(settings), rebuild=False, tell=lambda _: None, say=say, full=True)
    return f"mended the vector index ({synced.added + synced.changed} of its chunks embedded again)"


def _lexical_index(settings: Settings, *, quick: bool) -> Check:
    name = "lexical_index"
    if current_writer(settings.layout, "lexical") is not None:
        return Check(name, "skipped", "it is being written; look again when that is done")
    if reason := manifest_damage(settings.layout):
        return Check(name, "critical", f"the manifest of the indexes is damaged: {reason}", FIX)
    if reason := find_damage(settings.layout.lexical_index, full=not quick):
        return Check(name, "critical", f"it is damaged: {reason}", FIX)
    with catalog_copy(settings.layout) as (catalog, _):
        if catalog is None or not catalog.rows("SELECT 1 FROM chunks LIMIT 1"):
            return Check(name, "skipped", "there is no catalogue to compare it with")
        found = lexical_freshness(settings.layout, catalog)
    if not found.exists:
        return Check(name, "warning", "there is none; searches read the corpus itself", FIX)
    if found.behind is None:
        return Check(name, "warning", "it was made for another catalogue or by another version", FIX)
    if found.behind:
        return Check(name, "warning", f"{console.plural(found.behind, 'chunk')} behind the catalogue", FIX)
    return Check(name, "green", "up to date with the catalogue")


def _vector_index(settings: Settings, *, quick: bool) -> Check:
    name = "vector_index"
    table = recorded_table(settings)
    if current_writer(settings.layout, "vectors") is not None:
        return Check(name, "skipped", "it is being written; look again when that is done")
    if reason := vector_damage(settings, full=not quick):
        return Check(name, "critical", f"it is damaged: {reason}", FIX)
    if table is None:
        if "vectors" in read_manifest(settings.layout):
            return Check(name, "skipped", "it is at another address, whose service looks after its bytes")
        return Check(name, "green", "there is none, and searches look for words")
    if not is_recorded(table):
        detail = "it has no checksums: aicx index was interrupted, or an earlier version made it"
        return Check(name, "warning", detail, "aicx index")
    return Check(name, "green", "as it was written")


def _maps(settings: Settings, *, quick: bool) -> Check:
    if damaged := damaged_maps(settings.layout, full=not quick):
        detail = "; ".join(f"{path.parent.name}: {reason}" for path, reason in damaged.items())
        return Check("maps", "critical", f"damaged: {detail}", FIX)
    return Check("maps", "green", "as they were written")


def _settings() -> tuple[Settings, UsageError | None]:
    """The settings; where config.toml is damaged, everything but what it says, and the damage."""
    try:
        return load_settings(), None
    except UsageError as error:
        # The same environment with a home that has no config.toml, and then the real home again.
        with TemporaryDirectory(prefix="aicx-doctor-") as folder:
            settings = load_settings({**os.environ, "AICX_HOME": folder})
        home = os.environ.get("AICX_HOME")
        layout = Layout(Path(home).expanduser() if home else settings.user_home / ".aicx")
        return replace(settings, layout=layout), error


def _show(checks: list[Check], done: Repair) -> None:
    style = console.style
    width = max(len(check.name) for check in checks)
    for check in checks:
        severity = style(f"{check.severity:8}", fg=_COLORS[check.severity], bold=check.severity == "critical")
        console.out(f"{severity}  {check.name:{width}}  {check.detail}")
        if check.recommendation and check.severity in ("warning", "critical"):
            console.out(f"{'':10}{'':{width}}  {style('next:', fg='cyan')} {check.recommendation}")
    for line in done.applied:
        console.say(f"{style('fixed:', fg='green', bold=True)} {line}")
    for line in done.refused:
        console.say(f"{style('not fixed:', fg='yellow', bold=True)} {line}")
    worst = overall(checks)
    words = {"green": "Everything is in order.", "warning": "Nothing critical.", "critical": "Something is critical."}
    console.say(style(words[worst], fg=_COLORS[worst], bold=True))
