"""A pass that redacts what is stored can be killed at any step: every chunk is as it was or as it has to be."""

from __future__ import annotations

import random
import shutil
import string
from pathlib import Path

import pytest

from tests.corpus.builders import ClaudeLog
from tests.survival.runs import Home, Runner

BATCH = 6
SECRETS = ["ghp_" + "".join(random.Random(n).choices(string.ascii_letters + string.digits, k=36)) for n in range(6)]


def leaks(home: Home) -> list[Path]:
    low = [secret.lower().encode() for secret in SECRETS]
    files = [path for path in home.corpus.rglob("*") if path.is_file()]
    return [path for path in files if any(secret in path.read_bytes().lower() for secret in low)]


@pytest.fixture(scope="module")
def unredacted(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Sessions with secrets, stored as they were; their logs are gone."""
    folder = tmp_path_factory.mktemp("unredacted")
    home = Home(folder / "user", folder / "corpus")
    logs = home.user / ".claude" / "projects" / "-srv-notes"
    logs.mkdir(parents=True)
    for number, secret in enumerate(SECRETS):
        log = ClaudeLog(f"{number}b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e", f"/srv/{secret}")
        log.prompt(f"Use {secret} here", number * 100).answer(f"Used {secret}", number * 100 + 1)
        (logs / f"{log.session}.jsonl").write_bytes(log.body())
    runner.store(home, "--no-redact-secrets")
    shutil.rmtree(home.user / ".claude")
    assert leaks(home)
    return home


def copy(home: Home, corpus: Path) -> Home:
    shutil.copytree(home.corpus, corpus)
    return Home(home.user, corpus)


@pytest.mark.parametrize("part", range(3))
def test_a_kill_at_any_step_leaves_each_chunk_whole_and_can_be_finished(
    part: int, unredacted: Home, runner: Runner, tmp_path: Path
) -> None:
    log = tmp_path / "steps"
    whole = copy(unredacted, tmp_path / "whole")
    run = runner.run(whole, "store", "--redact-again", batch=BATCH, steps=log)
    assert run.code == 0, run.err
    assert leaks(whole) == []
    old, new = unredacted.tree(), whole.tree()
    steps = len(log.read_text("utf-8").splitlines())
    assert steps > 30
    for step in range(1 + part * 2, steps, 6):
        home = copy(unredacted, tmp_path / str(step))
        assert runner.run(home, "store", "--redact-again", batch=BATCH, fatal_step=step).killed
        assert home.flaws() == []
        assert {name for name, body in home.tree().items() if body not in (old.get(name), new.get(name))} <= {
            "index.json"
        }
        begun = (home.corpus / "locks" / "redacting").exists()
        finish = ["store"] if begun and step % 4 > 1 else ["store", "--redact-again"]
        run = runner.run(home, *finish, batch=BATCH)
        assert run.code == 0, run.err
        assert leaks(home) == [], step
        assert home.tree() == new, step
        shutil.rmtree(home.corpus)
