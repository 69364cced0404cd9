"""Secrets in what is to be written: known token formats, private keys, passwords.

A finding names a field and a kind, never the value. A literal search comes before each pattern,
so an ordinary entry costs a few microseconds. (Rejected: detect-secrets, whose import alone takes
14 times as long as `python -c pass`.)
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from gitmem.model.errors import SecretFound

Near = Literal["token", "address", "text", "context"]

_SHORTEST_VALUE = 8
_SHORTEST_TOKEN = 15
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of secret. The pattern runs only where one of its literals occurs.

    `near` says where literals are looked for: in the long words of a text (token), in its other
    words with signs in them (address), in all of it, or in all of it in lower case (context).
    """

    kind: str
    literals: tuple[str, ...]
    pattern: str
    near: Near = "token"
    genuine: Callable[[re.Match[str]], bool] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A field that holds what looks like a secret of this kind."""

    field: str
    kind: str


# Is it a secret, or an example of one?

# Patterns as texts: they are compiled only when something looks like a secret.
_ANY_CASE = "(?i)"
_FILLER = _ANY_CASE + r"[xX]{6}|[*•.…_-]{4}|0{12}|your[_-]|[_-]here\b|redacted"
_PLACEHOLDER = (
    _ANY_CASE + r"[<>…]|^\$|\$\{|^[{%]|\{\{|\*{3}|\.{3}|x{3}"
    r"|example|placeholder|change[_-]?me|dummy|redacted|replace[_-]?me"
    r"|(?:^|[_-])(?:your|my|some|the|fake|sample|test|insert|enter)[_-]"
    r"|^(?:my|your)?(?:p[a4]ss(?:w[o0]rd|wd|phrase)?|pw|pwd)[0-9]{0,4}$"
)
_REFERENCE = r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+\Z|[./~]|\d{4}-\d\d-\d\d"
_SEPARATORS = r"[\\/_.:@+=-]+"
_WORD = r"(?:[A-Z]?[a-z]+|[A-Z]+)?[0-9]{0,4}\Z"
_NAME = r"(?:[A-Z]?[a-z]{2,}+[0-9]{0,2}+|[A-Z]{2,}+[0-9]{0,2}+)++\Z"


def _not_filler(found: re.Match[str]) -> bool:
    """`ghp_xxxxxxxx` and `sk-ant-your-key-here` show a format."""
    return re.search(_FILLER, found[0]) is None


def _real_password(found: re.Match[str]) -> bool:
    """A password in an address, unless it is a placeholder or the user's own name."""
    user, password = found["user"], found["value"]
    return password != user and re.search(_PLACEHOLDER, password) is None


def _random_looking(found: re.Match[str]) -> bool:
    """A value that nobody would read aloud: no placeholder, reference, path or plain words."""
    value = found["value"] or found["bare"]
    if re.search(_PLACEHOLDER, value) or re.match(_REFERENCE, value):
        return False
    if not any(char.isalpha() for char in value):
        return False
    pieces = [piece for piece in re.split(_SEPARATORS, value) if piece]
    if found["password"]:
        return _mixed_password(value, pieces, quoted=bool(found["value"]))
    odd = any(len(piece) >= 12 and not _is_word(piece) for piece in pieces)
    return odd and any(char.isdigit() for char in value) and _entropy(value) >= 3.0


def _is_word(piece: str) -> bool:
    """`team`, `app12` and `accessTokenFromHeader2` are words of a name."""
    return bool(re.match(_WORD, piece) or re.match(_NAME, piece))


def _mixed_password(value: str, pieces: list[str], *, quoted: bool) -> bool:
    if len(pieces) > 1 and all(re.match(_WORD, piece) for piece in pieces):
        return False
    if not any(char.isdigit() for char in value):
        return False
    signs = any(not char.isalnum() and char not in "_-./:" for char in value)
    cases = any(char.islower() for char in value) and any(char.isupper() for char in value)
    if not quoted and len(value) < 10:
        return signs
    return signs or cases or re.match(_WORD, value) is None


def _entropy(text: str) -> float:
    """Bits per character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


# The table. `(?<!…)` and `(?!…)` keep a token from being found inside a longer word.

_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"


def _token(kind: str, literals: str, pattern: str) -> Rule:
    return Rule(kind, tuple(literals.split()), _START + pattern + _END, genuine=_not_filler)


RULES: tuple[Rule, ...] = (
    Rule(
        "a private key",
        ("PRIVATE KEY",),
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\s|\\[nr]|[A-Za-z-]+: [^\n]*\n)*+"
        r"(?:[A-Za-z0-9+/=]{12}|MII|b3Blb|MC4CA)",
        near="text",
    ),
    _token("an age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    _token("an AWS access key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    Rule(
        "an AWS secret key",
        ("aws",),
        r"aws[\w .-]{0,30}(?:secret|sk)[\w .-]{0,30}[\"']?\s*(?::=|=>|[=:])\s*[\"']?"
        r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        near="context",
        genuine=_not_filler,
    ),
    _token("a Google API key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    _token("a Google client secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    _token("a Google access token", "ya29.", r"ya29\.[0-9A-Za-z_-]{20,}"),
    _token("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _token("a fine-grained GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{30,}"),
    _token(
        "a GitLab token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- glimt-",
        r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,}",
    ),
    _token("a Slack token", "xox", r"xox[abceoprs]-[A-Za-z0-9-]{10,}"),
    _token("a Slack app token", "xapp-", r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[A-Za-z0-9]{16,}"),
    _token(
        "a Slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[A-Z0-9]{6,}/[A-Za-z0-9]{16,}",
    ),
    _token(
        "a Discord webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{10,}/[A-Za-z0-9_-]{50,}",
    ),
    _token("a Stripe key", "sk_live_ rk_live_", r"[sr]k_live_[A-Za-z0-9]{16,}"),
    _token("a Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}"),
    _token("an Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _token("an OpenAI key", "sk-proj- sk-svcacct- sk-admin-", r"sk-[a-z]+-[A-Za-z0-9_-]{20,}"),
    _token("an API key", "sk-", r"sk-(?:or-v1-)?[A-Za-z0-9]{32,}"),
    _token("a Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _token("an xAI key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    _token("a Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    _token("an npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("a PyPI token", "pypi-Ag", r"pypi-Ag[A-Za-z0-9_-]{40,}"),
    _token("a RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _token("a Docker Hub token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    _token("a SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _token("a Twilio key", "SK", r"SK[0-9a-f]{32}"),
    _token("a Telegram bot token", ":AA", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    _token("a Mailchimp key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    Rule(
        "an Azure storage key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:AccountKey|SharedAccessKey)=(?P<value>[A-Za-z0-9+/]{40,}={0,2})",
        genuine=_not_filler,
    ),
    _token("an Azure client secret", "Q~", r"[A-Za-z0-9_.-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}"),
    _token("an Azure SAS signature", "sig=", r"sig=[A-Za-z0-9%/+]{40,}"),
    _token("a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _token("a Square token", "sq0", r"sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,43}"),
    _token("a DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _token("a Databricks token", "dapi", r"dapi[a-f0-9]{32}"),
    _token("a Vault token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    _token("a Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    _token("a Grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9+/_]{32,}"),
    _token("a New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _token("a Sentry token", "sntry", r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    _token("a Supabase token", "sbp_", r"sbp_[a-f0-9]{40}"),
    _token("an Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{50,}"),
    _token("a Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    _token("a Notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    _token("a Figma token", "figd_", r"figd_[A-Za-z0-9_-]{36,}"),
    _token("a Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("a PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}"),
    _token("a Tailscale key", "tskey-", r"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"),
    _token("a Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,}"),
    _token("a Heroku token", "HRKU-", r"HRKU-[0-9A-Za-z_-]{36,}"),
    Rule(
        "a Heroku key",
        ("heroku",),
        r"heroku[\w .-]{0,25}[\"']?\s*[=:]\s*[\"']?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        near="context",
    ),
    _token(
        "a JSON web token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}",
    ),
    Rule(
        "a password in an address",
        ("://",),
        r"://(?P<user>[^\s:/@?#\"'`<>]{0,64})"
        r":(?P<value>[^\s/@\"'`]{3,128})@[A-Za-z0-9\[$]",
        near="address",
        genuine=_real_password,
    ),
    Rule(
        "an authorization header",
        ("bearer ", "basic "),
        r"authorization[\"']?\s*[:=,]\s*[\"'`]?(?:bearer|basic)\s+"
        r"(?P<password>)(?P<bare>)(?P<value>[A-Za-z0-9+/_.=~-]{16,})",
        near="context",
        genuine=_random_looking,
    ),
    Rule(
        "a password or key",
        ("passw", "pwd", "passphrase", "secret", "token", "api", "_key", "accesskey"),
        r"(?:(?P<password>passwo?r?d|pwd|passphrase)|secret|token|api[_ -]?key|auth_key"
        r"|access_?key|(?:secret|private|client|encryption|signing)_key)"
        r"[\"'`*]{0,3}\s{0,3}(?::=|=>|==?|:)\s{0,3}"
        r"(?:(?P<quote>[\"'`])(?P<value>[^\s\"'`]{8,256})(?P=quote)"
        r"|(?P<bare>[^\s\"'`,;()\[\]{}<>]{8,256}+)(?![\(\[{<]))",
        near="context",
        genuine=_random_looking,
    ),
)


_LITERALS_NEAR: dict[Near, list[tuple[str, Rule]]] = {
    near: [(literal, rule) for rule in RULES if rule.near == near for literal in rule.literals]
    for near in get_args(Near)
}


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    return re.compile(rule.pattern, re.IGNORECASE if rule.near == "context" else 0)


def find_secrets(texts: Iterable[tuple[str, str]]) -> list[Finding]:
    """The fields that hold secrets, each with its kind; nothing else of them is told."""
    fields = list(texts)
    if not _likely_rules("\n".join([text for _, text in fields])):
        return []
    found = (
        Finding(field, rule.kind)
        for field, text in fields
        for rule in _likely_rules(text)
        if _holds(rule, text)
    )
    return list(dict.fromkeys(found))


def _likely_rules(text: str) -> list[Rule]:
    """The rules that have a chance: for most texts none."""
    words = [word for word in text.split() if len(word) >= _SHORTEST_VALUE and not word.isalpha()]
    wordy = "\n".join(words)
    searched = {
        "text": text,
        "address": wordy,
        "token": "\n".join([word for word in words if len(word) >= _SHORTEST_TOKEN]),
        # Every value that such a rule takes for a secret holds a digit.
        "context": text.lower() if _DIGIT.search(wordy) else "",
    }
    likely = [
        rule
        for near, literals in _LITERALS_NEAR.items()
        if (place := searched[near])
        for literal, rule in literals
        if literal in place
    ]
    return list(dict.fromkeys(likely)) if likely else likely


def _holds(rule: Rule, text: str) -> bool:
    genuine = rule.genuine
    return any(genuine is None or genuine(found) for found in _compiled(rule).finditer(text))


def refuse_secrets(texts: Iterable[tuple[str, str]]) -> None:
    """SecretFound, with fields and kinds but never a value, if there is a secret."""
    findings = find_secrets(texts)
    if not findings:
        return
    named = "; ".join(
        f"{finding.field} holds what looks like {finding.kind}" for finding in findings
    )
    raise SecretFound(
        f"nothing was written: {named}",
        field=findings[0].field,
        fix="leave the value out and write down where it is kept; change it if it was in use",
        findings=[{"field": finding.field, "kind": finding.kind} for finding in findings],
    )
