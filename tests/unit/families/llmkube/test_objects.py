"""Deployment, Service, autoscaler, cache claim, monitor and PriorityClasses of a service.

Not proved here: that an API server takes them (tests/conformance has whole objects, tests/integration a server).
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.llmkube.priority_class import VALUES, priority_class
from tests.unit.records import chart
from tests.unit.records import shared as shared_of

from .render import NVIDIA, REPOSITORY, SOURCE, brief, deployment, manifest, plan, plan_of, pod, rendered, server


@pytest.mark.parametrize(
    ("spec", "container", "port", "target"),
    [
        ({}, 8080, 8080, 8080),
        ({"containerPort": 9000}, 9000, 9000, 9000),
        ({"endpoint": {"port": 80}}, 80, 80, 80),
        ({"endpoint": {"port": 80}, "containerPort": 9000}, 9000, 80, 9000),
        ({"endpoint": {}}, 8080, 8080, 8080),
        ({"runtime": "vllm"}, 8000, 8000, 8000),
        ({"runtime": "vllm", "endpoint": {"type": "NodePort"}}, 8000, 8000, 8000),
        ({"runtime": "tgi"}, 80, 80, 80),
    ],
)
def test_ports(spec: Any, container: int, port: int, target: int) -> None:
    objects = rendered(spec, REPOSITORY if spec.get("runtime") else {}).objects
    (given,) = objects["deployment"]["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert given == {"name": "http", "containerPort": container, "protocol": "TCP"}
    assert objects["service"]["spec"]["ports"] == [
        {"name": "http", "port": port, "targetPort": target, "protocol": "TCP"}
    ]


def test_labels_and_selectors() -> None:
    objects = rendered({"podLabels": {"team": "search"}}, name="chat.v2").objects
    selector = {"app": "chat.v2", "inference.llmkube.dev/service": "chat.v2"}
    owned = {**selector, "inference.llmkube.dev/model": "chat-q4", "inference.llmkube.dev/runtime": "llamacpp"}
    made = objects["deployment"]
    assert made["metadata"] == {"name": "chat.v2", "namespace": "ai", "labels": owned}
    assert made["spec"]["selector"] == {"matchLabels": selector}
    assert made["spec"]["template"]["metadata"] == {"labels": {"team": "search", **owned}}
    assert objects["service"]["metadata"] == {"name": "chat-v2", "namespace": "ai", "labels": selector}
    assert objects["service"]["spec"]["selector"] == selector


def test_a_queue_of_kueue_gets_the_workload_and_lifts_suspension() -> None:
    labels = {"kueue.x-k8s.io/queue-name": "team-a", "kueue.x-k8s.io/priority-class": "high"}
    model, service = manifest("Model", "m", spec={"source": SOURCE}), manifest("InferenceService", "chat")
    service |= {"metadata": {**service["metadata"], "labels": {**labels, "team": "search"}}}
    made = plan_of([model, {**service, "spec": {"modelRef": "m", "replicas": 2, "suspend": True}}])
    (found,) = made.raise_for_errors().services
    body = found.objects["deployment"]
    for metadata in (body["metadata"], body["spec"]["template"]["metadata"]):
        assert (labels.items() <= metadata["labels"].items(), "team" in metadata["labels"]) == (True, False)
    assert body["spec"]["replicas"] == 2
    assert labels.keys().isdisjoint(body["spec"]["selector"]["matchLabels"])
    assert "info spec.suspend no-effect" in brief(made.findings)


def test_scrape_annotations_yield_to_the_users() -> None:
    found = deployment({"podAnnotations": {"prometheus.io/port": "1"}}, {}, {"emitScrapeAnnotations": True})
    assert found["spec"]["template"]["metadata"]["annotations"] == {
        "prometheus.io/scrape": "true",
        "prometheus.io/path": "/metrics",
        "prometheus.io/port": "1",
    }


@pytest.mark.parametrize(
    ("spec", "settings", "image"),
    [
        ({}, {}, "ghcr.io/ggml-org/llama.cpp:server-b10068"),
        ({}, {"runtimeImages": {"llamacpp": "mirror/llama"}}, "mirror/llama"),
        ({"image": "own"}, {"runtimeImages": {"llamacpp": "mirror/llama"}}, "own"),
        ({"image": ""}, {}, "ghcr.io/ggml-org/llama.cpp:server-b10068"),
        ({"runtime": "vllm"}, {"runtimeImages": {"llamacpp": "mirror/llama"}}, "vllm/vllm-openai:v0.25.1"),
        ({"runtime": "tgi"}, {"runtimeImages": {"tgi": "mirror/tgi"}}, "mirror/tgi"),
    ],
)
def test_image(spec: Any, settings: Any, image: str) -> None:
    assert server(spec, REPOSITORY if spec.get("runtime") else {}, settings)["image"] == image


@pytest.mark.parametrize(
    ("gpu", "resources", "limits", "taint"),
    [
        (None, {}, {}, None),
        ({"enabled": True}, {}, {}, None),
        ({"enabled": False}, {}, {}, None),
        ({"enabled": False, "count": 2}, {}, {"nvidia.com/gpu": "2"}, "nvidia.com/gpu"),
        (None, {"gpu": 1}, {"nvidia.com/gpu": "1"}, "nvidia.com/gpu"),
        ({"count": 2}, {"gpu": 4}, {"nvidia.com/gpu": "2"}, "nvidia.com/gpu"),
        ({"count": 1, "vendor": "amd"}, {}, {"amd.com/gpu": "1"}, "amd.com/gpu"),
        ({"count": 1, "vendor": "amd", "runtime": "rocm"}, {}, {"devic.es/dri-render": "1"}, "devic.es/dri-render"),
        ({"count": 1, "vendor": "intel"}, {}, {"gpu.intel.com/i915": "1"}, "gpu.intel.com/i915"),
        ({"count": 1, "vendor": "intel", "runtime": "vulkan"}, {}, {"gpu.intel.com/i915": "1"}, "gpu.intel.com/i915"),
        (
            {"count": 1, "vendor": "amd", "resourceName": "nvidia.com/mig-1g.5gb"},
            {},
            {"nvidia.com/mig-1g.5gb": "1"},
            "nvidia.com/mig-1g.5gb",
        ),
        ({"count": 1, "tolerationKey": "acme.example/pool"}, {}, {"nvidia.com/gpu": "1"}, "acme.example/pool"),
    ],
)
def test_gpus(gpu: Any, resources: Any, limits: dict[str, str], taint: str | None) -> None:
    found = deployment({"resources": resources}, {"hardware": {"gpu": gpu}} if gpu else {}, {"modelCachePath": ""})
    template = found["spec"]["template"]["spec"]
    assert template["containers"][0].get("resources", {}).get("limits", {}) == limits
    tolerated = [{"key": taint, "operator": "Equal", "value": "present", "effect": "NoSchedule"}] if taint else []
    assert template.get("tolerations", []) == tolerated
    assert found["spec"].get("strategy") == ({"type": "Recreate"} if limits else None)


def test_requests() -> None:
    given = {"cpu": "2000m", "memory": "2048Mi", "gpuMemory": "24Gi"}
    assert server({"resources": given})["resources"] == {"requests": {"cpu": "2", "memory": "2Gi"}}
    assert server({"resources": {**given, "hostMemory": "96Gi"}})["resources"]["requests"]["memory"] == "96Gi"
    assert "resources" not in server()


@pytest.mark.parametrize(
    ("spec", "settings", "expected"),
    [
        ({}, {}, {"seccompProfile": {"type": "RuntimeDefault"}, "fsGroup": 102}),
        ({}, {"defaultFSGroup": 0}, {"seccompProfile": {"type": "RuntimeDefault"}}),
        (
            {"podSecurityContext": {"fsGroup": 5, "seccompProfile": {"type": "Unconfined"}}},
            {},
            {"seccompProfile": {"type": "Unconfined"}, "fsGroup": 5},
        ),
        (
            {"podSecurityContext": {"runAsUser": 7}},
            {},
            {"seccompProfile": {"type": "RuntimeDefault"}, "runAsUser": 7},
        ),
    ],
)
def test_pod_security(spec: Any, settings: Any, expected: Any) -> None:
    assert pod(spec, {}, settings)["securityContext"] == expected


@pytest.mark.parametrize(
    ("gpu", "groups"),
    [
        ({"vendor": "amd", "runtime": "vulkan"}, [992]),
        ({"vendor": "amd"}, None),
        ({"vendor": "nvidia"}, None),
        ({"resourceName": "devic.es/dri-render"}, [992]),
    ],
)
def test_group_of_render_devices(gpu: Any, groups: list[int] | None) -> None:
    template = pod({}, {"hardware": {"gpu": gpu}}, {"driRenderGID": 992})
    assert template["securityContext"].get("supplementalGroups") == groups


def test_probes() -> None:
    override = {"exec": {"command": ["true"]}, "periodSeconds": 2}
    found = server({"containerPort": 9000, "probeOverrides": {"liveness": override}})
    get = {"httpGet": {"path": "/health", "port": 9000}}
    assert found["startupProbe"] == {**get, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 180}
    assert found["livenessProbe"] == override
    assert found["readinessProbe"] == {**get, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3}
    generic = server({"runtime": "generic", "image": "x"})
    assert generic["livenessProbe"] == {
        "tcpSocket": {"port": 8080},
        "periodSeconds": 15,
        "timeoutSeconds": 5,
        "failureThreshold": 3,
    }


def test_what_is_handed_on() -> None:
    given = {
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "spot", "operator": "Exists"}],
        "runtimeClassName": "nvidia",
        "imagePullSecrets": [{"name": "registry"}],
        "priorityClassName": "gold",
        "priority": "high",
        "command": ["/run"],
    }
    template = pod(given, NVIDIA)
    assert template["nodeSelector"] == {"pool": "a"}
    assert [item["key"] for item in template["tolerations"]] == ["nvidia.com/gpu", "spot"]
    assert (template["runtimeClassName"], template["priorityClassName"]) == ("nvidia", "gold")
    assert template["imagePullSecrets"] == [{"name": "registry"}]
    assert template["containers"][0]["command"] == ["/run"]
    assert template["containers"][0]["terminationMessagePolicy"] == "FallbackToLogsOnError"
    assert "enableServiceLinks" not in template


def test_service_links_are_off_for_vllm_only() -> None:
    assert pod({"runtime": "vllm"}, REPOSITORY)["enableServiceLinks"] is False
    generic = {"runtime": "generic", "image": "vllm/vllm-openai:v0.25.1"}
    assert pod(generic, REPOSITORY)["enableServiceLinks"] is False
    assert "enableServiceLinks" not in pod({**generic, "image": "mine:1"}, REPOSITORY)


def test_replicas_zero_stay() -> None:
    assert deployment({"replicas": 0})["spec"]["replicas"] == 0


SHARED = {"modelCacheAccessMode": "ReadWriteMany"}
OWN = {"modelCacheMode": "perService", **SHARED}


@pytest.mark.parametrize(
    ("spec", "settings", "shared", "own", "mode", "strategy"),
    [
        ({}, {}, ["llmkube-model-cache"], None, "ReadWriteOnce", "Recreate"),
        ({}, SHARED, ["llmkube-model-cache"], None, "ReadWriteMany", None),
        ({}, OWN, [], "chat-model-cache", "ReadWriteOnce", "Recreate"),
        ({}, {"modelCachePath": ""}, [], None, None, None),
        ({"skipModelInit": True}, {}, [], None, None, None),
    ],
)
def test_cache_claims(spec: Any, settings: Any, shared: Any, own: Any, mode: Any, strategy: Any) -> None:
    found = rendered(spec, {}, settings)
    assert [item["metadata"]["name"] for item in shared_of(found)] == shared
    claims = [*shared_of(found), *([found.objects["model-cache"]] if "model-cache" in found.objects else [])]
    assert [item["metadata"]["name"] for item in claims] == [*shared, *([own] if own else [])]
    assert [item["spec"]["accessModes"] for item in claims] == ([[mode]] if mode else [])
    assert found.objects["deployment"]["spec"].get("strategy", {}).get("type") == strategy


def test_size_and_class_of_a_claim() -> None:
    (claim,) = shared_of(rendered({}, {}, {"modelCacheSize": "2048Gi", "modelCacheStorageClass": "fast"}))
    assert claim["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": "2Ti"}},
    }


def test_services_of_a_namespace_bring_one_claim() -> None:
    other = manifest("InferenceService", "second", spec={"modelRef": "chat-q4"})
    found = plan(others=[other]).raise_for_errors()
    assert [item["metadata"]["name"] for item in shared_of(found)] == ["llmkube-model-cache"]


def test_a_claim_that_the_cluster_has_is_mounted_and_not_made() -> None:
    there = manifest("PersistentVolumeClaim", "llmkube-model-cache", spec={"accessModes": ["ReadWriteMany"]})
    for more in ({"others": [there]}, {"settings": {"existingClaims": ["ai/llmkube-model-cache"]}}):
        found = rendered(**more)
        assert shared_of(found) == ()
        (volume,) = found.objects["deployment"]["spec"]["template"]["spec"]["volumes"]
        assert volume["persistentVolumeClaim"] == {"claimName": "llmkube-model-cache"}
    assert "strategy" not in deployment(others=[there])["spec"], "several nodes can mount it"


@pytest.mark.parametrize(
    ("modes", "strategy"), [(["ReadWriteOnce"], "Recreate"), (["ReadOnlyMany"], None), (None, None)]
)
def test_a_claim_with_weights_of_one_node(modes: Any, strategy: str | None) -> None:
    claim = manifest("PersistentVolumeClaim", "weights", spec={"accessModes": modes} if modes else {})
    found = deployment({}, {"source": "pvc://weights/m.gguf"}, others=[claim])
    assert found["spec"].get("strategy", {}).get("type") == strategy


def test_autoscaler() -> None:
    metrics = [
        {"type": "Pods", "name": "queue", "targetAverageValue": "1500m"},
        {"type": "Resource", "name": "cpu", "targetAverageUtilization": 70},
    ]
    scaling = {"minReplicas": 2, "maxReplicas": 6, "metrics": metrics}
    found = rendered({"autoscaling": scaling, "replicas": 3, "resources": {"cpu": 1}}, {}, SHARED).objects
    assert "replicas" not in found["deployment"]["spec"]
    assert found["autoscaler"]["metadata"]["labels"] == {"app": "chat", "inference.llmkube.dev/service": "chat"}
    assert found["autoscaler"]["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat"},
        "minReplicas": 2,
        "maxReplicas": 6,
        "metrics": [
            {
                "type": "Pods",
                "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "1500m"}},
            },
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
            },
        ],
    }


@pytest.mark.parametrize(
    ("runtime", "metric"),
    [("llamacpp", "llamacpp:requests_processing"), ("vllm", "vllm:num_requests_running"), ("tgi", "tgi_queue_size")],
)
def test_default_metric(runtime: str, metric: str) -> None:
    model = {} if runtime == "llamacpp" else REPOSITORY
    found = rendered({"runtime": runtime, "autoscaling": {"maxReplicas": 2}}, model).objects["autoscaler"]["spec"]
    assert found["minReplicas"] == 1
    assert found["metrics"] == [
        {"type": "Pods", "pods": {"metric": {"name": metric}, "target": {"type": "AverageValue", "averageValue": "2"}}}
    ]


def test_priority_classes() -> None:
    classes = [found for name in VALUES if (found := priority_class(f"llmkube-{name}"))]
    assert {found.lifetime for found in classes} == {"chart"}
    bodies = [found.body for found in classes]
    assert {item["metadata"]["name"]: (item["value"], item["preemptionPolicy"]) for item in bodies} == {
        "llmkube-critical": (1000000, "PreemptLowerPriority"),
        "llmkube-high": (100000, "PreemptLowerPriority"),
        "llmkube-normal": (10000, "PreemptLowerPriority"),
        "llmkube-low": (1000, "PreemptLowerPriority"),
        "llmkube-batch": (100, "Never"),
    }
    assert all(item["globalDefault"] is False for item in bodies)
    assert priority_class("llmkube-urgent") is None


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({}, ["llmkube-normal"]),
        ({"priority": "batch"}, ["llmkube-batch"]),
        ({"priorityClassName": "gold"}, []),
        ({"priorityClassName": "llmkube-high"}, ["llmkube-high"]),
    ],
)
def test_the_class_that_a_service_brings(spec: Any, names: list[str]) -> None:
    found = rendered(spec)
    assert [item["metadata"]["name"] for item in chart(found)] == names
    assert "PriorityClass" not in {item["kind"] for item in plan(spec).all_objects()}


def test_pod_monitor() -> None:
    given = {"enabled": True, "namespace": "monitoring", "additionalLabels": {"release": "prometheus"}}
    (monitor,) = shared_of(rendered({"skipModelInit": True}, {}, {"podMonitor": given}))
    assert monitor["metadata"] == {
        "name": "llmkube-inference",
        "namespace": "monitoring",
        "labels": {"release": "prometheus"},
    }
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert (endpoint["port"], endpoint["path"], endpoint["interval"]) == ("http", "/metrics", "30s")
    assert [item["targetLabel"] for item in endpoint["relabelings"]] == [
        "job",
        "service",
        "namespace",
        "model",
        "runtime",
    ]
    assert monitor["spec"]["namespaceSelector"] == {"any": True}
    assert monitor["spec"]["selector"] == {
        "matchExpressions": [{"key": "inference.llmkube.dev/service", "operator": "Exists"}]
    }


def test_a_model_on_a_mac_renders_nothing() -> None:
    found = plan({"autoscaling": {"maxReplicas": 2}}, {"hardware": {"accelerator": "metal"}})
    assert found.all_objects() == []
    assert brief(found.findings) == ["info spec.modelRef metal"]


def test_two_services_whose_names_differ_by_a_dot() -> None:
    model = manifest("Model", "m", spec={"source": "org/name"})
    spec = {"modelRef": "m", "runtime": "vllm", "skipModelInit": True, "resources": {"gpu": 1}}
    services = [manifest("InferenceService", name, spec=spec) for name in ("a.b", "a-b")]
    assert brief(plan_of([model, *services]).findings) == ["error metadata.name name-collision"]


def test_roles() -> None:
    found = rendered({"autoscaling": {"maxReplicas": 1}}, {}, {"modelCacheMode": "perService"})
    assert list(found.objects) == ["model-cache", "deployment", "service", "autoscaler"]
    assert (found.component, found.kind, found.namespace, found.name) == (
        *("InferenceServiceComponent", "InferenceService", "ai", "chat"),
    )


def test_what_a_mac_reads_is_not_looked_for_in_the_cluster() -> None:
    for source in ("pvc://nobody/m", "s3://bucket/m", "/path/m"):
        found = plan({}, {"source": source, "hardware": {"accelerator": "metal"}})
        assert brief(found.findings) == ["info spec.modelRef metal"]
