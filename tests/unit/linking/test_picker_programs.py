"""Endpoint pickers that read what is not there. Not proved here: that a release's plugins are those of its table."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings
from tests.unit.families.kserve.services import main

ALPHA = "inference.networking.x-k8s.io"
CODES = frozenset(["unknown-plugin", "other-pool", "no-file", "tls-on-one-side", "no-pods"])
SCHEDULER = "spec.router.scheduler"
TLS = {"kserve": {"ingress": {"enableLLMInferenceServiceTLS": True}}}
GPU = {"limits": {"nvidia.com/gpu": "1"}}


def plan(*manifests: dict[str, Any], settings: dict[str, Any] | None = None) -> StackPlan:
    documents = [Document("x.yaml", index, 1, data) for index, data in enumerate(manifests, 1)]
    return make_plan(documents, Settings.model_validate(settings or {}))


def found(planned: StackPlan) -> list[tuple[str, str]]:
    return [(finding.path, finding.code) for finding in planned.findings if finding.code in CODES]


def chat(scheduler: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "models"},
        "spec": {
            "model": {"uri": "hf://example/tiny", "name": "tiny"},
            "template": main(resources=GPU),
            "router": {"gateway": {}, "route": {}, "scheduler": scheduler},
        },
    }


def configured(*plugins: dict[str, Any]) -> dict[str, Any]:
    profiles = [{"name": "default", "plugins": [{"pluginRef": "queue-scorer"}]}]
    inline = {"plugins": [{"type": "queue-scorer"}, *plugins], "schedulingProfiles": profiles}
    return {"config": {"inline": {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", **inline}}}


def model_service(**picker: Any) -> dict[str, Any]:
    return {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": "chat", "namespace": "models"},
        "spec": {
            "model": {"name": "example/tiny", "image": "registry.example.com/tiny:3"},
            "engine": {},
            "accelerator": {"type": "nvidia"},
            "decode": {"replicas": 1},
            "inferencePool": {"endpointPicker": picker},
        },
    }


def epp(*plugins: str) -> dict[str, Any]:
    config = {
        "plugins": [{"type": "queue-scorer"}, *({"type": plugin} for plugin in plugins)],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "queue-scorer"}]}],
    }
    return {"otterscale": {"epp": {"pluginsConfig": config}}}


HTTPS = {"type": "metrics-data-source", "parameters": {"scheme": "https", "insecureSkipVerify": True}}


def test_what_is_right_has_no_finding() -> None:
    assert found(plan(chat({}))) == []
    assert found(plan(chat({}), settings=TLS)) == []
    assert found(plan(chat(configured(HTTPS)), settings=TLS)) == []
    assert found(plan(model_service())) == []


def test_a_plugin_that_the_release_does_not_have() -> None:
    path = f"{SCHEDULER}.config.inline.plugins[1].type"
    assert found(plan(chat(configured({"type": "queue-depth-scorer"})))) == [(path, "unknown-plugin")]
    assert found(plan(model_service(), settings=epp("no-such-scorer"))) == [("metadata.name", "unknown-plugin")]
    # A release that the table does not have, and an image of one's own.
    newer = {"template": main(image="ghcr.io/llm-d/llm-d-router-endpoint-picker:v1.2.0")}
    other = {"template": main(image="registry.example.com/picker:1")}
    for scheduler in (newer, other):
        assert found(plan(chat({**configured({"type": "queue-depth-scorer"}), **scheduler}))) == []


def test_a_plugin_that_came_later() -> None:
    old = {"template": main(image="ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0")}
    path = f"{SCHEDULER}.config.inline.plugins[1].type"
    assert found(plan(chat({**configured({"type": "utilization-filter"}), **old}))) == [(path, "unknown-plugin")]
    assert found(plan(chat(configured({"type": "utilization-filter"})))) == []


def test_the_pool_is_in_the_api_that_the_picker_reads() -> None:
    planned = plan(chat({"template": main(args=["--pool-group", ALPHA])}))
    pools = [obj["apiVersion"] for obj in planned.all_objects() if obj["kind"] == "InferencePool"]
    assert sorted(pools) == ["inference.networking.k8s.io/v1", f"{ALPHA}/v1alpha2"]
    assert found(planned) == []


def test_a_group_that_has_no_pool() -> None:
    args = ["--pool-group=inference.example.com"]
    path = f"{SCHEDULER}.template.containers[0].args[0]"
    assert found(plan(chat({"template": main(args=args)}))) == [(path, "other-pool")]


@pytest.mark.parametrize(
    ("scheduler", "settings", "path"),
    [
        (configured(HTTPS), {}, f"{SCHEDULER}.config.inline.plugins[1].parameters.scheme"),
        (
            {"template": main(args=["--modelServerMetricsScheme", "https"])},
            {},
            f"{SCHEDULER}.template.containers[0].args[0]",
        ),
        (
            configured({**HTTPS, "parameters": {"scheme": "http"}}),
            TLS,
            f"{SCHEDULER}.config.inline.plugins[1].parameters.scheme",
        ),
    ],
)
def test_metrics_by_another_scheme(scheduler: dict[str, Any], settings: dict[str, Any], path: str) -> None:
    planned = plan(chat(scheduler), settings=settings)
    assert found(planned) == [(path, "tls-on-one-side")]


def test_a_certificate_where_nothing_is_mounted() -> None:
    path = f"{SCHEDULER}.template.containers[0].args[0]"
    assert found(plan(chat({"template": main(args=["--cert-path=/certs"])}))) == [(path, "no-file")]
    for args in (["--cert-path=/var/run/kserve/tls"], ["--cert-path=/certs", "--secure-serving=false"]):
        assert found(plan(chat({"template": main(args=args)}))) == []


@pytest.mark.parametrize(("name", "selects"), [("chat", True), ("chta", False)])
def test_a_pool_that_selects_none_of_the_pods(name: str, selects: bool) -> None:
    pool = {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "metadata": {"name": "shared", "namespace": "models"},
        "spec": {
            "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "targetPorts": [{"number": 8000}],
            "endpointPickerRef": {"name": "epp", "port": {"number": 9002}},
        },
    }
    path = f"{SCHEDULER}.pool.ref.name"
    expected = [] if selects else [(path, "no-pods")]
    assert found(plan(chat({"pool": {"ref": {"name": "shared"}}}), pool)) == expected
