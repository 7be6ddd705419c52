"""One place by any of its names: POSIX, Windows, its shells and WSL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.folders import folded, is_absolute, on_drive_of, other_names, relative, slashed

NAMES = st.text(alphabet="abXY0 .-_é", min_size=1, max_size=6).filter(lambda name: name.strip(". "))
PARTS = st.lists(NAMES, min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("D:\\Site\\src", "d:/site/src"),
        ("d:/site//src/", "d:/site/src"),
        ("\\\\?\\D:\\site\\src", "d:/site/src"),
        ("D:\\", "d:"),
        ("\\\\Server\\share\\site", "//server/share/site"),
        ("\\\\wsl$\\Ubuntu\\home\\ada\\Site", "/home/ada/Site"),
        ("//wsl.localhost/Ubuntu/home/ada/Site", "/home/ada/Site"),
        ("/srv/Site/", "/srv/Site"),
        ("/srv/a\\b", "/srv/a\\b"),
        ("/", "/"),
    ],
)
def test_a_path_is_compared_as_its_system_does(path: str, same: str) -> None:
    assert folded(path) == same


@given(PARTS)
def test_a_posix_path_is_never_changed(parts: list[str]) -> None:
    path = "/srv/" + "/".join(parts)
    assert (slashed(path), folded(path)) == (path, path)


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("D:\\site\\src\\A.go", "d:/Site", "src/A.go"),
        ("d:/site", "D:\\site\\", ""),
        ("/d/site/src/a.go", "D:\\site", "src/a.go"),
        ("/cygdrive/d/site/a.go", "D:\\site", "a.go"),
        ("/mnt/d/site/a.go", "D:\\site", "a.go"),
        ("D:\\site\\a.go", "/mnt/d/site", "a.go"),
        ("D:\\sites\\a.go", "D:\\site", None),
        ("E:\\site\\a.go", "D:\\site", None),
        ("/mnt/d/site/a.go", "/d/site", None),
        ("/srv/Site/a.go", "/srv/site", None),
        ("/srv/site/a.go", "/srv/site", "a.go"),
        ("/srv/site", "/", "srv/site"),
    ],
)
def test_a_path_is_seen_from_a_folder(path: str, folder: str, found: str | None) -> None:
    assert relative(path, folder) == found


@given(PARTS, PARTS, st.booleans(), st.booleans())
def test_how_windows_and_its_shells_write_it_makes_no_difference(
    above: list[str], below: list[str], upper: bool, shell: bool
) -> None:
    folder = "D:\\" + "\\".join(above)
    top = "/d/" if shell else "d:\\"
    path = top + "/".join([*(part.upper() if upper else part for part in above), *below])
    expected = "/".join(below)
    assert relative(path, folder) == (expected if "".join(above).upper().lower() == "".join(above).lower() else None)


def test_a_mount_names_a_drive_only_where_the_working_folder_is_on_one() -> None:
    assert on_drive_of("D:\\site", "/d/other") == "D:/other"
    assert on_drive_of("/srv/site", "/d/other") == "/d/other"


def test_a_drive_and_its_mounts_are_names_of_each_other() -> None:
    assert other_names("d:/site") == ("/mnt/d/site", "/cygdrive/d/site", "/d/site")
    assert {other for name in other_names("d:/site") for other in other_names(name)} == {"d:/site"}
    assert other_names("/srv/site") == ()


@pytest.mark.parametrize("path", ["/a", "D:\\a", "d:/a", "\\\\server\\share"])
def test_these_are_absolute(path: str) -> None:
    assert is_absolute(path)


@pytest.mark.parametrize("path", ["a", "a\\b", "D:a", "./a", ""])
def test_these_are_not(path: str) -> None:
    assert not is_absolute(path)
