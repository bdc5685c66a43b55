"""Small changes to a pod template, each giving a new one. A template is ``{metadata: {labels, annotations}, spec}``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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


def with_missing_env(container: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The container with those variables that it does not have yet."""
    present = {entry["name"] for entry in container.get("env", [])}
    added = [dict(entry) for entry in entries if entry["name"] not in present]
    return {**container, "env": [*container.get("env", []), *added]} if added else dict(container)


def variable(container: Mapping[str, Any], name: str) -> Any:
    """The value of a variable that the container has, or None; that of a reference is an empty text."""
    return next((entry.get("value", "") for entry in container.get("env", []) if entry["name"] == name), None)


def with_volume(template: Template, volume: Mapping[str, Any], mount: Mapping[str, Any]) -> dict[str, Any]:
    """The template with a volume that its main container mounts, unless either is there under that name or path."""
    spec, container = template["spec"], main(template)
    mounts = container.get("volumeMounts", [])
    if any(m.get("mountPath") == mount["mountPath"] for m in mounts):
        return dict(template)
    if not any(v["name"] == volume["name"] for v in spec.get("volumes", [])):
        spec = {**spec, "volumes": [*spec.get("volumes", []), dict(volume)]}
    return with_main({**template, "spec": spec}, {**container, "volumeMounts": [*mounts, dict(mount)]})


def with_node_labels(template: Template, labels: Mapping[str, Any]) -> dict[str, Any]:
    """Node labels that are required too; those that the pod names itself stay."""
    if not labels:
        return dict(template)
    spec = template["spec"]
    return {**template, "spec": {**spec, "nodeSelector": {**labels, **spec.get("nodeSelector", {})}}}


def with_volumes(template: Template, volumes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The template with those volumes whose names it does not have yet."""
    present = template["spec"].get("volumes", [])
    taken = {volume["name"] for volume in present}
    added = [dict(volume) for volume in volumes if volume["name"] not in taken]
    return {**template, "spec": {**template["spec"], "volumes": [*present, *added]}}
