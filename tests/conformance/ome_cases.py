"""Compares rendered OME objects with the reference's children: metadata, selectors and the specs that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from modelservices.planning.plan import StackPlan

from .reference import HERE, load_yaml, plan_case

FAMILY = "ome"
ENVIRONMENT = HERE / FAMILY / "env.yaml"

_SHOWN = ("spec", "hosts", "gateways", "hostnames", "parentRefs", "replicas", "traffic")
_TEMPLATES = {
    "podTemplate": ("spec", "template"),
    "leaderTemplate": ("spec", "leaderWorkerTemplate", "leaderTemplate"),
    "workerTemplate": ("spec", "leaderWorkerTemplate", "workerTemplate"),
    "revisionTemplate": ("spec", "template"),
    "headTemplate": ("spec", "headGroupSpec", "template"),
}


def environment(tmp_path: Path, case: Path) -> Path:
    """The objects in the reference's cluster, except the ones that the case defines."""
    own = {(doc["kind"], doc["metadata"]["name"]) for doc in load_yaml(case)}
    rest = [doc for doc in load_yaml(ENVIRONMENT) if (doc["kind"], doc["metadata"]["name"]) not in own]
    file = tmp_path / "env.yaml"
    file.write_text(yaml.safe_dump_all(rest))
    return file


def planned(tmp_path: Path, case: Path, profile: str) -> StackPlan:
    """The plan of a case's input in the reference's cluster."""
    return plan_case([case, environment(tmp_path, case)], {"ome": {"profile": profile}})


def differences(children: list[dict[str, Any]], plan: StackPlan) -> list[str]:
    """One line for each difference between the plan's objects and the expected children."""
    made = {(obj["apiVersion"], obj["kind"], obj["metadata"]["name"]): obj for obj in plan.all_objects()}
    wanted = {(child["apiVersion"], child["kind"], child["name"]): child for child in children}
    lines = [f"missing: {kind} {name}" for _, kind, name in sorted(wanted.keys() - made.keys())]
    lines += [f"surplus: {kind} {name}" for _, kind, name in sorted(made.keys() - wanted.keys())]
    for identity in sorted(wanted.keys() & made.keys()):
        lines += _in_object(wanted[identity], made[identity], f"{identity[1]} {identity[2]}")
    return lines


def _in_object(child: dict[str, Any], obj: dict[str, Any], name: str) -> Iterator[str]:
    metadata = obj["metadata"]
    for field in ("labels", "annotations"):
        yield from compare(child.get(field) or {}, metadata.get(field) or {}, f"{name}: {field}")
    if "selector" in child:
        yield from compare(child["selector"], obj["spec"]["selector"]["matchLabels"], f"{name}: selector")
    for field in _SHOWN:
        if field in child:
            yield from compare(child[field], obj["spec"] if field == "spec" else obj["spec"][field], f"{name}: {field}")
    if "size" in child:
        yield from compare(child["size"], obj["spec"]["leaderWorkerTemplate"]["size"], f"{name}: size")
    for field, path in _TEMPLATES.items():
        if field in child and (field != "workerTemplate" or "leaderWorkerTemplate" in obj["spec"]):
            yield from _in_template(child[field], _at(obj, path), f"{name}: {field}")


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def _in_template(expected: dict[str, Any], template: dict[str, Any], name: str) -> Iterator[str]:
    """Differences in labels, annotations and node selector, including the webhook's effective additions."""
    metadata, spec = template["metadata"], template["spec"]
    yield from compare(expected.get("labels") or {}, metadata.get("labels") or {}, f"{name}: labels")
    webhook = expected.get("afterPodWebhook", {})
    switches = ("ome.io/enable-metric-aggregation", "ome.io/enable-prometheus-scraping")
    added = {key: value for key, value in webhook.get("annotationsAdded", {}).items() if key not in switches}
    wanted = {**(expected.get("annotations") or {}), **added}
    yield from compare(wanted, metadata.get("annotations") or {}, f"{name}: annotations")
    if "nodeSelector" in expected or not name.endswith("revisionTemplate"):
        yield from compare(expected.get("nodeSelector") or {}, spec.get("nodeSelector") or {}, f"{name}: nodeSelector")
    if "initContainers" in webhook:
        found = [container["name"] for container in spec.get("initContainers", [])]
        yield from compare(webhook["initContainers"], found, f"{name}: initContainers")
    if "volumes" in webhook:
        found = [volume["name"] for volume in spec.get("volumes", [])]
        yield from compare(sorted(webhook["volumes"]), sorted(found), f"{name}: volumes")
    for key, value in webhook.items():
        what, _, container = key.partition(":")
        if container:
            yield from _in_container(what, value, _container(spec, container), f"{name}: {container}")


def _container(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return next(container for container in spec["containers"] if container["name"] == name)


def _in_container(what: str, expected: Any, container: dict[str, Any], name: str) -> Iterator[str]:
    if what == "envAdded":
        missing = set(expected) - {entry["name"] for entry in container["env"]}
        yield from (f"{name}: no variable {variable}" for variable in sorted(missing))
    elif what == "securityContext":
        yield from compare(expected, container["securityContext"], f"{name}: securityContext")
    else:
        yield f"{name}: the comparison does not know {what}"


def compare(expected: Any, found: Any, path: str) -> Iterator[str]:
    """A line for each leaf that differs."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys(), key=str):
            if key not in found:
                yield f"{path}.{key}: missing {expected[key]!r}"
            elif key not in expected:
                yield f"{path}.{key}: surplus {found[key]!r}"
            else:
                yield from compare(expected[key], found[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (left, right) in enumerate(zip(expected, found, strict=True)):
            yield from compare(left, right, f"{path}[{index}]")
    elif isinstance(expected, list) and isinstance(found, list):
        yield from (f"{path}: missing {item!r}" for item in expected if item not in found)
        yield from (f"{path}: surplus {item!r}" for item in found if item not in expected)
    elif expected != found:
        yield f"{path}: {expected!r} became {found!r}"
