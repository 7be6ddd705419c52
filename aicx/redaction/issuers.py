"""The table of issuers: how the tokens of each begin, what they are made of, and where that is written down.

The shapes are facts, put in our own words. `SOURCES` says where each was read, and when.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from aicx.values import dataclass

ALNUM = "A-Za-z0-9"
URL64 = "A-Za-z0-9_-"
HEX = "0-9a-f"

# Where the facts of the rows were read, and the day they were written down (YYYY-MM-DD).
SOURCES = {
    "known": ("widely known when the row was written, and not looked up again", "2026-11-22"),
    "trufflehog": ("github.com/trufflesecurity/trufflehog, detectors found by their expressions", "2026-11-22"),
    "gitleaks": ("github.com/gitleaks/gitleaks, config/gitleaks.toml at 009e025", "2026-11-22"),
}


class Token(NamedTuple):
    """Tokens of one kind: ``prefixes``, then at least ``least`` signs of ``body`` (``full``, where fixed).

    Where ``least`` is ``full`` the prefix is too common to believe any other length.
    """

    rule: str
    prefixes: tuple[str, ...]
    body: str = ALNUM
    least: int = 16
    full: int = 0
    source: str = "known"


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
    Token("aws-access-key-id", ("ABIA", "ACCA"), "A-Z0-9", 12, 16, "gitleaks"),
    Token("bedrock-key", ("ABSK", "bedrock-api-key-"), "A-Za-z0-9+/=", 40),
    Token("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), least=20),
    Token("notion-token", ("secret_",), least=40, full=43),
    Token("brevo-key", ("xkeysib-",), "A-Za-z0-9-", 40, 0, "gitleaks"),
    Token("brevo-key", ("xsmtpsib-",), "A-Za-z0-9-", 40),
    Token("resend-key", ("re_",), "A-Za-z0-9_", 20),
    Token("posthog-key", ("phx_", "phs_"), least=30),
    Token("elevenlabs-key", ("sk_",), HEX, 48, 48, "known"),
    Token("cursor-key", ("key_", "crsr_"), HEX, 40, 64),
    Token("firecrawl-key", ("fc-",), HEX, 32, 32),
    Token("context7-key", ("ctx7sk-",), "0-9a-f-", 24, 36),
    Token("e2b-key", ("e2b_",), HEX, 40, 40),
    Token("dropbox-token", ("sl.", "sl.u."), URL64, 60, 0, "gitleaks"),
    Token("jfrog-token", ("cmVmdGtuOjA",), least=40, source="gitleaks"),
    Token("heroku-token", ("HRKU-AA",), URL64, 40, 58, "gitleaks"),
    Token("mapbox-token", ("sk.eyJ", "tk.eyJ"), r"A-Za-z0-9_.-", 40),
    Token("mailgun-key", ("key-",), HEX, 32, 32, "gitleaks"),
    Token("cloudflare-token", ("v1.0-",), "0-9a-f-", 100, 171, "gitleaks"),
    Token("infisical-token", ("st.",), "0-9a-f.", 50),
    Token("prefect-key", ("pnu_", "pnb_"), least=30, full=36, source="gitleaks"),
    Token("typeform-token", ("tfp_",), r"A-Za-z0-9_.=-", 40, 0, "gitleaks"),
    Token("readme-key", ("rdme_",), "a-z0-9", 50, 70, "gitleaks"),
    Token("1password-key", ("A3-",), "A-Z0-9-", 25, 0, "gitleaks"),
    Token("adobe-secret", ("p8e-",), "A-Za-z0-9_-", 32, 0, "gitleaks"),
    Token("alibaba-key-id", ("LTAI",), least=16, full=20, source="gitleaks"),
    Token("octopus-key", ("API-",), "A-Z0-9", 26, 26, "gitleaks"),
    Token("easypost-key", ("EZAK", "EZTK"), least=40, full=54, source="gitleaks"),
    Token("clojars-token", ("CLOJARS_", "clojars_"), "a-z0-9", 40, 60, "gitleaks"),
    Token("duffel-token", ("duffel_test_", "duffel_live_"), URL64, 40, 0, "gitleaks"),
    Token("facebook-token", ("EAAC", "EAAM", "EAAG", "EAAB"), least=60, source="gitleaks"),
    Token("square-token", ("EAAA",), URL64, 40, 0, "gitleaks"),
    Token("flutterwave-key", ("FLWSECK_TEST-", "FLWSECK-"), "a-h0-9A-H", 12, 0, "gitleaks"),
    Token("frameio-token", ("fio-u-",), URL64, 40, 0, "gitleaks"),
    Token("harness-token", ("pat.", "sat."), r"A-Za-z0-9_.-", 60, 68, "gitleaks"),
    Token("hubspot-token", ("pat-na1-", "pat-na2-", "pat-eu1-"), "0-9a-f-", 32, 36),
    Token("infracost-key", ("ico-",), least=32, full=32, source="gitleaks"),
    Token("intra42-secret", ("s-s4t2ud-", "s-s4t2af-"), HEX, 40, 64, "gitleaks"),
    Token("defined-networking-key", ("dnkey-",), URL64, 60, 0, "gitleaks"),
    Token("newrelic-key", ("NRII-", "NRJS-", "NRRA-"), URL64, 18, 0, "gitleaks"),
    Token(
        "plaid-token", ("access-sandbox-", "access-development-", "access-production-"), "0-9a-f-", 32, 36, "gitleaks"
    ),
    Token("scalingo-token", ("tk-us-",), URL64, 40, 48, "gitleaks"),
    Token("settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), least=16, full=16, source="gitleaks"),
    Token("shippo-token", ("shippo_live_", "shippo_test_"), "0-9a-fA-F", 30, 40, "gitleaks"),
    Token("stripe-key", ("sk_prod_", "rk_prod_"), least=10, source="gitleaks"),
    Token("yandex-key", ("t1.",), r"A-Za-z0-9_.=-", 50, 0, "gitleaks"),
    Token("openshift-token", ("sha256~",), URL64, 40, 43, "gitleaks"),
    Token("contentful-token", ("CFPAT-",), URL64, 40, 43),
    Token("zuplo-key", ("zpka_",), "A-Za-z0-9_", 32),
    Token("wakatime-key", ("waka_",), "0-9a-f-", 32, 36),
    Token("lichess-token", ("lip_",), least=20),
    Token("amazon-mws-token", ("amzn.mws.",), "0-9a-f-", 32, 36, "known"),
    Token("figma-token", ("figo_", "figoh_"), URL64, 20),
    Token("onesignal-key", ("os_v2_app_", "os_v2_org_"), "a-z0-9", 40),
    Token("trigger-key", ("tr_dev_", "tr_prod_", "tr_stg_", "tr_pat_"), least=16),
    Token("polar-token", ("polar_oat_", "polar_pat_"), URL64, 24),
    Token("neon-key", ("napi_",), "a-z0-9", 40),
    Token("render-key", ("rnd_",), least=24),
    Token("github-token", ("v1.",), HEX, 40, 40, "known"),
    Token("jina-key", ("jina_",), URL64, 40),
    Token("fireworks-key", ("fw_",), least=22),
    Token("together-key", ("tgp_v1_",), URL64, 30),
    Token("apify-token", ("apify_api_", "apify_proxy_"), least=30),
    Token("browserbase-key", ("bb_live_", "bb_test_"), URL64, 20),
    Token("mem0-key", ("m0-",), least=36),
    Token("helicone-key", ("sk-helicone-", "pk-helicone-"), "a-z0-9-", 24),
    Token("braintrust-key", ("bt-st-",), least=30),
    Token("svix-token", ("testsk_", "livesk_"), URL64, 24),
    Token("checkly-key", ("cu_",), HEX, 32, 32),
    # of ClickUp and of Klaviyo; the published keys of others go on in small letters
    Token("pk-token", ("pk_",), "A-Z0-9a-f_", 34, 0, "trufflehog"),
    Token("mercadopago-token", ("APP_USR-",), "A-Za-z0-9_-", 16, 0, "trufflehog"),
    Token("castai-token", ("castai_v1_",), "a-z0-9_", 60, 73, "trufflehog"),
    Token("robinhood-key", ("rh-api-",), "0-9a-f-", 32, 36, "trufflehog"),
    Token("rootly-token", ("rootly_",), HEX, 64, 64, "trufflehog"),
    Token("dify-key", ("dataset-",), least=24, full=24, source="trufflehog"),
    Token("bitbucket-token", ("BBDC-",), "A-Za-z0-9+/@_-", 40, 50, "trufflehog"),
    Token("coze-token", ("pat_",), least=64, full=64, source="trufflehog"),
    Token("dynatrace-token", ("dt0c02.", "dt0s01.", "dt0s02.", "dt0s03."), r"A-Z0-9.", 24, 0, "trufflehog"),
    Token("sonarqube-token", ("squ_", "sqp_", "sqa_"), HEX, 40, 40),
    Token("deno-token", ("ddp_", "ddo_"), least=36, full=36),
    Token("snyk-token", ("snyk_uat.", "snyk_sat."), r"A-Za-z0-9_.-", 24),
    Token("anyscale-key", ("esecret_", "aph0_"), least=20),
    Token("cerebras-key", ("csk-",), least=40, full=48),
    Token("modal-token", ("ak-", "as-"), least=22, full=22),
    Token("wandb-key", ("wandb_v1_",), "A-Za-z0-9_", 40),
    Token("unkey-key", ("unkey_",), "A-Za-z0-9_", 20),
    Token("depot-token", ("depot_org_", "depot_project_", "depot_user_"), "A-Za-z0-9_", 24),
    Token("railway-token", ("rw_Fe26.",), r"A-Za-z0-9_.*~-", 40),
    Token("axiom-token", ("xaat-", "xapt-"), "0-9a-f-", 32, 36),
    Token("service-token", ("sqco_", "shltm_", "papi-", "ak_live_"), URL64, 30, 0, "trufflehog"),
    Token("razorpay-key", ("rzp_",), "A-Za-z0-9_", 18),
)

# Words that announce a token of any issuer when they begin it or end its prefix: `acme_pat_…`, `acme-live-…`. Only a
# long mixed body is believed, since ids begin so, too.
WORDS = tuple(f"{word}{sign}" for word in ("pat", "live", "key", "token", "secret") for sign in "_-")

# Prefixes so short that many words end in them, and what must hold where they end, in the copy for prefixes
# (`anchors.py`).
DEMANDS = {
    "sk-": "(?<![aeiou]sk-)",
    "st.": "(?=[0-9a-f]{24})",
    "re_": "(?=[A-Za-z0-9-]{24})",
    "sl.": "(?=[A-Za-z0-9-]{40})",
    "fc-": "(?=[0-9a-f]{32})",
    "v1.": "(?=[0-9a-f]{32})",
    "t1.": "(?=[A-Za-z0-9-]{40})",
    "fw_": "(?=[A-Za-z0-9-]{20})",
    "pat.": "(?=[A-Za-z0-9-]{40})",
    "cu_": "(?=[0-9a-f]{32})",
    "ak-": "(?=[A-Za-z0-9-]{22})",
    "as-": "(?=[A-Za-z0-9-]{22})",
    "pat_": "(?=[A-Za-z0-9-]{40})",
    "pk_": "(?=[A-Z0-9-]{34}|[0-9a-f]{32})",
    "m0-": "(?=[A-Za-z0-9-]{32})",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret; its placeholder is ``[REDACTED:<name>]``."""

    name: str
    what: str


def _token_rules() -> Iterator[Rule]:
    prefixes: dict[str, list[str]] = {}
    for token in TOKENS:
        prefixes.setdefault(token.rule, []).extend(token.prefixes)
    return (
        Rule(name, "tokens that begin with " + ", ".join(f"`{p}`" for p in found)) for name, found in prefixes.items()
    )


# The order decides which name a secret gets when several rules see it: first the ones that know its issuer.
RULES: tuple[Rule, ...] = (
    Rule("private-key", "private keys in PEM armour, whole or cut"),
    *_token_rules(),
    Rule("jwt", "JSON web tokens, signed or encrypted"),
    Rule("telegram-bot-token", "tokens of Telegram bots"),
    Rule("discord-bot-token", "tokens of Discord bots"),
    Rule("airtable-token", "personal access tokens of Airtable"),
    Rule("twilio-key", "`SK` ids of Twilio"),
    Rule("slack-webhook", "the path of an incoming webhook of Slack"),
    Rule("discord-webhook", "the path of a webhook of Discord"),
    Rule("webhook", "the path of other webhooks: Teams, Zapier, Make, PagerDuty, Feishu, Mattermost and their like"),
    Rule("mailchimp-key", "keys of Mailchimp, by the data centre at their end"),
    Rule("asana-token", "personal access tokens of Asana"),
    Rule("maxmind-key", "licence keys of MaxMind"),
    Rule("docker-auth", "`auth` and `.dockerconfigjson` of registries: base64 of a name and its password"),
    Rule("mnemonic", "seed phrases of wallets, after a name that announces them"),
    Rule("databricks-token", "personal access tokens of Databricks (`dapi`)"),
    Rule("crates-token", "tokens of crates.io (`cio`)"),
    Rule("clickhouse-key", "secrets of keys of ClickHouse Cloud (`4b1d`)"),
    Rule("google-refresh-token", "refresh tokens of Google (`1//0`)"),
    Rule("password-hash", "hashes of passwords: crypt, bcrypt, argon2, scrypt, pbkdf2, the pairs that Windows keeps"),
    Rule("signature", "signatures of signed URLs of AWS and Google"),
    Rule("encoded-secret", "base64, up to three times, of a text with a secret in it"),
    Rule("aws-secret-key", "secret access keys by name, or near an access key id"),
    Rule("azure-key", "`AccountKey` and `SharedAccessKey` of connection strings"),
    Rule("azure-sas", "the `sig` of a shared access signature"),
    Rule("gcp-key-id", "the `private_key_id` of a service account"),
    Rule("url-password", "the password, or the lone token, before the host of a URL"),
    Rule("authorization", "what an Authorization header carries, and other bearer tokens"),
    Rule("cookie", "long generated values in Cookie and Set-Cookie headers"),
    Rule("password", "values given to names that end in password, passwd, passphrase, pwd or pass"),
    Rule("api-key", "values given to names that end in api key, subscription key and their like"),
    Rule("token", "values given to names that end in token or PAT"),
    Rule("secret", "values given to names that end in secret, credentials, or a key that signs or encrypts"),
)
