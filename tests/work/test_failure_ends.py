"""What is a failure of the work at all, and what may be told as its end: only what the log shows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aicx.evidence.calls import answered_calls
from aicx.evidence.runs import followed, ran_by
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.work.failure_runs import failures_of
from aicx.work.session_facts import Try
from tests.work.test_failure_runs import ERROR, ROOT, call, edit, fails, found, passes

GO = "# shop\nsrc/cart.go:4:2: undefined: price"
CONFLICT = "CONFLICT (content): Merge conflict in src/cart.py\nerror: could not apply 3a33 ... cart"


def end_of(*calls: list[Step]) -> Try:
    [one] = found(*calls)
    assert one.resolved is not None
    return one.resolved


# That nothing was changed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "between",
    [
        [],
        call("Read"),
        call("Bash", "git status && cat src/cart.py"),
        call("Bash", "ls > /dev/null"),
        passes("mypy tests"),
    ],
)
def test_nothing_was_changed_where_everything_between_was_read(between: list[Step]) -> None:
    end = end_of(fails(), between, passes())
    assert (end.files, end.commands, end.read_all) == ((), (), True)


@pytest.mark.parametrize(
    "between",
    [
        call("Task"),
        call("mcp__editor__apply"),
        call("Bash", "cat > src/cart.py <<'EOF'\nprice = 1\nEOF"),
        call("Bash", "python mend.py"),
        call("Bash", "make seals"),
    ],
)
def test_nothing_is_said_of_changes_where_something_between_may_have_changed_files(between: list[Step]) -> None:
    assert not end_of(fails(), between, passes()).read_all


def test_nothing_is_said_of_changes_where_a_person_spoke_between() -> None:
    steps = [step for one in (fails(), passes()) for step in one]
    calls = followed(answered_calls(steps))
    roots = Roots((ROOT,))
    typed = [steps[1].at + timedelta(milliseconds=1)]
    [one] = failures_of(calls, ran_by(calls, roots), roots, ROOT, typed)
    assert one.resolved is not None
    assert not one.resolved.read_all


# What may have ended it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["mkdir -p /tmp/x", "git stash list", "git add -A", "gh pr view 4", "git push", "cp a /tmp/b"]
)
def test_a_command_that_cannot_mend_it_is_not_told_as_its_end(command: str) -> None:
    assert end_of(fails(), call("Bash", command), passes()).commands == ()


def test_an_edit_of_prose_does_not_end_a_mistake_in_a_program() -> None:
    assert end_of(fails(), edit("docs/notes.md"), passes()).files == ()


def test_of_many_edits_those_near_the_mistake_are_told() -> None:
    edits = [edit(path) for path in ("web/a.ts", "web/b.ts", "src/tax.py", "api/c.go", "README.md")]
    assert end_of(fails(), *edits, passes()).files == ("src/tax.py",)


def test_what_was_edited_where_the_mistake_is_says_more_than_commands() -> None:
    end = end_of(fails(), call("Bash", "npm install left-pad"), edit("src/cart.py"), passes())
    assert (end.files, end.commands) == (("src/cart.py",), ())


def test_a_formatter_makes_no_test_pass() -> None:
    output = "FAILED tests/test_cart.py::test_total - AssertionError: 3 != 4\n1 failed"
    end = end_of(fails("pytest", text=output), call("Bash", "ruff format src"), passes("pytest"))
    assert end.commands == ()


def test_a_line_of_several_checks_is_over_once_each_of_them_passed() -> None:
    broken = fails("ruff check src && mypy src")
    assert found(broken, edit("src/cart.py"), passes("ruff check src"))[0].resolved is None
    assert found(broken, edit("src/cart.py"), passes("ruff check src"), passes("mypy src"))[0].resolved is not None


@pytest.mark.parametrize(
    ("failed", "passed"),
    [
        ("npm run check", "fnm exec --using=24 corepack pnpm node --run check"),
        ("node --run check", "corepack pnpm run check"),
        ("npx vitest run cart", "pnpm exec vitest run cart"),
        ("python -m mypy src", "uv run mypy src"),
        ("mypy src", "poetry run mypy src"),
    ],
)
def test_the_same_check_through_another_runner_ends_it(failed: str, passed: str) -> None:
    assert found(fails(failed), edit("src/cart.py"), passes(passed))[0].resolved is not None


def test_a_check_on_another_machine_ends_nothing() -> None:
    assert found(fails("npm test"), edit("src/cart.py"), passes("ssh forge npm test"))[0].resolved is None


@pytest.mark.parametrize("end", ["git rebase --continue", "GIT_EDITOR=true git -c core.editor=true rebase --continue"])
def test_conflicts_end_with_the_edits_before_the_rebase_went_on(end: str) -> None:
    end_ = end_of(fails("git rebase main", text=CONFLICT), edit("src/cart.py"), call("Bash", end))
    assert end_.files == ("src/cart.py",)


def test_a_rebase_that_was_given_up_resolved_nothing() -> None:
    assert found(fails("git rebase main", text=CONFLICT), call("Bash", "git rebase --abort")) == []


def test_a_commit_past_the_hooks_resolves_nothing() -> None:
    [one] = found(fails("git commit -m x"), call("Bash", "git commit --no-verify -m x"))
    assert one.resolved is None


def test_another_working_tree_ends_nothing() -> None:
    other = call("Edit", files=(f"{ROOT}/.claude/worktrees/b/src/cart.py",))
    assert end_of(fails(), other, passes()).files == ()
    elsewhere = call("Bash", f"cd {ROOT}/.claude/worktrees/b && mypy src")
    elsewhere[0] = elsewhere[0]._replace(text=elsewhere[0].command)
    assert found(fails(), edit("src/cart.py"), elsewhere)[0].resolved is None


def test_edits_of_windows_are_told_from_the_root() -> None:
    roots = Roots.of(["D:\\shop"])
    steps = [*fails(), *call("Edit", files=("d:\\Shop\\src\\cart.py",)), *passes()]
    calls = followed(answered_calls(steps))
    [one] = failures_of(calls, ran_by(calls, roots), roots, "D:\\shop")
    assert one.resolved is not None
    assert one.resolved.files == ("src/cart.py",)


# What is no failure of the work ------------------------------------------------------------------------------------


def freed(command: str) -> list[Step]:
    asked, answer = passes(command)
    return [asked._replace(text=f"{command}\nsandbox_permissions: require_escalated"), answer]


def test_what_ran_again_outside_of_the_sandbox_did_not_fail() -> None:
    assert found(fails(), freed("mypy src")) == []


def test_what_was_mended_before_it_ran_outside_of_the_sandbox_failed() -> None:
    assert len(found(fails(), edit("src/cart.py"), freed("mypy src"))) == 1


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("npm test", "Error: listen EPERM: operation not permitted 127.0.0.1"),
        ("CART_BIN=/nonexistent/cart go test ./...", GO),
        ("cd /tmp/clones/other && mypy src", ERROR),
        ("cd tmp/clones/other && mypy src", ERROR),
        ("git push origin main", "! [remote rejected] main -> main (protected branch hook declined)"),
        ("gh pr merge 4 --auto", "GraphQL: Auto merge is not allowed for this repository"),
        ("git commit -m x", "The following paths are ignored by one of your .gitignore files:\ndocs"),
        ("wrangler deploy --dry-run", "Would have written:"),
        ("npm run format:check", "Checking formatting...\nFinished in 206ms on 80 files using 10 threads."),
        ("golangci-lint run", "0 issues."),
        ("node /tmp/probe.js", "Error: broken\n    at src/cart.js:4:1"),
        ("ssh forge make", "src/cart.py:4:1: error: broken"),
        ("go test ./...", "pattern ./...: directory prefix . does not contain main module"),
        ("bun test", "tmp/clones/a/cart.test.ts:4:2: error: Cannot find module 'b'"),
    ],
)
def test_what_says_nothing_of_the_work_is_no_failure(command: str, text: str) -> None:
    assert found(fails(command, text=text)) == []


@pytest.mark.parametrize(
    "line", ["git stash && mypy src; git stash pop", "git stash push -- src && mypy src ; git stash pop"]
)
def test_what_fails_while_the_work_is_set_aside_is_no_failure(line: str) -> None:
    assert found(fails(line)) == []


def test_work_that_was_put_away_for_good_is_not_set_aside() -> None:
    assert len(found(call("Bash", "git stash"), fails())) == 1


def test_a_merge_that_stopped_is_one_failure() -> None:
    text = f"{CONFLICT}\nCONFLICT (add/add): Merge conflict in src/tax.py"
    assert [one.file for one in found(fails("git rebase main", text=text))] == ["src/cart.py"]


def test_what_is_wrong_in_one_file_is_one_failure() -> None:
    text = "src/cart.go:4:2: undefined: price\nsrc/cart.go:9:2: undefined: total\nsrc/tax.go:1:1: undefined: rate"
    assert [one.file for one in found(fails("go vet ./...", text=text))] == ["src/cart.go", "src/tax.go"]
