"""What people paste daily: where each secret ends, and that hostile text takes no more than linear time."""

from __future__ import annotations

import time

import pytest

from aicx.redaction import redact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mysql -u root -pZielony7kot shop", "mysql -u root -p[REDACTED:password] shop"),
        ("redis-cli -p 6379 -a czarnaKawa8 ping", "redis-cli -p 6379 -a [REDACTED:password] ping"),
        ("smbclient //nas/s -U jan%rower5Kola", "smbclient //nas/s -U jan%[REDACTED:password]"),
        ("echo 'root:pociag4tor' | chpasswd", "echo 'root:[REDACTED:password]' | chpasswd"),
        ("CREATE USER a IDENTIFIED BY 'wiatr1morze';", "CREATE USER a IDENTIFIED BY '[REDACTED:password]';"),
        ("db:5432:shop:app:wiatr9morze", "db:5432:shop:app:[REDACTED:password]"),
        ("password: |\n  las78rzeka\nuser: app", "password: |\n  [REDACTED:password]\nuser: app"),
        (r"{\u0022password\u0022:\u0022las88rzeka\u0022}", r"{\u0022password\u0022:\u0022[REDACTED:password]\u0022}"),
        ("пароль: las102rzeka", "пароль: [REDACTED:password]"),
        ("the password is tangerine44.", "the password is [REDACTED:password]."),
        ("my gmail app password is abcd efgh ijkl mnop", "my gmail app password is [REDACTED:password]"),
        ("net use Z: \\\\nas\\a las11rzeka /user:jan", "net use Z: \\\\nas\\a [REDACTED:password] /user:jan"),
        ("rabbitmqctl add_user app las12rzeka", "rabbitmqctl add_user app [REDACTED:password]"),
        ("bw unlock las13rzeka", "bw unlock [REDACTED:password]"),
        ("vault login las14rzeka", "vault login [REDACTED:password]"),
        ("redis-cli AUTH las15rzeka", "redis-cli AUTH [REDACTED:password]"),
        ("mysqladmin -u root password las16rzeka", "mysqladmin -u root password [REDACTED:password]"),
        ("xfreerdp /u:jan /p:las17rzeka /v:h", "xfreerdp /u:jan /p:[REDACTED:password] /v:h"),
        ("La clave es las18rzeka", "La clave es [REDACTED:password]"),
        ("das Passwort lautet las19rzeka", "das Passwort lautet [REDACTED:password]"),
        ("密码\uff1alas20rzeka", "密码\uff1a[REDACTED:password]"),
        ("the PIN is 58213", "the PIN is [REDACTED:password]"),
        ("wifi:\n  psk: las21rzeka", "wifi:\n  psk: [REDACTED:password]"),
        (f"jan:$2b$12${'aB3' * 17}xY", "jan:[REDACTED:password-hash]"),
        (f"u:500:{'a1' * 16}:{'b2' * 16}:::", "u:500:[REDACTED:password-hash]:::"),
        (
            "keep it safe:\ndesert agent bubble ceiling camera casual empower concert fiber finger captain blanket",
            "keep it safe:\n[REDACTED:mnemonic]",
        ),
        (
            f'variable "acme_api_key" {{\n  default = "{"k3F9" * 6}"\n}}',
            'variable "acme_api_key" {\n  default = "[REDACTED:api-key]"\n}',
        ),
    ],
)
def test_only_the_secret_goes(text: str, expected: str) -> None:
    assert redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "open close read write seek tell flush lock move copy link stat",
        "The key is UserProfile2024Settings",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd",
        "mkdir -p build2/x9 && rabbitmqctl list_users",
        "The exit code is 1370",
        "msbuild /p:Version=1.24.3-rc2",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "unit",
    [
        "mysql -p x docker login -p ",
        "echo a | sudo -S ",
        "seed phrase: able ",
        "a%3Ab%3D",
        "\\u0022password\\u0022:",
        "kind: Secret\ndata:\n  a: b\n",
        "密码 ",
        "YWJjZGVm",
        "a:5432:b:c:",
        "redis-cli AUTH a ",
        "rabbitmqctl add_user a b ",
        "$2b$12$",
        "$6$a$",
        "the PIN is ",
        ": able acid also area army atom aunt ",
        ": dapi0123456789ab",
        "0123456789abcdef0123456789abcdef:",
        'variable "a_key" { default = ',
    ],
)
@pytest.mark.slow
def test_work_on_hostile_text_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    small = min(seconds(6_000) for _ in range(3))
    # Ten times as much text may take ten times as long; were it quadratic, it would be a hundred times.
    assert seconds(60_000) < 40 * small + 0.1
