"""Secrets in app authors' manifests are found everywhere, and Secrets that would grant power are rejected.

Not proven here: which texts are secrets (tests/unit/kubernetes/test_secrets.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modelservices.__main__ import main

ATTACKS = Path(__file__).parent / "attacks"
CONTAINER = "spec.template.containers[0]"
RULE = "spec.router.route.http.spec.rules[0]"


def found(file: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[tuple[str, str]]:
    """Path and code of each error of a file, which must be rejected."""
    assert main(["validate", str(file), "--format", "json", *options]) == 1
    findings = json.loads(capsys.readouterr().out)
    return [(one["path"], one["code"]) for one in findings if one["severity"] == "error"]


@pytest.mark.parametrize(
    ("attack", "paths"),
    [
        ("sec-args-sh", [f"{CONTAINER}.command[2]"]),
        ("sec-bench-url", ["spec.endpoint.endpoint.url"]),
        ("sec-env-names", [f"{CONTAINER}.env[{index}].value" for index in range(7)]),
        ("sec-kserve-hftoken", [f"{CONTAINER}.env[0].value", f"{CONTAINER}.env[1].value"]),
        ("sec-lk-podann", ["spec.podAnnotations.a"]),
        ("sec-lk-url-query", ["spec.source"]),
        ("sec-probe-exec", [f"{CONTAINER}.readinessProbe.exec.command[2]"]),
        ("sec-route-header", [f"{RULE}.filters[0].requestHeaderModifier.set[0].value"]),
    ],
)
def test_a_literal_secret(attack: str, paths: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert found(ATTACKS / f"{attack}.yaml", capsys) == [(path, "literal-secret") for path in paths]


def test_secret_in_env(capsys: pytest.CaptureFixture[str]) -> None:
    assert found(ATTACKS / "secret-in-env.yaml", capsys) == [(f"{CONTAINER}.env[0].value", "secret-reference")]


def test_secret_sa_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert found(ATTACKS / "secret-sa-token.yaml", capsys) == [
        ('metadata.annotations["kubernetes.io/service-account.name"]', "secret-type"),
        ("type", "secret-type"),
    ]


def test_secret_name_bad(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [path for path, _ in found(ATTACKS / "secret-name-bad.yaml", capsys)]
    assert sorted(paths) == ["metadata.name", "metadata.namespace", "stringData"]


SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\n"


@pytest.mark.parametrize(
    ("rest", "errors"),
    [
        ("stringData: {a: '${secret:a}'}", []),
        ("type: kubernetes.io/tls\nstringData: {tls.crt: '${secret:a}', tls.key: '${secret:b}'}", []),
        ("type: kubernetes.io/tls\nstringData: {tls.crt: '${secret:a}'}", [("stringData", "required")]),
        ("type: bootstrap.kubernetes.io/token\nstringData: {a: '${secret:a}'}", [("type", "secret-type")]),
        ("type: helm.sh/release.v1\nstringData: {a: '${secret:a}'}", [("type", "secret-type")]),
        ("stringData: {..: '${secret:a}'}", [("stringData", "bad-value")]),
        ("stringData: {a b: '${secret:a}'}", [("stringData", "bad-value")]),
    ],
)
def test_secrets_hold_values_and_nothing_else(
    rest: str, errors: list[tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "secret.yaml"
    file.write_text(SECRET + rest)
    assert (found(file, capsys) if errors else main(["validate", str(file)])) == (errors or 0)


SERVICE = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: s, namespace: n, annotations: {modelservices/not-secret: OPENAI_KEY}}
spec: {modelRef: m, image: "i:1", env: [{name: OPENAI_KEY, value: abc123}, {name: HF_TOKEN, value: abc}]}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: m, namespace: n}
spec: {source: "https://h/m.gguf"}
"""


def test_a_manifest_can_say_what_is_no_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(SERVICE)
    assert found(file, capsys) == [("spec.env[1].value", "literal-secret")]


def test_settings_hold_none_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, settings = tmp_path / "service.yaml", tmp_path / "settings.yaml"
    file.write_text(SERVICE)
    settings.write_text("kserve: {images: {vllm: 'https://user:hunter2@registry/vllm'}}")
    assert main(["validate", str(file), "--settings", str(settings)]) == 1
    assert f"{settings}: settings: kserve.images.vllm: is a secret" in capsys.readouterr().err


def test_no_other_finding_quotes_a_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(
        "apiVersion: inference.llmkube.dev/v1alpha1\nkind: Model\nmetadata: {name: m, namespace: a}\n"
        "spec: {source: org/name, files: ['x?token=hunter2']}\n"
    )
    assert main(["render", str(file)]) == 1
    told = capsys.readouterr().err
    assert "spec.files[0]: token holds a literal secret" in told
    assert "hunter2" not in told
