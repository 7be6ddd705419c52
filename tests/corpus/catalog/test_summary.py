"""`index.json` says what a recount of the sidecars says, whatever was done before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from aicx.corpus.catalog.query import ignore_matcher
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home

pytestmark = pytest.mark.slow

NEXT_DAY = 14 * 3600


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    home = Home(tmp_path)
    orbit, lamp = home.repository("orbit", "git@x.org:ada/orbit.git"), home.repository("lamp", "git@x.org:ada/lamp.git")
    log = ClaudeLog(SESSION, orbit).prompt("One " + "word " * 4000, 0)
    log.cwd = lamp
    home.claude(log.prompt("Two", NEXT_DAY))
    home.codex(CodexLog(OTHER, orbit).prompt("Three", 5).answer("Four", 6))
    return home


def written(home: Home) -> Any:
    return orjson.loads((home.corpus / "index.json").read_bytes())


def recount(home: Home) -> dict[str, Any]:
    """The same from the sidecars alone."""
    hidden = ignore_matcher(home.settings.layout)
    groups: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    shown = [fields for path, fields in home.chunks().items() if not hidden(path)]
    for fields in shown:
        groups[fields["project"]][fields["agent"]].append(fields)
    return {
        "schema": "aicx.summary/1",
        "projects": {
            project: {
                "agents": {
                    agent: {
                        "dates": sorted({fields["date"].replace("-", "") for fields in chunks}),
                        "sessions": len({fields["session_id"] for fields in chunks}),
                        "chunks": len(chunks),
                        "total_entries": sum(map(entries, chunks)),
                        "last_updated": max(fields["completed_at"] for fields in chunks),
                    }
                    for agent, chunks in sorted(agents.items())
                }
            }
            for project, agents in sorted(groups.items())
        },
        "totals": {
            "projects": len(groups),
            "sessions": len({(fields["agent"], fields["session_id"]) for fields in shown}),
            "chunks": len(shown),
            "entries": sum(map(entries, shown)),
        },
        "last_updated": max((fields["completed_at"] for fields in shown), default=None),
    }


def entries(fields: dict[str, Any]) -> int:
    """Messages, not their repetitions and not the parts they were cut into."""
    return sum(1 for item in fields["messages"] if not item.get("repeated") and item.get("part", [1])[0] == 1)


def grow(home: Home) -> None:
    home.codex(CodexLog(OTHER, str(home.work / "orbit")).prompt("Three", 5).answer("Four", 6).prompt("Five", NEXT_DAY))


def fork(home: Home) -> None:
    home.claude(ClaudeLog(THIRD).prompt("A session of its own", 100))


def vanish(home: Home) -> None:
    for path in home.root.rglob("*.jsonl"):
        path.unlink()


def drop_catalog(home: Home) -> None:
    for path in home.corpus.glob("catalog.sqlite*"):
        path.unlink()


def drop_summary(home: Home) -> None:
    (home.corpus / "index.json").unlink(missing_ok=True)


def hide(home: Home) -> None:
    (home.corpus / ".aicxignore").write_text("store/ada/lamp/\n")


def show(home: Home) -> None:
    (home.corpus / ".aicxignore").unlink(missing_ok=True)


STEPS: list[list[Callable[[Home], None]]] = [
    [],
    [grow],
    [fork],
    [vanish],
    [drop_catalog],
    [drop_summary],
    [hide],
    [hide, show],
    [vanish, drop_catalog],
    [hide, drop_catalog],
    [grow, fork, hide, vanish, drop_catalog, show],
]


@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: "+".join(step.__name__ for step in steps) or "nothing")
def test_the_summary_equals_a_recount(home, steps):
    home.store()
    for step in steps:
        step(home)
        home.store()
    assert written(home) == recount(home)


def test_a_session_in_two_projects_is_counted_once_in_all(home):
    home.store()
    assert written(home)["totals"] == {"projects": 2, "sessions": 2, "chunks": 5, "entries": 4}


def test_a_message_cut_into_parts_is_counted_once(home):
    home.store()
    assert written(home)["projects"]["ada/orbit"]["agents"]["claude"]["total_entries"] == 1


def test_a_full_rescan_leaves_it_alone(home):
    home.store()
    before = (home.corpus / "index.json").stat().st_mtime_ns
    home.store(full_rescan=True)
    assert (home.corpus / "index.json").stat().st_mtime_ns == before


def test_a_home_without_sessions_has_an_empty_one(tmp_path):
    (tmp_path / "x").mkdir()
    home = Home(tmp_path / "x")
    home.store()
    assert written(home)["totals"] == {"projects": 0, "sessions": 0, "chunks": 0, "entries": 0}


def test_a_dry_run_does_not_touch_it(home):
    home.store()
    before = written(home)
    grow(home)
    home.store(dry_run=True)
    assert written(home) == before


def test_the_state_agrees_with_it(home):
    from aicx.corpus.catalog.overview import state_of

    home.store()
    state, totals = state_of(home.settings.layout), written(home)["totals"]
    assert (state.sessions, state.chunks, state.messages) == (
        totals["sessions"],
        totals["chunks"],
        totals["entries"],
    )
