"""The plugin: every manifest is what its one table says, with the version of the package."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import aicx

ROOT = Path(__file__).parents[1]
_SPEC = importlib.util.spec_from_file_location("plugin_generate", ROOT / "plugin" / "generate.py")
assert _SPEC is not None
assert _SPEC.loader is not None
table = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(table)


def versions(value: Any) -> list[str]:
    """Every field ``version`` in some JSON, at any depth."""
    if isinstance(value, dict):
        own = [value["version"]] if "version" in value else []
        return own + [one for inner in value.values() for one in versions(inner)]
    return [one for inner in value for one in versions(inner)] if isinstance(value, list) else []


def test_the_manifests_are_what_the_table_says() -> None:
    assert table.out_of_date() == []


def test_every_manifest_has_the_version_of_the_package() -> None:
    found = [one for fields in (*table.manifests().values(), table.bundle()) for one in versions(fields)]
    assert len(found) > 5
    assert set(found) == {aicx.__version__}


def test_the_readme_holds_the_name_under_which_the_registry_has_the_server() -> None:
    assert f"mcp-name: {table.SERVER}" in (ROOT / "README.md").read_text("utf-8")
    assert table.manifests()["plugin/server.json"]["name"] == table.SERVER


def test_the_description_is_as_short_as_the_registry_wants_it() -> None:
    assert len(table.DESCRIPTION) <= 100


def test_the_package_is_called_as_the_project_calls_it() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'name = "{table.PACKAGE}"' in project


def test_the_skill_is_named_like_its_folder_and_described_in_a_line() -> None:
    text = (ROOT / "plugin" / table.SKILL).read_text("utf-8")
    head = re.match(r"---\nname: (\S+)\ndescription: ([^\n]+)\n---\n", text)
    assert head is not None
    assert head[1] == Path(table.SKILL).parent.name
    assert len(head[2]) <= 1024


def test_the_commands_of_the_skill_exist() -> None:
    from tests.tree import commands

    text = (ROOT / "plugin" / table.SKILL).read_text("utf-8")
    named = {found for found in re.findall(r"`aicx ([a-z]+)", text) if found != "aicx"}
    assert named
    assert named <= {name.split()[0] for name in commands()}


@pytest.mark.parametrize("there", ["aicx", "uvx"])
def test_what_is_on_the_path_is_run_and_else_uvx(tmp_path: Path, there: str) -> None:
    program = tmp_path / there
    program.write_text(f'#!/bin/sh\necho {there} "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(["/bin/sh", "-c", table.SERVE], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    said = {"aicx": "aicx serve\n", "uvx": "uvx --from aicx-py[mcp] aicx serve\n"}
    assert done.stdout == said[there]


def test_the_hook_of_the_plugin_ends_well_where_aicx_is_not_installed(tmp_path: Path) -> None:
    done = subprocess.run(["/bin/sh", "-c", table.STORE], env={"PATH": str(tmp_path)}, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_bundle_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    one, other = table.build_bundle(tmp_path / "one"), table.build_bundle(tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()
    with zipfile.ZipFile(one) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["server"]["entry_point"] in archive.namelist()
