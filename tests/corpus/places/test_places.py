"""Which repository a folder belongs to, by which evidence, and what is no evidence at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.corpus.places.identity import from_remote
from aicx.corpus.places.places import FolderDecisions
from aicx.folders import FolderClue
from aicx.paths import safe_session
from tests.corpus.builders import places_of, write_git

MINE, OTHERS = ("codex", "mine"), ("claude", "others")


def resolve(home: Path, cwd: Path | str, **learned: str) -> tuple[str, str] | None:
    found = places_of(learned, home).resolve(str(cwd))
    return (found.project, found.source) if found else None


class TestRemotes:
    @pytest.mark.parametrize(
        "url",
        [
            "https://github.com/ada/orbit.git",
            "https://github.com/ada/orbit",
            "https://github.com/ada/orbit/",
            "http://github.com/ada/orbit.git",
            "https://ada:t0ken@github.com/ada/orbit.git",
            "https://git.example.org:8443/ada/orbit.git",
            "ssh://git@github.com/ada/orbit.git",
            "ssh://git@git.example.org:2222/ada/orbit.git",
            "git://github.com/ada/orbit.git",
            "git+ssh://git@github.com/ada/orbit.git",
            "git@github.com:ada/orbit.git",
            "git@github.com:/ada/orbit.git",
            "github.com:ada/orbit",
            "  git@github.com:ada/orbit.git\n",
        ],
    )
    def test_every_spelling_names_the_same_repository(self, url):
        assert from_remote(url) == "ada/orbit"

    @pytest.mark.parametrize(
        "url",
        [
            "https://proxy.example.org/gh/ada/orbit.git",
            "https://mirror.example.org/github.com/ada/orbit",
            "https://proxy.example.org/https://github.com/ada/orbit.git",
            "https://proxy.example.org/https:/github.com/ada/orbit.git",
            "http://local_proxy@127.0.0.1:41729/git/ada/orbit",
            "git@gh.work:ada/orbit.git",
            "gh:ada/orbit",
        ],
    )
    def test_a_proxy_or_an_alias_of_the_host_is_no_part_of_the_name(self, url):
        assert from_remote(url) == "ada/orbit"

    @pytest.mark.parametrize(
        ("url", "project"),
        [
            ("https://gitlab.example.org/gh/ada/orbit.git", "gh.ada/orbit"),
            ("https://git.example.org/git/ada/orbit", "git.ada/orbit"),
            ("https://proxy.example.org/gh/orbit", "gh/orbit"),
        ],
    )
    def test_a_group_is_part_of_the_name(self, url, project):
        assert from_remote(url) == project

    @pytest.mark.parametrize(
        "url", ["https://gitlab.com/ada/space/tools/orbit.git", "git@gitlab.com:ada/space/tools/orbit.git"]
    )
    def test_subgroups_are_one_organisation(self, url):
        assert from_remote(url) == "ada.space.tools/orbit"

    @pytest.mark.parametrize(
        "url",
        [
            "",
            "orbit",
            "/srv/git/orbit.git",
            "../orbit.git",
            "./ada/orbit",
            "file:///srv/git/orbit.git",
            "https://github.com/orbit",
            "https://github.com/",
            "https://github.com/../../etc",
            "https://github.com/ada/..",
            "https://github.com/ada/or bit",
            "https://github.com/ada/.git",
            "https://github.com/ada/-rf",
            "git@github.com:ada/$(reboot)",
        ],
    )
    def test_an_address_without_a_repository_is_none(self, url):
        assert from_remote(url) is None

    @given(st.text(max_size=60) | st.from_regex(r"(https://|git@)[a-z.]{1,9}[:/][\w./~-]{1,30}", fullmatch=True))
    def test_a_project_is_always_two_plain_folder_names(self, url):
        project = from_remote(url)
        if project is not None:
            organisation, repository = project.split("/")
            for part in (organisation, repository):
                assert safe_session(part) == part or part.startswith("_")


class TestFolders:
    def test_the_remote_in_the_folder_decides(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        assert resolve(home, home / "orbit") == ("ada/orbit", "git-remote")

    def test_a_folder_below_belongs_to_the_repository_too(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        (home / "orbit/src/deep").mkdir(parents=True)
        assert resolve(home, home / "orbit/src/deep") == ("ada/orbit", "git-remote")

    def test_a_vanished_folder_inside_a_repository_still_belongs_to_it(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        assert resolve(home, home / "orbit/gone") == ("ada/orbit", "git-remote")

    def test_origin_wins_over_other_remotes(self, home):
        write_git(home / "orbit")
        config = home / "orbit/.git/config"
        config.write_text(
            '[remote "a"]\nurl = https://x.org/fork/orbit\n[remote "origin"]\nurl=https://x.org/ada/orbit\n'
        )
        assert resolve(home, home / "orbit") == ("ada/orbit", "git-remote")

    def test_another_remote_serves_where_there_is_no_origin(self, home):
        write_git(home / "orbit")
        (home / "orbit/.git/config").write_text('[remote "upstream"]\n\turl = https://x.org/ada/orbit\n')
        assert resolve(home, home / "orbit") == ("ada/orbit", "git-remote")

    def test_a_repository_without_a_remote_is_local(self, home):
        write_git(home / "orbit")
        assert resolve(home, home / "orbit") == ("local/orbit", "git-local")

    def test_a_remote_that_is_a_path_makes_it_local(self, home):
        write_git(home / "orbit", "/srv/git/orbit.git")
        assert resolve(home, home / "orbit") == ("local/orbit", "git-local")

    @pytest.mark.parametrize("name", ["tmp", "workspace", "2026-03-01", "20260301-run"])
    def test_a_name_that_says_nothing_makes_no_project(self, home, name):
        write_git(home / name)
        assert resolve(home, home / name) is None

    def test_a_folder_of_no_repository_has_none(self, home):
        (home / "notes").mkdir(parents=True)
        assert resolve(home, home / "notes") is None

    @pytest.mark.parametrize("cwd", ["", "relative/path", "/a/../etc", "/nul\0byte", "~/orbit", "C:\\work"])
    def test_a_relative_folder_has_no_repository(self, home, cwd):
        assert resolve(home, cwd) is None

    def test_no_folder_has_none(self, home):
        assert places_of({}, home).resolve(None) is None

    def test_a_damaged_config_is_a_repository_without_a_remote(self, home):
        write_git(home / "orbit")
        (home / "orbit/.git/config").write_bytes(b"\xff\xfe\0[remote\nurl")
        assert resolve(home, home / "orbit") == ("local/orbit", "git-local")

    def test_a_git_file_that_points_nowhere_has_none(self, home):
        (home / "orbit").mkdir(parents=True)
        (home / "orbit/.git").write_text("not what git writes")
        assert resolve(home, home / "orbit") is None


class TestProxies:
    def test_a_name_with_a_proxy_is_the_repository_that_others_saw_without(self, tmp_path):
        learned = {"/gone/one": "gh.ada/orbit", "/gone/two": "ada/orbit"}
        assert resolve(tmp_path, "/gone/one", **learned) == ("ada/orbit", "learned")
        assert resolve(tmp_path, "/gone/two", **learned) == ("ada/orbit", "learned")

    def test_both_names_in_one_folder_agree(self, tmp_path):
        places = places_of({"/gone/one": "gh.ada/orbit"}, tmp_path)
        places.observe(MINE, [FolderClue("/gone/one", "recorded", "ada/orbit")])
        found = places.resolve("/gone/one")
        assert found is not None
        assert found.project == "ada/orbit"

    def test_alone_it_stays_as_it_is(self, tmp_path):
        assert resolve(tmp_path, "/gone/one", **{"/gone/one": "gh.ada/orbit"}) == ("gh.ada/orbit", "learned")


class TestWindows:
    @pytest.mark.parametrize(
        "cwd",
        [
            "D:\\work\\orbit",
            "d:\\Work\\Orbit\\src",
            "D:/work/orbit/src",
            "D:\\work\\orbit\\.claude\\worktrees\\fix\\src",
            "/d/work/orbit",
            "/cygdrive/d/work/orbit/src",
            "/mnt/d/work/orbit/src",
        ],
    )
    def test_a_folder_belongs_to_the_repository_above_it_by_any_of_its_names(self, tmp_path, cwd):
        assert resolve(tmp_path, cwd, **{"D:\\work\\orbit": "ada/orbit"}) == ("ada/orbit", "learned")

    def test_evidence_from_wsl_counts_for_windows(self, tmp_path):
        learned = {"/mnt/d/work/orbit": "ada/orbit"}
        assert resolve(tmp_path, "D:\\work\\orbit\\src", **learned) == ("ada/orbit", "learned")

    @pytest.mark.parametrize("cwd", ["E:\\work\\orbit", "D:\\work\\orbital", "D:\\work", "/work/orbit"])
    def test_another_folder_does_not(self, tmp_path, cwd):
        assert resolve(tmp_path, cwd, **{"D:\\work\\orbit": "ada/orbit"}) is None

    @pytest.mark.parametrize("shared", ["D:\\", "C:\\Users\\Ada", "C:\\Users\\Ada\\Documents", "/mnt/c/Users/ada"])
    def test_a_drive_and_a_home_lend_their_repository_to_nothing_below(self, tmp_path, shared):
        assert resolve(tmp_path, f"{shared}\\notes", **{shared: "ada/dotfiles"}) is None

    def test_a_decision_by_hand_holds_below_in_any_spelling(self, tmp_path):
        places = places_of({}, tmp_path, FolderDecisions({"D:/work": "ada/orbit"}, frozenset({"D:\\work\\scratch"})))
        found = places.resolve("d:\\Work\\site")
        assert found is not None
        assert (found.project, found.reason) == ("ada/orbit", "D:/work was assigned by hand")
        assert places.resolve("D:/WORK/scratch/a") is None


class TestWorktreesAndSubmodules:
    def make_worktree(self, repository: Path, worktree: Path) -> None:
        administration = repository / ".git/worktrees" / worktree.name
        administration.mkdir(parents=True)
        (administration / "commondir").write_text("../..\n")
        worktree.mkdir(parents=True)
        (worktree / ".git").write_text(f"gitdir: {administration}\n")

    def test_a_worktree_beside_shares_the_identity(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        self.make_worktree(home / "orbit", home / "orbit-fix")
        assert resolve(home, home / "orbit-fix") == ("ada/orbit", "git-remote")

    def test_a_worktree_without_a_remote_is_named_after_its_repository(self, home):
        write_git(home / "orbit")
        self.make_worktree(home / "orbit", home / "fix-7")
        assert resolve(home, home / "fix-7") == ("local/orbit", "git-local")

    def test_a_worktree_of_a_bare_repository_is_named_after_it(self, home):
        bare = home / "orbit.git"
        (bare / "worktrees/fix-7").mkdir(parents=True)
        (bare / "worktrees/fix-7/commondir").write_text("../..\n")
        (home / "fix-7").mkdir()
        (home / "fix-7/.git").write_text(f"gitdir: {bare}/worktrees/fix-7\n")
        assert resolve(home, home / "fix-7") == ("local/orbit", "git-local")

    def test_a_vanished_worktree_inside_shares_the_identity(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        assert resolve(home, home / "orbit/.claude/worktrees/fix-7/src") == ("ada/orbit", "git-remote")

    def test_a_vanished_worktree_of_a_vanished_repository_is_known_by_what_was_learned(self, home):
        root = str(home / "orbit")
        assert resolve(home, f"{root}/.worktrees/fix-7", **{root: "ada/orbit"}) == ("ada/orbit", "learned")

    def test_a_submodule_is_a_repository_of_its_own(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        module = home / "orbit/.git/modules/vendor/lib"
        module.mkdir(parents=True)
        (module / "config").write_text('[remote "origin"]\n\turl = https://github.com/bob/lib.git\n')
        (home / "orbit/vendor/lib").mkdir(parents=True)
        (home / "orbit/vendor/lib/.git").write_text("gitdir: ../../.git/modules/vendor/lib\n")
        assert resolve(home, home / "orbit/vendor/lib") == ("bob/lib", "git-remote")


class TestDotfiles:
    """A repository in the home folder itself."""

    def test_work_in_the_home_itself_belongs_to_it(self, home):
        write_git(home, "git@github.com:ada/dotfiles.git")
        assert resolve(home, home) == ("ada/dotfiles", "git-remote")

    def test_it_does_not_own_vanished_folders(self, home):
        write_git(home, "git@github.com:ada/dotfiles.git")
        assert resolve(home, home / "gone/project") is None

    def test_it_does_not_own_them_after_a_session_in_the_home_either(self, home):
        write_git(home, "git@github.com:ada/dotfiles.git")
        places = places_of({}, home)
        places.resolve(str(home))
        assert places.resolve(str(home / "gone/project")) is None

    def test_nor_in_a_later_run(self, home):
        assert resolve(home, home / "gone/project", **{str(home): "ada/dotfiles"}) is None

    def test_evidence_on_the_home_holds_for_the_home(self, home):
        assert resolve(home, home, **{str(home): "ada/dotfiles"}) == ("ada/dotfiles", "learned")


class TestVanished:
    def test_learned_evidence_decides(self, home):
        assert resolve(home, "/gone/orbit", **{"/gone/orbit": "ada/orbit"}) == ("ada/orbit", "learned")

    def test_a_folder_below_a_learned_one_belongs_to_it(self, home):
        assert resolve(home, "/gone/orbit/src", **{"/gone/orbit": "ada/orbit"}) == ("ada/orbit", "learned")

    def test_a_folder_that_only_begins_like_a_learned_one_does_not(self, home):
        assert resolve(home, "/gone/orbital", **{"/gone/orbit": "ada/orbit"}) is None

    def test_the_nearest_learned_folder_decides(self, home):
        learned = {"/gone": "ada/mono", "/gone/orbit": "ada/orbit"}
        assert resolve(home, "/gone/orbit/src", **learned) == ("ada/orbit", "learned")

    @pytest.mark.parametrize("cwd", ["/mnt/repos/ada/orbit", "/x/GitHub/ada/orbit/src", "/gone/ada/orbit"])
    def test_a_name_alone_never_decides(self, home, cwd):
        assert resolve(home, cwd, **{"/elsewhere/orbit": "ada/orbit"}) is None

    def test_a_folder_that_is_there_again_knows_better_than_memory(self, home):
        write_git(home / "orbit", "git@github.com:ada/renamed.git")
        cwd = str(home / "orbit")
        assert resolve(home, cwd, **{cwd: "ada/orbit"}) == ("ada/renamed", "git-remote")

    def test_a_push_tells_more_than_a_folder_without_a_remote(self, home):
        write_git(home / "orbit")
        cwd = str(home / "orbit")
        assert resolve(home, cwd, **{cwd: "ada/orbit"}) == ("ada/orbit", "learned")

    def test_a_folder_that_holds_several_checkouts_lends_its_repository_to_none_below_it(self, home):
        learned = {"/gone/work": "ada/tools", "/gone/work/lamp": "ada/lamp", "/gone/work/moon": "ada/moon"}
        assert resolve(home, "/gone/work/sun", **learned) is None
        assert resolve(home, "/gone/work", **learned) == ("ada/tools", "learned")

    def test_one_checkout_inside_does_not_make_a_repository_a_place_for_checkouts(self, home):
        learned = {"/gone/orbit": "ada/orbit", "/gone/orbit/vendor/lamp": "bob/lamp"}
        assert resolve(home, "/gone/orbit/src", **learned) == ("ada/orbit", "learned")
        assert resolve(home, "/gone/orbit/vendor/lamp", **learned) == ("bob/lamp", "learned")

    @pytest.mark.parametrize("shared", ["/Users/ada", "/home/ada", "/tmp", "/Volumes/data", "/"])
    def test_the_repository_of_a_shared_folder_does_not_hold_below_it(self, home, shared):
        assert resolve(home, f"{shared.rstrip('/')}/gone/orbit", **{shared: "ada/dotfiles"}) is None
        assert resolve(home, f"{shared.rstrip('/')}/.worktrees/fix/src", **{shared: "ada/dotfiles"}) is None


class TestOwnRecord:
    """What a session recorded of its own folder."""

    def decide(self, home: Path, session: tuple[str, str], *seen: tuple[tuple[str, str], str, str]) -> str | None:
        places = places_of({}, home)
        for whose, kind, project in seen:
            places.observe(whose, [FolderClue("/gone/orbit", kind, project)])
        found = places.resolve("/gone/orbit", session)
        return f"{found.project} {found.source}" if found else None

    def test_the_session_itself_knows_best(self, home):
        recorded = [(MINE, "recorded", "ada/orbit"), (OTHERS, "recorded", "ada/lamp")]
        assert self.decide(home, MINE, *recorded) == "ada/orbit log-remote"
        assert self.decide(home, OTHERS, *recorded) == "ada/lamp log-remote"

    def test_sessions_that_recorded_nothing_are_not_claimed_by_either(self, home):
        recorded = [(MINE, "recorded", "ada/orbit"), (OTHERS, "recorded", "ada/lamp")]
        assert self.decide(home, ("claude", "third"), *recorded) is None

    def test_the_word_of_git_at_storing_outlives_the_folder(self, home):
        assert self.decide(home, MINE, (MINE, "git", "ada/orbit")) == "ada/orbit git-remote"

    def test_a_pull_request_elsewhere_does_not_make_a_session_of_it(self, home):
        seen = [(OTHERS, "remote", "ada/orbit"), (MINE, "pull-request", "ada/tap")]
        assert self.decide(home, MINE, *seen) == "ada/orbit learned"

    def test_two_remotes_of_one_session_decide_nothing_by_themselves(self, home):
        assert self.decide(home, MINE, (MINE, "remote", "ada/orbit"), (MINE, "remote", "ada/lamp")) is None

    def test_the_folder_itself_knows_better(self, home):
        write_git(home / "orbit", "git@github.com:ada/renamed.git")
        places = places_of({}, home)
        places.observe(MINE, [FolderClue(str(home / "orbit"), "recorded", "ada/orbit")])
        found = places.resolve(str(home / "orbit"), MINE)
        assert found is not None
        assert (found.project, found.source) == ("ada/renamed", "git-remote")


class TestByHand:
    def test_an_assigned_folder_wins_over_git_itself(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        by_hand = FolderDecisions().assign(str(home / "orbit"), "ada/moon")
        found = places_of({}, home, by_hand).resolve(str(home / "orbit/src"))
        assert found is not None
        assert (found.project, found.source) == ("ada/moon", "assigned")

    def test_an_ignored_folder_belongs_to_no_repository(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        by_hand = FolderDecisions().ignore(str(home / "orbit"))
        assert places_of({}, home, by_hand).resolve(str(home / "orbit/src")) is None

    def test_the_nearest_decision_counts(self, home):
        by_hand = FolderDecisions().ignore("/gone/work").assign("/gone/work/orbit", "ada/orbit")
        found = places_of({}, home, by_hand).resolve("/gone/work/orbit/src")
        assert found is not None
        assert found.project == "ada/orbit"

    def test_a_renamed_repository_has_its_new_name_everywhere(self, home):
        write_git(home / "orbit", "git@github.com:ada/orbit.git")
        places = places_of({"/gone/orbit": "ada/orbit"}, home, FolderDecisions().rename("ada/orbit", "ada/satellite"))
        found = [places.resolve(cwd) for cwd in (str(home / "orbit"), "/gone/orbit")]
        assert [identity and identity.project for identity in found] == ["ada/satellite"] * 2

    def test_renaming_back_undoes_it(self):
        back = FolderDecisions().rename("ada/orbit", "ada/satellite").rename("ada/satellite", "ada/orbit")
        assert back.renamed == {"ada/satellite": "ada/orbit"}


def test_a_repository_that_the_forge_moved_is_one_under_both_names(home):
    places = places_of({"/gone/orbit": "ada/orbit", "/gone/other": "ada/satellite"}, home)
    places.observe(OTHERS, [FolderClue("/gone/other", "moved", "ada/orbit ada/satellite")])
    found = places.resolve("/gone/orbit")
    assert found is not None
    assert found.project == "ada/satellite"
    assert "ada/orbit is now ada/satellite" in found.reason


def test_a_rename_by_hand_goes_before_one_that_was_seen(home):
    places = places_of({"/gone/orbit": "ada/orbit"}, home, FolderDecisions().rename("ada/satellite", "ada/orbit"))
    places.observe(OTHERS, [FolderClue("/gone/orbit", "moved", "ada/orbit ada/satellite")])
    assert {places.canonical(name) for name in ("ada/orbit", "ada/satellite")} == {"ada/orbit"}


def test_names_that_lead_in_a_circle_end(home):
    places = places_of({"/gone/orbit": "ada/orbit"}, home)
    places.observe(
        OTHERS, [FolderClue("/x", "moved", "ada/orbit ada/moon"), FolderClue("/x", "moved", "ada/moon ada/orbit")]
    )
    assert places.resolve("/gone/orbit") is not None


class TestSessionNames:
    """The other half of a chunk's name, and as little to be trusted as a remote."""

    @given(st.lists(st.text(max_size=130), max_size=8, unique=True))
    def test_two_ids_never_give_one_name(self, ids):
        assert len({safe_session(item) for item in ids}) == len(ids)

    @pytest.mark.parametrize(
        "pair", [("a/b", "a-b"), ("a/b", "a:b"), ("", "session"), ("..", "."), ("a" * 100, "a" * 101)]
    )
    def test_ids_that_look_alike_when_cleaned_stay_apart(self, pair):
        assert safe_session(pair[0]) != safe_session(pair[1])

    @given(st.text(max_size=200))
    def test_a_name_is_one_harmless_part_of_a_path(self, text):
        name = safe_session(text)
        assert 0 < len(name) <= 100
        assert Path(name).parts == (name,)
        assert name[0].isalnum() or name[0] in "_~"
        assert name.isascii()
        assert name.isprintable()

    def test_a_plain_id_stays_as_it_is(self):
        assert safe_session("0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e") == "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e"
