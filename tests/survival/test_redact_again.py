"""A pass that redacts what is stored can be killed at any step: every chunk is as it was or as it has to be."""

from __future__ import annotations

import random
import shutil
import string
from pathlib import Path

import pytest

from tests.corpus.builders import ClaudeLog
from tests.survival.runs import CUTS, HERE, Home, Runner

BATCH = 6
SECRETS = ["ghp_" + "".join(random.Random(n).choices(string.ascii_letters + string.digits, k=36)) for n in range(6)]


def leaks(home: Home) -> list[Path]:
    low = [secret.lower().encode() for secret in SECRETS]
    files = [path for path in home.corpus.rglob("*") if path.is_file()]
    return [path for path in files if any(secret in path.read_bytes().lower() for secret in low)]


@pytest.fixture(scope="module")
def unredacted(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Sessions with secrets, stored as they were; their logs are gone."""
    folder = tmp_path_factory.mktemp("unredacted")
    home = Home(folder / "user", folder / "corpus")
    logs = home.user / ".claude" / "projects" / "-srv-notes"
    logs.mkdir(parents=True)
    for number, secret in enumerate(SECRETS):
        log = ClaudeLog(f"{number}b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e", f"/srv/{secret}")
        log.prompt(f"Use {secret} here", number * 100).answer(f"Used {secret}", number * 100 + 1)
        (logs / f"{log.session}.jsonl").write_bytes(log.body())
    HERE.store(home, "--no-redact-secrets")
    shutil.rmtree(home.user / ".claude")
    assert leaks(home)
    return home


def test_a_kill_at_any_step_leaves_each_chunk_whole_and_can_be_finished(
    unredacted: Home, runner: Runner, tmp_path: Path
) -> None:
    whole = Home(unredacted.user, shutil.copytree(unredacted.corpus, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", "store", "--redact-again", batch=BATCH, every=3)
    assert leaks(whole) == []
    old, new = unredacted.tree(), whole.tree()
    number = 0
    for number, (step, home) in enumerate(cuts, 1):
        assert home.flaws() == [], step
        assert {name for name, body in home.tree().items() if body not in (old.get(name), new.get(name))} <= {
            "index.json"
        }
        begun = (home.corpus / "locks" / "redacting").exists()
        finish = ["store"] if begun and number % 2 else ["store", "--redact-again"]
        run = HERE.run(home, *finish)
        assert run.code == 0, run.err
        assert leaks(home) == [], step
        assert home.tree() == new, step
    assert number >= CUTS
