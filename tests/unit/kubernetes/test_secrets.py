"""Literal secrets: what is refused, and what only looks like one.

Not proved here: that every secret is found; a name or a form must give it away.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.scalars import Opaque
from modelservices.kubernetes.secret_names import strength
from modelservices.kubernetes.secrets import NOT_SECRET, exemptions, secret_problems

HF = "hf_" + "aB3" * 11
SK = "sk-" + "proj-aB3" * 4
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtb2RlbCJ9.c2lnbmF0dXJl"
FORMS = [
    HF,
    SK,
    JWT,
    "ghp_" + "a1B2" * 9,
    "AKIA" + "ABCD2345" * 2,
    "glpat-" + "a1B2" * 6,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    "postgres://user:hunter2@db/x",
    "http://user:hunter2@proxy:3128",
    "https://h/m.gguf?X-Amz-Signature=hunter2",
    "https://h/m.gguf?a=b&sig=abc",
    "Authorization: Bearer abcdef123",
]
"""Texts that are a secret wherever they stand."""

NAMED = [
    ("HF_TOKEN", "abc"),
    ("HUGGING_FACE_HUB_TOKEN", "abc"),
    ("OPENAI_API_KEY", "abc"),
    ("AWS_SECRET_ACCESS_KEY", "abc"),
    ("DB_PASSWORD_MAIN", "1234"),
    ("hf_token", "abc"),
    ("DB_PASS", "swordfish"),
    ("OPENAI_KEY", "abc123secret"),
    ("SECRET", "s3cr3t"),
    ("API_SECRET", "zz9"),
    ("CLIENT_SECRET", "abc"),
    ("GIT_PWD", "hunter2"),
    ("azure_connection_string", "AccountName=x"),
]
HARMLESS = [
    ("HF_TOKEN", ""),
    ("HF_TOKEN", "$(OTHER)"),
    ("HF_TOKEN_PATH", "/run/token"),
    ("HF_TOKEN", "/run/secrets/token"),
    ("HF_TOKEN", "<your-token>"),
    ("HF_TOKEN", "hf_" + "x" * 30),
    ("HF_TOKEN", "vault:secret/data/hf#token"),
    ("OPENAI_API_KEY", "EMPTY"),
    ("OPENAI_API_KEY", "sample-key"),
    ("HF_TOKEN", "dummy_token"),
    ("OPENAI_API_KEY", "your-api-key"),
    ("MAX_TOKENS", "4096"),
    ("TIME_PER_TOKEN", "20ms"),
    ("TOKENIZERS_PARALLELISM", "false"),
    ("EOS_TOKEN", "<|im_end|>"),
    ("SECRET_NAME", "hub"),
    ("PULL_SECRET", "regcred"),
    ("PASSWORD_MIN_LENGTH", "8"),
    ("PARTITION_KEY", "tenant1"),
    ("S3_KEY", "models/qwen2.5/model-1.gguf"),
    ("MODEL_KEY", "sha256:" + "0a" * 32),
    ("PWD", "/home/vllm"),
    ("MODEL", "sk-learn"),
    ("HF_HOME", "hf_cache"),
    ("DIGEST", "sha256:" + "0a" * 32),
    ("IMAGE", "ghcr.io/org/image@sha256:" + "0a" * 32),
    ("COMMIT", "0123456789abcdef0123456789abcdef01234567"),
    ("URL", "https://user@host/m.gguf?download=true&revision=abc"),
    ("PROXY", "http://user:$(PASSWORD)@proxy:3128"),
    ("GREETING", "the hf_ prefix alone is no token"),
]


def paths(value: Any, **more: Any) -> list[str]:
    found = secret_problems(value, **more)
    assert all((problem.severity, problem.code) == ("error", "literal-secret") for problem in found)
    return [problem.path for problem in found]


@pytest.mark.parametrize("text", FORMS)
def test_a_form_gives_a_secret_away_wherever_it_stands(text: str) -> None:
    assert paths({"spec": {"anything": text}}) == ["spec.anything"]
    assert paths({"spec": {"args": ["--x", text]}}) == ["spec.args[1]"]
    assert paths({"spec": {"env": [{"name": "NOTES", "value": f"see {text}"}]}}) == ["spec.env[0].value"]
    assert paths({"metadata": {"annotations": {"a.b/c": text}}}) == ['metadata.annotations["a.b/c"]']


@pytest.mark.parametrize(("name", "value"), NAMED)
def test_a_name_gives_a_secret_away(name: str, value: str) -> None:
    (problem,) = secret_problems({"env": [{"name": name, "value": value}]}, "spec")
    assert problem.path == "spec.env[0].value" and name in problem.message and "secretKeyRef" in problem.message
    assert value not in problem.message
    flag = f"--{name.lower().replace('_', '-')}"
    for words in ([flag, value], [f"{flag}={value}"], [f"--{name.lower()}", value], ["sh", "-c", f"x {flag} {value}"]):
        assert paths({"command": ["a", *words]}) == [f"command[{3 if words[0] == 'sh' else 1}]"]
    assert paths({"command": ["bash", "-c", f"export {name}={value}; vllm serve"]}) == ["command[2]"]


@pytest.mark.parametrize(("name", "value"), HARMLESS)
def test_what_only_looks_like_a_secret_passes(name: str, value: str) -> None:
    assert paths({"env": [{"name": name, "value": value}]}) == []
    assert paths({"args": [f"--{name.lower().replace('_', '-')}", value]}) == []
    assert paths({"parameters": {name: value}}) == []


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"httpHeaders": [{"name": "Authorization", "value": "Bearer abc123"}]}, "httpHeaders[0].value"),
        ({"set": [{"name": "X-Api-Key", "value": "abc"}]}, "set[0].value"),
        ({"exec": {"command": ["curl", "-H", "Authorization: Bearer abc123", "x"]}}, "exec.command[2]"),
        ({"exec": {"command": ["/usr/bin/curl", "-u", "me:abc123", "x"]}}, "exec.command[1]"),
        ({"exec": {"command": ["sh", "-c", "curl -sf --user 'me:abc123' http://x"]}}, "exec.command[2]"),
        ({"image": "me:abc123@registry.corp/x:1"}, "image"),
        ({"source": "https://h/m.gguf?to%6ben=abc1"}, "source"),
        ({"parameters": {"aws_secret_access_key": "abc"}}, "parameters.aws_secret_access_key"),
        ({"postgres": {"password": "swordfish"}}, "postgres.password"),
        ({"data": {"app.yaml": f"server:\n  token: {HF}\n"}}, 'data["app.yaml"]'),
        ({"args": ["--api-key", "abc"]}, "args[0]"),
        ({"args": ["-hft", "abc"]}, "args[0]"),
        ({"args": ["--config", '{"auth": {"token": "abc1"}}']}, "args[1]"),
    ],
)
def test_secrets_in_their_places(value: Any, where: str) -> None:
    assert paths(value) == [where]


@pytest.mark.parametrize(
    "value",
    [
        {"secretKeyRef": {"name": "hf", "key": "token"}},
        {"storage": {"key": "credentials-1"}, "secretKey": "hf-token", "tlsSecret": "chat-tls", "token": "hub"},
        {"args": ["--api-key", "$(KEY)"]},
        {"args": ["--api-key-file=/keys/k", "--ssl-keyfile=/keys/tls.key", "--max-num-batched-tokens", "8192"]},
        {"command": ["curl", "-u", "me:$(PASSWORD)", "x"]},
        {"command": ["sh", "-c", "curl -u me:$PASSWORD http://x"]},
        {"command": ["docker", "run", "-u", "1000:1000", "x"]},
        {"image": "registry.corp:5000/x:1@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
        {"args": ["--api-key"]},
        {"args": ["--api-key", "--port", "80"]},
        {"command": ["sh", "-c", 'curl -H "Authorization: Bearer $HF_TOKEN" https://h/m\nvllm serve --api-key "$KEY"']},
        {"env": [{"name": "HF_TOKEN", "value": Opaque("later")}, {"name": "A", "value": None}]},
        {
            "url": "https://[broken/m.gguf",
            "topologyKey": "kubernetes.io/hostname1",
            "automountServiceAccountToken": "true",
        },
        {"args": ["--override-tokenizer", "{broken json", "a 'broken quote"]},
    ],
)
def test_places_without_a_secret(value: Any) -> None:
    assert paths(value) == []


def test_names_and_paths_can_be_exempt() -> None:
    value = {"env": [{"name": "OPENAI_KEY", "value": "abc123"}, {"name": "HF_TOKEN", "value": "abc"}]}
    assert paths(value, exempt=["OPENAI_KEY"]) == ["env[1].value"]
    assert paths(value, exempt=["env[1].value"]) == ["env[0].value"]
    assert exemptions({NOT_SECRET: "OPENAI_KEY, env[1].value"}) == {"OPENAI_KEY", "env[1].value"}
    assert exemptions({}) == exemptions({NOT_SECRET: None}) == frozenset()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        *((name, "strong") for name in ("hfToken", "x-api-key", "APIKEY", "signingKey", "DB_PASSWORD_MAIN")),
        *((name, "weak") for name in ("awsKey", "PULL_SECRET")),
        *((name, "") for name in ("KEY", "maxToken", "publicKey", "tokenizer", "", "monkey")),
    ],
)
def test_how_surely_a_name_holds_a_secret(name: str, wanted: str) -> None:
    assert strength(name) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "your " * 60_000,
        "a: |\n " * 60_000,
        "curl -b a=b " * 40_000,
        "$(" * 100_000,
        "a://" * 80_000,
        "?a=" * 100_000,
        "'" * 300_000,
        "A_" * 100_000 + "KEY=1",
    ],
)
def test_long_texts_take_no_time(text: str) -> None:
    """Linear: a quadratic pattern would take minutes."""
    assert paths({"args": ["--x", text], "env": [{"name": text, "value": text}]}) == []


@pytest.mark.parametrize("text", ["the password is " * 50_000, "login a password $x " * 40_000, "<password>" * 80_000])
def test_long_sentences_take_no_time_either(text: str) -> None:
    assert paths({"annotations": {"note": text}}) == []
