"""Teams of one stack on a real API server, with a CI user whose rights are limited to one team's namespace.

Not proven here: what a gateway does with a route that lacks a grant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client import AuthenticationV1TokenRequest, CoreV1Api, V1TokenRequestSpec
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import objects, read
from tests.integration.stacks import REPOSITORY, Stack
from tests.integration.test_policy import SHIPPED, flags
from tests.unit.families.kserve.services import config, manifest

ATTACKS = REPOSITORY / "tests" / "security" / "attacks"
RBAC = "rbac.authorization.k8s.io/v1"
GATEWAY = "gateway.networking.k8s.io"


def ci_user(
    cluster: SharedCluster, api: DynamicClient, namespace: str, folder: Path, resources: str = "*"
) -> SharedCluster:
    """The cluster with a user that has all rights on some resources of one namespace, and none elsewhere."""

    def create(api_version: str, kind: str, body: dict[str, Any]) -> None:
        api.resources.get(api_version=api_version, kind=kind).create(body=body, namespace=namespace)

    rules = [{"apiGroups": ["*"], "resources": [resources], "verbs": ["*"]}]
    create("v1", "ServiceAccount", {"metadata": {"name": "ci"}})
    create(RBAC, "Role", {"metadata": {"name": "ci"}, "rules": rules})
    subjects = [{"kind": "ServiceAccount", "name": "ci", "namespace": namespace}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "ci"}
    create(RBAC, "RoleBinding", {"metadata": {"name": "ci"}, "subjects": subjects, "roleRef": role})
    request = AuthenticationV1TokenRequest(spec=V1TokenRequestSpec(audiences=[]))
    token = CoreV1Api(api.client).create_namespaced_service_account_token("ci", namespace, request).status.token
    kubeconfig = yaml.safe_load(cluster.kubeconfig.read_text())
    for user in kubeconfig["users"]:
        user["user"] = {"token": token}
    path = folder / "ci-kubeconfig"
    path.write_text(yaml.safe_dump(kubeconfig))
    return SharedCluster(path)


@pytest.fixture
def stack(cluster: SharedCluster, api: DynamicClient, namespace: str, tmp_path: Path) -> Stack:
    """A stack that the CI user runs, with a team's service."""
    found = Stack(tmp_path / "project", ci_user(cluster, api, namespace, tmp_path), namespace)
    found.config({"tenants": [{"manifests": str(found.manifests), "namespaces": [namespace]}]})
    found.write(yaml.safe_dump(manifest(namespace=namespace)))
    return found


OWN = {("Deployment", "chat-kserve"), ("Service", "chat-kserve-workload-svc")}
CI = {("Role", "ci"), ("RoleBinding", "ci"), ("ServiceAccount", "ci")}


def test_a_team_reaches_its_own_namespace_only(
    stack: Stack, api: DynamicClient, new_namespace: Callable[[], str]
) -> None:
    there = new_namespace()
    stack.up()
    assert objects(api, stack.namespace) - CI == OWN

    stack.write(yaml.safe_dump(manifest(namespace=there)), "evil.yaml")
    for refused in (stack.preview(fails=True), stack.up(fails=True)):
        assert f"namespace {there} is not allowed for the tenant of {stack.manifests}" in refused.text
        assert "nothing was changed" in refused.text
    # Even if the platform grants a tenant too many namespaces, CI has no rights there.
    stack.config({"tenants": [{"manifests": str(stack.manifests), "namespaces": ["*"]}]})
    assert "this user lacks the right to get" in stack.up(fails=True).text
    assert objects(api, there) == set()
    assert objects(api, stack.namespace) - CI == OWN


def test_a_route_to_another_team_gets_no_grant(
    stack: Stack, api: DynamicClient, new_namespace: Callable[[], str]
) -> None:
    there = new_namespace()
    backend = {"group": "", "kind": "Service", "name": "argocd-server", "namespace": there, "port": 80}
    rules = [{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "backendRefs": [backend]}]
    spec = {"router": {"route": {"http": {"spec": {"rules": rules}}}}}
    stack.write(yaml.safe_dump(manifest(spec, namespace=stack.namespace)))

    assert f"without a ReferenceGrant in namespace {there} from HTTPRoute of namespace {stack.namespace}" in (
        stack.up().text
    )
    assert read(api, f"{GATEWAY}/v1", "HTTPRoute", "chat-kserve-route", stack.namespace) is not None
    grants = api.resources.get(api_version=f"{GATEWAY}/v1beta1", kind="ReferenceGrant")
    assert grants.get(namespace=there).items == []


REFUSED = {
    "secret-sa-token": "the token of a service account",
    "secret-in-env": "is replaced only in the data of a v1 Secret",
    "shell-lora": "because commands and paths contain it",
    "priv-bench": "[mandatory]  host-path",
    "priv-ome": "[mandatory]  host-namespaces",
}
"""Maps each attack, moved into the team's own namespace, to the error about it."""


def test_attacks_in_the_team_s_own_namespace_change_nothing(stack: Stack, api: DynamicClient) -> None:
    """Planning or the policy pack rejects them in the preview; no token is created and no pod reaches its node."""
    stack.up()
    for attack, sentence in REFUSED.items():
        text = (ATTACKS / f"{attack}.yaml").read_text()
        stack.write(re.sub(r"namespace: [\w-]+", f"namespace: {stack.namespace}", text), "evil.yaml")
        assert sentence in stack.preview_and_up(*flags(SHIPPED), fails=True).text, attack
        assert objects(api, stack.namespace) - CI == OWN, attack


def test_a_preset_of_one_team_leaves_others_alone(stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    evil = config({"template": {"containers": [{"name": "main", "image": "evil:1"}]}}, "kserve-config-llm-template")
    evil["metadata"]["namespace"] = "kserve"
    stack.up()
    own = image(api, stack)
    folder = tmp_path / "project" / "evil"
    folder.mkdir()
    (folder / "preset.yaml").write_text(yaml.safe_dump(evil))
    tenant = {"manifests": str(folder), "namespaces": ["evil"], "kinds": ["LLMInferenceServiceConfig"]}
    team = {"manifests": str(stack.manifests), "namespaces": [stack.namespace]}
    stack.config({"manifests": [str(stack.manifests), str(folder)], "tenants": [team, tenant]})

    stack.up("--expect-no-changes")
    assert image(api, stack) == own != "evil:1"


def image(api: DynamicClient, stack: Stack) -> str:
    deployment = read(api, "apps/v1", "Deployment", "chat-kserve", stack.namespace)
    return deployment["spec"]["template"]["spec"]["containers"][0]["image"]
