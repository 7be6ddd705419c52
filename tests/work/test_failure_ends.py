"""What is a failure of the work at all, and what may be told as its end: only what the log shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from aicx.evidence import Step
from aicx.evidence.calls import OtherRepositories, answered_calls
from aicx.evidence.runs import followed, ran_by
from aicx.git import Roots
from aicx.work.deriving import derive
from aicx.work.failure_runs import failures_of
from aicx.work.failures import patterns
from aicx.work.session_facts import Said, SessionPart, Try
from tests.work.test_failure_runs import BEGIN, ERROR, ROOT, call, edit, fails, failure, found, passes, session

GO = "# shop\nsrc/cart.go:4:2: undefined: price"


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


@pytest.mark.parametrize(
    "line", ["git checkout src/cart.py", "git restore -- src/cart.py", "git reset --hard", "git checkout ."]
)
def test_an_edit_that_was_thrown_away_is_no_end(line: str) -> None:
    other = fails(text="src/cart.py:9: error: Name 'total' is not defined  [name-defined]")
    thrown = (fails(), edit("src/cart.py"), other, call("Bash", line))
    end = found(*thrown, edit("src/sums.py"), passes())[0].resolved
    assert end is not None
    assert (end.files, end.at) != (("src/cart.py",), found(*thrown[:3], passes())[0].resolved)
    assert "src/cart.py" not in end.files
    assert found(fails(), edit("src/cart.py"), passes(), call("Bash", line)) == []


@pytest.mark.parametrize("line", ["git reset --hard", "git checkout src/cart.py"])
def test_an_edit_that_was_committed_is_the_end_whatever_was_thrown_away_since(line: str) -> None:
    committed = call("Bash", "git commit -am cart")
    assert end_of(fails(), edit("src/cart.py"), passes(), committed, call("Bash", line)).files == ("src/cart.py",)


@pytest.mark.parametrize("line", ["git checkout main", "git restore --staged src/cart.py"])
def test_what_throws_no_edit_away_leaves_the_end(line: str) -> None:
    assert end_of(fails(), edit("src/cart.py"), passes(), call("Bash", line)).files == ("src/cart.py",)


def test_a_command_that_may_not_have_run_is_not_told_as_the_end() -> None:
    assert end_of(fails(), call("Bash", "npm install left-pad || npm install pad"), passes()).commands == (
        "npm install left-pad",
    )


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


def test_a_merge_that_stopped_is_no_failure() -> None:
    text = "CONFLICT (content): Merge conflict in src/cart.py\nerror: could not apply 3a33 ... cart"
    assert found(fails("git rebase main", text=text), edit("src/cart.py"), call("Bash", "git rebase --continue")) == []


def test_the_same_assertion_with_another_number_is_the_same_failure() -> None:
    first, second = (f"FAILED tests/test_cart.py::test_total - AssertionError: {n} lines, want 0" for n in (4, 2))
    [one] = found(
        fails("pytest", text=first), edit("src/a.py"), fails("pytest", text=second), edit("src/b.py"), passes("pytest")
    )
    assert (one.count, one.resolved and one.resolved.files) == (2, ("src/b.py",))
    assert [attempt.files for attempt in one.attempts] == [("src/a.py",)]


@pytest.mark.parametrize(
    "line", ["pytest --collect-only -q", "go test -run Cart -list '.*' ./...", "npx jest --listTests"]
)
def test_a_list_of_tests_is_no_run_of_them(line: str) -> None:
    failed = line.split(" -")[0]
    assert found(fails(failed), edit("src/cart.py"), passes(line))[0].resolved is None


def test_what_is_wrong_in_one_run_is_one_failure_with_the_others_known_by_it() -> None:
    text = "src/cart.go:4:2: undefined: price\nsrc/cart.go:9:2: undefined: total\nsrc/tax.go:1:1: undefined: rate"
    [one] = found(fails("go vet ./...", text=text))
    assert (one.file, len(one.also)) == ("src/cart.go", 1)
    assert patterns([session("a", one)])[0].fingerprints == {one.fingerprint, *one.also}


LINT = "src/cart.go:4:2: string `net` has 3 occurrences, make it a constant (goconst)"


def test_a_linter_that_was_given_other_rules_than_the_projects_found_nothing_of_the_work() -> None:
    trial = "golangci-lint run --no-config --default=none --enable=goconst ./..."
    assert found(fails(trial, text=LINT)) == []
    assert len(found(fails("golangci-lint run ./...", text=LINT))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "src/cart.go:4:2: File is not properly formatted (gofmt)",
        "src/cart.go:4:2: declared and not used: total",
        'src/cart.go:4:2: "os/exec" imported and not used',
    ],
)
def test_what_a_formatter_or_a_glance_mends_is_no_failure(text: str) -> None:
    assert found(fails("golangci-lint run ./...", text=text)) == []


@pytest.mark.parametrize(
    "printed", ["bash: line 1: cd: web: No such file or directory", "(eval):cd:1: no such file or directory: web"]
)
def test_a_folder_that_was_not_there_is_no_failure(printed: str) -> None:
    assert found(fails("cd web && go test ./...", text=printed)) == []


def test_a_place_that_a_task_runner_puts_before_the_line_is_read() -> None:
    said = ["$ ./lint", "src/cart.go:4:2: func price is unused (unused)", "func price() int", "     ^"]
    text = "\n".join(("fmt ok", *(f"[lint:go] {line}" for line in said), "lint failed"))
    [one] = found(fails("mise run lint", text=text))
    assert (one.file, one.line) == ("src/cart.go", 4)


def test_a_test_that_was_written_before_what_it_tests_is_no_failure() -> None:
    early = "# shop\ncart_test.go:4:2: undefined: Price"
    assert (
        found(fails("go test ./...", text=early), edit("cart.go"), call("Bash", "go test ./...", text="ok shop")) == []
    )


def test_what_was_to_fail_is_no_failure() -> None:
    asked = fails("pytest tests/test_cart.py", text="FAILED tests/test_cart.py::test_total - assert 1 == 2")
    told = asked[0]._replace(text="$ pytest tests/test_cart.py\ndescription: Verify the new test fails")
    assert found([told, asked[1]]) == []
    remark = asked[0]._replace(role="assistant", tool=None, phase=None, command="", text="This should fail for now.")
    steps = [remark, *asked]
    calls = followed(answered_calls(steps))
    assert failures_of(calls, ran_by(calls, Roots((ROOT,)), steps), Roots((ROOT,)), ROOT) == []


def test_a_file_that_the_session_deleted_again_was_a_trial() -> None:
    text = "FAILED try/test_cart.py::test_total - assert 1 == 2"
    steps = fails("pytest try", text=text)
    calls = followed(answered_calls(steps))
    runs = ran_by(calls, Roots((ROOT,)))
    assert len(failures_of(calls, runs, Roots((ROOT,)), ROOT)) == 1
    assert failures_of(calls, runs, Roots((ROOT,)), ROOT, (), ("try/test_cart.py",)) == []


def test_a_mistake_in_a_file_that_was_moved_is_no_trial() -> None:
    steps = [*fails(), *edit("src/cart.py"), *passes(), *call("Bash", "git mv src/cart.py src/shop.py")]
    part = SessionPart("claude", "1", "shop", ROOT, None, "primary", False, None)
    facts = derive(part, steps, OtherRepositories(None, Roots((ROOT,))))
    assert facts is not None
    assert len(facts.failures) == 1


def test_what_was_edited_after_the_check_may_have_passed_is_not_what_helped() -> None:
    quiet = call("Bash", "mypy src | tail -1", text="\n")
    [one] = found(fails(), edit("src/cart.py"), quiet, edit("src/cart_view.py"), edit("src/cart.pyi"), passes())
    assert one.resolved is not None
    assert one.resolved.files == ("src/cart.py",)


def test_what_was_edited_after_the_check_failed_for_another_reason_is_not_what_helped() -> None:
    failed, mended = fails(), edit("src/cart.py")
    other = fails(text='src/tax.py:9: error: Name "rate" is not defined  [name-defined]')
    first, _ = found(failed, mended, other, edit("src/tax.py"), edit("src/cart.pyi"), passes())
    assert first.resolved is not None
    assert first.resolved.files == ("src/cart.py",)


def test_that_nothing_was_changed_is_not_said_where_the_check_failed_for_another_reason_first() -> None:
    failed = fails()
    other = fails(text='src/tax.py:9: error: Name "rate" is not defined  [name-defined]')
    first, _ = found(failed, other, edit("src/tax.py"), passes())
    assert first.resolved is not None
    assert (first.resolved.files, first.resolved.read_all) == ((), False)


def test_a_test_that_was_not_compiled_may_still_fail() -> None:
    failed = "--- FAIL: TestTotal (0.00s)\n    cart_test.go:5: got 1\nFAIL\tshop\t0.1s"
    tests, built = fails("go test ./...", text=failed), fails("go test ./...", text=GO)
    first, *_ = found(tests, built, edit("cart_test.go"), call("Bash", "go test ./...", text="ok  \tshop\t0.1s"))
    assert first.resolved is not None
    assert first.resolved.files == ("cart_test.go",)


def test_a_lint_finding_is_not_mended_in_another_file() -> None:
    [one] = found(
        fails("golangci-lint run ./...", text=LINT),
        edit("src/tax.go"),
        call("Bash", "golangci-lint run ./...", text="0 issues."),
    )
    assert one.resolved is not None
    assert one.resolved.files == ()


RUFF = "src/cart.py:4:1: E501 Line too long"


def test_a_lint_finding_is_mended_where_it_is_and_not_in_its_tests() -> None:
    end = end_of(
        fails("ruff check src", text=RUFF), edit("tests/test_cart.py"), edit("src/cart.py"), passes("ruff check src")
    )
    assert end.files == ("src/cart.py",)


def test_a_command_that_was_called_wrongly_and_what_comes_behind_it_helped_nothing() -> None:
    wrong = call("Bash", "npm run fix -- --writ && npm run format", text="error: unknown option '--writ'", failed=True)
    end = end_of(
        fails("ruff check src", text=RUFF), wrong, call("Bash", "sed -i s/a/b/ src/cart.py"), passes("ruff check src")
    )
    assert end.commands == ("sed -i s/a/b/ src/cart.py",)


def test_what_comes_behind_a_command_that_failed_did_not_run() -> None:
    stops = fails("npm run fix && npm run generate", text="stopped")
    [failing] = found(fails("ruff check src", text=RUFF), stops, passes("ruff check src"))
    assert failing.resolved is not None
    assert failing.resolved.commands == ("npm run fix",)


@pytest.mark.parametrize("line", ["cat << 'EOF' > src/cart.py\nx\nEOF", "cat > src/cart.py <<EOF\ny > z/w.py\nEOF"])
def test_a_text_that_a_command_writes_to_a_file_is_an_edit_of_it(line: str) -> None:
    end = end_of(fails("ruff check src", text=RUFF), call("Bash", line), passes("ruff check src"))
    assert (end.files, end.commands) == (("src/cart.py",), ())


def test_a_file_that_was_taken_back_is_told_with_the_edits_after_it() -> None:
    taken = call("Bash", "git checkout src/cart.py")
    end = end_of(fails("ruff check src", text=RUFF), taken, edit("src/cart.py"), passes("ruff check src"))
    assert (end.files, end.commands) == (("src/cart.py",), ("git checkout src/cart.py",))
    other = call("Bash", "git checkout src/menu.py")
    assert (
        end_of(fails("ruff check src", text=RUFF), other, edit("src/cart.py"), passes("ruff check src")).commands == ()
    )


@pytest.mark.parametrize(
    ("passed", "over"),
    [("pytest ./api/a ./web/b ./cli/c", True), ("pytest ./api", False), ("pytest ./api/a", False), ("pytest", True)],
)
def test_a_check_of_several_paths_is_over_once_all_of_them_passed(passed: str, *, over: bool) -> None:
    failing = fails("pytest ./api/a ./web/b", text="FAILED api/a/test_x.py::test_seal - AssertionError: assert 1 == 2")
    [one] = found(failing, edit("api/a/x.py"), passes(passed))
    assert (one.resolved is not None) is over


def test_a_command_that_names_the_file_is_what_helped() -> None:
    mended = call("Bash", "sed -i s/prise/price/ src/cart.py")
    [one] = found(fails(), mended, edit("docs/a.css"), passes())
    assert one.resolved is not None
    assert (one.resolved.files, one.resolved.commands) == ((), ("sed -i s/prise/price/ src/cart.py",))


def test_asking_for_a_setting_helps_nothing() -> None:
    [one] = found(
        fails("corepack pnpm run lint", text=LINT),
        call("Bash", "corepack pnpm config get registry", text="x"),
        call("Bash", "corepack pnpm run lint", text="0 issues."),
    )
    assert one.resolved is not None
    assert one.resolved.commands == ()


FINDING = "src/cart.py:4:1: F821 undefined name `price`"


def at_of(*calls: list[Step]) -> list[str]:
    """When the call ran that a mistake ended with, and its edits."""
    end = end_of(*calls)
    number = next(n for n, one in enumerate(calls) if f"chunk:{one[0].chunk}" == end.ref)
    return [str(number), *end.files]


def test_a_line_with_a_formatter_is_over_once_what_reported_the_mistake_passed() -> None:
    failed = call("Bash", "make fmt && ruff check src", text=FINDING, failed=True)
    passed = call("Bash", "ruff check src", text="All checks passed!")
    again = call("Bash", "make fmt && ruff check src", text="All checks passed!")
    assert at_of(failed, edit("src/cart.py"), passed, edit("src/cart.py"), again) == ["2", "src/cart.py"]


def test_a_mistake_ended_where_it_was_no_longer_reported() -> None:
    other = fails(text='src/other.py:2: error: Name "tax" is not defined  [name-defined]')
    calls = (fails(), edit("src/cart.py"), other, edit("src/other.py"), passes())
    ends = [one.resolved for one in found(*calls) if one.resolved]
    assert {end.ref for end in ends if end.files == ("src/cart.py",)} == {f"chunk:{other[0].chunk}"}


def test_a_type_that_does_not_fit_may_be_mended_on_either_side() -> None:
    text = 'src/cart.py:4: error: Incompatible types in assignment (expression has type "str")  [assignment]'
    assert at_of(fails(text=text), edit("src/kinds.py"), edit("src/cart.py"), passes())[1:] == [
        "src/cart.py",
        "src/kinds.py",
    ]


def test_a_test_is_mended_in_what_it_tests() -> None:
    text = "--- FAIL: TestTax (0.00s)\n    cart_test.go:9: tax = 4, want 7\nFAIL"
    failed, passed = (
        call("Bash", "go test ./...", text=text, failed=True),
        call("Bash", "go test ./...", text="ok  \tshop"),
    )
    assert at_of(failed, edit("cart_test.go"), edit("rates.go"), passed)[1:] == ["rates.go", "cart_test.go"]


def test_an_edit_of_the_script_that_failed_says_more_than_its_other_runs() -> None:
    failed = call("Bash", "bin/seal.sh check", text="error: no seal was found", failed=True)
    passed = call("Bash", "bin/seal.sh check", text="sealed")
    end = end_of(failed, call("Bash", "bin/seal.sh setup"), edit("bin/seal.sh"), passed)
    assert (end.files, end.commands) == (("bin/seal.sh",), ())


def test_the_last_line_of_a_task_runner_is_no_mistake() -> None:
    assert found(call("Bash", "mise run lint", text="[lint] ERROR task failed", failed=True)) == []


def test_a_mistake_that_was_moved_ended_where_it_went() -> None:
    text = "src/{}.go:4:6: func reset is unused (unused)\nfunc reset() {{\n     ^"
    first, then = (call("Bash", "golangci-lint run", text=text.format(name), failed=True) for name in ("cart", "shop"))
    end = end_of(first, edit("src/cart.go"), then, edit("src/shop.go"), call("Bash", "golangci-lint run", text="ok"))
    assert end.files == ("src/shop.go",)


def test_a_command_that_fell_back_to_a_word_helped_nothing() -> None:
    back = call("Bash", 'git checkout src/cart.py 2>/dev/null || echo "no such file"', text="no such file")
    assert end_of(fails(), back, edit("src/cart.py"), passes()).commands == ()


def test_a_linter_that_mends_what_it_finds_makes_no_program_run() -> None:
    assert end_of(fails(), call("Bash", "npx biome check --write src/a.ts"), passes()).commands == ()


def test_a_tree_beside_the_repository_that_is_named_after_it_is_another() -> None:
    there = call("Bash", "cd /home/ada/shop.worktrees/tax && mypy src", text="Success: no issues found")
    assert [one.resolved for one in found(fails(), edit("src/cart.py"), there)] == [None]


def test_what_a_script_left_running_ends_with_the_answer_that_came_later() -> None:
    left = call("exec", "mypy src", text="Script completed\nOutput:\nSESSION_ID=42019")
    waited = call("exec", text="Success: no issues found")
    left[1] = left[1]._replace(exit_code=None)  # as where a script answers for the command
    waited[0] = waited[0]._replace(text="tools.write_stdin({session_id:42019})")
    assert at_of(fails(), edit("src/cart.py"), left, waited, edit("src/cart.py"), passes())[1:] == ["src/cart.py"]
    [one] = found(fails(), edit("src/cart.py"), left, waited)
    assert one.resolved is not None


def test_what_the_agent_says_had_to_fail_is_no_failure() -> None:
    said = Step("c:9", BEGIN, "assistant", "agent", "The test fails as expected. Now the fix.")
    steps = [*fails(), said, *edit("src/cart.py"), *passes()]
    calls = followed(answered_calls(steps))
    assert failures_of(calls, ran_by(calls, Roots((ROOT,)), steps), Roots((ROOT,)), ROOT) == []


def test_a_script_for_a_part_says_nothing_of_the_whole() -> None:
    [one] = found(
        fails("npm run check", text="src/cart.ts(4,2): error TS2304: Cannot find name 'price'."),
        edit("src/cart.ts"),
        call("Bash", "npm run web:check", text="ok"),
    )
    assert one.resolved is None


def test_a_windows_edit_of_the_file_is_what_helped() -> None:
    root = r"D:\shop"
    asked = fails("go vet ./...", text="src/cart.go:4:2: undefined: Price")
    edited = call("Edit", files=(r"D:\shop\src\cart.go",))
    steps = [*asked, *edited, *call("Bash", "go vet ./...", text="")]
    passed = steps[-1]._replace(text="ok")
    calls = followed(answered_calls([*steps[:-1], passed]))
    [one] = failures_of(calls, ran_by(calls, Roots((root,))), Roots((root,)), root)
    assert one.resolved is not None
    assert one.resolved.files == ("src/cart.go",)


def test_a_repository_of_its_own_has_a_main_branch_of_its_own() -> None:
    here = session("a", failure("f", "2026-03-01T00:00:00Z"), project="ada/shop", folder="/home/ada/shop")
    there = session("b", project="ada/orbit", folder="/home/ada/orbit")
    there = replace(there, failing=(), commits=(Said("Mend it", "2026-03-05T00:00:00Z", ()),))
    assert [one.status for one in patterns([here, there])] == ["open"]
    assert patterns([here, there])[0].id == patterns([here])[0].id
