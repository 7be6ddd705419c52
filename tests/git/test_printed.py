"""What git and the forges' clients printed says of the folder they ran in, and what says nothing."""

from __future__ import annotations

import pytest

from aicx.git.printed import git_calls, read_printed

HERE = "/srv/ada/orbit"


def shown(line: str, output: str, folder: str | None = HERE) -> list[tuple[str, str, str]]:
    return [(seen.folder, seen.kind, seen.said) for seen in read_printed(line, folder, output)]


def kinds(line: str, output: str) -> list[str]:
    return [kind for _, kind, _ in shown(line, output)]


class TestFolders:
    @pytest.mark.parametrize(
        ("line", "folder"),
        [
            ("git push", HERE),
            ("cd src && git push", f"{HERE}/src"),
            ("cd /srv/lamp; git push", "/srv/lamp"),
            ("git -C ../lamp push", "/srv/ada/lamp"),
            ("git -c color.ui=false -C '/srv/the lamp' push", "/srv/the lamp"),
            ("(cd src && make); git push", HERE),
            ('git commit -m "cd /srv/lamp && x" && git push', HERE),
            ("FOO=1 sudo git push", HERE),
            ("if true; then git push; fi", HERE),
        ],
    )
    def test_the_folder_of_a_call_is_the_one_the_shell_is_in(self, line, folder):
        assert {place for place, _ in git_calls(line, HERE)} == {folder}

    @pytest.mark.parametrize(
        ("line", "folder"),
        [
            ("cd src && git push", "D:/orbit/src"),
            ("cd D:/lamp && git push", "D:/lamp"),
            ("cd /d/lamp && git push", "D:/lamp"),
            ('cd "D:\\the lamp"; git push', "D:/the lamp"),
            ("Set-Location D:\\lamp; git push", "D:/lamp"),
        ],
    )
    def test_a_shell_of_windows_writes_it_in_its_way(self, line, folder):
        assert {place for place, _ in git_calls(line, "D:\\orbit")} == {folder}

    @pytest.mark.parametrize(
        "line",
        [
            'cd "$DIR" && git push',
            "cd $(mktemp -d) && git push",
            "cd - && git push",
            "ssh host 'cd /srv && git push'",
            "docker exec box git push",
            "git --git-dir=/x push",
            "echo digit && ls",
            "cat <<EOF\ngit push\nEOF",
        ],
    )
    def test_a_folder_that_cannot_be_known_gives_nothing(self, line):
        output = "To github.com:ada/orbit.git"
        assert shown(line, output) == []

    def test_two_folders_in_one_line_give_nothing(self):
        assert shown("git push; cd ../lamp; git push", "To github.com:ada/orbit.git") == []


class TestRemotes:
    LISTED = (
        "origin\tgit@github.com:ada/orbit.git (fetch)\norigin\tgit@github.com:ada/orbit.git (push)\n"
        "upstream\thttps://github.com/bob/orbit (fetch)\nupstream\thttps://github.com/bob/orbit (push)\n"
    )

    def test_origin_is_what_git_lists(self):
        assert shown("git remote -v", self.LISTED) == [(HERE, "remote", "git@github.com:ada/orbit.git")]

    def test_several_remotes_without_origin_say_nothing(self):
        assert shown("git remote -v", self.LISTED.replace("origin", "mine")) == []

    @pytest.mark.parametrize("line", ["git remote get-url origin", "git config --get remote.origin.url"])
    def test_the_address_of_origin_alone_counts(self, line):
        assert shown(line, "https://github.com/ada/orbit\n") == [(HERE, "remote", "https://github.com/ada/orbit")]

    def test_a_remote_that_was_set_counts_unless_it_failed(self):
        line = "git remote add origin git@github.com:ada/orbit.git"
        assert shown(line, "") == [(HERE, "remote", "git@github.com:ada/orbit.git")]
        assert read_printed(line, HERE, "error: remote origin already exists.", failed=True) == []

    def test_a_clone_speaks_of_the_folder_it_made(self):
        line, output = "git clone https://github.com/bob/lamp vendor", "Cloning into 'vendor'...\n"
        assert shown(line, output) == [(f"{HERE}/vendor", "clone", "https://github.com/bob/lamp")]

    def test_the_forge_names_the_repository_of_the_folder(self):
        assert shown("gh repo view", "name:\tada/orbit\ndescription:\tA lamp\n") == [(HERE, "remote", "gh:ada/orbit")]
        assert shown("gh repo view bob/lamp", "name:\tbob/lamp\n") == []


class TestTransfers:
    PUSHED = (
        "remote: \nremote: Create a pull request:\nTo github.com:ada/orbit.git\n   1234567..89abcde  main -> main\n"
    )

    def test_where_git_pushed_to_counts(self):
        assert shown("git push -u origin HEAD 2>&1 | tail -5", self.PUSHED) == [
            (HERE, "push", "github.com:ada/orbit.git")
        ]

    def test_where_git_fetched_from_counts(self):
        assert kinds("git pull --rebase", "From https://github.com/ada/orbit\n * branch main -> FETCH_HEAD\n") == [
            "fetch"
        ]

    def test_an_address_that_the_caller_wrote_says_nothing_of_the_folder(self):
        assert shown("git push https://github.com/bob/lamp main", "To https://github.com/bob/lamp\n") == []

    def test_a_repository_that_moved_has_two_names(self):
        output = (
            "remote: This repository moved. Please use the new location:\nremote:   git@github.com:ada/moon.git\n"
            "To github.com:ada/orbit.git\n"
        )
        assert (HERE, "moved", "github.com:ada/orbit.git git@github.com:ada/moon.git") in shown("git push", output)

    def test_gitlab_says_it_in_its_own_words(self):
        output = "remote: \nremote: Project 'ada/orbit' was moved to 'ada/moon'.\nremote: \nFrom gitlab.com:ada/orbit\n"
        assert (HERE, "moved", "gitlab:ada/orbit gitlab:ada/moon") in shown("git fetch", output)


class TestForges:
    def test_an_opened_pull_request_counts(self):
        output = "Creating pull request for fix into main\n\nhttps://github.com/ada/orbit/pull/12\n"
        assert shown("gh pr create --fill", output) == [(HERE, "pull-request", "https://github.com/ada/orbit")]

    def test_a_merge_request_counts_too(self):
        output = "https://gitlab.com/ada/space/orbit/-/merge_requests/3\n"
        assert shown("glab mr create --fill", output) == [(HERE, "pull-request", "https://gitlab.com/ada/space/orbit")]

    def test_the_pages_of_the_repository_count_less(self):
        assert kinds("gh run list", "ok\tci\thttps://github.com/ada/orbit/actions/runs/99\n") == ["page"]

    @pytest.mark.parametrize(
        "line",
        ["gh pr view 1 --repo bob/lamp", "gh issue list -R bob/lamp", "gh pr view https://github.com/bob/lamp/pull/1"],
    )
    def test_a_call_that_names_its_repository_says_nothing_of_the_folder(self, line):
        assert shown(line, "url:\thttps://github.com/bob/lamp/pull/1\n") == []

    def test_pages_of_two_repositories_say_nothing(self):
        output = "https://github.com/ada/orbit/pull/1\nhttps://github.com/bob/lamp/pull/2\n"
        assert shown("gh pr list", output) == []

    @pytest.mark.parametrize(
        ("line", "output"),
        [
            ("gh pr view 1", "title:\tFix\n--\nSee https://github.com/bob/lamp/issues/3 for why.\n"),
            ("git log -1", "    Merge branch 'main' of https://github.com/bob/lamp\n"),
            ("git diff", "+To github.com:bob/lamp.git\n+origin\tgit@github.com:bob/lamp.git (fetch)\n"),
            ("curl https://github.com/bob/lamp", "To github.com:bob/lamp.git\n"),
            ("git status", "From https://github.com/bob/lamp\n"),
        ],
    )
    def test_an_address_that_is_only_mentioned_is_nothing(self, line, output):
        assert [kind for kind in kinds(line, output) if kind != "commit"] == []


class TestHistory:
    def test_worktrees_are_listed_with_their_folders(self):
        output = f"{HERE}  1234567 [main]\n/srv/ada/orbit-fix  89abcde [fix]\n/srv/ada/old  89abcde (detached HEAD)\n"
        assert shown("git worktree list", output) == [
            (HERE, "worktree", "/srv/ada/orbit-fix"),
            (HERE, "worktree", "/srv/ada/old"),
        ]

    def test_an_added_worktree_belongs_to_the_same_repository(self):
        output = "Preparing worktree (new branch 'fix')\nHEAD is now at 1234567 Turn the lamp on again\n"
        assert shown("git worktree add -b fix ../orbit-fix main", output)[0] == (HERE, "worktree", "/srv/ada/orbit-fix")
        assert kinds("git worktree add ../orbit-fix", "fatal: already exists") == []

    @pytest.mark.parametrize(
        ("line", "output"),
        [
            ("git log --oneline -3", "1234567 Turn the lamp on again\n"),
            ("git log --oneline --graph", "| * 1234567890 (HEAD -> main, origin/main) Turn the lamp on again\n"),
            ("git commit -m x", "[main 1234567] Turn the lamp on again\n 1 file changed\n"),
            ("git reset --hard", "HEAD is now at 1234567 Turn the lamp on again\n"),
            (
                "git log",
                f"commit 1234567{'0' * 33}\nAuthor: Ada\nDate:   Sunday\n\n    Turn the lamp on again\n",
            ),
        ],
    )
    def test_a_commit_has_the_same_mark_however_it_is_listed(self, line, output):
        [(_, kind, mark)] = shown(line, output)
        assert kind == "commit"
        assert mark == shown("git log --oneline", "1234567 Turn the lamp on again")[0][2]

    def test_a_subject_that_says_nothing_is_no_mark(self):
        assert shown("git log --oneline", "1234567 wip\n89abcde fix\n") == []
