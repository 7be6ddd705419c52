"""From what a file writes to the files that are meant."""

from __future__ import annotations

import pytest

from aicx.repomap.imports import is_meant, module_of, nearest, targets
from aicx.repomap.symbols import RawImport


@pytest.mark.parametrize(
    ("path", "language", "item", "expected"),
    [
        ("a/b.py", "python", RawImport("orchard.trees"), ["orchard/trees"]),
        ("a/b.py", "python", RawImport("orchard", "", ("trees", "Tree")), ["orchard/trees", "orchard"]),
        ("a/b/c.py", "python", RawImport(".", "", ("trees",)), ["./a/b/trees", "./a/b"]),
        ("a/b/c.py", "python", RawImport("..cellar"), ["./a/cellar"]),
        ("c.py", "python", RawImport("...outside"), []),
        ("web/a.js", "javascript", RawImport("./tree.js"), ["./web/tree"]),
        ("web/a.js", "javascript", RawImport("../lib/index"), ["./lib"]),
        ("web/a.ts", "typescript", RawImport("@/trees/apple"), ["trees/apple"]),
        ("web/a.ts", "typescript", RawImport("react"), ["react"]),
        ("web/a.ts", "typescript", RawImport("./icon.svg?raw"), ["./web/icon.svg"]),
        ("cmd/a.go", "go", RawImport("example.org/orchard/trees"), ["example.org/orchard/trees"]),
        ("src/a.rs", "rust", RawImport("crate::trees::Apple"), ["./src/trees/Apple", "./src/trees"]),
        ("src/a/mod.rs", "rust", RawImport("super::cellar"), ["./src/cellar"]),
        ("src/a.rs", "rust", RawImport("inner", "module"), ["./src/a/inner"]),
        ("src/lib.rs", "rust", RawImport("inner", "module"), ["./src/inner"]),
        (
            "src/a.rs",
            "rust",
            RawImport("crate::{trees::{self, Apple}, cellar as deep}"),
            ["./src/trees/self", "./src/trees", "./src/trees/Apple", "./src/cellar"],
        ),
        ("A.java", "java", RawImport("org.orchard.Tree"), ["org/orchard/Tree"]),
        ("A.java", "java", RawImport("org.orchard.Tree.grow"), ["org/orchard/Tree/grow", "org/orchard/Tree"]),
        ("src/a.c", "c", RawImport("orchard/tree.h"), ["orchard/tree.h"]),
        ("src/a.c", "c", RawImport("../tree.h"), ["./tree.h"]),
        ("src/a.c", "c", RawImport("<stdio.h>", "system"), []),
        ("src/a.c", "c", RawImport("<orchard/tree.h>", "system"), ["orchard/tree.h"]),
        ("A.cs", "csharp", RawImport("Orchard.Trees"), ["Orchard/Trees"]),
        ("lib/a.rb", "ruby", RawImport("../tree", "relative"), ["./tree"]),
        ("lib/a.rb", "ruby", RawImport("orchard/tree"), ["orchard/tree"]),
        (
            "a.php",
            "php",
            RawImport(r"Orchard\Trees", "", ("Apple", "Pear")),
            ["Orchard/Trees/Apple", "Orchard/Trees/Pear"],
        ),
        ("web/a.php", "php", RawImport("/tree.php", "file"), ["./web/tree.php"]),
        ("Makefile", "make", RawImport("tools/common.mk", "file"), ["./tools/common.mk"]),
    ],
)
def test_an_import_becomes_paths(path: str, language: str, item: RawImport, expected: list[str]) -> None:
    assert targets(path, language, [item]) == expected


@pytest.mark.parametrize(
    ("target", "importer", "path", "language"),
    [
        ("orchard/trees", "main.py", "src/orchard/trees.py", "python"),
        ("orchard/trees", "main.py", "orchard/trees/__init__.py", "python"),
        ("./a/trees", "a/b.py", "a/trees.py", "python"),
        ("tools", "a/b.py", "a/tools.py", "python"),
        ("tools", "a/b.py", "src/tools.py", "python"),
        ("./web/tree", "web/a.js", "web/tree/index.tsx", "tsx"),
        ("./web/tree.service", "web/a.ts", "web/tree.service.ts", "typescript"),
        ("./web/icon.svg", "web/a.ts", "web/icon.svg", None),
        ("example.org/orchard/trees", "main.go", "trees/apple.go", "go"),
        ("./src/trees", "src/a.rs", "src/trees/mod.rs", "rust"),
        ("org/orchard/Tree", "A.java", "core/src/main/java/org/orchard/Tree.java", "java"),
        ("orchard/tree.h", "src/a.c", "include/orchard/tree.h", "c"),
        ("App/Models/User", "a.php", "src/Models/User.php", "php"),
    ],
)
def test_a_target_means_a_file(target: str, importer: str, path: str, language: str | None) -> None:
    assert is_meant(target, importer, module_of(path, language), path, language)


@pytest.mark.parametrize(
    ("target", "importer", "path", "language"),
    [
        ("json", "main.py", "vendor/deep/json.py", "python"),
        ("orchard/trees", "main.py", "orchard/my_trees.py", "python"),
        ("fmt", "main.go", "log/fmt/print.go", "go"),
        ("orchard/tree.h", "src/a.c", "orchard/tree.c", "c"),
        ("./a/trees", "a/b.py", "b/a/trees.py", "python"),
        ("./a/b", "a/b.py", "a/b.py", "python"),
    ],
)
def test_a_target_does_not_mean_what_merely_looks_like_it(
    target: str, importer: str, path: str, language: str | None
) -> None:
    assert not is_meant(target, importer, module_of(path, language), path, language)


def test_of_several_files_the_nearest_is_meant() -> None:
    assert nearest("apps/shop/main.ts", ["apps/blog/util.ts", "apps/shop/lib/util.ts"]) == ["apps/shop/lib/util.ts"]


def test_unbalanced_braces_end() -> None:
    assert targets("src/a.rs", "rust", [RawImport("crate::{a::{b, c")]) == []
