"""Guards of the project itself: what it weighs, what it ships, how it is layered, and that its docs are true."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from zipfile import ZipFile

import pytest

import aicx
from aicx.cli import run
from aicx.commands import COMMANDS, index
from aicx.commands.groups import Group
from aicx.corpus.catalog import Catalog
from aicx.demo import FAKE_TOKEN, Demo
from aicx.engine.embedder_choice import Choice
from aicx.engine.index_answer import IndexGain, WordIndex
from aicx.engine.vector_state import VectorState
from docs import generate_commands
from indexer.vector_table import TableStatus
from indexer.vectors import Synced
from tests.conftest import GUARDED, RealHomeError
from tests.parts import require
from tests.sampling import sample

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# What a cold command must never pay for.
HEAVY = (
    *("torch", "lancedb", "numpy", "pyarrow", "polars", "rich", "pathspec", "tantivy", "rank_bm25", "Stemmer"),
    *("fastapi", "pydantic", "uvicorn"),
)
HUNDREDS_OF_MEGABYTES = {
    "lancedb",
    "onnxruntime",
    "polars",
    "pyarrow",
    "sentence-transformers",
    "torch",
    "transformers",
}
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def run_python(*arguments: str, cwd: Path = ROOT, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env={**os.environ, **environ}, capture_output=True, text=True, timeout=60
    )


def modules_after(code: str) -> set[str]:
    """The top-level names in ``sys.modules`` of a new Python that ran ``code``."""
    done = run_python("-P", "-c", f"{code}\nimport sys\nprint('loaded:', *sys.modules, file=sys.stderr)")
    assert done.returncode == 0, done.stderr
    return set(done.stderr.rpartition("loaded:")[2].split())


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo's home with its logs stored."""
    demo = Demo(tmp_path_factory.mktemp("stored") / "home")
    demo.set_up()
    next(demo.steps())
    return demo


# Commands -----------------------------------------------------------------------------------------------------------


def test_command_has_help_that_begins_with_a_sentence() -> None:
    for text in [text for place in COMMANDS.values() for text in help_texts(place)]:
        first = " ".join(cleandoc(text).partition("\n\n")[0].split())
        assert re.fullmatch(r"[A-Z].{15,}\.", first), first


def help_texts(place: str) -> Iterator[str]:
    """The help of a row of the table, and of every command of a group."""
    name, _, function = place.partition(":")
    module = import_module(name)
    found = getattr(module, function or "command")
    if isinstance(found, Group):
        yield found.help
        for row in found.commands.values():
            yield from help_texts(row)
    else:
        yield found.__doc__


def test_command_page_is_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_commands.main(["--check"]) == 0, capsys.readouterr().err


def test_command_page_that_is_out_of_date_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_commands, "DOCS", tmp_path)
    (tmp_path / "commands.md").write_text("# Commands\n")
    assert generate_commands.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().err


# Weight -------------------------------------------------------------------------------------------------------------


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    assert not modules_after("import aicx.cli") & set(HEAVY)


def test_a_cold_steer_loads_nothing_heavy(stored: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    loaded = modules_after("from aicx.cli import run\nassert run(['steer', '-p', 'pier-api']) == 0")
    assert "aicx.corpus.catalog.query" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("words", [["next"], ["prepare", "--dry-run"]], ids=lambda words: words[0])
def test_text_loads_no_classes_of_json_answers(
    stored: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    loaded = modules_after(f"from aicx.cli import run\nassert run({[*words, '--repo', str(tmp_path)]}) == 0")
    assert not loaded & {"aicx.work.answers", "aicx.lifecycle.answers", "aicx.resume.brief.answer"}


def test_a_question_by_words_loads_nothing_of_git_logs_and_json_answers(
    stored: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    (stored.home / ".aicx" / "work" / "pier-api-0" / "attempts").mkdir(parents=True, exist_ok=True)
    question = ["search", "-m", "lexical", "--everywhere", "how were lost acknowledgements handled"]
    loaded = modules_after(f"from aicx.cli import run\nassert run({question}) == 0")
    assert "retrieval.lexical" in loaded
    needless = {
        "aicx.engine.search_answer",
        "aicx.git.history",
        "aicx.git.named",
        "aicx.git.printed",
        "aicx.sources.items",
    }
    needless |= {"aicx.work.left", "aicx.corpus.files.tombstones", "retrieval.late", "statistics"}
    assert not loaded & needless


@pytest.mark.parametrize(
    ("words", "most"),
    [(["steer"], 39), (["search", "-m", "lexical", "lost"], 67), (["resume", "-p", "pier-api", "--json"], 103)],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_a_short_command_loads_few_modules_of_ours(
    stored: Demo, monkeypatch: pytest.MonkeyPatch, words: list[str], most: int
) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    loaded = modules_after(f"from aicx.cli import run\nassert run({words}) == 0")
    assert len([name for name in loaded if name.partition(".")[0] in {"aicx", "indexer", "retrieval"}]) <= most


def test_a_short_command_is_over_before_garbage_is_looked_for(stored: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    code = """
        import gc, sys
        from aicx.__main__ import main
        begun = []
        gc.callbacks.append(lambda phase, info: begun.append(info))
        sys.argv = ["aicx", "steer"]
        try:
            main()
        finally:
            assert gc.get_freeze_count() > 0
            assert not begun, begun
    """
    done = run_python("-P", "-c", cleandoc(code))
    assert (done.returncode, "AssertionError" in done.stderr) == (0, False), done.stderr


def test_base_install_is_light() -> None:
    names = {re.match(r"[\w-]+", line)[0].lower() for line in PYPROJECT["project"]["dependencies"]}  # type: ignore[index]
    assert "typer" in names
    assert not names & HUNDREDS_OF_MEGABYTES


# Layers and packaging -----------------------------------------------------------------------------------------------


@pytest.mark.needs("test")
def test_imports_point_down() -> None:
    done = run_python("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-logo")
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require("test")
    folder = tmp_path_factory.mktemp("wheel")
    done = run_python("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    assert done.returncode == 0, done.stderr
    [built] = folder.glob("*.whl")
    return built


def test_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert tops == {"aicx", "indexer", "retrieval", f"aicx_py-{aicx.__version__}.dist-info"}


def test_wheel_holds_every_data_file(wheel: Path) -> None:
    wanted = {
        str(path.relative_to(ROOT))
        for package in ("aicx", "indexer", "retrieval")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == wanted


def test_wheel_runs_where_nothing_else_is(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = """
        import aicx, pathlib
        from aicx.demo import Demo
        demo = Demo(pathlib.Path("home"))
        demo.set_up()
        print(aicx.__file__, next(demo.steps()))
    """
    done = run_python("-P", "-c", cleandoc(code), cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))
    assert "exit_code=0" in done.stdout


@pytest.fixture
def decoys(tmp_path: Path) -> Path:
    """A project of somebody who happens to have packages named like ours."""
    for name in ("indexer", "retrieval"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the decoy was imported')\n")
    return tmp_path


_THEN_IMPORT = "import indexer, retrieval; print(indexer.__file__, retrieval.__file__)"
_VERSION_THEN_IMPORT = f"""
import runpy, sys
sys.argv = [{{script!r}}, "--version"]
try:
    {{run}}
except SystemExit as end:
    assert not end.code, end
{_THEN_IMPORT}
"""


@pytest.mark.parametrize("pythonpath", ["", "."])
def test_module_run_beside_decoys_imports_our_own(decoys: Path, pythonpath: str) -> None:
    code = _VERSION_THEN_IMPORT.format(script="aicx", run="runpy.run_module('aicx', run_name='__main__')")
    done = run_python("-c", code, cwd=decoys, PYTHONPATH=pythonpath)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"aicx {aicx.__version__}"
    assert str(decoys) not in done.stdout


def test_script_run_beside_decoys_imports_our_own(decoys: Path) -> None:
    script = str(Path(sys.executable).parent / "aicx")
    code = _VERSION_THEN_IMPORT.format(script=script, run="runpy.run_path(sys.argv[0], run_name='__main__')")
    done = run_python("-c", code, cwd=decoys, PYTHONPATH=".")
    assert done.returncode == 0, done.stderr
    assert str(decoys) not in done.stdout


def test_decoys_are_imported_where_nothing_prevents_it(decoys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)  # which aicx sets for what it starts
    assert "the decoy was imported" in run_python("-c", _THEN_IMPORT, cwd=decoys).stderr


# Docs are true --------------------------------------------------------------------------------------------------------


def words_in(page: str, heading: str = "") -> set[str]:
    """Everything in backticks on a page, or in the section whose heading holds ``heading``."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    if heading:
        [text] = [part for part in text.split("\n## ") if heading in part.partition("\n")[0]]
    return set(re.findall(r"`([^`\n]+)`", text))


def test_every_sidecar_field_is_documented(stored: Demo) -> None:
    sidecars = [json.loads(path.read_bytes()) for path in (stored.home / ".aicx").rglob("*.meta.json")]
    assert len(sidecars) > 5
    messages = [message for fields in sidecars for message in fields["messages"]]
    assert {name for fields in (*sidecars, *messages) for name in fields} <= words_in("on-disk-format.md")


def test_every_table_of_the_catalogue_is_documented() -> None:
    catalog = Catalog.in_memory()
    tables = {row["name"] for row in catalog.rows("SELECT name FROM sqlite_master WHERE type='table'")}
    catalog.close()
    assert tables <= words_in("on-disk-format.md", "catalog.sqlite")


_DEPLOY = "codex:019bdb7e-4c10-7f31-a2d4-6f0b8e915c27"


ASKED = [
    "store --full-rescan",
    "store --emit json --full-rescan",
    "steer",
    "sessions",
    f"show {_DEPLOY}:001",
    f"show {_DEPLOY}",
    "show file:timetable.py",
    "search departure",
    "search pier_reader --mode scan --group session",
    "rank -p pier-api -H 0",
    "index status",
    "resume --project pier-api --task timetable",
    "resume --project pier-api",
    "why timetable.py --repo /",
    "map status --repo .",
    "map query timetable --repo .",
    "reports .",
    "refs",
    "list",
    "state",
    "doctor",
    f"extract --session {_DEPLOY[6:]}",
    f"extract --session {_DEPLOY[6:]} --conversation",
    f"forget --session {_DEPLOY[6:]} --dry-run",
    "steer --since never",
]


@pytest.mark.parametrize("arguments", sample(ASKED, 10, "documented"))
def test_every_field_of_json_output_is_documented(
    arguments: str, stored: Demo, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("HOME", str(stored.home))
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    run([*arguments.split(), "--json"])
    answer = json.loads(capsysbinary.readouterr().out)
    assert set(answer) - {"schema"} <= words_in("json.md", f"`{answer['schema']}`")


def test_every_field_of_a_session_is_documented(
    stored: Demo, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    assert run(["sessions", "--json"]) == 0
    items = json.loads(capsysbinary.readouterr().out)["items"]
    assert items
    assert {name for item in items for name in item} <= words_in("json.md", "`aicx.sessions/1`")


@pytest.mark.parametrize("arguments", ["search departure", "rank -p pier-api -H 0"])
def test_every_field_of_an_answer_is_documented(
    arguments: str, stored: Demo, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("AICX_HOME", str(stored.home / ".aicx"))
    assert run([*arguments.split(), "--json"]) == 0
    answer = json.loads(capsysbinary.readouterr().out)
    documented = words_in("json.md", f"`{answer['schema']}`")
    assert answer["items"]
    assert {name for item in answer["items"] for name in item} <= documented
    assert set(answer["oracle_status"]) <= words_in("json.md", "`aicx.steer/1`") | documented


@pytest.mark.parametrize("action", ["build", "status", "drop"])
def test_every_field_of_index_is_documented(
    action: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    # What the engine does needs optional parts; what the command makes of its answers does not.
    table = TableStatus(1, {}, "model", "fingerprint", "chunker", 2, ())
    monkeypatch.setattr(index, "made_with", lambda _: Choice())
    monkeypatch.setattr(index, "build_vectors", lambda *_, **__: Synced(1, 0, 0, 0, 1, 0.5))
    monkeypatch.setattr("aicx.bench.gain.measure_gain", lambda _: IndexGain(0))
    monkeypatch.setattr(index, "vector_state", lambda _: VectorState(Choice(), str(home), table, 0))
    monkeypatch.setattr(index, "lexical_state", lambda _: WordIndex(True, 0, 1))
    monkeypatch.setattr(index, "drop_vectors", lambda *_: None)
    assert run(["index", action, "--json"]) == 0
    answer = json.loads(capsysbinary.readouterr().out)
    assert set(answer) - {"schema"} <= words_in("json.md", f"`{answer['schema']}`")


def test_every_setting_is_documented(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    settings = Path(os.environ["AICX_HOME"], "config.toml")
    settings.parent.mkdir(parents=True)
    settings.write_text("no_such_setting = 1\n")
    run(["refs", "--json"])
    known = json.loads(capsysbinary.readouterr().out)["hint"].removeprefix("known: ").split(", ")
    assert "redact_secrets" in known
    assert set(known) <= words_in("on-disk-format.md", "config.toml")


# What the repository says -------------------------------------------------------------------------------------------


def test_no_file_of_the_demo_holds_its_key() -> None:
    files = [path for path in (ROOT / "aicx" / "data" / "demo").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if FAKE_TOKEN[4:].encode() in path.read_bytes()]
    assert any(b"{{FAKE_GITHUB_TOKEN}}" in path.read_bytes() for path in files)


README = (ROOT / "README.md").read_text("utf-8")
FENCES = re.findall(r"(?ms)^```console\n(.*?)^```$", README)


def test_readme_begins_with_an_answer_of_search_and_one_of_why_then_two_commands() -> None:
    answers, commands = FENCES[:2]
    assert re.findall(r"^\$ aicx (\w+)", answers, re.MULTILINE) == ["search", "why"]
    assert commands.splitlines() == ["$ make demo", "$ make test"]
    assert README.index(commands) < 2500  # on the first screen


def test_readme_names_make_in_no_other_command() -> None:
    assert re.findall(r"^\$ make .*", README, re.MULTILINE) == ["$ make demo", "$ make test"]


def test_readme_is_short_and_installs_what_it_shows() -> None:
    assert len(README.encode()) < 7000
    assert "<this repository>" not in README
    [install] = re.findall(r"^\$ pipx install '\.\[([\w,]+)\]'", README, re.MULTILINE)
    extras = install.split(",")
    assert "semantic" in extras
    assert set(extras) <= set(PYPROJECT["project"]["optional-dependencies"])


@pytest.mark.parametrize(
    "library", ["tantivy", "rank-bm25", "LanceDB", "sentence-transformers", "polars", "pyarrow", "tree-sitter"]
)
def test_readme_says_in_one_paragraph_what_a_library_does(library: str) -> None:
    [paragraph] = [part for part in README.split("\n\n") if "tantivy" in part]
    assert library in paragraph
    assert all((ROOT / path).exists() for path in re.findall(r"`((?:retrieval|indexer|aicx)/[\w./]*)`", paragraph))


def test_links_of_a_page_lead_somewhere() -> None:
    for page in PAGES:
        links = re.findall(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"", page.read_text("utf-8"))
        local = [link for pair in links for link in pair if link and "://" not in link]
        assert not [link for link in local if not (page.parent / link).exists()], page


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    pages = {path.name for path in (ROOT / "docs" / "decisions").glob("*.md")} - {"README.md"}
    assert pages
    assert not [name for name in pages if f"({name})" not in index]


def test_changelog_knows_this_version() -> None:
    assert f"## {aicx.__version__}" in (ROOT / "docs" / "changelog.md").read_text("utf-8")


# The tests themselves -----------------------------------------------------------------------------------------------


def test_each_test_has_a_home_of_its_own(home: Path) -> None:
    assert Path.home() == home
    assert os.environ["AICX_HOME"].startswith(str(home))
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("folder", GUARDED)
def test_touching_the_real_home_is_an_error(folder: str) -> None:
    with pytest.raises(RealHomeError):
        Path(folder, "test").write_text("")
    with pytest.raises(RealHomeError):
        os.listdir(folder)
