"""Which pods answer for a service and by which path of the API server they are reached, for every family.

Not proven here: that this path reaches a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster
from modelservices.cluster.serving import NotServing, address, server_of
from modelservices.kubernetes.rendered import RenderedComponent
from tests.conformance.reference import plan_case

CASES = Path(__file__).parents[2] / "conformance"


def service(family: str, case: str, settings: Mapping[str, Any] | None = None) -> RenderedComponent:
    return plan_case([CASES / family / "cases" / case / "input.yaml"], settings or {}).services[0]


class Pods:
    """A cluster that has pods; ``asked`` are the paths that were read."""

    def __init__(self, *pods: tuple[str, str]) -> None:
        self.pods = pods
        self.asked: list[str] = []

    def get(self, path: str) -> Mapping[str, Any]:
        self.asked.append(path)
        condition = {"type": "Ready"}
        items = [
            {"metadata": {"name": name}, "status": {"conditions": [{**condition, "status": ready}]}}
            for name, ready in self.pods
        ]
        return {"items": items}


def path_of(rendered: RenderedComponent, *pods: tuple[str, str]) -> str:
    return address(rendered, cast(Cluster, Pods(*pods)))


def test_a_kubernetes_service_is_asked_at_its_own_port() -> None:
    found = service("llmkube", "endpoint-containerport-mismatch")
    port = found.objects["service"]["spec"]["ports"][0]
    assert port["targetPort"] == server_of(found).port
    assert path_of(found) == f"/api/v1/namespaces/{found.namespace}/services/{found.name}:{port['port']}/proxy"


def test_a_pool_is_asked_by_a_pod_that_is_ready() -> None:
    found = service("otterscale", "decode-minimal")
    pods = Pods(("starting", "False"), ("serving", "True"))
    path = address(found, cast(Cluster, pods))
    assert path == f"/api/v1/namespaces/{found.namespace}/pods/serving:{server_of(found).port}/proxy"
    assert "labelSelector=" in pods.asked[0]


def test_what_is_not_there_to_be_asked() -> None:
    stopped = service("llmkube", "replicas-zero")
    with pytest.raises(NotServing, match=r"^is stopped$") as caught:
        path_of(stopped)
    assert caught.value.fine


def test_a_server_with_a_certificate_is_asked_over_tls() -> None:
    settings = {"kserve": {"ingress": {"enableLLMInferenceServiceTLS": True}}}
    found = service("kserve", "s03-single-router-tls", settings)
    assert path_of(found) == f"/api/v1/namespaces/{found.namespace}/services/https:rt-kserve-workload-svc:8000/proxy"


def test_a_job_is_no_server() -> None:
    with pytest.raises(NotServing, match=r"^is no server$"):
        path_of(service("ome", "closed-enum-error"))
