"""Services that an operator runs are taken over: no pod restarts, nothing stays behind, nothing goes with the operator.

The objects are those of the reference, created as the operator creates them. Not proven here: what a running operator
does meanwhile (it must have stopped, which is shown), and that real servers go on answering.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from components.cluster.differences import changed_paths
from components.kubernetes.objects import Key, key
from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.operators import Object, Operator, create, install_definitions, moved
from tests.integration.stacks import Stack, changes
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

CONFORMANCE = Path(__file__).parents[1] / "conformance"
APPS = "apps/v1"
GROUPS = "leaderworkerset.x-k8s.io/v1"


@dataclass(frozen=True)
class Family:
    """Reference cases of a family that live side by side in one namespace, and an edit of one of their services.

    ``image`` sets another image in the manifest of ``edited``; ``dropped`` are fields of its spec that are removed.
    """

    folder: str
    kind: str
    cases: tuple[str, ...]
    edited: str
    image: Callable[[Object], None]
    dropped: tuple[str, ...]
    workloads: tuple[str, ...]
    settings: Mapping[str, Any]


def _llmkube_image(manifest: Object) -> None:
    manifest["spec"]["image"] = "example/changed:2"


def _otterscale_image(manifest: Object) -> None:
    manifest["spec"]["engine"]["image"] = "example/changed:2"


def _kserve_image(manifest: Object) -> None:
    manifest["spec"].setdefault("template", {})["containers"] = [{"name": "main", "image": "example/changed:2"}]


FAMILIES = {
    "llmkube": Family(
        "llmkube",
        "InferenceService",
        (
            *("autoscaling-default-metric", "autoscaling-vllm", "cpu-minimal", "endpoint-containerport-mismatch"),
            *(
                "endpoint-loadbalancer",
                "endpoint-nodeport-default-port",
                "generic-full",
                "gpu-amd-default",
                "gpu-intel",
            ),
            *("gpu-multi-even-split", "gpu-single-nvidia", "llamacpp-all-tuning", "llamacpp-custom-image-command"),
            *("name-with-dots", "passthrough-probes-mixed", "passthrough-windows-and-selinux", "personaplex-full"),
            *(
                "pod-metadata",
                "llamacpp-extraargs-precedence",
                "probe-overrides",
                "replicas-zero",
                "skip-model-init-llamacpp",
            ),
            *("source-hf-repo-url", "source-multi-file", "source-s3", "tgi-full", "vllm-full"),
        ),
        "gpu-single-nvidia",
        _llmkube_image,
        ("resources",),
        ("Deployment",),
        {},
    ),
    "otterscale": Family(
        "otterscale",
        "ModelService",
        (
            *(
                "accel-amd-tensor",
                "accel-google-tpu",
                "decode-minimal",
                "engine-overrides",
                "epp-explicit-full",
                "epp-ha",
            ),
            *("monitoring-pd-custom", "name-dotted", "parallel-all-three", "pd-defaults", "pd-no-proxy"),
            *("pull-secrets-two-mount", "route-explicit-hostnames"),
        ),
        "pd-defaults",
        _otterscale_image,
        (),
        ("Deployment",),
        yaml.safe_load((CONFORMANCE / "otterscale/cases/decode-minimal/operator.yaml").read_text()),
    ),
    "kserve": Family(
        "kserve",
        "LLMInferenceService",
        (
            *(
                "p05-single-top-kueue-label",
                "p10-single-empty-values",
                "p11-single-spec-labels",
                "p13-single-spec-beats-top",
            ),
            *(
                "p21-sched-labels",
                "p27-tokenizer-gets-nothing",
                "p30-mn-no-metadata",
                "p33-mn-spec",
                "p42-pd-spec-only",
            ),
            *("p45-pd-three-components", "p51-pdmn-top", "p53-pd-decode-mn-prefill-single", "p65-long-name"),
            *("s01-single-no-router", "s02-single-router-defaults", "s06-inline-pool", "s09-inline-route"),
            *("s13-oci-model", "s16-pd-single-router", "s17-mn-dp-ep-router", "s20-mn-pipeline-own-preset"),
            *("s22-scheduler-ha-inline-config", "s24-tracing", "s14-storage-initializer-off", "s28-rollout-strategy"),
        ),
        "s01-single-no-router",
        _kserve_image,
        (),
        ("Deployment", "LeaderWorkerSet"),
        {"inferencePoolApis": ["v1", "v1alpha2"]},
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_services_are_taken_over(family: str, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    wanted = FAMILIES[family]
    install_definitions(api)
    stack.config({"settings": {family: dict(wanted.settings)}, "adopted": str(tmp_path / "adopted.yaml")})
    stack.write(model() + "".join(service(f"own-{level}", priority=level) for level in ("normal", "high", "low")))
    stack.up()
    operator = Operator(api, stack.namespace)
    manifests = {case: _run_case(wanted, case, operator) for case in wanted.cases}
    for case, documents in manifests.items():
        stack.write(yaml.safe_dump_all(documents), f"{case}.yaml")
    eventually(lambda: _are_ready(api, stack.namespace), "the operator's pods", seconds=120)
    before = pods(api, stack.namespace)

    refused = stack.up(fails=True)
    assert f"run `modelservices adopt --stack {stack.stack}`" in refused.text
    looked = command(stack, "adopt")
    assert looked.returncode == 0, looked.stderr
    assert all(obj["metadata"].get("ownerReferences") for obj in _live(api, operator.made) if _is_owned(obj))
    done = command(stack, "adopt", "--yes")
    assert done.returncode == 0, done.stderr
    stack.up()

    assert pods(api, stack.namespace) == before
    # The provider updates metadata of groups once more; that is in docs/migration.md, and restarts nothing.
    assert {(op, kind) for op, kind, _ in changes(stack.up())} <= {("update", "LeaderWorkerSet")}
    assert pods(api, stack.namespace) == before
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes")

    rendered = {key(obj) for obj in yaml.safe_load_all(command(stack, "render").stdout)}
    ours = [obj for obj in operator.made if key(obj) in rendered]
    uids = [obj["metadata"]["uid"] for obj in _live(api, ours)]
    assert len(uids) == len(ours) > len(wanted.cases)
    operator.delete_resources()
    eventually(lambda: _live(api, operator.resources) == [], "the custom resources gone")
    create(api, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": stack.namespace}})
    time.sleep(5)  # the garbage collector needs less for what it does collect
    assert [obj["metadata"]["uid"] for obj in _live(api, ours)] == uids
    assert pods(api, stack.namespace) == before

    _edit(wanted, manifests[wanted.edited], stack)
    result = stack.up()
    edited = {name for op, kind, name in changes(result) if kind in wanted.workloads}
    assert edited and all(_of_case(name, manifests[wanted.edited]) for name in edited)
    eventually(lambda: _are_ready(api, stack.namespace), "the changed service's pods", seconds=60)
    after = pods(api, stack.namespace)
    gone = {name for name, uid in before.items() if after.get(name) != uid}
    assert gone and all(_of_case(f"{stack.namespace}/{name}", manifests[wanted.edited]) for name in gone)
    _assert_as_rendered(stack, api, manifests[wanted.edited])
    stack.preview("--refresh", "--expect-no-changes")


def _run_case(family: Family, case: str, operator: Operator) -> list[Object]:
    """The operator's objects of a case; gives its manifests."""
    folder = CONFORMANCE / family.folder / "cases" / case
    documents = moved(folder / "input.yaml", operator.namespace)
    services = [document for document in documents if document["kind"] == family.kind]
    objects = moved(folder / "expected.yaml", operator.namespace)
    for index, one in enumerate(services):
        operator.reconcile(one, objects if index == 0 else [])
    return documents


def _edit(family: Family, documents: list[Object], stack: Stack) -> None:
    """Another image, and fields less, in the first service of a case."""
    one = next(document for document in documents if document["kind"] == family.kind)
    for name in family.dropped:
        one["spec"].pop(name)
    family.image(one)
    stack.write(yaml.safe_dump_all(documents), f"{family.edited}.yaml")


def _assert_as_rendered(stack: Stack, api: DynamicClient, documents: list[Object]) -> None:
    """Nothing of the operator's is left in the changed workloads: they have a new object's fields, no others."""
    for obj in yaml.safe_load_all(command(stack, "render").stdout):
        if obj["kind"] != "Deployment" or not _of_case(f"{stack.namespace}/{obj['metadata']['name']}", documents):
            continue
        live = read(api, APPS, "Deployment", obj["metadata"]["name"], stack.namespace)
        fresh = dict(obj, metadata={**obj["metadata"], "name": f"{obj['metadata']['name']}-fresh"})
        resource = api.resources.get(api_version=APPS, kind="Deployment")
        new = resource.create(body=fresh, namespace=stack.namespace, dry_run="All").to_dict()
        # What stands in lists keeps its place, which means nothing for items with names.
        assert [path for path in changed_paths(new, live) if path.startswith("spec.")] == []


def _of_case(name: str, documents: list[Object]) -> bool:
    services = [document["metadata"]["name"].replace(".", "-") for document in documents]
    return any(name.partition("/")[2].replace(".", "-").startswith(one) for one in services)


def pods(api: DynamicClient, namespace: str) -> dict[str, str]:
    """Name and uid of every pod."""
    items = api.resources.get(api_version="v1", kind="Pod").get(namespace=namespace).items
    return {item.metadata.name: item.metadata.uid for item in items if not item.metadata.deletionTimestamp}


def _are_ready(api: DynamicClient, namespace: str) -> bool:
    return all(_is_ready(workload) for workload in _workloads(api, namespace))


def _workloads(api: DynamicClient, namespace: str) -> Iterator[Object]:
    for api_version, kind in ((APPS, "Deployment"), (GROUPS, "LeaderWorkerSet")):
        yield from (
            w.to_dict() for w in api.resources.get(api_version=api_version, kind=kind).get(namespace=namespace).items
        )


def _is_ready(workload: Object) -> bool:
    status, replicas = workload.get("status", {}), workload["spec"].get("replicas", 1)
    current = (
        status.get("observedGeneration", 0) >= workload["metadata"]["generation"] or workload["kind"] != "Deployment"
    )
    counts = [status.get(name, 0) for name in ("replicas", "readyReplicas", "updatedReplicas")]
    return current and counts == [replicas] * 3


def _is_owned(obj: Object) -> bool:
    return "namespace" in obj["metadata"] and obj["metadata"]["name"] != "llmkube-model-cache"


def _live(api: DynamicClient, objects: list[Object]) -> list[Object]:
    found = (_read(api, key(obj)) for obj in objects)
    return [obj for obj in found if obj]


def _read(api: DynamicClient, identity: Key) -> Object | None:
    return read(api, identity.api_version, identity.kind, identity.name, identity.namespace or None)
