"""The components in a user's own programs: an endpoint picker alone, a service beside other resources.

Not proven here: other languages (test_component_provider.py), and that others' objects are rejected: only the stack
program checks the cluster before it registers anything.
"""

from pathlib import Path
from typing import Any

from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import cluster_scoped, everything, objects, read
from tests.integration.stacks import OwnProgram
from tests.integration.waiting import eventually

PICKER = '''
import pulumi

from modelservices import EPPComponent

config = pulumi.Config()
namespace = config.require("namespace")


def on_one_node(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Only one pod finds a place, so only one gets ready: as of pods that elect a leader."""
    if args.type_ != "kubernetes:apps/v1:Deployment":
        return None
    pod = args.props["spec"]["template"]["spec"]
    pod["nodeSelector"] = {"kubernetes.io/hostname": "cpu-0"}
    selector = {"matchLabels": {"inferencepool": "picker"}}
    term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
    pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return pulumi.ResourceTransformResult(args.props, args.opts)


spec = {"replicas": 3, "resources": {"limits": {"memory": "1Gi"}}, "flags": config.require_object("flags")}
picker = EPPComponent(
    "picker",
    {"namespace": namespace, "poolName": "llama", "spec": spec},
    pulumi.ResourceOptions(transforms=[on_one_node]),
)
pulumi.export("picker", {"phase": picker.phase, "ready": picker.readyReplicas, "conditions": picker.conditions})
'''

SERVICE = """
import pulumi
import pulumi_kubernetes as k8s

from modelservices import PrefillDecodeComponent

config = pulumi.Config()
namespace = config.require("namespace")
releases = k8s.core.v1.ConfigMap(
    "releases", metadata={"name": "releases", "namespace": namespace}, data={"engine": "example/vllm:7"}
)
chat = PrefillDecodeComponent(
    "chat",
    {
        "namespace": namespace,
        "spec": {
            "model": {"name": "llama", "image": "example/llama:1"},
            "engine": {"image": releases.data["engine"], "env": [{"name": "UID", "value": releases.metadata.uid}]},
            "accelerator": {"type": "cpu"},
            "decode": {},
            "prefill": {"replicas": 2},
            "routingProxy": {},
            "inferencePool": {"endpointPicker": {}},
        },
        "settings": {"otterscale": {"epp": {"provider": "none"}}},
    },
)
code = PrefillDecodeComponent(
    "code",
    {
        "namespace": namespace,
        "spec": {
            "model": {"name": "code", "image": "example/code:1"},
            "engine": {},
            "accelerator": {"type": "cpu"},
            "decode": {"replicas": config.get_int("replicas") or 1},
        },
    },
)
pulumi.export("chat", {"phase": chat.phase, "details": chat.details})
pulumi.export("code", {"phase": code.phase, "ready": code.readyReplicas})
"""


def project(folder: Path, program: str, cluster: SharedCluster, namespace: str, **config: Any) -> OwnProgram:
    made = OwnProgram(folder, cluster)
    made.write(program)
    made.config({"namespace": namespace, **config})
    return made


def test_of_several_pickers_the_leader_is_enough(
    cluster: SharedCluster, api: DynamicClient, namespace: str, tmp_path: Path
) -> None:
    own = project(tmp_path, PICKER, cluster, namespace, flags={})

    own.up()

    assert pods(api, namespace) == PODS
    picker = own.outputs()["picker"]
    assert (picker["phase"], picker["ready"]) == ("Ready", 1)
    assert picker["conditions"][0]["message"] == "1/3 replicas ready"
    assert objects(api, namespace) == PICKER_OBJECTS
    assert own.up().changes == ()

    own.config({"flags": {"v": "4"}})
    (step,) = own.up().changes

    assert (step.op, step.name, step.replace) == ("update", "picker-deployment", ())
    assert pods(api, namespace) == PODS
    # The provider's refresh considers followers unhealthy and checks them again; nothing changes.
    assert {(step.op, step.name, step.diff) for step in own.preview("--refresh").changes} == {
        ("update", "picker-deployment", ())
    }
    own.destroy()
    eventually(lambda: everything(api, namespace) == [], "the controllers' objects gone")
    assert at_cluster_scope(api, namespace) == []


PODS = {"replicas": 3, "updatedReplicas": 3, "readyReplicas": 1}

PICKER_OBJECTS = {
    ("ConfigMap", "picker-config"),
    ("Deployment", "picker"),
    ("DestinationRule", "picker"),
    ("Role", "picker"),
    ("RoleBinding", "picker"),
    ("Secret", "picker-sa-metrics-reader-secret"),
    ("Service", "picker"),
    ("ServiceAccount", "picker"),
}


def pods(api: DynamicClient, namespace: str) -> dict[str, int]:
    status = read(api, "apps/v1", "Deployment", "picker", namespace)["status"]
    return {field: status.get(field, 0) for field in PODS}


def at_cluster_scope(api: DynamicClient, namespace: str) -> list[str]:
    names = [item["metadata"]["name"] for item in cluster_scoped(api)]
    return [name for name in names if name.startswith(f"{namespace}-")]


def test_services_beside_other_resources(
    cluster: SharedCluster, api: DynamicClient, namespace: str, tmp_path: Path
) -> None:
    own = project(tmp_path, SERVICE, cluster, namespace)

    own.preview()  # the image is still unknown
    own.up()

    (container, *_) = decode_containers(api, namespace)
    assert container["image"] == "example/vllm:7"
    uid = read(api, "v1", "ConfigMap", "releases", namespace)["metadata"]["uid"]
    assert {"name": "UID", "value": uid} in container["env"]
    outputs = own.outputs()
    assert (outputs["chat"]["phase"], outputs["code"]) == ("Ready", {"phase": "Ready", "ready": 1})
    assert outputs["chat"]["details"] == {
        "decodeReady": 1,
        "decodeReplicas": 1,
        "prefillReady": 2,
        "prefillReplicas": 2,
        "endpointPickerReady": 1,
        "endpointPickerReplicas": 1,
    }
    found = objects(api, namespace)
    assert ("DestinationRule", "code-epp") in found
    assert ("DestinationRule", "chat-epp") not in found
    own.config({"replicas": 2})
    assert [(step.op, step.name) for step in own.up().changes] == [("update", "code-decode-deployment")]
    assert own.outputs()["code"] == {"phase": "Ready", "ready": 2}
    own.preview("--refresh", "--expect-no-changes")
    own.destroy()
    eventually(lambda: everything(api, namespace) == [], "the controllers' objects gone")
    assert at_cluster_scope(api, namespace) == []


def decode_containers(api: DynamicClient, namespace: str) -> list[dict[str, Any]]:
    found = read(api, "apps/v1", "Deployment", "chat-decode", namespace)
    return [c for c in found["spec"]["template"]["spec"]["containers"] if c["name"] == "vllm"]
