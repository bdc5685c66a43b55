"""The messages of `up` for services that can't start, as reported by a real kubelet.

docs/waiting.md shows the same table, `failures.tsv`. Not proven here: a node that goes away, and a cloud's volumes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.real_node.pods import CURL, core, model, service
from tests.integration.real_node.stand_ins import SITE
from tests.integration.stacks import Stack
from tools.failure_table import failures
from tools.node.files import PRIVATE

LIMITS = {"errorSeconds": 5, "nodeSeconds": 5, "unschedulableSeconds": 5, "crashes": 2}
"""Shorter than the defaults; docs/waiting.md says which failure each of them limits."""
MESSAGE = re.compile(r"Deployment \S+/(\S+) can't start: (.*)", re.DOTALL)
PROBE = {"tcpSocket": {"port": 9}, "failureThreshold": 1, "periodSeconds": 1}
PATIENT = "trap exit TERM; while :; do sleep 1; done"


def shell(script: str, **spec: Any) -> dict[str, Any]:
    """A service that runs a script."""
    return {"runtime": "generic", "image": CURL, "command": ["sh", "-c", script], "skipModelInit": True, **spec}


def volume(script: str = PATIENT, **source: Any) -> dict[str, Any]:
    """A service with a volume at /v."""
    mounts = [{"name": "v", "mountPath": "/v"}]
    return shell(script, extraVolumes=[{"name": "v", **source}], extraVolumeMounts=mounts)


def variable(**source: Any) -> dict[str, Any]:
    return shell(PATIENT, env=[{"name": "A", "valueFrom": source}])


SERVICES: dict[str, dict[str, Any]] = {
    "no-image": shell(PATIENT, image="docker.io/example/missing:1"),
    "no-access": shell(PATIENT, image=f"{PRIVATE}/server:1"),
    "no-secret": variable(secretKeyRef={"name": "lacking", "key": "a"}),
    "no-config-map": variable(configMapKeyRef={"name": "lacking", "key": "a"}),
    "no-secret-volume": volume(secret={"secretName": "lacking"}),
    "no-config-map-volume": volume(configMap={"name": "lacking"}),
    "no-model": {},
    "other-model": {},
    "wrong-flag": {"extraArgs": ["--no-such-flag"]},
    "crashes": shell("echo the weights are broken >&2; exit 3"),
    "full": volume("head -c 5M /dev/zero > /v/file", emptyDir={"medium": "Memory", "sizeLimit": "1Mi"}),
    "memory": shell("exec tail /dev/zero"),
    "evicted": shell(f"head -c 50M /dev/zero > /tmp/file; {PATIENT}", resources={"ephemeralStorage": "10Mi"}),
    "probed": shell(PATIENT, probeOverrides={"startup": PROBE}),
    "unmountable": volume(nfs={"server": "192.0.2.1", "path": "/"}),
    "nowhere": shell(PATIENT, nodeSelector={"disk": "lacking"}),
    "no-handler": shell(PATIENT, runtimeClassName="nvidia"),
    "forbidden": shell(PATIENT, podSecurityContext={"runAsNonRoot": False}),
    "quota": shell(PATIENT),
    "sysctl": shell(PATIENT, podSecurityContext={"sysctls": [{"name": "kernel.msgmax", "value": "65536"}]}),
}
MODELS = {"no-model": {"source": f"{SITE}/lacking.gguf"}, "other-model": {"sha256": "0" * 64}}
"""Errors in the services' Models."""
OBJECTS: dict[str, dict[str, Any]] = {
    "memory": {"kind": "LimitRange", "spec": {"limits": [{"type": "Container", "default": {"memory": "32Mi"}}]}},
    "quota": {"kind": "ResourceQuota", "spec": {"hard": {"pods": "0"}}},
    "forbidden": {},
}
"""The objects in the separate namespaces of some services."""
BREEDS = "sysctl"
"""The service whose ReplicaSet creates pods endlessly; it runs alone and is removed at once."""


@pytest.fixture
def namespaces(api: DynamicClient, new_namespace: Callable[[], str]) -> dict[str, str]:
    """The namespaces of services with a separate one."""
    made = {name: new_namespace() for name in OBJECTS}
    for name, obj in OBJECTS.items():
        if obj:
            body = {"apiVersion": "v1", "metadata": {"name": "none"}, **obj}
            api.resources.get(api_version="v1", kind=obj["kind"]).create(body=body, namespace=made[name])
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    core(api).patch_namespace(made["forbidden"], {"metadata": {"labels": labels}})
    return made


def test_each_failure_is_said_in_the_words_of_who_met_it(stack: Stack, namespaces: dict[str, str]) -> None:
    stack.config({"settings": {"llmkube": {"startup": LIMITS}}})

    stack.write(manifests(BREEDS, None))
    said = reasons(stack)
    stack.destroy()
    stack.write("".join(manifests(name, namespaces.get(name)) for name in SERVICES if name != BREEDS))
    said |= reasons(stack)

    expected = {name: text for name, (_, text) in failures().items()}
    assert said.keys() == expected.keys()
    wrong = {name: said[name] for name, text in expected.items() if not re.fullmatch(pattern(text), said[name], re.S)}
    assert wrong == {}


def manifests(name: str, namespace: str | None) -> str:
    """A service and its Model."""
    documents = list(yaml.safe_load_all(model(name, **MODELS.get(name, {})) + service(name, name, **SERVICES[name])))
    for document in documents if namespace else []:
        document["metadata"]["namespace"] = namespace
    return f"---\n{yaml.safe_dump_all(documents)}"


def reasons(stack: Stack) -> dict[str, str]:
    """The messages of a failed update about each service, by its name."""
    found = (MESSAGE.fullmatch(message) for message in stack.up(fails=True).messages)
    return {match[1]: " ".join(match[2].split()) for match in found if match}


def pattern(text: str) -> str:
    return re.escape(text).replace("…", ".*")
