"""The hint for a missing optional part: it has to work for the copy of aicx that prints it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.installation import checkout_of, clash, command_for

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


@pytest.fixture
def beside_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that holds what another project installs under the name aicx."""
    about = tmp_path / "site/aicx-7.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: aicx\nVersion: 7.1\n")
    monkeypatch.syspath_prepend(str(about.parent))
    return about.parent


def test_another_projects_package_of_the_name_is_told_with_what_helps(beside_another: Path) -> None:
    said = clash() or ""
    assert "aicx 7.1" in said
    assert "uninstall" in said


def test_without_it_nothing_is_said() -> None:
    assert clash() is None


def test_the_version_and_doctor_tell_of_it(
    beside_another: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--version"]) == 0
    assert "aicx 7.1" in capsys.readouterr().err
    run(["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["installation"]["severity"] == "warning"
    assert "uninstall" in checks["installation"]["recommendation"]


def test_where_it_overwrote_a_module_of_ours_the_failure_is_that_line(beside_another: Path) -> None:
    code = f"import sys; sys.modules['aicx.cli'] = None; sys.path.append({str(beside_another)!r})"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; from aicx.__main__ import main; main()"],
        capture_output=True, text=True, check=False, timeout=60, cwd=ROOT,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.startswith("aicx cannot start: another project's package, aicx 7.1")
    assert "Traceback" not in ran.stderr
