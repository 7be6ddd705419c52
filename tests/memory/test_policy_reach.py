"""How far the memory policy reaches: other repositories, evidence, packs, names, and everything that shows memory."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.corpus.builders import SESSION, ClaudeLog
from tests.memory.builders import Place
from tests.memory.conftest import WORD
from tests.review.builders import Review

pytestmark = pytest.mark.slow

POLICY = ".aicx/memory-policy.toml"
EXCLUDED = f'exclude_patterns = ["{WORD}"]\n'
MALFORMED = "exclude_paths = [\n"
SLOW = "exclude_patterns = ['(.?){2000}=']\n"


SHOWING = [
    *("memory list", "memory list --everywhere", "memory get rule", "memory get live:claude:CLAUDE.md"),
    *("memory recall exports", "memory recall exports --with-evidence", "memory history rule", "memory stats"),
    *("memory put Exports", "memory edit rule --topic other", "memory accept rule --by Ada --yes"),
    *("memory reject rule", "memory hold rule", "memory release rule --by Ada --yes", "memory pin rule --by Ada --yes"),
    *("memory unpin rule", "memory archive rule", "memory restore rule", "memory delete rule --yes"),
    *("memory validate rule --result pass --by ci --method x", "memory sources", "memory candidates --repo ."),
    *("memory backfill --repo .", "memory backfill --repo . --import", "memory lint", "memory curate", "memory eval"),
    *(
        "search exports --scope memories",
        "review build",
        "review candidates",
        "review show rule",
        "continuity load",
        "continuity status",
    ),
    *("pack task", "pack family", f"sessions restore --session {SESSION}"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "json_"), [("repository", ()), ("home", ("--json",))])
def test_a_malformed_policy_stops_every_command_that_shows_memory(
    lived_in: Review, where: str, json_: tuple[str, ...]
) -> None:
    file = lived_in.home / "memory-policy.toml" if where == "home" else lived_in.write(POLICY, "")
    file.write_text(MALFORMED)
    files = lived_in.canonical()
    for line in SHOWING:
        code, out, err = lived_in.run(*line.split(), *json_)
        assert code == 9, line
        assert f"{file}, line 2: " in out + err, line
        assert WORD not in out + err, line
        assert json_ or out == "", line
        assert lived_in.canonical() == files, line


@pytest.mark.parametrize("rules", [MALFORMED, SLOW])
@pytest.mark.parametrize("line", ["resume", "resume --task exports", "prepare --task exports", "boot"])
def test_a_start_says_what_it_can_without_memory_under_a_policy_that_cannot_be_followed(
    lived_in: Review, line: str, rules: str, little_patience: None
) -> None:
    file = lived_in.write(POLICY, rules)
    code, out, err = lived_in.run(*line.split())
    assert code == 0, err
    assert f"without the memory: {file}" in out + err
    assert "## Now" in out or line == "boot"
    assert WORD not in out + err


def test_a_malformed_policy_shows_no_memory_of_a_stored_pack(lived_in: Review) -> None:
    digest = json.loads(lived_in.run("pack", "task", "--json")[1])["artifact"]
    assert WORD in lived_in.run("pack", "show", digest)[1]
    lived_in.write(POLICY, MALFORMED)
    code, out, _ = lived_in.run("pack", "show", digest)
    assert (code, out) == (9, "")


@pytest.mark.parametrize("rules", [EXCLUDED, 'exclude_sources = ["mem:*", "live:claude:*"]\n'])
def test_a_stored_pack_is_shown_without_what_a_policy_excludes_by_now(lived_in: Review, rules: str) -> None:
    digest = json.loads(lived_in.run("pack", "task", "--json")[1])["artifact"]
    lived_in.write(POLICY, rules)
    for options in ((), ("--json",)):
        code, out, err = lived_in.run("pack", "show", digest, *options)
        assert code == 0
        assert WORD not in out + err
    assert json.loads(out)["pack"]["memory"] == []
    assert "the memory policy excludes 1 statement of this pack" in json.loads(out)["pack"]["remarks"]


@pytest.mark.slow
@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_excluded_text_is_in_no_answer(lived_in: Review, json_: tuple[str, ...]) -> None:
    candidate = next(ref for ref, found in lived_in.assessed().items() if found.status == "candidate")
    lived_in.write(POLICY, EXCLUDED)
    shown = [line.replace("rule", "RULE") for line in SHOWING if "--import" not in line and "delete" not in line]
    ref = next(ref for ref, found in lived_in.assessed().items() if found.record.name == "rule")
    for line in (*shown, f"memory get {candidate}", f"memory history {candidate}", "doctor"):
        code, out, err = lived_in.run(*line.replace("RULE", ref).split(), *json_)
        assert code in (0, 2, 3) or line == "doctor", line  # a blocked record is in no review
        assert WORD not in out + err, line


@pytest.mark.slow
def test_the_target_of_a_link_outside_is_in_no_answer(lived_in: Review) -> None:
    (lived_in.folder / "outside.md").write_text("- Exports are sent to a zebra.\n")
    (lived_in.repo / "AGENTS.md").symlink_to(lived_in.folder / "outside.md")
    for line in SHOWING:
        _, out, err = lived_in.run(*line.split(), "--json")
        assert "zebra" not in out + err, line
    sources = {one["id"]: one["reason"] for one in lived_in("sources")["sources"]}
    assert sources["live:codex:AGENTS.md"] == "unsafe_symlink"


def test_a_name_that_says_what_is_excluded_is_not_shown(place: Place) -> None:
    ref = place.put("Exports are signed", "--name", WORD)
    place.write(POLICY, EXCLUDED)
    found = place("get", ref)
    assert (found["entry"]["status"], found["entry"]["name"], found["path"]) == ("policy_blocked", None, None)
    assert place("list", "--status", "policy_blocked")["entries"][0]["name"] is None


class TestWorktrees:
    def test_the_policy_of_the_main_working_folder_counts_in_a_worktree(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.write("a.py", "x = 1\n")
        place.commit()
        ref, other = place.put(f"Exports visit {WORD}"), place.put("Exports visit carp")
        place.git("worktree", "add", "-q", "-b", "beside", str(place.folder / "beside"))
        place.write(POLICY, EXCLUDED)  # which git does not track
        monkeypatch.chdir(place.folder / "beside")
        assert place.entry(ref)["status"] == "policy_blocked"
        assert place.entry(other)["status"] == "candidate"
        own = place.folder / "beside" / POLICY
        own.parent.mkdir()
        own.write_text('exclude_patterns = ["carp"]\n')
        assert {place.entry(one)["status"] for one in (ref, other)} == {"policy_blocked"}
        place.write(POLICY, MALFORMED)
        assert place.run("memory", "list")[:2] == (9, "")

    def test_a_worktree_whose_main_folder_is_gone_has_its_own_policy(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.write("a.py", "x = 1\n")
        place.commit()
        place.git("worktree", "add", "-q", "-b", "beside", str(place.folder / "beside"))
        monkeypatch.chdir(place.folder / "beside")
        place.repo.rename(place.folder / "moved")
        ref = place.put(f"Exports visit {WORD}")
        own = place.folder / "beside" / POLICY
        own.parent.mkdir()
        own.write_text(EXCLUDED)
        assert place.entry(ref)["status"] == "policy_blocked"


class TestOtherRepositories:
    @pytest.fixture
    def elsewhere(self, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Place, str]:
        """Outside the repository of a record."""
        ref = place.accepted(f"Exports visit {WORD}")
        (tmp_path / "other").mkdir()
        monkeypatch.chdir(tmp_path / "other")
        assert place.entry(ref)["statement"] is not None
        return place, ref

    def test_the_policy_of_a_records_own_repository_counts_wherever_it_is_read(
        self, elsewhere: tuple[Place, str]
    ) -> None:
        place, ref = elsewhere
        place.write(POLICY, EXCLUDED)
        entry = place.entry(ref)
        assert (entry["status"], entry["reasons"]) == ("policy_blocked", ["policy_pattern"])
        answer = place("recall", f"exports {WORD}", "--everywhere")
        assert [one["ref"] for one in answer["excluded"]] == [ref]
        assert place("list", "--everywhere")["suppressed"] == {"policy_blocked": 1}

    @pytest.mark.parametrize("rules", [MALFORMED, SLOW, "exclude_patterns = ['(a)\\1']\n"])
    def test_that_policy_hides_its_records_alone_where_it_cannot_be_followed(
        self, elsewhere: tuple[Place, str], rules: str, little_patience: None
    ) -> None:
        place, ref = elsewhere
        other = place.put("Imports run at night")
        place.write(POLICY, rules)
        assert place.entry(ref)["reasons"] == ["policy_unreadable"]
        answer = place("recall", "exports imports", "--everywhere")
        assert [one["ref"] for one in answer["excluded"]] == [ref]
        assert WORD not in place.run("memory", "list", "--everywhere")[1]
        assert place.entry(other)["statement"] == "Imports run at night"

    def test_its_folder_is_also_known_from_the_stored_sessions(self, elsewhere: tuple[Place, str]) -> None:
        place, ref = elsewhere
        place.write(POLICY, EXCLUDED)
        log = ClaudeLog(SESSION, str(place.repo)).prompt("Sign the exports", 0).answer("Done.", 5)
        file = place.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_bytes(log.body())
        place.settings.layout.memory_roots.unlink()
        assert place.entry(ref)["status"] == "accepted"
        assert place.run("store")[0] == 0
        assert place.entry(ref)["status"] == "policy_blocked"

    def test_a_session_in_a_bare_repository_stops_no_reading_of_its_records(self, elsewhere: tuple[Place, str]) -> None:
        place, ref = elsewhere
        log = ClaudeLog(SESSION, str(place.repo)).prompt("Sign the exports", 0).answer("Done.", 5)
        file = place.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_bytes(log.body())
        assert place.run("store")[0] == 0
        moved = place.repo.rename(place.folder / "moved")
        subprocess.run(["git", "clone", "-q", "--bare", str(moved), str(place.repo)], check=True)
        assert place.entry(ref)["status"] == "accepted"


class TestEvidence:
    def test_lines_that_a_policy_excludes_are_not_shown_as_evidence(self, place: Place) -> None:
        place.write("a.py", f"name = '{WORD}'\nlimit = 5\n")
        ref = place.put("The limit is five", "--anchor", "a.py", "--evidence", "file:a.py#L1-L2")
        assert WORD in place.run("memory", "get", ref)[1]
        place.write(POLICY, EXCLUDED)
        _, out, _ = place.run("memory", "get", ref)
        assert WORD not in out
        assert out.count("limit = 5") == out.count("(the memory policy excludes it)") == 2

    @pytest.mark.parametrize(
        "evidence",
        [
            *("file:secret/a.md", "file:secret/a.md#L1", "file:secret/a.md@0123456789ab#L1-L9"),
            "file:./secret/../secret/a.md",
            *("live:claude:secret/a.md#L3", "live:codex:AGENTS.md#L3"),
        ],
    )
    def test_a_record_that_rests_on_what_is_excluded_is_blocked(self, place: Place, evidence: str) -> None:
        ref = place.put("Exports are signed", "--evidence", evidence)
        place.write(POLICY, 'exclude_paths = ["secret/a.md"]\nexclude_sources = ["live:codex:AGENTS.md"]\n')
        assert place.entry(ref)["status"] == "policy_blocked"

    @pytest.mark.parametrize("path", ["/etc/hostname", "../outside.md", "linked/outside.md"])
    def test_files_outside_the_repository_are_not_shown_as_evidence(self, place: Place, path: str) -> None:
        (place.folder / "outside.md").write_text("zebra\n")
        (place.repo / "linked").symlink_to(place.folder)
        ref = place.put("Exports are signed", "--evidence", f"file:{path}")
        code, out, _ = place.run("memory", "get", ref)
        assert (code, "(not at hand)" in out, "zebra" in out) == (0, True, False)

    def test_evidence_that_is_not_there_is_said(self, place: Place) -> None:
        ref = place.put("Exports are signed", "--evidence", "file:gone.md#L2")
        code, out, _ = place.run("memory", "get", ref)
        assert (code, "(not at hand)" in out) == (0, True)


class TestFiles:
    def test_an_excluded_file_is_not_made_a_record(self, place: Place) -> None:
        place.write("secret/a.md", f"Exports go to {WORD}\n")
        (place.repo / "notes.md").symlink_to("secret/a.md")
        place.write(POLICY, 'exclude_paths = ["secret/"]\n')
        for name in ("secret/a.md", "notes.md", str(place.repo / "secret" / "a.md")):
            assert "the policy excludes its path" in place.refused("put", "--from", name)
        assert WORD.encode() not in b"".join(path.read_bytes() for path in place.home.rglob("*") if path.is_file())

    def test_a_record_from_a_file_is_blocked_once_the_file_is(self, place: Place) -> None:
        place.write("secret/a.md", "Exports are signed\n")
        entry = place("put", "--from", "secret/a.md")["entry"]
        assert entry["source"]["path"] == "secret/a.md"
        place.write(POLICY, 'exclude_paths = ["secret/"]\n')
        assert place.entry(entry["ref"])["reasons"] == ["policy_path"]

    def test_a_file_has_the_same_name_from_any_folder_of_the_repository(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.write("secret/a.md", "Exports are signed\n")
        place.write("src/a.py", "")
        (place.folder / "outside.md").write_text("Imports are checked\n")
        monkeypatch.chdir(place.repo / "src")
        entry = place("put", "--from", "../secret/a.md")["entry"]
        outside = place("put", "--from", "../../outside.md")["entry"]
        assert [one["source"]["path"] for one in (entry, outside)] == ["secret/a.md", "outside.md"]
        place.write(POLICY, 'exclude_paths = ["/secret/"]\n')
        assert place.entry(entry["ref"])["reasons"] == ["policy_path"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("put Rule --evidence file:{}.md", "a reference"),
        ("hold rule --why {}", "why it is held"),
        ("validate rule --result pass --by ci --method {}", "how it was validated"),
    ],
)
def test_a_pattern_is_searched_for_in_every_text_of_a_record(words: str, said: str, place: Place) -> None:
    place("put", "Rule", "--name", "rule")
    place(*words.replace("{}", WORD).split())
    place.write(POLICY, EXCLUDED)
    assert [one["status"] for one in place("list", "--status", "policy_blocked")["entries"]] == ["policy_blocked"], said


def test_a_pattern_is_not_searched_for_in_the_name_of_an_agent(place: Place) -> None:
    place("put", "Rule", "--name", "rule", "--evidence", f"session:claude:{SESSION}")
    place.write(POLICY, 'exclude_patterns = ["claude"]\n')
    assert [one["status"] for one in place("list")["entries"]] == ["candidate"]
