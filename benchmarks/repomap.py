"""How fast a repository is mapped and asked: `python -m benchmarks.repomap [--files 30000] [--seed 1] [--keep FOLDER]`.

A repository is generated from the seed, in twelve languages and with sizes as they occur: most files are short, a few
very long. Its functions have bodies, comments and imports of each other, so that parsers and indexes have real work.
Every figure is of whole processes, and what they answer is checked against what was generated.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.store import Run, aicx, measure_isolated

# Paragraphs of words read better than columns of strings.
_VERBS = """
    add apply build check close copy count drop fetch find flush format load make merge move open parse read render
    reset resolve save scan send sort split start stop store sync trim update validate wait write
    """.split()  # noqa: SIM905
_NOUNS = """
    account address batch branch buffer cache chunk client column config cursor device event field file filter frame
    graph handler header index invoice job key label ledger limit line lock message node order packet page parser path
    payment pool price query queue record region request result route row schema server session shard signal socket
    source state stream symbol table task thread timer token tree user value
    """.split()  # noqa: SIM905
_ADJECTIVES = """
    active broken cached closed daily deep empty final first fresh hidden idle inner last late local merged nested next
    old open outer pending primary raw ready remote safe shared stale total valid
    """.split()  # noqa: SIM905
# What a repository of this size is made of: three files in four are read by a parser, the others count by their names.
_SHARES = {
    ".py": 22, ".ts": 12, ".js": 8, ".tsx": 5, ".go": 7, ".java": 6, ".rs": 4, ".cpp": 3, ".h": 3, ".c": 2, ".cs": 2,
    ".rb": 1, ".php": 1, ".md": 4, ".json": 7, ".yaml": 5, ".css": 3, ".txt": 3, ".png": 2,
}  # fmt: skip
_FOLDERS = 2500
# The largest file a person keeps; some reach it.
_MAX_DEFINITIONS = 400
# A definition planted once, to be asked for.
_PLANTED = "reconcile_quarterly_turnips"
_QUESTIONS = (
    _PLANTED,
    "flush the stale invoice queue",
    "read file",  # as common as words can be
    "parse and validate the pending payment record of a remote client before the daily ledger is closed",
)


class Words:
    """Names and sentences, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def snake(self) -> str:
        pick = self.random.choice
        return f"{pick(_VERBS)}_{pick(_ADJECTIVES)}_{pick(_NOUNS)}"

    def camel(self) -> str:
        first, *rest = self.snake().split("_")
        return first + "".join(word.title() for word in rest)

    def pascal(self) -> str:
        pick = self.random.choice
        return f"{pick(_ADJECTIVES).title()}{pick(_NOUNS).title()}{pick(_NOUNS).title()}"

    def sentence(self) -> str:
        pick = self.random.choice
        what = f"{pick(_ADJECTIVES)} {pick(_NOUNS)} of each {pick(_NOUNS)}"
        return f"{pick(_VERBS).title()}s the {what} before the {pick(_NOUNS)}."

    def noun(self) -> str:
        return self.random.choice(_NOUNS)


Write = Callable[[Words], str]


@dataclass(frozen=True, slots=True)
class Language:
    """How files of a language are made up: imports, a head, and definitions with statements and comments in them."""

    head: Write
    imports: Callable[[str], str]
    opening: Write
    statement: Write
    close: str = "}"
    top: str = ""  # of the file, and its end
    end: str = ""
    comment: str = "//"
    indent: str = "    "

    def write(self, words: Words, modules: list[str], count: int) -> str:
        """A file that imports some modules and defines so many functions."""
        lines = [self.top, *map(self.imports, modules), self.head(words)]
        for _ in range(count):
            lines += ["", f"{self.comment} {words.sentence()}", self.opening(words)]
            for number in range(words.random.randint(3, 18)):
                if number % 5 == 4:
                    lines.append(f"{self.indent}{self.comment} {words.sentence()}")
                lines.append(self.indent + self.statement(words))
            lines.append(self.close)
        return "\n".join([*lines, self.end]) + "\n"


def _script(note: str, more: str = "") -> Language:
    return Language(
        lambda words: more.format(words.pascal(), words.noun()),
        lambda module: f"import {{ {module.rpartition('/')[2]} }} from '@/{module}';",
        lambda words: f"export const {words.camel()} = async ({words.noun()}{note}) => {{",
        lambda words: f"const {words.camel()} = {words.noun()}.map((item) => item.{words.camel()}).filter(Boolean);",
        close="};",
    )


def _c(suffix: str) -> Language:
    return Language(
        lambda words: f"#define {words.snake().upper()} 1",
        lambda module: f'#include "{module}.h"',
        lambda words: f"static int {words.snake()}(int {words.noun()}, const char *{words.noun()}){suffix}\n{{",
        lambda words: f"int {words.snake()} = {words.snake()}({words.noun()}, {words.noun()} + 1);",
    )


def _class(top: str, imports: Callable[[str], str], opening: Write) -> Language:
    """Methods of a class, as Java, C# and PHP have them."""
    return Language(
        lambda words: f"class {words.pascal()} {{",
        imports,
        opening,
        lambda words: f"this.{words.camel()}({words.noun()}.{words.camel()}(), {words.random.randrange(100)});",
        close="    }",
        top=top,
        end="}",
        indent="        ",
    )


_LANGUAGES = {
    ".py": Language(
        lambda words: f'import os\n\n\nclass {words.pascal()}:\n    """{words.sentence()}"""',
        lambda module: f"from {module.replace('/', '.')} import load",
        lambda words: f'    def {words.snake()}(self, {words.noun()}: int) -> None:\n        """{words.sentence()}"""',
        lambda words: (
            f"{words.snake()} = self.{words.snake()}({words.noun()}, {words.noun()}=[{words.random.randrange(9)}])"
        ),
        close="",
        comment="    #",
        indent="        ",
    ),
    ".js": _script(""),
    ".ts": _script(": number", "export interface {0} {{\n  {1}: string;\n}}"),
    ".tsx": _script(": number", "export const {0} = () => <section className='{1}'>{1}</section>;"),
    ".go": Language(
        lambda words: f"type {words.pascal()} struct {{\n\t{words.noun()} int\n}}",
        lambda module: f'import "example.org/estate/{module.rpartition("/")[0]}"',
        lambda words: f"func (s *{words.pascal()}) {words.pascal()}({words.noun()} int) error {{",
        lambda words: (
            f"{words.camel()} := {words.noun()}.{words.pascal()}({words.random.randrange(100)}, {words.noun()})"
        ),
        top="package estate\n",
        indent="\t",
    ),
    ".java": _class(
        "package estate;",
        lambda module: f"import estate.{module.replace('/', '.')};",
        lambda words: f"    public void {words.camel()}(int {words.noun()}) {{",
    ),
    ".cs": _class(
        "namespace Estate;",
        lambda module: f"using Estate.{module.rpartition('/')[2].title()};",
        lambda words: f"    public void {words.pascal()}(int {words.noun()}) {{",
    ),
    ".php": _class(
        "<?php",
        lambda module: f"require_once '{module}.php';",
        lambda words: f"    public function {words.camel()}(int ${words.noun()}) {{",
    ),
    ".rs": Language(
        lambda words: f"pub struct {words.pascal()} {{\n    {words.noun()}: usize,\n}}",
        lambda module: f"use crate::{module.replace('/', '::')};",
        lambda words: f"pub fn {words.snake()}({words.noun()}: usize) -> usize {{",
        lambda words: f"let {words.snake()} = {words.noun()}.{words.snake()}({words.random.randrange(100)});",
    ),
    ".c": _c(""),
    ".h": _c(""),
    ".cpp": _c(" noexcept"),
    ".rb": Language(
        lambda words: f"class {words.pascal()}",
        lambda module: f"require '{module}'",
        lambda words: f"  def {words.snake()}({words.noun()})",
        lambda words: (
            f"{words.snake()} = {words.noun()}.{words.snake()} {{ |item| item[{words.random.randrange(100)}] }}"
        ),
        close="  end",
        end="end",
        comment="  #",
    ),
}


def _text(suffix: str, words: Words, modules: list[str], count: int) -> str:
    """A file with so many definitions, headings or settings."""
    if suffix in _LANGUAGES:
        return _LANGUAGES[suffix].write(words, modules, count)
    if suffix == ".md":
        return "\n\n".join(f"## {words.sentence()}\n\n{words.sentence()}" for _ in range(count))
    return "\n".join(f'"{words.snake()}": {words.random.randrange(1000)},' for _ in range(count * 4))


@dataclass(frozen=True, slots=True)
class Generated:
    """A repository, how large it is, and the file that holds the planted definition."""

    root: Path
    files: int
    size: int
    planted: str


def generate(root: Path, files: int, seed: int) -> Generated:
    """Writes a repository of so many files and adds them to git. The same seed gives the same bytes."""
    words = Words(seed)
    suffixes = words.random.choices(list(_SHARES), list(_SHARES.values()), k=files)
    folders = [_folder(words) for _ in range(max(1, min(_FOLDERS, files // 10)))]
    names = [f"{words.random.choice(folders)}/{words.snake()}_{number}" for number in range(files)]
    planted = ""
    size = 0
    for name, suffix in zip(names, suffixes, strict=True):
        count = max(1, min(_MAX_DEFINITIONS, round(words.random.lognormvariate(1.9, 0.9))))
        body = _text(suffix, words, words.random.sample(names, min(len(names), words.random.randint(0, 8))), count)
        if suffix == ".py" and not planted:
            planted = name + suffix
            body += f"\n\ndef {_PLANTED}() -> None:\n    pass\n"
        data = b"\x89PNG\0" + body.encode() if suffix == ".png" else body.encode()
        place = root / f"{name}{suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        size += len(data)
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    return Generated(root, files, size, planted)


def _folder(words: Words) -> str:
    top = words.random.choice(("src", "src", "lib", "services", "packages", "tests"))
    return "/".join([top, *(words.noun() for _ in range(words.random.randint(1, 4)))])


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, stdout=subprocess.DEVNULL)


def _map(environment: dict[str, str], root: Path, *arguments: str) -> tuple[Run, dict[str, object]]:
    run = measure_isolated([*aicx("map", *arguments), "--repo", str(root), "--json"], environment)
    return run, json.loads(run.output)


def figures(generated: Generated, home: Path, runs: int) -> None:
    """Measures and prints. Fails when an answer is not what was generated."""
    environment = {**os.environ, "AICX_HOME": str(home)}
    root = generated.root
    print(f"{generated.files:,} files, {generated.size / 1e6:.0f} MB, {os.cpu_count()} cores")
    bare = _median(lambda: measure_isolated([sys.executable, "-c", "pass"], environment), runs)
    _print("bare python -c pass", bare)
    built, facts = _map(environment, root, "refresh")
    _print("first build", built, f"{built.memory:.0f} MB in the largest process")
    print(f"  {facts['files_indexed']:,} files with {facts['symbols_indexed']:,} symbols; skipped {facts['skipped']}")
    stored = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    print(f"  stored in {stored / 1e6:.0f} MB")
    assert facts["files_discovered"] == generated.files, facts
    _map(environment, root, "refresh")  # reads once more what was written too shortly before the build
    _print("refresh, nothing changed", _median(lambda: _map(environment, root, "refresh")[0], runs))
    _print("refresh, one file changed", _median(lambda: _changed(environment, generated), runs))
    _print("status", _median(lambda: _map(environment, root, "status")[0], runs))
    for question in _QUESTIONS:
        run = _median(functools.partial(_asked, environment, generated, question), runs)
        _print("query, cold process", run, f"{run.wall / bare.wall:.1f} x bare   {question}")


def _print(what: str, run: Run, more: str = "") -> None:
    """Wall time, and processor time as what survives a busy machine."""
    print(f"{what:<28}{run.wall:8.3f} s  {run.cpu:8.3f} s of CPU   {more}".rstrip(), flush=True)


def _changed(environment: dict[str, str], generated: Generated) -> Run:
    """Adds a definition to a file, and refreshes."""
    with (generated.root / generated.planted).open("a") as file:
        file.write("\n\ndef dig_up_turnips() -> None:\n    pass\n")
    run, facts = _map(environment, generated.root, "refresh")
    assert facts["parsed"] == 1, facts
    return run


def _asked(environment: dict[str, str], generated: Generated, question: str) -> Run:
    run, answer = _map(environment, generated.root, "query", question)
    items = answer["items"]
    assert isinstance(items, list)
    assert items, question
    assert question != _PLANTED or items[0]["path"] == generated.planted, items[0]
    return run


def _median(once: Callable[[], Run], runs: int) -> Run:
    """The run with the median wall time."""
    return sorted((once() for _ in range(runs)), key=lambda run: run.wall)[runs // 2]


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--keep", type=Path, help="an empty folder to leave the repository and its map in")
    arguments = parser.parse_args()
    with _place(arguments.keep) as folder:
        figures(generate(folder / "repository", arguments.files, arguments.seed), folder / "home", arguments.runs)


if __name__ == "__main__":
    main()
