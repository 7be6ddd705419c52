"""A release has notes, and its number is the same wherever it has to be written."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import aicx

ROOT = Path(__file__).parent.parent
CHANGELOG = (
    "# Changelog\n\n## 0.3.0 (not released)\n\n- New.\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n- Old.\n\n## 0.1.0\n\n"
)


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = spec_from_file_location("release", ROOT / ".ci/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_notes_are_the_section_of_the_version(release: ModuleType) -> None:
    assert release.notes_of(CHANGELOG, "0.2.0") == "### Added\n\n- Old.\n"


@pytest.mark.parametrize("version", ["0.4.0", "0.1.0", "0.2"])
def test_a_version_of_which_nothing_is_told_is_no_release(version: str, release: ModuleType) -> None:
    with pytest.raises(SystemExit, match="says nothing"):
        release.notes_of(CHANGELOG, version)


def test_the_changelog_tells_of_this_version(release: ModuleType) -> None:
    assert release.notes_of((ROOT / "docs/changelog.md").read_text("utf-8"), aicx.__version__)


def test_the_formula_has_the_version_and_licences_of_the_package() -> None:
    formula = (ROOT / "packaging/aicx.rb").read_text("utf-8")
    assert f'version "{aicx.__version__}"' in formula
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    named = re.search(r'license = "(.+) AND (.+)"', project)
    assert named is not None
    assert f'license all_of: ["{named[1]}", "{named[2]}"]' in formula
