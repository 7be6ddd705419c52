"""A session of a program counts less than a person's only where it changed nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.corpus.catalog.query import open_catalog
from aicx.engine.stages.order import idle_sessions
from tests.corpus.builders import SESSION, ClaudeLog, Home


@pytest.mark.parametrize(
    ("tool", "arguments", "idle"),
    [
        ("Read", {"file_path": "cell.py"}, True),
        ("Edit", {"file_path": "cell.py", "old_string": "a", "new_string": "b"}, False),
        ("Bash", {"command": "git commit -am 'Seal the queen cells'"}, False),
        ("Bash", {"command": "git diff"}, True),
    ],
)
def test_a_headless_run_that_edited_or_committed_is_not_idle(
    tmp_path: Path, tool: str, arguments: dict[str, str], idle: bool
) -> None:
    home = Home(tmp_path)
    log = ClaudeLog().prompt("Look after the queen cells", 0, entrypoint="sdk-cli")
    home.claude(log.call(tool, 1, **arguments).result("[main 1a2b3c4] Seal the queen cells", 2).answer("Done so.", 3))
    home.store()
    with open_catalog(home.settings.layout) as opened:
        rows = opened.catalog.rows("SELECT agent, session_id, automated_why FROM sessions")
        assert idle_sessions(opened.catalog, rows) == ({("claude", SESSION)} if idle else set())
