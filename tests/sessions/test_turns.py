"""The turns of a session in `aicx show --about --json`."""

from __future__ import annotations

from tests.sessions.builders import A, FamilyHome


def test_each_turn_says_what_was_asked_and_what_came_of_it(family: FamilyHome) -> None:
    log = family.log(A).prompt("Fix the lexer", 0)
    log.call("Edit", 1, "t1", file_path=f"{family.repo}/src/lexer.py", new_string="x", old_string="y")
    log.result("updated", 2, "t1").call("Bash", 3, "t2", command="pytest -q")
    log.result("FAILED test_lexer", 4, "t2", failed=True).answer("One test still fails.", 5)
    family.claude(log.prompt("Then mend the test", 6).answer("Done.", 7))
    family.stored()
    first, second = family("show", A)["turns"]
    assert (first["index"], first["prompt"], first["answer"]) == (0, "Fix the lexer", "One test still fails.")
    assert (first["tool_calls"], first["failed"]) == ({"Edit": 1, "Bash": 1}, 1)
    assert [path.rpartition("/")[2] for path in first["files"]] == ["lexer.py"]
    assert (second["prompt"], second["answer"], second["tool_calls"]) == ("Then mend the test", "Done.", {})
