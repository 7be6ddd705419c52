"""The hint for a missing optional part: it has to work for the copy of aicx that prints it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aicx.installation import checkout_of, command_for

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-P", "-m", "pip", "install"]


@pytest.fixture(autouse=True)
def pip_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)


def words(command: str) -> list[str]:
    return shlex.split(command)


def url_of(path: Path, **more: object) -> str:
    return json.dumps({"url": path.as_uri(), **more})


def test_a_checkout_is_installed_in_place() -> None:
    assert checkout_of(ROOT / "aicx") == ROOT
    assert words(command_for("mcp", ROOT, None)) == [*PIP, "-e", f"{ROOT}[mcp]"]


def test_a_checkout_with_a_space_in_its_name_is_one_word(tmp_path: Path) -> None:
    assert words(command_for("mcp", tmp_path / "my aicx", None))[-1] == f"{tmp_path}/my aicx[mcp]"


def test_another_project_around_the_package_is_no_checkout(tmp_path: Path) -> None:
    assert checkout_of(tmp_path / "aicx") is None
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert checkout_of(tmp_path / "aicx") is None


def test_a_copy_made_from_a_folder_or_a_wheel_points_back_to_it(tmp_path: Path) -> None:
    wheel = tmp_path / "my wheels" / "aicx_py-0.1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    assert words(command_for("web", None, url_of(tmp_path, dir_info={}))) == [*PIP, f"{tmp_path}[web]"]
    assert words(command_for("web", None, url_of(wheel, archive_info={}))) == [*PIP, f"{wheel}[web]"]


def test_a_copy_from_an_address_names_the_address_and_the_commit() -> None:
    git = json.dumps({"url": "https://git.example/aicx", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}})
    assert words(command_for("web", None, git))[-1] == "aicx-py[web] @ git+https://git.example/aicx@c0ffee"
    wheel = json.dumps({"url": "https://files.example/aicx.whl", "archive_info": {}})
    assert words(command_for("web", None, wheel))[-1] == "aicx-py[web] @ https://files.example/aicx.whl"


@pytest.mark.parametrize("direct_url", [None, "", "{", "[]", "{}", '{"url": "file:///gone/aicx"}'])
def test_an_unknown_origin_asks_for_a_checkout_and_names_no_package_of_an_index(direct_url: str | None) -> None:
    command = command_for("code", None, direct_url)
    assert command.startswith("in a checkout of aicx: ")
    assert words(command)[-1] == ".[code]"
    assert "aicx-py" not in command


def test_an_environment_without_pip_is_served_by_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert words(command_for("mcp", ROOT, None))[:5] == ["uv", "pip", "install", "--python", sys.executable]


def test_an_installed_copy_finds_the_record_of_its_installer(tmp_path: Path) -> None:
    site, source = tmp_path / "site", tmp_path / "source"
    info = site / "aicx_py-0.1.0.dist-info"
    for folder in (site / "aicx", source, info):
        folder.mkdir(parents=True)
    for name in ("__init__.py", "errors.py", "installation.py"):
        shutil.copy(ROOT / "aicx" / name, site / "aicx")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aicx-py\nVersion: 0.1.0\n")
    (info / "direct_url.json").write_text(url_of(source, dir_info={}))
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from aicx.errors import MissingExtra"
    asked = subprocess.run(
        [sys.executable, "-I", "-c", f"{code}; print(MissingExtra('x', 'mcp').hint)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert words(asked.stdout)[-1] == f"{source}[mcp]"
