"""Keys beside what the manifest and the family say: who wins, what is findings_of, and what stays as it is.

Not proved here: each key by itself (test_every_key), and that a cluster takes the objects (tests/integration).
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelservices.kubernetes.pod_templates import pod_templates
from modelservices.kubernetes.propagation import origins
from modelservices.kubernetes.references import selector
from modelservices.kubernetes.scalars import Opaque
from modelservices.manifests.reading import read_manifest
from modelservices.ome_keys.apply import apply_keys
from modelservices.ome_keys.presence import KNATIVE
from modelservices.ome_keys.service import main_first
from modelservices.ome_keys.settings import KeySettings
from modelservices.ome_keys.vocabulary import vocabulary
from modelservices.planning.settings import Settings
from tests.unit.records import layers as layers_of

from .helpers import (
    KSERVE,
    KSERVE_GROUP,
    LLMKUBE,
    MAIN,
    OTTERSCALE,
    SERVICES,
    about,
    findings_of,
    planned,
    rendered,
    with_keys,
)

CONTEXT = "model.ome.io/context-length"
SCRAPE, PORT = "monitoring.ome.io/scrape", "monitoring.ome.io/port"
VENDOR = "model.ome.io/vendor"


def pod(service: str, manifest: dict[str, Any], **settings: Any) -> Any:
    result = rendered(manifest, settings=settings)
    return next(template for _, template in pod_templates(result.objects[MAIN[service]]))


def overridden(manifest: dict[str, Any], key: str, **settings: Any) -> list[str]:
    return [f.message for f in about(planned(manifest, settings=settings), key) if f.code == "overridden"]


@pytest.mark.parametrize("service", SERVICES)
def test_without_keys_nothing_is_looked_at(service: str) -> None:
    foreign = with_keys(SERVICES[service], {"example.com/ome.io": "x", "prometheus.io/scrape": "true"})
    for manifest in (SERVICES[service], foreign):
        (plain,) = planned(manifest).services
        documents = planned(manifest).documents
        read, _ = read_manifest(documents[-1], Settings(), "llm")
        assert read is not None
        assert apply_keys(read, plain, KeySettings()) is plain


# Labels and annotations


def test_a_label_of_the_pods_own_counts() -> None:
    manifest = with_keys(LLMKUBE, {VENDOR: "meta"}, podLabels={VENDOR: "other"})
    assert pod("llmkube", manifest)["metadata"]["labels"][VENDOR] == "other"
    assert overridden(manifest, VENDOR) == ["has no effect: the pods of chat have other"]


def test_the_platform_s_scrape_annotations_yield_to_keys() -> None:
    platform = {"llmkube": {"emitScrapeAnnotations": True}}
    annotations = pod("llmkube", with_keys(LLMKUBE, {PORT: "9100"}), **platform)["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == "9100"
    assert annotations["prometheus.io/scrape"] == "true"


def test_annotations_of_the_pods_own_count() -> None:
    own = {"prometheus.io/port": "9200"}
    for service, manifest in (
        ("llmkube", with_keys(LLMKUBE, {PORT: "9100"}, podAnnotations=own)),
        ("kserve", with_keys(KSERVE, {PORT: "9100", **own})),
        ("kserve", with_keys(KSERVE, {PORT: "9100"}, annotations=own)),
    ):
        assert pod(service, manifest)["metadata"]["annotations"]["prometheus.io/port"] == "9200"
        assert len(overridden(manifest, PORT)) == 1


def test_where_labels_and_annotations_come_from_can_be_explained() -> None:
    layers = layers_of(rendered(with_keys(KSERVE, {VENDOR: "meta", SCRAPE: "true"})))["decode-deployment"]
    target = layers.templates["spec.template"]
    assert [(o.source, o.value) for o in origins(layers.labels, target, VENDOR)] == [("metadata.labels", "meta")]
    scraped = origins(layers.annotations, target, "prometheus.io/scrape")
    assert [(o.source, o.value) for o in scraped] == [("metadata.annotations", "true")]


def test_the_endpoint_picker_has_the_labels_too() -> None:
    (part,) = rendered(with_keys(OTTERSCALE, {VENDOR: "meta"})).parts.values()
    assert all(obj["metadata"]["labels"][VENDOR] == "meta" for obj in part.all_objects())


# Flags


def args(service: str, manifest: dict[str, Any]) -> list[str]:
    containers = pod(service, manifest)["spec"]["containers"]
    return next(c for c in containers if service == "llmkube" or c["name"] in ("main", "vllm")).get("args", [])


@pytest.mark.parametrize(
    ("service", "manifest", "given"),
    [
        ("llmkube", with_keys(LLMKUBE, {}, vllmConfig={"maxModelLen": 1024}), "--max-model-len 1024"),
        ("llmkube", with_keys(LLMKUBE, {}, extraArgs=["--max-model-len=1024"]), "--max-model-len=1024"),
        (
            "llmkube",
            with_keys(LLMKUBE, {}, runtime="llamacpp", image="x:1", skipModelInit=True, extraArgs=["-c", "1024"]),
            "-c 1024",
        ),
        (
            "otterscale",
            with_keys(OTTERSCALE, {}, engine={**OTTERSCALE["spec"]["engine"], "args": ["--max_model_len", "1024"]}),
            "--max_model_len 1024",
        ),
        (
            "kserve",
            with_keys(KSERVE, {}, template={"containers": [{"name": "main", "args": ["--max-model-len '1024'"]}]}),
            "--max-model-len '1024'",
        ),
    ],
)
def test_a_flag_of_the_spec_counts(service: str, manifest: dict[str, Any], given: str) -> None:
    keyed = with_keys(manifest, {CONTEXT: "4096"})
    assert args(service, keyed) == args(service, manifest)
    assert given in " ".join(args(service, keyed))
    assert "1024" in overridden(keyed, CONTEXT)[0]
    assert findings_of(planned(with_keys(manifest, {CONTEXT: "1024"})), "overridden") == []


def test_flags_in_a_variable_count() -> None:
    env = [{"name": "VLLM_ADDITIONAL_ARGS", "value": "--max-model-len 1024"}]
    manifest = with_keys(KSERVE, {CONTEXT: "4096"}, template={"containers": [{"name": "main", "env": env}]})
    assert "--max-model-len" not in args("kserve", manifest)
    assert len(overridden(manifest, CONTEXT)) == 1


def test_a_start_script_reads_arguments_as_shell_text() -> None:
    found = args("kserve", with_keys(KSERVE, {"model.ome.io/max-tokens": "64"}))
    assert found == ["--override-generation-config", "'{\"max_new_tokens\": 64}'"]


@pytest.mark.parametrize(
    ("command", "takes"),
    [
        (["vllm", "serve", "/m"], True),
        (["/bin/sh", "-c", 'exec vllm serve "$@"', "--"], True),
        (["/bin/sh", "-c", "exec vllm serve /m"], False),
        (["bash", "-lc", "vllm serve /m --max-num-seqs 4"], False),
    ],
)
def test_a_script_may_take_no_arguments(command: list[str], takes: bool) -> None:
    container = {"name": "main", "image": "vllm/vllm-openai:v1", "command": command}
    manifest = with_keys(KSERVE, {CONTEXT: "4096"}, template={"containers": [container]})
    assert ("--max-model-len" in args("kserve", manifest)) is takes
    codes = [f.code for f in about(planned(manifest), CONTEXT)]
    assert codes == ([] if takes else ["no-effect"])


def test_the_engine_is_known_by_its_program_too() -> None:
    container = {"name": "main", "image": "registry.example/ours:1", "command": ["/opt/bin/vllm", "serve", "/m"]}
    manifest = with_keys(KSERVE, {CONTEXT: "4096"}, template={"containers": [container]})
    assert args("kserve", manifest) == ["--max-model-len", "4096"]


def test_llama_cpp() -> None:
    manifest = with_keys(
        LLMKUBE,
        {CONTEXT: "4096", "performance.ome.io/batch-size": "8", "model.ome.io/max-tokens": "64"},
        runtime="llamacpp",
        skipModelInit=True,
    )
    found = " ".join(args("llmkube", manifest))
    for flag in ("--ctx-size 4096", "--parallel 8", "--n-predict 64"):
        assert flag in found


# Pods


def test_the_container_that_serves_need_not_be_the_first() -> None:
    template = {"spec": {"containers": [{"name": "sidecar"}, {"name": "main"}, {"name": "other"}]}}
    assert [c["name"] for c in main_first(template)["spec"]["containers"]] == ["main", "sidecar", "other"]


def test_variables_and_node_labels_of_the_spec_count() -> None:
    env = [{"name": "OCI_REGION", "value": "us-ashburn-1"}]
    keys = {"oci.ome.io/region": "us-phoenix-1", "oci.ome.io/availability-domain": "PHX-AD-1"}
    zone = {"topology.kubernetes.io/zone": "PHX-AD-2"}
    manifest = with_keys(LLMKUBE, keys, env=env, nodeSelector=zone)
    spec = pod("llmkube", manifest)["spec"]
    assert {"name": "OCI_REGION", "value": "us-ashburn-1"} in spec["containers"][0]["env"]
    assert spec["nodeSelector"] == zone
    for key in keys:
        assert len(overridden(manifest, key)) == 1


def test_security_contexts_of_the_spec_count() -> None:
    manifest = with_keys(
        LLMKUBE, {"security.ome.io/pod-security-policy": "restricted"}, podSecurityContext={"runAsNonRoot": False}
    )
    assert pod("llmkube", manifest)["spec"]["securityContext"]["runAsNonRoot"] is False


def test_a_policy_lets_the_pods_of_a_service_reach_each_other() -> None:
    made = rendered(with_keys(OTTERSCALE, {"security.ome.io/network-policy": "allow-inference-only", PORT: "9100"}))
    policies = {role: obj["spec"] for role, obj in made.objects.items() if obj["kind"] == "NetworkPolicy"}
    assert sorted(policies) == ["decode-network-policy", "prefill-network-policy"]
    (requests, own) = policies["decode-network-policy"]["ingress"]
    assert [port["port"] for port in requests["ports"]] == [8000, 8200, 9100]
    assert [peer["podSelector"] for peer in own["from"]] == [spec["podSelector"] for spec in policies.values()]


def test_a_monitor_that_is_there_is_enough() -> None:
    settings = {"ome": {"podMonitors": True}}
    monitoring = {"podMonitor": {"enabled": True}}
    plain = rendered(with_keys(OTTERSCALE, {}, monitoring=monitoring), settings=settings)
    manifest = with_keys(OTTERSCALE, {SCRAPE: "true", PORT: "9100"}, monitoring=monitoring)
    made = rendered(manifest, settings=settings)
    monitors = [role for role, obj in made.objects.items() if obj["kind"] == "PodMonitor"]
    assert [made.objects[role]["spec"] for role in monitors] == [plain.objects[role]["spec"] for role in monitors]
    assert overridden(manifest, PORT, **settings) == [
        "has no effect: a PodMonitor already scrapes the pods, set by the manifest or the platform's settings"
    ]


# Whole services


@pytest.mark.parametrize("service", SERVICES)
def test_a_virtual_service_makes_nothing(service: str) -> None:
    made = rendered(with_keys(SERVICES[service], {"ome.io/deploymentMode": "VirtualDeployment"}))
    assert (made.records, made.parts) == ((), {})
    assert made.observe is not None
    assert made.observe({}).phase == "Ready"


@pytest.mark.parametrize(
    ("service", "mode", "fits"),
    [
        ("llmkube", "RawDeployment", True),
        ("llmkube", "MultiNode", False),
        ("llmkube", "PDDisaggregated", False),
        ("otterscale", "PDDisaggregated", True),
        ("kserve-group", "MultiNode", True),
        ("kserve-group", "RawDeployment", False),
        ("kserve", "MultiNodeRayVLLM", False),
    ],
)
def test_deployment_modes(service: str, mode: str, *, fits: bool) -> None:
    key = "ome.io/deploymentMode"
    plan = planned(with_keys(SERVICES[service], {key: mode}))
    assert [(f.severity, f.code) for f in about(plan, key)] == ([] if fits else [("warning", "no-effect")])


def test_a_service_without_pods() -> None:
    plan = planned(with_keys(KSERVE, {"serving.kserve.io/stop": "true", CONTEXT: "4096"}))
    assert findings_of(plan) == [("metadata", "warning", "no-effect")]
    assert list(plan.services[0].all_objects()) == []


def test_keys_of_ome_s_controllers_are_for_ome_s_services() -> None:
    plan = planned(with_keys(LLMKUBE, {"ome.io/autoscalerClass": "keda", "rdma.ome.io/auto-inject": "true"}))
    assert [(f.key, f.severity, f.code) for f in plan.findings if f.key] == [
        ("ome.io/autoscalerClass", "warning", "no-effect"),
        ("rdma.ome.io/auto-inject", "warning", "no-effect"),
    ]


def test_a_group_in_a_queue_needs_a_shorter_name() -> None:
    manifest = copy.deepcopy(KSERVE_GROUP)
    manifest["metadata"]["name"] = "a" * 33
    keys = {"infrastructure.ome.io/cluster": "gpus"}
    assert findings_of(planned(with_keys(manifest, keys)), "name-too-long") == []
    queued = with_keys(manifest, {**keys, "kueue-enabled": "true"})
    assert findings_of(planned(queued), "name-too-long") == [("metadata.name", "error", "name-too-long")]


# Properties


def _texts(entry: Any) -> st.SearchStrategy[str]:
    values = [*entry.examples, *entry.value.get("values", [])]
    return st.one_of(st.sampled_from(values), st.text(max_size=12))


KEYS = st.fixed_dictionaries({}, optional={key: _texts(entry) for key, entry in vocabulary().entries.items()})


@settings(max_examples=60, deadline=None)
@given(service=st.sampled_from(sorted(SERVICES)), keys=KEYS)
def test_whatever_the_keys_say(service: str, keys: dict[str, str]) -> None:
    """Rendering never fails, is deterministic, keeps selectors, and every object has a name of its own."""
    manifest = with_keys(SERVICES[service], keys)
    plan = planned(manifest)
    assert [s.objects for s in plan.services] == [s.objects for s in planned(manifest).services]
    for made in plan.services:
        plain = rendered(SERVICES[service])
        for role, obj in plain.objects.items():
            if role in made.objects:
                assert selector(made.objects[role]) == selector(obj)
        objects = list(made.all_objects())
        assert len({(obj["kind"], obj["metadata"]["name"]) for obj in objects}) == len(objects)
        for obj in objects:
            wanted = obj.get("spec", {}).get("selector", {}).get("matchLabels") if obj["kind"] == "Deployment" else None
            if wanted:
                assert wanted.items() <= obj["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("service", SERVICES)
def test_outputs_are_handed_on_or_refused(service: str) -> None:
    ours = {key: entry for key, entry in vocabulary().entries.items() if key not in KNATIVE}
    for key, entry in ours.items():
        documents = planned(with_keys(SERVICES[service], {key: entry.examples[0]})).documents
        document = copy.deepcopy(documents[-1])
        document.data["metadata"][f"{entry.place}s"][key] = Opaque("later")
        read, findings = read_manifest(document, Settings(), "llm")
        assert read is not None
        refused = [f for f in findings if f.key == key and f.code == "output"]
        assert bool(refused) is not entry.may_be_unknown
        (plain,) = planned(SERVICES[service]).services
        apply_keys(read, plain, KeySettings(podMonitors=True))
