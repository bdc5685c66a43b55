"""Small changes to a pod template, each giving a new one. A template is ``{metadata: {labels, annotations}, spec}``."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..kubernetes import pod_edits
from ..kubernetes.pod_edits import with_mounts

Template = Mapping[str, Any]


def main(template: Template) -> Mapping[str, Any]:
    """The container that serves: the first one."""
    return template["spec"]["containers"][0]


def with_main(template: Template, container: Mapping[str, Any]) -> dict[str, Any]:
    return with_containers(template, [container, *template["spec"]["containers"][1:]])


def with_containers(template: Template, containers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {**template, "spec": {**template["spec"], "containers": list(containers)}}


def with_label(template: Template, key: str, value: Any) -> dict[str, Any]:
    metadata = template.get("metadata", {})
    return {**template, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), key: value}}}


def variable(container: Mapping[str, Any], name: str) -> Any:
    """The value of a variable that the container has, or None; that of a reference is an empty text."""
    return next((entry.get("value", "") for entry in container.get("env", []) if entry["name"] == name), None)


def with_volume(template: Template, volume: Mapping[str, Any], mount: Mapping[str, Any]) -> dict[str, Any]:
    """The template with a volume that its main container mounts, unless either is there under that name or path."""
    if any(there.get("mountPath") == mount["mountPath"] for there in main(template).get("volumeMounts", [])):
        return dict(template)
    return with_main(with_volumes(template, [volume]), with_mounts(main(template), [mount]))


def with_node_labels(template: Template, labels: Mapping[str, Any]) -> dict[str, Any]:
    """Node labels that are required too; those that the pod names itself stay."""
    if not labels:
        return dict(template)
    spec = template["spec"]
    return {**template, "spec": {**spec, "nodeSelector": {**labels, **spec.get("nodeSelector", {})}}}


def with_volumes(template: Template, volumes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The template with those volumes whose names it does not have yet."""
    return {**template, "spec": pod_edits.with_volumes(template["spec"], volumes)}
