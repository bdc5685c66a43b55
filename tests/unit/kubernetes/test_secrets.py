"""Literal secrets: what is refused, and what only looks like one.

Not proved here: that every secret is found; a name or a form must give it away.
"""

from __future__ import annotations

import pytest

from components.kubernetes.core import EnvVar
from components.kubernetes.scalars import Opaque
from components.kubernetes.secrets import argument_secrets, env_secrets, text_secrets, url_secrets

HF = "hf_" + "aB3" * 11
SK = "sk-" + "proj-aB3" * 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HF_TOKEN", "abc"),
        ("HUGGING_FACE_HUB_TOKEN", "abc"),
        ("OPENAI_API_KEY", "abc"),
        ("AWS_SECRET_ACCESS_KEY", "abc"),
        ("DB_PASSWORD_MAIN", "1234"),
        ("hf_token", "abc"),
        ("NOTES", f"my token is {HF}"),
        ("ANYTHING", SK),
    ],
)
def test_literal_secrets_are_refused(name: str, value: str) -> None:
    (problem,) = env_secrets([EnvVar(name=name, value=value)], "spec.env")
    assert (problem.path, problem.severity, problem.code) == ("spec.env[0].value", "error", "literal-secret")
    assert "secretKeyRef" in problem.message and value not in problem.message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HF_TOKEN", ""),
        ("HF_TOKEN", None),
        ("HF_TOKEN", "$(OTHER)"),
        ("HF_TOKEN_PATH", "/run/token"),
        ("HF_TOKEN", "/run/secrets/token"),
        ("OPENAI_API_KEY", "EMPTY"),
        ("MAX_TOKENS", "4096"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("EOS_TOKEN", "<|im_end|>"),
        ("SECRET_NAME", "hub"),
        ("MODEL", "sk-learn"),
        ("HF_HOME", "hf_cache"),
    ],
)
def test_what_only_looks_like_a_secret_passes(name: str, value: str | None) -> None:
    assert list(env_secrets([EnvVar(name=name, value=value)], "spec.env")) == []


def test_a_value_that_is_not_known_yet_passes() -> None:
    assert list(env_secrets([EnvVar(name="HF_TOKEN", value=Opaque("later"))], "spec.env")) == []


@pytest.mark.parametrize(
    ("words", "index"),
    [(["--api-key", "abc"], 0), (["--api-key=abc"], 0), (["--x", HF], 1), (["--hf-token", "abc"], 0)],
)
def test_secrets_in_arguments(words: list[str], index: int) -> None:
    (problem,) = argument_secrets(words, "spec.extraArgs")
    assert (problem.path, problem.code) == (f"spec.extraArgs[{index}]", "literal-secret")


@pytest.mark.parametrize("words", [["--api-key", "$(KEY)"], ["--api-key-file=/keys/k"], ["--api-key"], [Opaque("x")]])
def test_arguments_without_a_secret(words: list[str]) -> None:
    assert list(argument_secrets(words, "spec.extraArgs")) == []


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("https://user:pass@host/m.gguf", True),
        (f"https://host/m.gguf?token={HF}", True),
        ("https://user@host/m.gguf", False),
        ("https://host/m.gguf?download=true", False),
        ("https://[broken/m.gguf", False),
    ],
)
def test_credentials_in_a_url(url: str, refused: bool) -> None:
    found = list(url_secrets(url, "spec.source"))
    assert bool(found) == refused
    assert all("pass" not in problem.message.partition("the URL")[2] for problem in found)


def test_a_token_in_a_file_is_found_without_being_shown() -> None:
    (problem,) = text_secrets(f"server:\n  token: {HF}\n", 'data["app.yaml"]')
    assert (problem.path, problem.severity, problem.code) == ('data["app.yaml"]', "error", "literal-secret")
    assert HF not in problem.message
    assert list(text_secrets("the hf_ prefix alone is no token", "data.x")) == []
