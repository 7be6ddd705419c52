"""When two folders are of one history, and when they only look alike."""

from __future__ import annotations

from aicx.corpus.places.siblings import FolderHistory, find_siblings, is_telling_branch, relative_to

KNOWN = {"/srv/orbit": "ada/orbit"}
TICKET = "ada/T-12-lamp-goes-out"
FILES = {f"src/lamp/{name}.py" for name in "abcdef"}


def siblings(
    folder: str, own: FolderHistory, known: FolderHistory, others: dict[str, FolderHistory] | None = None
) -> dict[str, str]:
    traces = {folder: own, "/srv/orbit": known, **(others or {})}
    projects = KNOWN | {place: f"bob/{place.rpartition('/')[2]}" for place in others or ()}
    found = find_siblings(traces, projects, {folder}, lambda place: traces[place].files if place in traces else set())
    return {place: identity.project for place, identity in found.items()}


def test_two_commits_in_common_are_enough():
    marks = {"one", "two"}
    assert siblings("/gone/fix", FolderHistory(commits=marks | {"own"}), FolderHistory(commits=marks)) == {
        "/gone/fix": "ada/orbit"
    }


def test_one_commit_alone_is_not():
    assert siblings("/gone/fix", FolderHistory(commits={"one"}), FolderHistory(commits={"one"})) == {}


def test_a_branch_of_one_ticket_in_two_repositories_is_not():
    one = FolderHistory(branches={TICKET}, files={"web/src/app.ts", "web/src/page.ts"})
    assert siblings("/gone/web", one, FolderHistory(branches={TICKET}, files=FILES)) == {}


def test_a_branch_and_the_same_deep_files_are():
    own = FolderHistory(branches={TICKET}, files={*list(FILES)[:3], "src/lamp/new.py"})
    assert siblings("/gone/fix", own, FolderHistory(branches={TICKET}, files=FILES)) == {"/gone/fix": "ada/orbit"}


def test_a_layout_in_common_is_not():
    own = FolderHistory(branches={TICKET}, files={*list(FILES)[:3], *(f"cmd/sun/{name}.go" for name in "abcdefg")})
    assert siblings("/gone/sun", own, FolderHistory(branches={TICKET}, files=FILES)) == {}


def test_files_and_a_name_alone_are_not():
    assert siblings("/gone/orbit", FolderHistory(files=FILES), FolderHistory(files=FILES)) == {}


def test_files_and_the_whole_name_of_the_repository_are():
    assert siblings("/gone/ada/orbit", FolderHistory(files=FILES), FolderHistory(files=FILES)) == {
        "/gone/ada/orbit": "ada/orbit"
    }


def test_a_name_alone_is_nothing():
    assert siblings("/gone/ada/orbit", FolderHistory(), FolderHistory(commits={"one"}, files=FILES)) == {}


def test_a_history_in_common_with_two_repositories_decides_nothing():
    marks = {"one", "two"}
    assert (
        siblings(
            "/gone/fix",
            FolderHistory(commits=marks),
            FolderHistory(commits=marks),
            {"/srv/fork": FolderHistory(commits=marks)},
        )
        == {}
    )


def test_a_found_folder_leads_to_folders_with_common_history():
    traces = {
        "/srv/orbit": FolderHistory(commits={"one", "two"}),
        "/gone/first": FolderHistory(commits={"one", "two", "three", "four"}),
        "/gone/second": FolderHistory(commits={"three", "four"}),
    }
    found = find_siblings(traces, KNOWN, {"/gone/first", "/gone/second"}, lambda folder: set())
    assert {folder: identity.project for folder, identity in found.items()} == {
        "/gone/first": "ada/orbit",
        "/gone/second": "ada/orbit",
    }
    assert found["/gone/second"].reason == "has 2 commits in common with /gone/first"


def test_only_a_branch_that_hardly_comes_twice_tells_anything():
    assert is_telling_branch("ada/T-12-lamp-goes-out")
    names = ("main", "develop", "feature/login", "dependabot/npm_and_yarn/left-pad-1.2.3", "release-1.2.3-rc", "HEAD")
    assert not [name for name in names if is_telling_branch(name)]


def test_a_file_is_the_same_in_every_worktree():
    assert relative_to("/srv/orbit", "/srv/orbit/src", "lamp/a.py") == "src/lamp/a.py"
    assert relative_to("/srv/orbit", "/srv/orbit/.worktrees/fix", "src/lamp/a.py") == "src/lamp/a.py"
    assert relative_to("/srv/orbit", "/srv/orbit", "/etc/passwd") is None
