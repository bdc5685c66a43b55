"""The objects that OME's controller creates for an InferenceService, for tests of adoption.

The reference shows labels, annotations, selectors and the specs of its children, but no containers. Those are built
here by its rules (RULES 3 and 4, and what the controller's reconcilers add): the runner of the runtime or the service,
with the model's folder on the node, OME's defaults, and the additions of its pod webhook.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.ome_cases import ENVIRONMENT
from tests.conformance.reference import load_yaml
from tests.integration.live import edit
from tests.integration.operators import Object, moved

_GROUPS = "leaderworkerset.x-k8s.io/v1"
_STATED = ("apiVersion", "kind", "spec")


def renamed(documents: list[Object], name: str) -> list[Object]:
    """The documents with another name; the reference calls all services ``chat``."""
    text = yaml.safe_dump_all(documents).replace("chat", name)
    return list(yaml.safe_load_all(text))


def environment(namespace: str) -> list[Object]:
    """The models and runtimes in the reference's cluster."""
    documents = [doc for doc in load_yaml(ENVIRONMENT) if doc["apiVersion"].startswith("ome.io/")]
    for document in documents:
        document["metadata"] |= {"namespace": namespace} if "namespace" in document["metadata"] else {}
    return documents


def children(case: Path, name: str, namespace: str) -> list[Object]:
    """The objects of a case's service, under another name."""
    (service,) = renamed(moved(case / "input.yaml", namespace), name)
    # A node's label for a namespaced model contains the namespace.
    text = (case / "expected-metadata.yaml").read_text().replace("default.basemodel", f"{namespace}.basemodel")
    (expected,) = renamed([yaml.safe_load(text)], name)
    return [_object(child, service, namespace) for child in expected["children"]]


def _object(child: Object, service: Object, namespace: str) -> Object:
    metadata = {"name": child["name"], "namespace": namespace}
    metadata |= {field: child[field] for field in ("labels", "annotations") if field in child}
    obj = {field: child[field] for field in _STATED if field in child} | {"metadata": metadata}
    model = _model(service, namespace)
    if child["kind"] == "ConfigMap":
        obj["data"] = {"models.json": json.dumps([{"modelName": model["metadata"]["name"], "modelSpec": {}}])}
    elif child["kind"] == "Deployment":
        component = child["labels"]["component"]
        least = service["spec"][component].get("minReplicas", 1)
        obj["spec"] = _deployment(child, _runner(component, service, namespace), model) | {"replicas": least}
    elif child["kind"] == "LeaderWorkerSet":
        obj["spec"] = _group(child, service, model)
    return obj


def _deployment(child: Object, runner: Object, model: Object) -> Object:
    return {
        "selector": {"matchLabels": child["selector"]},
        "template": _template(child["podTemplate"], runner, model),
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
    }


def _group(child: Object, service: Object, model: Object) -> Object:
    engine = service["spec"]["engine"]
    return {
        "replicas": child["replicas"],
        "startupPolicy": "LeaderCreated",
        "networkConfig": {"subdomainPolicy": "Shared"},
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 1},
        },
        "leaderWorkerTemplate": {
            "size": child["size"],
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": _template(child["leaderTemplate"], engine["leader"]["runner"], model),
            "workerTemplate": _template(child["workerTemplate"], engine["worker"]["runner"], model),
        },
    }


def _template(template: Object, runner: Object, model: Object) -> Object:
    added = template.get("afterPodWebhook", {}).get("annotationsAdded", {})
    path = model["spec"]["storage"]["path"]
    volume = {"name": model["metadata"]["name"], "hostPath": {"path": path}}
    container = {
        **runner,
        "env": [*runner.get("env", []), {"name": "MODEL_PATH", "value": path}],
        "volumeMounts": [{"name": volume["name"], "mountPath": path, "readOnly": True}],
        "imagePullPolicy": "IfNotPresent",
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "readinessProbe": {"tcpSocket": {"port": runner["ports"][0]["containerPort"]}},
    }
    return {
        "metadata": {"labels": template["labels"], "annotations": {**template.get("annotations", {}), **added}},
        "spec": {
            "containers": [container],
            "volumes": [volume],
            "nodeSelector": template.get("nodeSelector", {}),
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
        },
    }


def _model(service: Object, namespace: str) -> Object:
    name = service["spec"]["model"]["name"]
    return next(doc for doc in environment(namespace) if doc["metadata"]["name"] == name)


def _runner(component: str, service: Object, namespace: str) -> Object:
    name = service["spec"]["runtime"]["name"]
    runtime = next(doc for doc in environment(namespace) if doc["metadata"]["name"] == name)
    return runtime["spec"][f"{component}Config"]["runner"]


def mark_nodes(api: Any, namespace: str) -> None:
    """Sets the labels of nodes that have the models, as OME's model agent does."""
    models = ("clusterbasemodel.llama-3-8b", f"{namespace}.basemodel.team-model")
    labels = {f"models.ome.io/{model}": "Ready" for model in models}
    for node in api.resources.get(api_version="v1", kind="Node").get().items:
        edit(api, "v1", "Node", node.metadata.name, "", {"metadata": {"labels": labels}}, "ome-model-agent")
