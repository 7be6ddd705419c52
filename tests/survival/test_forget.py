"""A `forget` that is killed at any step is finished by the same call, by `store` or by `doctor --fix`."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from aicx.config import Settings
from aicx.engine.search import Searcher
from aicx.engine.vector_state import vector_state
from aicx.paths import Layout
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, snapshot
from tests.engine.search_helpers import embed, found, keep
from tests.parts import require
from tests.sampling import number_of_run, sample
from tests.survival.runs import HERE, Runner
from tests.survival.runs import Home as Runs

pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own

FORGET = {
    "session": ("forget", "--session", SESSION, "--yes", "--json"),
    "pattern": ("forget", "--pattern", "(?i)heron", "--yes", "--json"),
}
FINISH = ((), ("store",), ("doctor", "--fix"))


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Three sessions, one of them of two chunks, with both indexes."""
    require("semantic")
    user = Home(tmp_path_factory.mktemp("embedded"))
    long = ClaudeLog(SESSION).prompt("The heron nests by the weir", 0).answer("The reeds are high there. " * 300, 1)
    user.claude(long.prompt("And the Heron of last year?", 2).answer("It left.", 3))
    user.claude(ClaudeLog(OTHER).prompt("Paint the shed green", 60).answer("Painted.", 61))
    user.claude(ClaudeLog(THIRD).prompt("Bread and flour in the oven", 120).answer("Baked.", 121))
    keep(user)
    embed(user)
    return user


@pytest.mark.parametrize("what", FORGET)
def test_a_kill_at_any_step_can_be_finished(what: str, embedded: Home, runner: Runner, tmp_path: Path) -> None:
    call = FORGET[what]

    def fresh(name: object) -> Runs:
        """The same logs, a corpus of its own."""
        return Runs(embedded.root, Path(shutil.copytree(embedded.corpus, tmp_path / str(name))))

    undisturbed = fresh("undisturbed")
    steps = runner.steps(undisturbed, *call)
    expected = state(embedded, undisturbed)
    counts = HERE.run(fresh("counted"), *call).out
    begun = next(at for at, step in enumerate(steps, 1) if "forgetting.json" in step and "rename" in step)
    chosen = sample(range(begun + 1, len(steps) + 1), 4, what)
    for turn, step in enumerate(chosen, number_of_run(len(FINISH))):
        home = fresh(step)
        assert runner.run(home, *call, fatal_step=step).killed, steps[step - 1]
        finish = FINISH[turn % len(FINISH)] or call
        ended = HERE.run(home, *finish)
        assert ended.code == 0, (steps[step - 1], finish, ended.out, ended.err)
        if finish is call:
            assert counted(ended.out) == counted(counts), steps[step - 1]
        assert state(embedded, home) == expected, (steps[step - 1], finish)
        assert found(Searcher(settings_of(embedded, home)), "Bread and flour in the oven", mode="dense")[:1] == [
            f"claude:{THIRD}:001"
        ]
        assert HERE.run(home, "doctor").code == 0, steps[step - 1]


def settings_of(user: Home, home: Runs) -> Settings:
    return replace(user.settings, layout=Layout(home.corpus))


def counted(out: str) -> dict[str, object]:
    fields: dict[str, object] = json.loads(out)
    for session in fields["sessions"]:  # type: ignore[attr-defined]
        session["title"] = ""  # a title is forgotten too
    return fields


def state(user: Home, home: Runs) -> object:
    """What a user may see: the store, what the vector index holds and lacks, and where something is left."""
    settings = settings_of(user, home)
    layout = settings.layout
    store = {name: body for name, body in home.tree().items() if name != "index.json"}
    left = {name for name, body in snapshot(home.corpus).items() if b"heron" in body.lower()}
    totals = json.loads(layout.summary.read_bytes())["totals"]
    index = vector_state(settings)
    pending = layout.forgetting.exists() or layout.staging.exists()
    return store, layout.tombstones.read_bytes(), left, totals, sorted(index.table.versions), index.behind, pending
