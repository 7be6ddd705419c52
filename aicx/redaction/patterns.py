"""The table of rules: what each catches."""

from __future__ import annotations

from collections.abc import Iterator

from aicx.redaction.issuers import TOKENS
from aicx.values import dataclass


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
