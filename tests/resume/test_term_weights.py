"""How much of a task a passage holds, by how rare the words of the task are."""

from __future__ import annotations

import pytest

from aicx.resume.recall import TermWeights

EVERYWHERE = [f"git status of the remote, again {number}" for number in range(40)]


def test_word_that_stands_in_every_session_counts_next_to_nothing() -> None:
    rarity = TermWeights.of("git lockfile", EVERYWHERE)
    assert rarity.coverage(["git"]) < 0.1 < 0.9 < rarity.coverage(["the lockfile"])


def test_passage_that_lacks_the_word_nobody_knows_holds_little() -> None:
    rarity = TermWeights.of("bake a chocolate cake", ["the baked registry", *EVERYWHERE])
    assert rarity.coverage(["test baked_registry ... ok"]) < 0.45


def test_passage_with_every_word_holds_the_whole_task() -> None:
    assert TermWeights.of("expire the tokens", EVERYWHERE).coverage(["Tokens expired", "too early"]) == pytest.approx(
        1.0
    )


def test_name_is_held_whole_and_told_by_half_of_its_words() -> None:
    rarity = TermWeights.of("parse_token_line", [])
    assert rarity.coverage(["parse the token of a line"]) == 0.0
    assert 0 < rarity.shared("we parse the token of a line") < rarity.shared("parse_token_line does it")


def test_task_of_words_that_stand_everywhere_tells_no_sessions_apart() -> None:
    assert not TermWeights.of("the remote of git", EVERYWHERE).is_discriminative
    assert TermWeights.of("the lockfile of git", EVERYWHERE).is_discriminative


def test_word_of_a_handful_of_sessions_is_not_called_common() -> None:
    assert TermWeights.of("tokens", ["the tokens expire"]).is_discriminative


def test_words_that_say_little_can_be_left_out_unless_there_are_no_others() -> None:
    little = ["fix", "changes", "review"]
    assert TermWeights.of("fix the changed login", []).without(little) == TermWeights.of("login", [])
    assert TermWeights.of("review the change", []).without(little) == TermWeights.of("review the change", [])


def test_end_of_a_word_is_not_the_word() -> None:
    digits = ["a digit"] * 40
    assert TermWeights.of("git", digits).worths == TermWeights.of("git", ["x"] * 40).worths


def test_long_task_needs_no_passage_that_holds_most_of_it() -> None:
    task = " ".join(f"{letter}word" for letter in "abcdefghijklmnopqrstuvwxyz")
    held = " ".join(f"{letter}word" for letter in "abcdefghijklmn")
    assert TermWeights.of(task, EVERYWHERE).coverage([held]) == 1.0


@pytest.mark.parametrize("task", ["", "the of and", "?!", "\udcff\x00"])
def test_task_in_which_there_is_nothing_to_look_for_is_held_by_nothing(task: str) -> None:
    assert TermWeights.of(task, EVERYWHERE).coverage(["git remote"]) == 0.0
