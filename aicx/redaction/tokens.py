"""Tokens that say what they are: a fixed prefix of their issuer, then a generated body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from aicx.redaction.anchors import Finding
from aicx.redaction.values import is_random, is_stand_in
from aicx.redaction.wrapping import end_of_wrapped

ALNUM = "A-Za-z0-9"
URL64 = "A-Za-z0-9_-"
HEX = "0-9a-f"

# Room for the longest tokens there are; a bound keeps the work on hostile text linear.
_LONGEST = 2048
# As much of a body as is needed to judge it.
_SAMPLE = 128


@dataclass(frozen=True, slots=True)
class Token:
    """Tokens of one kind: ``prefixes``, then at least ``least`` signs of ``body`` (exactly ``full``, where fixed)."""

    rule: str
    prefixes: tuple[str, ...]
    body: str = ALNUM
    least: int = 16
    full: int = 0


TOKENS: tuple[Token, ...] = (
    Token("anthropic-key", ("sk-ant-",), URL64),
    Token("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), URL64),
    Token("openai-key", ("sk-",), least=20),
    Token("openrouter-key", ("sk-or-",), URL64, 24),
    Token("langfuse-key", ("sk-lf-",), URL64, 24),
    Token("github-token", ("ghp_", "gho_", "ghu_", "ghr_"), full=36),
    Token("github-token", ("ghs_",), r"A-Za-z0-9_.-", full=36),
    Token("github-token", ("github_pat_",), "A-Za-z0-9_", 20, 82),
    Token("gitlab-token", ("glpat-",), r"A-Za-z0-9_.-", 16),
    Token(
        "gitlab-token",
        (
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
            "glwt-",
        ),
        URL64,
        14,
    ),
    Token("slack-token", tuple(f"xox{kind}-" for kind in "abcdeoprs"), r"A-Za-z0-9%-"),
    Token("slack-token", ("xoxe.xoxp-", "xoxe.xoxb-", "xapp-"), "A-Za-z0-9-"),
    Token("aws-access-key-id", ("AKIA", "ASIA"), "A-Z0-9", 12, 16),
    Token("aws-session-token", ("IQoJb3JpZ2lu",), "A-Za-z0-9+/=", 40),
    Token("google-api-key", ("AIza",), URL64, 20, 35),
    Token("google-oauth-token", ("ya29.",), r"A-Za-z0-9_.-", 20),
    Token("google-client-secret", ("GOCSPX-",), URL64, 16, 28),
    Token("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_"), least=10),
    Token("stripe-webhook-secret", ("whsec_",), "A-Za-z0-9+/="),
    Token("npm-token", ("npm_",), full=36),
    Token("pypi-token", ("pypi-AgE",), URL64, 40),
    Token("huggingface-token", ("hf_", "api_org_"), least=20, full=34),
    Token("rubygems-token", ("rubygems_",), HEX, 24, 48),
    Token("docker-token", ("dckr_pat_", "dckr_oat_"), URL64),
    Token("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), HEX, 24, 64),
    Token("sendgrid-key", ("SG.",), r"A-Za-z0-9_.-", 30, 66),
    Token("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), "0-9a-fA-F", 16, 32),
    Token("linear-key", ("lin_api_", "lin_oauth_"), least=20),
    Token("notion-token", ("ntn_",), least=20),
    Token("vault-token", ("hvs.", "hvb.", "hvr."), URL64, 24),
    Token("groq-key", ("gsk_",), least=20),
    Token("xai-key", ("xai-",), least=20),
    Token("perplexity-key", ("pplx-",), least=20),
    Token("replicate-token", ("r8_",), least=20),
    Token("supabase-token", ("sbp_",), HEX, 24, 40),
    Token("supabase-token", ("sb_secret_",), URL64),
    Token("grafana-token", ("glsa_", "glc_"), "A-Za-z0-9_=+/", 24),
    Token("sentry-token", ("sntrys_", "sntryu_"), "A-Za-z0-9_=+/", 24),
    Token("postman-key", ("PMAK-",), "A-Za-z0-9-", 24),
    Token("newrelic-key", ("NRAK-",), "A-Z0-9", 20, 27),
    Token("age-key", ("AGE-SECRET-KEY-1",), "A-Z0-9", 24, 58),
    Token("figma-token", ("figd_",), URL64, 20),
    Token("atlassian-token", ("ATATT3",), r"A-Za-z0-9_=-", 24),
    Token("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), "A-Za-z0-9_", 24),
    Token("pinecone-key", ("pcsk_",), "A-Za-z0-9_", 24),
    Token("tavily-key", ("tvly-",), URL64, 20),
    Token("doppler-token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."), r"A-Za-z0-9_.-", 24),
    Token("dynatrace-token", ("dt0c01.", "dt0s16."), r"A-Z0-9.", 24),
    Token("terraform-token", (".atlasv1.",), URL64, 40),
    Token("planetscale-token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"A-Za-z0-9_.-", 24),
    Token("netlify-token", ("nfp_",), least=24),
    Token("nvidia-key", ("nvapi-",), URL64, 24),
    Token("tailscale-key", ("tskey-auth-", "tskey-api-", "tskey-client-"), "A-Za-z0-9-"),
    Token("fly-token", ("fm1_", "fm2_", "fo1_"), "A-Za-z0-9_=+/-", 40),
    Token("square-token", ("sq0atp-", "sq0csp-"), URL64, 22),
    Token("pulumi-token", ("pul-",), HEX, 24, 40),
    Token("buildkite-token", ("bkua_", "bkct_"), least=24),
    Token("circleci-token", ("CCIPAT_", "CCIPRJ_"), "A-Za-z0-9_", 24),
    Token("onepassword-token", ("ops_eyJ",), URL64, 40),
    Token("sourcegraph-token", ("sgp_",), "A-Za-z0-9_", 32),
    Token("cloudflare-token", ("cfut_", "cfat_"), URL64, 24),
)


@cache
def _bodies() -> dict[str, tuple[Token, re.Pattern[str]]]:
    return {
        prefix: (token, re.compile(f"{re.escape(prefix)}([{token.body}]{{0,{_LONGEST}}})"))
        for token in TOKENS
        for prefix in token.prefixes
    }


def token_at(text: str, start: int, prefix: str) -> Iterator[Finding]:
    """The token that begins with ``prefix`` at ``start``, if it is one."""
    if not begins_here(text, start):
        return
    token, pattern = _bodies()[prefix]
    match = pattern.match(text, start)
    end = _end(token, text, match) if match else 0
    if end:
        yield Finding(start, end, token.rule)
        if token.rule == "aws-access-key-id":
            yield from _aws_secrets_near(text, start)


def _end(token: Token, text: str, match: re.Match[str]) -> int:
    """Where the token that begins with ``match`` ends, or 0 when it is none."""
    end = match.end()
    body = match[1][:_SAMPLE]
    if len(match[1]) < (token.full or _LONGEST):
        end = end_of_wrapped(text, end, len(match[1]), token.body, token.full)
        body = re.sub(f"[^{token.body}]+", "", text[match.start(1) : end][:_SAMPLE])
    if end == match.end():
        end -= len(match[1]) - len(match[1].rstrip("-_."))  # a sentence goes on
    return end if _is_body(body, token.least) and not is_stand_in(body) else 0


def _is_body(body: str, least: int) -> bool:
    if len(body.rstrip("-_.")) < least:
        return False
    # `glpat-like-words-in-a-row` is no token, one long unbroken run is.
    return is_random(body) or max(map(len, re.split(r"[-_.]", body))) >= least


@cache
def _aws_secret() -> re.Pattern[str]:
    return re.compile(r"(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])", re.ASCII)


def _aws_secrets_near(text: str, start: int) -> Iterator[Finding]:
    """The secret keys in sight of an access key id: forty signs of base64 have no mark of their own."""
    for match in _aws_secret().finditer(text, max(0, start - 200), start + 300):
        run = match[0]
        if is_random(run) and any(map(str.isupper, run)) and any(map(str.islower, run)) and "//" not in run:
            yield Finding(match.start(), match.end(), "aws-secret-key")


@cache
def _before() -> dict[str, re.Pattern[str]]:
    return {
        "escape": re.compile(r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|\[[0-9;]{0,8}m)\Z"),
        "mark": re.compile(r"\[REDACTED:[a-z0-9-]+\]\Z"),
    }


def begins_here(text: str, start: int) -> bool:
    """Whether no word runs into ``start``; the letter of an escape such as ``\\n`` or of a colour code is no word.

    What follows a mark directly is the rest of a run that was too long to be one secret.
    """
    if start == 0:
        return True
    before = text[start - 1]
    if before == "]":
        return _before()["mark"].search(text[max(0, start - 60) : start]) is None
    if not (before.isascii() and before.isalnum()):
        return True
    return _before()["escape"].search(text[max(0, start - 12) : start]) is not None
