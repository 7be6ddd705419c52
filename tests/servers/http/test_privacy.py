"""Words for callers from outside: they learn no path of the machine that answers."""

from __future__ import annotations

import sys
from pathlib import Path

from aicx.config import load_settings
from aicx.installation import install_command
from aicx.servers.http.token import private

ROOT = Path(__file__).parent.parent.parent.parent


def test_a_hint_about_a_missing_part_names_no_path_of_this_machine(home: Path) -> None:
    told = private(load_settings(), install_command("semantic"))
    assert str(ROOT) not in told
    assert sys.executable not in told
    assert "python -P -m pip install" in told.replace("'", "")  # quoted where its folder has a space
    assert "[semantic]" in told
