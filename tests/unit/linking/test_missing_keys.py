"""Keys that a Secret or a ConfigMap of the manifests lacks. Not proved here: what a kubelet does without them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.families.kserve import services as kserve


def beside(kind: str, *keys: str, name: str = "hf") -> dict[str, Any]:
    values = {"stringData" if kind == "Secret" else "data": dict.fromkeys(keys, "${secret:x}")}
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "models"}, **values}


def reads(field: str, **reference: Any) -> dict[str, Any]:
    return {"name": "main", "env": [{"name": "T", "valueFrom": {field: {"name": "hf", "key": "T", **reference}}}]}


def missing(template: dict[str, Any], *manifests: dict[str, Any]) -> list[str]:
    found = kserve.plan(kserve.manifest({"template": template}), *manifests).findings
    return [f"{each.severity} {each.path}" for each in found if each.code == "missing-key"]


KEY = "warning spec.template.containers[0].env[0].valueFrom"


@pytest.mark.parametrize(
    ("container", "manifest", "found"),
    [
        (reads("secretKeyRef"), beside("Secret", "token"), [f"{KEY}.secretKeyRef.key"]),
        (reads("secretKeyRef"), beside("Secret", "T"), []),
        (reads("secretKeyRef"), beside("Secret"), []),
        (reads("secretKeyRef"), beside("Secret", "token", name="other"), []),
        (reads("secretKeyRef", optional=True), beside("Secret", "token"), []),
        (reads("configMapKeyRef"), beside("ConfigMap", "t"), [f"{KEY}.configMapKeyRef.key"]),
        (reads("configMapKeyRef"), beside("Secret", "t"), []),
    ],
)
def test_keys_of_variables(container: dict[str, Any], manifest: dict[str, Any], found: list[str]) -> None:
    assert missing({"containers": [container]}, manifest) == found


def test_a_pull_secret_without_a_login() -> None:
    template = {"imagePullSecrets": [{"name": "hf"}], "containers": [{"name": "main"}]}
    assert missing(template, beside("Secret", "password")) == ["warning spec.template.imagePullSecrets[0].name"]
    login = {**beside("Secret", ".dockerconfigjson"), "type": "kubernetes.io/dockerconfigjson"}
    assert missing(template, login) == []


def test_a_message_names_ten_keys_at_most() -> None:
    template = {"containers": [reads("secretKeyRef")]}
    plan = kserve.plan(kserve.manifest({"template": template}), beside("Secret", *(f"k{i:02}" for i in range(11))))
    (message,) = [each.message for each in plan.findings if each.code == "missing-key"]
    assert "k09, …)" in message
    assert "k10" not in message
