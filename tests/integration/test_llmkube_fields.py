"""A real API server accepts, in strict mode, what each field of LLMKube's newest CRDs renders, and a stack with the
newer fields converges.

Not proven here: that a server accepts any content of volumes and affinities, which are passed on; and that Envoy AI
Gateway and Pyrra accept their objects, as the control plane lacks their CRDs.
"""

from __future__ import annotations

from kubernetes.dynamic import DynamicClient

from modelservices.kubernetes.objects import Object
from tests.integration.live import read
from tests.integration.manifests import manifest, model
from tests.integration.stacks import Stack
from tests.integration.strictness import refusal
from tests.unit.families.llmkube.test_crd_fields import LEAVES, Field, outcome, values

CHECKED = frozenset(["Deployment", "HorizontalPodAutoscaler", "Job", "PersistentVolumeClaim", "Service"])
HANDED_ON = ("affinity", "topologySpreadConstraints", "extraVolumes", "extraVolumeMounts", "env[].valueFrom")
"""Fields of Kubernetes' own types: the walk gives them arbitrary text, whose value a server may reject."""


def test_the_server_takes_what_every_field_renders(api: DynamicClient) -> None:
    seen: list[Object] = []
    refused: dict[str, str] = {}
    for field in LEAVES:
        for obj in [obj for obj in rendered(field) if obj not in seen]:
            seen.append(obj)
            text = refusal(api, obj)
            unknown = "unknown field" in text or "strict decoding" in text
            if text and (unknown or not field.path.startswith(HANDED_ON)):
                refused[f"{field.kind}.{field.path}"] = text
    assert refused == {}
    assert len(seen) > 500


def rendered(field: Field) -> list[Object]:
    """The objects for the last value that we accept."""
    accepted = [found for value in values(field) if not (found := outcome(field, value)).refused]
    return [obj for found in accepted[-1:] for obj in found.seen[0] if obj["kind"] in CHECKED]


SPREAD = {
    "maxSkew": 1,
    "topologyKey": "kubernetes.io/hostname",
    "whenUnsatisfiable": "ScheduleAnyway",
    "labelSelector": {"matchLabels": {"app": "placed"}},
}
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
APART = {"labelSelector": {"matchLabels": {"app": "placed"}}, "topologyKey": "kubernetes.io/hostname"}
PLACED = {
    "affinity": {"podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": APART}]}},
    "topologySpreadConstraints": [SPREAD],
    "extraVolumes": [{"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}}],
    "extraVolumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
    "revisionHistoryLimit": 2,
    "disruption": {"protectAlways": True},
    "modelCache": {"persistence": "Ephemeral"},
    "resources": {"ephemeralStorage": "1Gi"},
    "mode": "embedding",
}
DRAFTING = {
    "speculativeDecoding": {"type": "draft", "draftModelRef": "small", "nDraftMax": 3, "pMin": 0.5},
    "bindAddress": "0.0.0.0",
}
PARKED = {"suspend": True, "replicas": 2, "autoscaling": {"maxReplicas": 3}}
OPEN = {
    "runtime": "sglang",
    "image": "example/sglang:1",
    "skipModelInit": True,
    "endpoint": {"type": "NodePort"},
    "sglangConfig": {"contextLength": 4096},
}
DOCUMENTS = [
    model("large", source="https://models.example.com/large.gguf", format="gguf", prefetch=True),
    model("small", source="https://models.example.com/small.gguf", format="gguf"),
    manifest("InferenceService", "placed", {"modelRef": "large", **PLACED}),
    manifest("InferenceService", "drafting", {"modelRef": "large", **DRAFTING}),
    manifest("InferenceService", "parked", {"modelRef": "large", **PARKED}),
    manifest("InferenceService", "open", {"modelRef": "large", **OPEN}),
]


def test_a_stack_of_the_newer_fields(stack: Stack, api: DynamicClient) -> None:
    stack.write("".join(DOCUMENTS))
    stack.up()
    placed = read(api, "apps/v1", "Deployment", "placed", stack.namespace)["spec"]
    pod = placed["template"]["spec"]
    assert (placed["revisionHistoryLimit"], placed["progressDeadlineSeconds"]) == (2, 2700)
    assert pod["affinity"] == PLACED["affinity"]
    assert pod["topologySpreadConstraints"] == [SPREAD]
    assert {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}} in pod["volumes"]
    assert {"name": "model-storage", "emptyDir": {"sizeLimit": "1Gi"}} in pod["volumes"]
    parked = read(api, "apps/v1", "Deployment", "parked", stack.namespace)["spec"]
    assert parked["replicas"] == 0
    drafting = read(api, "apps/v1", "Deployment", "drafting", stack.namespace)["spec"]["template"]["spec"]
    assert [container["name"] for container in drafting["initContainers"]][-1] == "draft-model-downloader"
    job = read(api, "batch/v1", "Job", "large-prefetch", stack.namespace)
    assert job["spec"]["template"]["spec"]["initContainers"][-1]["name"] == "model-downloader"
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes")
    stack.destroy()
