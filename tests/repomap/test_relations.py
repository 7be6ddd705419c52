"""Files that belong together, through real maps."""

from __future__ import annotations

import pytest

from tests.repomap.builders import Repo

pytestmark = [pytest.mark.needs("code"), pytest.mark.slow]

# Language -> files, of which the first imports the second, and the third shares its name and is not meant.
ESTATES = {
    "python": {
        "shop/till.py": "from orchard import trees\n",
        "orchard/trees.py": "def grow(): ...\n",
        "old/deep/trees.py": "def grow(): ...\n",
    },
    "typescript": {
        "web/till.ts": "import { grow } from '../orchard/trees';\n",
        "orchard/trees/index.ts": "export function grow() {}\n",
        "old/trees.ts": "export function grow() {}\n",
    },
    "go": {
        "cmd/till.go": 'package main\n\nimport "example.org/estate/orchard/trees"\n',
        "orchard/trees/apple.go": "package trees\n\nfunc Grow() {}\n",
        "old/trees/apple.go": "package trees\n\nfunc Grow() {}\n",
    },
    "rust": {
        "src/till.rs": "use crate::orchard::trees::grow;\n",
        "src/orchard/trees.rs": "pub fn grow() {}\n",
        "old/trees.rs": "pub fn grow() {}\n",
    },
    "java": {
        "src/org/shop/Till.java": "package org.shop;\nimport org.orchard.Tree;\nclass Till {}\n",
        "src/org/orchard/Tree.java": "package org.orchard;\npublic class Tree {}\n",
        "src/org/old/Tree.java": "package org.old;\npublic class Tree {}\n",
    },
    "c": {
        "src/till.c": '#include "orchard/tree.h"\n',
        "include/orchard/tree.h": "int grow(int by);\n",
        "include/old/tree.h": "int grow(int by);\n",
    },
    "csharp": {
        "Till.cs": "using Orchard.Trees;\nclass Till {}\n",
        "lib/Apple.cs": "namespace Orchard.Trees;\npublic class Apple {}\n",
        "old/Apple.cs": "namespace Old.Trees;\npublic class Apple {}\n",
    },
    "ruby": {
        "bin/till.rb": "require_relative '../lib/tree'\n",
        "lib/tree.rb": "class Tree\nend\n",
        "old/tree.rb": "class Tree\nend\n",
    },
    "php": {
        "web/till.php": "<?php\nuse App\\Models\\Tree;\n",
        "src/Models/Tree.php": "<?php\nnamespace App\\Models;\nclass Tree {}\n",
        "src/Old/Tree.php": "<?php\nnamespace App\\Old;\nclass Tree {}\n",
    },
}


@pytest.mark.parametrize("language", ESTATES)
def test_imported_files_are_related_to_the_importer(language, new_repo):
    importer, imported, _ = ESTATES[language]
    repo: Repo = new_repo(ESTATES[language])
    repo.refresh()
    assert [(item.path, item.how) for item in repo.map.related([importer])] == [(imported, "imported by")]


@pytest.mark.parametrize("language", ESTATES)
def test_importers_of_a_file_are_related_to_it(language, new_repo):
    importer, imported, other = ESTATES[language]
    repo: Repo = new_repo(ESTATES[language])
    repo.refresh()
    assert [(item.path, item.how) for item in repo.map.related([imported])] == [(importer, "imports")]
    assert repo.map.related([other]) == []


def test_those_with_most_ties_come_first(new_repo):
    repo: Repo = new_repo(
        {
            "pot.py": "",
            "jam.py": "",
            "aaa.py": "import pot\n",
            "kitchen.py": "import pot\nimport jam\n",
            "tests/test_pot.py": "import pot\nimport jam\n",
        }
    )
    repo.refresh()
    related = repo.map.related(["pot.py", "jam.py"])
    assert [item.path for item in related] == ["kitchen.py", "tests/test_pot.py", "aaa.py"]
    assert related[0].of == ("jam.py", "pot.py")


def test_without_a_map_nothing_is_related(new_repo):
    assert new_repo(ESTATES["python"]).map.related(["shop/till.py"]) == []


def test_a_file_that_is_gone_is_not_related(new_repo):
    repo: Repo = new_repo(ESTATES["python"])
    repo.refresh()
    (repo.root / "shop/till.py").unlink()
    assert repo.map.related(["orchard/trees.py"]) == []
