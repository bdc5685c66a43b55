"""References into others' namespaces: grants need their consent, and system namespaces belong to no tenant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.__main__ import main
from modelservices.findings import errors
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings
from tests.security.teams import (
    ATTACKS,
    SETTINGS,
    A,
    B,
    kserve,
    namespace_of,
    obj,
    planned,
    refused,
    secret,
)


def grants(plan: StackPlan) -> list[tuple[str, str]]:
    return [(namespace_of(obj), obj["metadata"]["name"]) for obj in plan.objects if obj["kind"] == "ReferenceGrant"]


def test_refgrant(capsys: pytest.CaptureFixture[str]) -> None:
    """On the plain command line: no grant, and a warning about what the other side must create."""
    assert main(["render", str(ATTACKS / "refgrant.yaml")]) == 0
    printed = capsys.readouterr()
    assert {obj["kind"] for obj in yaml.safe_load_all(printed.out)} == {"Deployment", "HTTPRoute", "Service"}
    assert {obj["metadata"]["namespace"] for obj in yaml.safe_load_all(printed.out)} == {"team-a"}
    (line,) = (line for line in printed.err.splitlines() if "ReferenceGrant" in line)
    assert line.startswith("warning: ")
    advice = "a ReferenceGrant in namespace argocd from HTTPRoute of namespace team-a to Service argocd-server."
    assert advice in line


def routed(backend_namespace: str) -> dict[str, Any]:
    backend = {"group": "", "kind": "Service", "name": "y-kserve-workload-svc", "namespace": backend_namespace}
    rules = [{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "backendRefs": [{**backend, "port": 8000}]}]
    return kserve("x", "team-a", {"router": {"route": {"http": {"spec": {"rules": rules}}}}})


def test_a_grant_needs_the_consent_of_the_other_side(tmp_path: Path) -> None:
    files = {"a/x.yaml": [routed("team-b")], "b/y.yaml": [kserve("y", "team-b")]}
    both = {"manifests": "stacks/dev", "namespaces": ["team-*"]}
    granted = [("team-b", "from-team-a-httproute-to-service-y-kserve-workload-svc")]
    assert grants(planned(tmp_path, files, [A, B])) == []
    assert grants(planned(tmp_path, files, [both])) == granted
    assert grants(planned(tmp_path, files, None)) == granted
    assert grants(planned(tmp_path, files, [A, B], {**SETTINGS, "referenceGrants": ["team-b"]})) == granted


def test_one_team_grants_only_what_it_makes(tmp_path: Path) -> None:
    plan = planned(tmp_path, {"a/x.yaml": [routed("team-b"), kserve("other", "team-b")]}, None)
    assert grants(plan) == []
    assert [(found.code, found.severity) for found in plan.findings if found.code == "no-consent"] == [
        ("no-consent", "warning")
    ]


SYSTEM = ["kube-system", "kube-public", "kube-node-lease", "kube-flannel", "openshift", "openshift-monitoring"]


@pytest.mark.parametrize("namespace", SYSTEM)
def test_system_namespaces_are_nobody_s(tmp_path: Path, namespace: str) -> None:
    """With and without tenants, whatever a tenant lists; only the platform can list them."""
    files = {"a/x.yaml": [kserve("x", namespace), secret(namespace, k="key"), obj("Thing", "t", namespace)]}
    wrong = ("metadata.namespace", "system-namespace")
    everything = {"manifests": "stacks/dev", "namespaces": ["*"], "kinds": ["*"], "secrets": ["*"]}
    for tenants in (None, [everything]):
        assert [found[1:] for found in refused(planned(tmp_path, files, tenants))] == [wrong] * 3
        assert refused(planned(tmp_path, files, tenants, {**SETTINGS, "systemNamespaces": [namespace]})) == []


def test_system_namespaces_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(kserve("x", "kube-system")))
    (found,) = errors(plan_paths([tmp_path / "x.yaml"], Settings()).findings)
    assert found.message == (
        "kube-system is a system namespace; choose another, or let the platform list it under settings.systemNamespaces"
    )


def test_no_grant_in_a_system_namespace(tmp_path: Path) -> None:
    tenants = [{"manifests": "stacks/dev", "namespaces": ["*"]}]
    files = {"a/x.yaml": [routed("kube-system")]}
    assert grants(planned(tmp_path, files, tenants, {"referenceGrants": ["*"]})) == []
    both = {"referenceGrants": ["*"], "systemNamespaces": ["kube-system"]}
    assert len(grants(planned(tmp_path, files, tenants, both))) == 1
