"""An operator that is back, on a cluster that answers from a table."""

from typing import Any, cast

from modelservices.cluster.connection import Cluster, Lookup
from modelservices.cluster.returned import reconciled, returned
from modelservices.kubernetes.objects import Key, Object

CHAT = Key("apps/v1", "Deployment", "n", "chat")
CUSTOM = Key("inference.llmkube.dev/v1alpha1", "InferenceService", "n", "chat")


class Table:
    def __init__(self, *controllers: str, there: tuple[Key, ...] = ()) -> None:
        self.controllers, self.there = controllers, there

    def get(self, path: str) -> Object:
        pod = {"spec": {"containers": []}}
        items = [
            {"metadata": {"name": name, "namespace": "system"}, "spec": {"template": pod}} for name in self.controllers
        ]
        return {"items": items if path.endswith("deployments") else []}

    def metadata(self, identities: Any) -> Lookup:
        return Lookup({identity: {} for identity in identities if identity in self.there}, {})


def said(*entries: tuple[str, str, str], controllers: tuple[str, ...] = ()) -> list[str]:
    fields = [{"manager": name, "time": time, "subresource": part} for name, time, part in entries]
    own = {"manager": "modelservices:o/p/s", "operation": "Apply", "time": "2026-01-02T00:00:00Z"}
    return returned({CHAT: {"managedFields": [own, *fields]}}, cast(Cluster, Table(*controllers)))


def test_newer_writes_of_an_operators_manager_are_named_with_its_controller():
    newer, older = "2026-01-02T00:00:01Z", "2026-01-01T23:59:59Z"
    (line,) = said(("llmkube-controller", newer, ""), controllers=("llmkube-controller-manager",))
    assert line.startswith(
        "Deployment n/chat: written by llmkube-controller (Deployment system/llmkube-controller-manager) since the "
        "stack's last update, so the operator (LLMKube) is back"
    )
    (line,) = said(("manager", newer, ""))
    assert "the operator (LLMKube or OtterScale or KServe or OME) is back" in line
    (line,) = said(("manager", newer, ""), controllers=("llmisvc-controller-manager",))
    assert "the operator (KServe) is back" in line
    assert line.endswith("then run `modelservices adopt --yes` and `pulumi up --refresh`")
    assert said(("llmkube-controller", older, ""), ("k9s", newer, ""), ("manager", newer, "status")) == []


def test_a_controller_beside_custom_resources_is_named():
    manifest = {"apiVersion": CUSTOM.api_version, "kind": CUSTOM.kind, "metadata": {"name": "chat", "namespace": "n"}}

    def beside(*controllers: str, there: tuple[Key, ...] = (CUSTOM,)) -> list[str]:
        return reconciled([manifest], cast(Cluster, Table(*controllers, there=there)))

    (line,) = beside("llmkube-controller-manager")
    assert line.startswith(
        "InferenceService n/chat: still in the cluster, where Deployment system/llmkube-controller-manager reconciles"
    )
    assert beside() == beside("llmkube-controller-manager", there=()) == beside("cert-manager") == []
