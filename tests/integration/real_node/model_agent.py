"""A stand-in for OME's model agent, which the platform runs on every node."""

from __future__ import annotations

from typing import Any

from kubernetes.client import RbacAuthorizationV1Api
from kubernetes.dynamic import DynamicClient

from tests.integration.real_node.pods import core
from tests.integration.real_node.stand_ins import AGENT, SITE

_FOLDER = "/run/models"


def start(api: DynamicClient, namespace: str, model: str) -> None:
    """Starts a pod that downloads `example/<model>` to /run/models/<model> on its node, and then labels the node as
    having the BaseModel of that name."""
    allow(api, namespace)
    label = f"models.ome.io/{namespace}.basemodel.{model}"
    node = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    container = {
        "name": "agent",
        "image": f"{AGENT.registry}/{AGENT.repository}:v0.1.5",
        "args": [f"hf://example/{model}", f"{_FOLDER}/{model}", label],
        "env": [node, {"name": "HF_ENDPOINT", "value": SITE}],
        "volumeMounts": [{"name": "models", "mountPath": _FOLDER}],
    }
    volume = {"name": "models", "hostPath": {"path": _FOLDER, "type": "DirectoryOrCreate"}}
    spec = {"containers": [container], "volumes": [volume], "terminationGracePeriodSeconds": 0}
    core(api).create_namespaced_pod(namespace, {"metadata": {"name": "model-agent"}, "spec": spec})


def allow(api: DynamicClient, namespace: str) -> None:
    """Lets the namespace's pods label nodes."""
    rights: Any = RbacAuthorizationV1Api(api.client)
    metadata = {"name": f"model-agent-{namespace}"}
    rules = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["patch"]}]
    rights.create_cluster_role({"metadata": metadata, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": metadata["name"]}
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": namespace}
    rights.create_cluster_role_binding({"metadata": metadata, "roleRef": role, "subjects": [subject]})
