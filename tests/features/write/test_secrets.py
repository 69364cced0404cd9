"""Secrets: every row of the table is found, harmless text never, and no value is told.

The examples are put together here from pieces, so that no scanner trips over this file.
"""

from __future__ import annotations

import json
import re

import pytest
from gitmem.features.write.secrets import RULES, find_secrets, refuse_secrets
from gitmem.model.errors import SecretFound

LETTERS = "aB3dE5fG7hJ9kLmN2pQr4StU6vWx8yZ1cDeF0gHiJ"
HEX = "3f9a1c07be52d846" * 4
UPPER = "Q7ZK3MX9T2VB5NR8WL4C"
UUID = "-".join((HEX[:8], HEX[8:12], HEX[12:16], HEX[16:20], HEX[20:32]))

EXAMPLES: dict[str, str] = {
    "a private key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + LETTERS,
    "an age secret key": "AGE-SECRET-KEY-" + "1" + UPPER * 3,
    "an AWS access key": "AKIA" + UPPER[:16],
    "an AWS secret key": "aws_secret_access_key = " + LETTERS[:36] + "/+aB",
    "a Google API key": "AIza" + LETTERS[:35],
    "a Google client secret": "GOCSPX-" + LETTERS[:28],
    "a Google access token": "ya29." + LETTERS[:30],
    "a GitHub token": "ghp_" + LETTERS[:36],
    "a fine-grained GitHub token": "github_pat_" + LETTERS[:22] + "_" + LETTERS,
    "a GitLab token": "glpat-" + LETTERS[:20],
    "a Slack token": "xoxb-" + "123456789012-" + LETTERS[:24],
    "a Slack app token": "xapp-" + "1-A0123BCDEF-1234567890-" + HEX[:32],
    "a Slack webhook": "https://hooks.slack.com/" + "services/T0A1B2C3D/B0A1B2C3D/" + LETTERS[:24],
    "a Discord webhook": "https://discord.com/api/" + "webhooks/123456789012345678/" + LETTERS * 2,
    "a Stripe key": "sk_" + "live_" + LETTERS[:24],
    "a Stripe webhook secret": "whsec_" + LETTERS[:32],
    "an Anthropic key": "sk-" + "ant-api03-" + LETTERS * 2,
    "an OpenAI key": "sk-" + "proj-" + LETTERS,
    "an API key": "sk-" + LETTERS[:40],
    "a Groq key": "gsk_" + LETTERS * 2,
    "an xAI key": "xai-" + LETTERS * 2,
    "a Hugging Face token": "hf_" + LETTERS[:34],
    "an npm token": "npm_" + LETTERS[:36],
    "a PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS * 2,
    "a RubyGems key": "rubygems_" + HEX[:48],
    "a Docker Hub token": "dckr_" + "pat_" + LETTERS[:27],
    "a SendGrid key": "SG." + LETTERS[:22] + "." + LETTERS + "ab",
    "a Twilio key": "SK" + HEX[:32],
    "a Telegram bot token": "123456789:" + "AA" + LETTERS[:33],
    "a Mailchimp key": HEX[:32] + "-us12",
    "an Azure storage key": "AccountName=x;AccountKey=" + LETTERS * 2 + "==",
    "an Azure client secret": "abc8" + "Q~" + LETTERS[:32],
    "an Azure SAS signature": "?sv=2026&sig=" + LETTERS + "%2B%3D",
    "a Shopify token": "shpat_" + HEX[:32],
    "a Square token": "sq0atp-" + LETTERS[:22],
    "a DigitalOcean token": "dop_v1_" + HEX,
    "a Databricks token": "dapi" + HEX[:32],
    "a Vault token": "hvs." + LETTERS[:30],
    "a Terraform token": LETTERS[:14] + ".atlasv1." + LETTERS * 2,
    "a Grafana token": "glsa_" + LETTERS[:32] + "_" + HEX[:8],
    "a New Relic key": "NRAK-" + UPPER + UPPER[:7],
    "a Sentry token": "sntrys_" + LETTERS * 2,
    "a Supabase token": "sbp_" + HEX[:40],
    "an Atlassian token": "ATATT3" + LETTERS * 3,
    "a Linear key": "lin_api_" + LETTERS[:40],
    "a Notion token": "ntn_" + LETTERS * 2,
    "a Figma token": "figd_" + LETTERS,
    "a Postman key": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "a PlanetScale token": "pscale_tkn_" + LETTERS,
    "a Tailscale key": "tskey-auth-" + LETTERS[:12] + "-" + LETTERS[:30],
    "a Doppler token": "dp.pt." + LETTERS + LETTERS[:4],
    "a Heroku token": "HRKU-" + UUID + "abcd",
    "a Heroku key": "HEROKU_API_KEY=" + UUID,
    "a JSON web token": ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", LETTERS)),
    "a password in an address": "postgres:" + "//app:" + "s3cr3t9x" + "@db.internal/app",
    "an authorization header": "Authorization: Bearer " + LETTERS,
    "a password or key": 'api_key = "' + LETTERS[:32] + '"',
}

MORE = [
    "postgresql:" + "//svc:" + "hunter2" + "@10.0.0.5:5432/prod",
    "https:" + "//user:" + "p%40ss9word!" + "@example.com/repo.git",
    "redis:" + "//:" + "kJ8f2mQp" + "@cache:6379/0",
    "amqp:" + "//guest:" + "n0t-guest" + "@mq",
    'password = "' + "Tr0ub4dor&3" + '"',
    "DB_PASSWORD=" + "xK9mPq2vL7",
    "'password': '" + "SuperSecret123" + "'",
    "spring.datasource.password: " + "aX9!kdlw02",
    "SECRET_KEY='" + "django-insecure-" + LETTERS + "'",
    "client_secret: " + LETTERS[:32],
    '"token": "' + HEX[:40] + '"',
    "apiKey => '" + HEX[:32] + "'",
    "export AUTH_TOKEN=" + LETTERS[:24],
    "`" + "ghp_" + "a" * 36 + "`",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "-----BEGIN " + "RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA" + LETTERS,
    "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\nlQOYBF" + LETTERS,
    "-----BEGIN " + "EC PRIVATE KEY-----\r\nMHcCAQEE" + LETTERS,
    "the line says sk-" + "ant-" + "api03-" + LETTERS + " and goes on",
    "curl -H 'Authorization: Basic " + "dXNlcjpwYXNzd29yZDEyMw==" + "' url",
]

HARMLESS = [
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "commit 6285be261812fac5af7d57b8028bf1552545a461",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "d41d8cd98f00b204e9800998ecf8427e",
    "550e8400-e29b-41d4-a716-446655440000",
    "id: tr8f2a1c3d7e",
    "request 01ARZ3NDEKTSV4RRFFQ69G5FAV failed",
    "SGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "integrity sha512-oRkIJzVwWqFyXvQyCmXjQxqsXSvDbw3q9x0aG7XvWq9jv1qj8oXv0A==",
    "password = os.environ['DB_PASSWORD_2']",
    'password = os.environ["DB_PASSWORD1"]',
    "password: ${DB_PASSWORD}",
    "password=$DB_PASSWORD_V2",
    "PASSWORD={{ vault_password_1 }}",
    "password: <your-password-1>",
    'password = "changeme123"',
    'password = "your_password_1"',
    'password = "xxxxxxxx1"',
    "password: ********",
    'password = "password123"',
    "Password: minimum-12-chars",
    "the password must have 12 characters, 2 of them digits",
    "passwords are hashed with PBKDF2WithHmacSHA256",
    "Password: Argon2id",
    "password_hash: $2b$12$KIXQ4S8Xh0r6",
    "pwd: /home/user/project2",
    "PWD=/var/lib/app1/data2",
    "pwd = C:\\Users\\x1\\Documents2",
    "token = generate_token(32)",
    "token = secrets.token_urlsafe(32)",
    "token = self.session2.access_token",
    "token: process.env.OPENAI_KEY2",
    "token = accessTokenFromHeader2",
    "token = base64UrlEncodedPayload",
    "max_tokens: 4096",
    "token_count = 1234567890123456",
    "token: 1234567890123456",
    "the token expires: 2026-11-18T07:12:03Z",
    "secret: kubernetes-secret-name-2024",
    "secret: kv/data/team1/app",
    "secretName: prod-tls-cert-2026",
    "secret: projects/p1/secrets/db-password/versions/3",
    'api_key = "your-api-key-here"',
    "api_key: YOUR_API_KEY_1",
    "api_key=<API_KEY_V2>",
    "api_key: see https://wiki.internal/pages/12345",
    "primary_key = 'customer_order_line_item_2024'",
    "cache_key = 'user:1234:profile:v2'",
    "sort_key: created_at_desc_v2",
    "https://localhost:8080/path@version2",
    "https:" + "//user:${TOKEN}@github.com/a/b",
    "https:" + "//user:$TOKEN@github.com/a/b",
    "postgres:" + "//user:<password>@host/db",
    "postgres:" + "//user:***@host/db",
    "postgres:" + "//user:xxx@host/db",
    "postgres:" + "//user:password@host/db",
    "postgres:" + "//user:pass@host/db",
    "postgres:" + "//postgres:postgres@localhost:5432/app",
    "amqp:" + "//guest:guest@localhost//",
    "postgres:" + "//{user}:{password}@{host}/db",
    "ssh://git@example.com:2222/team/repo.git",
    "git@github.com:team/repo.git",
    "https://medium.com:443/@user/post-123",
    "mailto:someone@example.com",
    "keys begin with sk-ant- and then the version",
    "OpenAI keys look like sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "set it to sk-ant-your-key-here-please",
    "class sk-folding-cube-grid-animation-wrapper",
    "task-0123456789abcdef0123456789abcdef01",
    "the file begins with -----BEGIN " + "RSA PRIVATE KEY-----",
    "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx5Qq3YH2VbW0Fz8oWn1uK7dT4m me@host",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${ACCESS_TOKEN_1}",
    "pypi-release-process-for-internal-packages-and-mirrors",
    "npm_config_registry=https://packages.example.org/",
    "hf_hub_download(repo_id='team/model-7b', filename='model.safetensors')",
    "AKIA is how AWS access key ids begin",
    "eyJ is how an encoded header begins; eyJhbGciOiJIUzI1NiJ9 alone is no token",
    "RISK2024 ASKED SKIP12 TASKS",
    "version 1.2.3-beta.4+build.20261118",
    "gitmem_index-7.db-wal and src/components/UserAuthForm2.tsx",
    "arn:aws:iam::123456789012:role/deploy-role-v2",
    "10.0.0.0/8 and fe80::1ff:fe23:4567:890a",
    "rgba(12, 34, 56, 0.78) #a1b2c3d4 U+1F600",
]


def test_every_row_of_the_table_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(rule.kind for rule in RULES)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_a_secret_of_each_kind_is_found_inside_a_sentence(kind: str) -> None:
    text = f"We connect with {EXAMPLES[kind]}\nand that is all."
    assert kind in [finding.kind for finding in find_secrets([("content.body", text)])]


@pytest.mark.parametrize("text", MORE, ids=range(len(MORE)))
def test_other_spellings_are_found(text: str) -> None:
    assert find_secrets([("content.body", text)])


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_harmless_text_is_not_flagged(text: str) -> None:
    assert find_secrets([("content.body", text)]) == []


def test_harmless_texts_together_are_not_flagged() -> None:
    assert find_secrets([("content.body", "\n".join(HARMLESS))]) == []


def test_the_field_that_holds_the_secret_is_named() -> None:
    token = EXAMPLES["a GitHub token"]
    texts = [("title", "How we deploy"), ("content.steps.1", f"use {token}"), ("reason", "because")]
    assert [(one.field, one.kind) for one in find_secrets(texts)] == [
        ("content.steps.1", "a GitHub token")
    ]


def test_a_refusal_tells_field_and_kind_but_neither_value_nor_way_around() -> None:
    secret = "s3cr3t9x"
    with pytest.raises(SecretFound) as caught:
        refuse_secrets([("content.body", EXAMPLES["a password in an address"])])
    answer = json.dumps(caught.value.to_json())
    assert caught.value.field == "content.body"
    assert "a password in an address" in answer
    assert secret not in answer
    assert not re.search(r"--\w|force|allow|skip|override", answer)


def test_text_without_secrets_passes() -> None:
    refuse_secrets([("title", "Rotate the keys every quarter"), ("content.body", "")])


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "sk-" * 50_000,
        "password: " * 20_000,
        "://" + "a:" * 60_000,
        "-----BEGIN " + "PRIVATE KEY-----" + "\\n" * 60_000,
        "-----BEGIN " + "PRIVATE KEY-----" + "A: b\n" * 30_000 + "!",
        "aws " * 40_000 + "1234567890",
        "token=" + "aA" * 80_000 + "1",
        "eyJaaaaaaaa.eyJ" * 10_000,
    ],
    ids=range(9),
)
def test_hostile_text_is_answered(text: str) -> None:
    find_secrets([("content.body", text + " x1234567")])
