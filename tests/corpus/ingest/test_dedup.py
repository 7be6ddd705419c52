"""Copies: what is one message told twice, what only looks like it, and where the copies are written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.builders import CWD, OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home

LONG = "Rewrite the lexer so that it reads numbers with underscores."


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    return Home(tmp_path)


def texts(home: Home) -> list[str]:
    home.store()
    return sorted(home.own_texts())


def duplicates(home: Home) -> list[tuple[str, str]]:
    return [(copy["agent"], copy["session_id"]) for fields in home.sidecars() for copy in fields.get("duplicates", [])]


class TestTheSameTextToSeveralAgents:
    def test_in_one_minute_it_is_one_message(self, home):
        home.codex(CodexLog().prompt(LONG, 5))
        home.claude(ClaudeLog().prompt(LONG, 40))
        assert texts(home) == [LONG]
        assert duplicates(home) == [("claude", SESSION)]

    def test_across_the_edge_of_a_minute_it_is_two(self, home):
        home.claude(ClaudeLog().prompt(LONG, 40))
        home.codex(CodexLog().prompt(LONG, 65))
        assert texts(home) == [LONG, LONG]
        assert duplicates(home) == []

    def test_statements_that_differ_by_a_letter_are_two(self, home):
        home.claude(ClaudeLog().prompt(LONG, 5))
        home.codex(CodexLog().prompt(f"{LONG}!", 5))
        assert len(texts(home)) == 2

    def test_it_makes_neither_session_the_others_parent(self, home):
        home.codex(CodexLog().prompt(LONG, 5))
        home.claude(ClaudeLog().prompt(LONG, 40).answer("All done, numbers are read.", 50))
        home.store()
        assert [fields.get("parent_session") for fields in home.sidecars()] == [None, None]

    def test_the_output_of_tools_is_never_merged(self, home):
        home.claude(ClaudeLog().call("Bash", 1, command="ls").result(LONG, 2))
        home.codex(CodexLog().call("ls", 1).result(LONG, 2))
        assert texts(home).count(LONG) == 2

    def test_two_sessions_of_one_agent_in_one_second_are_one(self, home):
        home.claude(ClaudeLog(SESSION).prompt(LONG, 5))
        home.claude(ClaudeLog(OTHER).prompt(LONG, 5))
        assert texts(home) == [LONG]

    def test_two_sessions_of_one_agent_in_one_minute_are_two(self, home):
        home.claude(ClaudeLog(SESSION).prompt(LONG, 5))
        home.claude(ClaudeLog(OTHER).prompt(LONG, 6))
        assert texts(home) == [LONG, LONG]


class TestShortReplies:
    @pytest.mark.parametrize("reply", ["yes", "continue", "go on please"])
    def test_a_short_reply_in_two_sessions_is_two(self, home, reply):
        home.claude(ClaudeLog(SESSION).prompt(reply, 5))
        home.claude(ClaudeLog(OTHER).prompt(reply, 5))
        home.codex(CodexLog(THIRD).prompt(reply, 5))
        assert texts(home) == [reply] * 3
        assert duplicates(home) == []

    def test_a_reply_given_twice_in_one_session_is_two(self, home):
        home.claude(ClaudeLog().prompt("yes", 5).answer("Done.", 6).prompt("yes", 7))
        assert texts(home) == ["Done.", "yes", "yes"]


class TestForks:
    def parent(self) -> ClaudeLog:
        return (
            ClaudeLog(SESSION)
            .prompt("Start here", 0)
            .answer("Started.", 1)
            .call("Bash", 2, command="ls")
            .result("a b", 3)
        )

    def test_the_records_a_fork_took_along_are_stored_once(self, home):
        home.claude(self.parent())
        home.claude(ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100))
        assert texts(home) == ["Bash\n$ ls", "Go another way", "Start here", "Started.", "a b"]

    def test_every_copy_is_written_down_with_the_log_it_is_in(self, home):
        home.claude(self.parent())
        fork = home.claude(ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100))
        home.store()
        (copies,) = [fields["duplicates"] for fields in home.sidecars() if "duplicates" in fields]
        assert {(copy["session_id"], copy["path"]) for copy in copies} == {(THIRD, str(fork))}
        body = fork.read_bytes()
        assert [body[slice(*copy["span"])].count(b'"uuid"') for copy in copies] == [1, 1, 1, 1]

    def test_a_fork_names_its_parent(self, home):
        home.claude(self.parent())
        home.claude(ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100))
        home.store()
        parents = {fields["session_id"]: fields.get("parent_session") for fields in home.sidecars()}
        assert parents == {SESSION: None, THIRD: SESSION}

    def test_a_fork_met_later_adds_to_the_chunk_that_was_stored(self, home):
        home.claude(self.parent())
        home.store()
        before = home.files()
        home.claude(ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100))
        home.store()
        after = home.files()
        changed = [path for path in before if before[path] != after[path]]
        assert [path.endswith(".meta.json") for path in changed] == [True]
        assert len(duplicates(home)) == 4

    def test_it_makes_no_difference_whether_the_fork_is_met_at_once_or_later(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        one, other = Home(tmp_path / "a"), Home(tmp_path / "b")
        fork = ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100)
        one.claude(self.parent())
        one.store()
        one.claude(fork)
        one.store()
        other.claude(self.parent())
        other.claude(fork)
        other.store()
        here, there = (
            {path: body.replace(str(found.root).encode(), b"~") for path, body in found.files().items()}
            for found in (one, other)
        )
        assert here == there

    def test_a_fork_whose_parent_is_gone_keeps_everything(self, home):
        home.claude(ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100))
        assert len(texts(home)) == 5

    def test_a_chunk_that_was_deleted_by_hand_does_not_stop_the_run(self, home):
        home.claude(self.parent())
        home.store()
        for path in home.files():
            (home.corpus / path).unlink()
        home.claude(ClaudeLog(THIRD).copied_from(self.parent()).prompt("Go another way", 100))
        home.store()
        assert "Go another way" in home.own_texts()


class TestPromptHistory:
    def test_a_prompt_that_the_sessions_log_has_is_not_stored_again(self, home):
        home.claude(ClaudeLog().prompt("yes", 0))
        home.claude_history((SESSION, "yes", 0.4))
        assert texts(home) == ["yes"]

    def test_it_is_written_down_as_a_copy(self, home):
        home.claude(ClaudeLog().prompt("yes", 0))
        path = home.claude_history((SESSION, "yes", 0.4))
        home.store()
        assert [copy["path"] for copy in home.sidecar()["duplicates"]] == [str(path)]

    def test_a_prompt_of_a_vanished_session_is_kept_on_its_own(self, home):
        home.claude_history((SESSION, "What a lost session was about", 0))
        assert texts(home) == ["What a lost session was about"]
        fields = home.sidecar()
        assert fields["id"] == f"claude:{SESSION}~history:001"
        assert fields["stream"] == "history"
        assert fields["cwd"] == CWD
        assert "from the prompt history" in home.markdown()

    def test_a_prompt_that_the_sessions_log_lacks_is_kept(self, home):
        home.claude(ClaudeLog().prompt("The first one", 0))
        home.claude_history((SESSION, "The first one", 0), (SESSION, "The one that was lost", 600))
        assert texts(home) == ["The first one", "The one that was lost"]

    def test_the_history_never_owns_what_a_log_says(self, home):
        home.claude_history((SESSION, LONG, 0))
        home.store()
        home.claude(ClaudeLog().prompt(LONG, 0).answer("Done.", 1))
        home.store()
        own = next(fields for fields in home.sidecars() if "stream" not in fields)
        assert [message["role"] for message in own["messages"]] == ["user", "assistant"]

    def test_nor_what_the_log_of_another_session_says(self, home):
        home.claude_history((SESSION, LONG, 0))
        home.store()
        home.claude(ClaudeLog(OTHER).prompt(LONG, 0.2))
        assert texts(home) == [LONG, LONG]

    def test_two_sessions_in_one_history_are_kept_apart(self, home):
        home.claude_history((SESSION, "yes", 0), (OTHER, "yes", 0))
        assert texts(home) == ["yes", "yes"]
        assert {fields["session_id"] for fields in home.sidecars()} == {SESSION, OTHER}

    def test_a_history_that_grows_rewrites_nothing_it_had(self, home):
        prompts = [(SESSION, "word " * 600 + str(number), float(number)) for number in range(8)]
        home.claude_history(*prompts[:6])
        home.store()
        before = home.files()
        home.claude_history(*prompts)
        home.store()
        after = home.files()
        changed = {
            path.removesuffix(".md").removesuffix(".meta.json") for path in before if before[path] != after[path]
        }
        assert len(before) > 2
        assert len(changed) <= 1
