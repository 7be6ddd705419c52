"""What redaction promises: secrets vanish, code stays, and doing it twice changes nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.redaction import redact
from aicx.redaction.issuers import RULES, SOURCES, TOKENS, Token
from tests.redaction.labelled import LookAlike, Positive, look_alikes, positives
from tests.redaction.tokens import SHAPES, make
from tests.sampling import ALL

POSITIVES = list(positives())
LOOK_ALIKES = list(look_alikes())
PASTED = [positive for batch in (1, 2, 3) for positive in positives(f"pasted_{batch}.txt")]
PASTED_LOOK_ALIKES = [look for batch in (1, 2, 3) for look in look_alikes(f"pasted_lookalikes_{batch}.txt")]
GHP = make("ghp", "test")[0]
cleaned = cache(redact)  # for what is redacted by several tests
MARK = re.compile(r"\[REDACTED:([a-z0-9-]+)\]")


def redacted(text: str) -> str:
    return cleaned(text).text


@pytest.mark.slow
def test_recall_on_the_labelled_set_stays_above_98_percent() -> None:
    missed = [positive for positive in POSITIVES if positive.leaked(redacted(positive.text))]
    assert len(POSITIVES) >= 370
    assert 1 - len(missed) / len(POSITIVES) >= 0.98, [positive.text[:120] for positive in missed]


def test_false_positives_on_the_labelled_set_stay_below_1_percent() -> None:
    changed = [look.text for look in LOOK_ALIKES if redacted(look.text) != look.text]
    assert len(LOOK_ALIKES) >= 690
    assert len(changed) / len(LOOK_ALIKES) <= 0.01, [text[:120] for text in changed]


def test_recall_on_what_people_paste_daily_stays_above_90_percent() -> None:
    missed = [positive for positive in PASTED if positive.leaked(redacted(positive.text))]
    assert len(PASTED) >= 800
    assert 1 - len(missed) / len(PASTED) >= 0.95, [positive.text[:120] for positive in missed]


def test_look_alikes_of_what_people_paste_daily_are_left_alone() -> None:
    changed = [look.text for look in PASTED_LOOK_ALIKES if redacted(look.text) != look.text]
    assert len(PASTED_LOOK_ALIKES) >= 680
    assert len(changed) / len(PASTED_LOOK_ALIKES) <= 0.003, [text[:120] for text in changed]


def test_each_row_of_issuers_names_a_dated_source() -> None:
    assert {token.source for token in TOKENS} <= set(SOURCES)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for _, day in SOURCES.values())


@pytest.mark.slow
def test_what_surrounds_a_secret_survives() -> None:
    found = [(positive, redacted(positive.text)) for positive in POSITIVES]
    spoilt = [text for positive, text in found if not positive.leaked(text) and not positive.kept(text)]
    assert spoilt == []


@pytest.mark.parametrize("family", sorted({positive.family for positive in POSITIVES}))
@pytest.mark.slow
def test_each_family_is_caught_six_times_in_seven(family: str) -> None:
    found = [not positive.leaked(redacted(positive.text)) for positive in POSITIVES if positive.family == family]
    assert sum(found) / len(found) >= 6 / 7


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("anthropic", "anthropic-key"),
        ("openai_proj", "openai-key"),
        ("ghp", "github-token"),
        ("github_pat", "github-token"),
        ("glpat", "gitlab-token"),
        ("xoxb", "slack-token"),
        ("akia", "aws-access-key-id"),
        ("aiza", "google-api-key"),
        ("sk_live", "stripe-key"),
        ("npm", "npm-token"),
        ("pypi", "pypi-token"),
        ("hf", "huggingface-token"),
        ("sendgrid", "sendgrid-key"),
        ("telegram", "telegram-bot-token"),
        ("dop", "digitalocean-token"),
        ("jwt", "jwt"),
    ],
)
def test_mark_names_the_issuer_even_after_a_name(kind: str, rule: str) -> None:
    secret = make(kind, "named")[0]
    assert redact(f"SERVICE_TOKEN={secret}\n").text == f"SERVICE_TOKEN=[REDACTED:{rule}]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export API_KEY={}", "export API_KEY=[REDACTED:api-key]"),
        ('"client_secret": "{}",', '"client_secret": "[REDACTED:secret]",'),
        ("postgres://app:{}@db/app", "postgres://app:[REDACTED:url-password]@db/app"),
        ("Authorization: Bearer {}", "Authorization: Bearer [REDACTED:authorization]"),
        ("-H 'X-API-Key: {}'", "-H 'X-API-Key: [REDACTED:api-key]'"),
        ("Cookie: a=b; sid={}; c=d", "Cookie: a=b; sid=[REDACTED:cookie]; c=d"),
    ],
)
def test_name_and_header_stay_and_only_the_value_goes(text: str, expected: str) -> None:
    value = make("alnum24", "value")[0]
    assert redact(text.format(value)).text == expected


def test_counts_say_how_often_each_rule_fired() -> None:
    text = f"{GHP} and {GHP}\nDB_PASSWORD={make('pwalnum', 'count')[0]}\n"
    assert redact(text).counts == {"github-token": 2, "password": 1}


def test_clean_text_is_returned_unchanged_with_no_counts() -> None:
    result = redact("def token_of(user: str) -> str:\n    return tokens[user]\n")
    assert result.text == "def token_of(user: str) -> str:\n    return tokens[user]\n"
    assert result.counts == {}


def test_empty_text_is_fine() -> None:
    assert redact("").text == ""


def test_offsets_hold_after_characters_beyond_latin_1() -> None:
    assert redact(f"→ żółw 🔑 {GHP} ✓").text == "→ żółw 🔑 [REDACTED:github-token] ✓"


def test_lone_surrogates_do_not_stop_redaction() -> None:
    assert redact(f"\ud83d {GHP}").text == "\ud83d [REDACTED:github-token]"


def test_overlapping_rules_leave_one_mark() -> None:
    secret = make("ghp", "overlap")[0]
    result = redact(f"https://x-access-token:{secret}@github.com/acme/app")
    assert result.text == "https://x-access-token:[REDACTED:github-token]@github.com/acme/app"
    assert result.counts == {"github-token": 1}


@pytest.mark.parametrize("word", ["secret", "test", "changeme", "password", "your-password", "xxxxxxxx", "********"])
def test_stand_in_words_after_a_name_are_kept(word: str) -> None:
    text = f'password = "{word}"'
    assert redact(text).text == text


def test_short_words_in_a_url_are_passwords_all_the_same() -> None:
    assert redact("postgres://user:pass@host/db").text == "postgres://user:[REDACTED:url-password]@host/db"


@pytest.mark.parametrize("broken", ["\n", "\n    ", "\\\n", '" +\n  "', "\\n", "\r\n"])
def test_token_broken_over_two_lines_goes_whole(broken: str) -> None:
    text = f'key "{GHP[:20]}{broken}{GHP[20:]}" end'
    assert redact(text).text == 'key "[REDACTED:github-token]" end'


def test_word_on_the_next_line_is_not_taken_for_the_rest_of_a_token() -> None:
    text = f"{GHP[:30]}\nReadme follows here"
    assert redact(text).text == "[REDACTED:github-token]\nReadme follows here"


def test_private_key_is_redacted_without_its_end() -> None:
    text, lines = make("pem_cut", "cut")
    result = redact(f"before\n{text}\n[truncated]")
    assert result.text == "before\n[REDACTED:private-key]\n[truncated]"
    assert lines


def test_private_key_is_redacted_without_its_beginning() -> None:
    text, _ = make("pem_tail", "tail")
    assert redact(f"[truncated]\n{text}\nafter").text == "[truncated]\n[REDACTED:private-key]\nafter"


def test_mark_in_the_text_is_never_part_of_a_secret() -> None:
    text = 'password = "[REDACTED:password]" and token=[REDACTED:token]abc'
    assert redact(text).text == text


def test_secret_beside_an_older_mark_is_still_found() -> None:
    result = redact(f"[REDACTED:jwt] {GHP}")
    assert result.text == "[REDACTED:jwt] [REDACTED:github-token]"
    assert result.counts == {"github-token": 1}


def test_unknown_mark_hides_nothing() -> None:
    assert GHP not in redact(f"[REDACTED:{GHP}]").text


@pytest.mark.slow
def test_every_rule_of_the_table_fires_on_the_labelled_set_or_is_a_prefix() -> None:
    fired: Counter[str] = Counter()
    for positive in [*POSITIVES, *PASTED]:
        fired.update(cleaned(positive.text).counts)
    silent = {rule.name for rule in RULES if not fired[rule.name] and "tokens that begin with" not in rule.what}
    assert silent == set()


@pytest.mark.parametrize(
    ("token", "prefix"), [pytest.param(token, prefix, id=prefix) for token in TOKENS for prefix in token.prefixes]
)
def test_every_prefix_of_the_table_is_found(token: Token, prefix: str) -> None:
    alphabet = "0123456789abcdef" if "a-" in token.body else "0123456789ABCDEF"
    secret = prefix + (alphabet * 8)[: token.full or 60]
    assert redact(f"see {secret} there").text == f"see [REDACTED:{token.rule}] there"


def test_rule_names_are_unique_and_documented() -> None:
    names = [rule.name for rule in RULES]
    page = (Path(__file__).parents[2] / "docs" / "redaction.md").read_text(encoding="utf-8")
    assert len(names) == len(set(names))
    assert [name for name in names if f"`{name}`" not in page] == []


def test_importing_compiles_no_regular_expression() -> None:
    code = """
import base64, bisect, collections, dataclasses, enum, functools, operator, re, string, sys, urllib.parse, aicx.types
re.compile = lambda *given: sys.exit(f"compiled at import: {given}")
import aicx.redaction
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_name_compiles_neither_of_the_long_scans() -> None:
    code = """
import sys
from aicx.redaction import redact
from aicx.redaction.scans import SCANS
assert redact("github.com").counts == {}
sys.exit(bool({"literals", "signs"} & vars(SCANS).keys()))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


tokens = st.builds(
    lambda kind, seed, cut: make(kind, str(seed))[0][:cut],
    st.sampled_from(sorted(SHAPES)),
    st.integers(0, 10_000),
    st.one_of(st.none(), st.integers(1, 60)),
)
marks = st.sampled_from([f"[REDACTED:{rule.name}]" for rule in RULES] + ["[REDACTED:", "[REDACTED]", "***"])
words = ["API_KEY=", '"password": "', "token: ", "Authorization: Bearer ", "://u:", "@host", "-----BEGIN ", "KEY-----"]
contexts = st.sampled_from([*words, *"\"'.,|=:-_→é\n ", "\\n", "\\\n", "eyJ", "\\u003d", "+ "])
snippets = st.builds(
    lambda text, start, length: text[start : start + length],
    st.sampled_from([entry.text for entry in [*POSITIVES, *LOOK_ALIKES]]),
    st.integers(0, 200),
    st.integers(1, 200),
)
mixtures = st.lists(st.one_of(tokens, marks, contexts, snippets, st.text(max_size=8)), max_size=8).map("".join)


@settings(max_examples=200 if ALL else 40, deadline=None)
@given(mixtures)
@pytest.mark.slow
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    twice = redact(once.text)
    assert twice.text == once.text
    assert twice.counts == {}


@settings(max_examples=200 if ALL else 40, deadline=None)
@given(mixtures)
@pytest.mark.slow
def test_counts_match_the_marks_that_appear(text: str) -> None:
    result = redact(text)
    added = Counter(MARK.findall(result.text)) - Counter(MARK.findall(text))
    assert +added == Counter({rule: number for rule, number in result.counts.items() if number})


@settings(max_examples=200 if ALL else 15, deadline=None)
@given(st.sampled_from(POSITIVES), st.sampled_from(LOOK_ALIKES))
@pytest.mark.slow
def test_neighbours_do_not_hide_a_secret(positive: Positive, look: LookAlike) -> None:
    alone = positive.leaked(redacted(positive.text))
    together = redact(f"{look.text}\n\n{positive.text}\n\n{look.text}").text
    # A look-alike may share a piece with the secret, such as the header of a web token.
    assert positive.leaked(together.removeprefix(look.text).removesuffix(look.text)) == alone
