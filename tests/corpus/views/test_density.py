"""How much of a text is worth reading."""

from aicx.corpus.views.rank import measure


def test_a_decision_beats_noise():
    decision = "Decision: we keep SQLite because the deploy failed with Postgres.\nThe root cause was the pool size.\n"
    noise = "at foo.js:1\nat bar.js:2\nimport os\n}\n{\n"
    assert measure(decision * 4).score > measure(noise * 4).score


def test_worked_score():
    # 2 of 8 lines are signal: 10 * 2 / 8 = 2.5, and a high-value marker adds 2; no noise.
    text = "Decision: keep it\nbecause it works\n" + "plain line\n" * 6
    assert measure(text).score == 4.5


def test_noise_costs():
    # 1 of 10 signal is 1.0; 9 of 10 noise is over 0.7 and costs 3; never below zero.
    assert measure("fixed the test\n" + "import os\n" * 9).score == 0.0


def test_one_good_line_is_no_dense_chunk():
    assert measure("the fix is in").score < 3


def test_nothing_is_empty():
    assert measure("\n  \n- \n").label == "EMPTY"


def test_an_echoed_skill_is_noise():
    assert measure("Base directory for this skill: x\nDecision: none\nbecause of it\n").signal == 0


def test_the_sentences_that_weigh_most_come_first():
    text = "It works because of the lamp.\nSwept. We moved it; the root cause was the wick being wet.\nplain"
    assert measure(text).telling == (
        "We moved it; the root cause was the wick being wet.",
        "It works because of the lamp.",
    )


def test_a_request_is_no_telling_sentence_beside_one():
    assert measure("Please fix it because it broke.\nThe fix is to read it once.").telling == (
        "The fix is to read it once.",
    )
    assert measure("Please fix it because it broke.").telling == ("Please fix it because it broke.",)


def test_lines_of_a_pasted_log_are_no_signal():
    pasted = "".join(f"2026-01-01T10:00:{n} ERROR write failed because of /var/log/{n}\n" for n in range(10, 40))
    assert (measure(pasted).signal, measure("[10:00:01] failed because of it").signal) == (0, 0)
    assert measure("Failed because of it, on 2026-01-01").signal == 1
