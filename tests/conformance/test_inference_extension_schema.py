"""Randomly changed manifests: our verdict equals that of the CRDs' own schemas.

Not proven here: that the validator in ``crd_schema`` agrees with a live API server (the reference's 47 cases show that
for both), and metadata, which no CRD describes.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelservices.findings import errors
from modelservices.manifests.documents import parse
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings

from .crd_schema import refused_paths, repeated_keys
from .reference import HERE, load_yaml

CRDS = {
    (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]): version["schema"]["openAPIV3Schema"]
    for crd in load_yaml(HERE / "inference_extension" / "crds.yaml")
    for version in crd["spec"]["versions"]
}

_PICKER = {"name": "epp", "group": "", "kind": "Service", "failureMode": "FailOpen"}
X = "inference.networking.x-k8s.io"
FULL: list[dict[str, Any]] = [
    {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "spec": {
            "selector": {"matchLabels": {"app": "x", "b": ""}},
            "targetPorts": [{"number": 8000}, {"number": 8001}],
            "endpointPickerRef": {**_PICKER, "port": {"number": 9002}},
        },
    },
    {
        "apiVersion": f"{X}/v1alpha2",
        "kind": "InferencePool",
        "spec": {"selector": {"app": "x"}, "targetPortNumber": 8000, "extensionRef": {**_PICKER, "portNumber": 1}},
    },
    {
        "apiVersion": f"{X}/v1alpha2",
        "kind": "InferenceObjective",
        "spec": {"priority": -1, "poolRef": {"name": "p", "group": X, "kind": "InferencePool"}},
    },
]

ODD = [
    0,
    1,
    -1,
    65535,
    65536,
    2**63 - 1,
    "",
    "a",
    "A.b",
    "-bad-",
    "10",
    "a" * 64,
    "a" * 254,
    "example.net/x",
    "FailOpen",
]
ODD += [True, {}, {"a": "b"}, {"name": "x"}, [], [{}], [1], "x y", "é", "True", "Unknown", "2026-02-30T00:00:00Z"]


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in inner for place in _places(item, (*at, key)))]


def _change(document: dict[str, Any], place: tuple[Any, ...], change: str, odd: Any) -> None:
    target: Any = document
    for key in place[:-1]:
        target = target[key]
    last = place[-1]
    if change == "remove":
        del target[last]
    elif change == "replace":
        target[last] = copy.deepcopy(odd)
    elif isinstance(target[last], dict):
        target[last]["added"] = copy.deepcopy(odd)
    elif isinstance(target[last], list):
        target[last] += copy.deepcopy(target[last] * 9 if change == "many" else target[last][:1])


@st.composite
def changed(draw: st.DrawFn) -> dict[str, Any]:
    document = copy.deepcopy(draw(st.sampled_from(FULL)))
    for _ in range(draw(st.integers(1, 3))):
        places = [p for p in _places(document) if p and p[0] == "spec"]
        if places:
            change = draw(st.sampled_from(["remove", "replace", "replace", "add", "many"]))
            _change(document, draw(st.sampled_from(places)), change, draw(st.sampled_from(ODD)))
    return document


def _cel_paths(document: dict[str, Any]) -> list[str]:
    """The paths that the v1 pool's two CEL rules reject, for an object that its schema accepts."""
    if not document["apiVersion"].startswith("inference.networking.k8s.io"):
        return []
    spec = document["spec"]
    picker, numbers = spec["endpointPickerRef"], [port["number"] for port in spec["targetPorts"]]
    missing = picker.get("kind", "Service") == "Service" and "port" not in picker
    return ["spec.endpointPickerRef"] * missing + ["spec.targetPorts"] * (len(set(numbers)) < len(numbers))


def _server(document: dict[str, Any]) -> set[str]:
    schema = CRDS[document["apiVersion"], document["kind"]]
    refused = refused_paths(document, schema)
    return set(refused or [*repeated_keys(document, schema), *_cel_paths(document)])


def _ours(document: dict[str, Any]) -> set[str]:
    documents, findings = parse(yaml.safe_dump({**document, "metadata": {"name": "x"}}, allow_unicode=True), "x.yaml")
    assert findings == []
    return {finding.path for finding in errors(make_plan(documents, Settings()).findings)}


@pytest.mark.parametrize("document", FULL, ids=lambda document: document["kind"])
def test_the_full_manifests_are_valid(document: dict[str, Any]) -> None:
    assert (_server(document), _ours(document)) == (set(), set())


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(changed())
def test_same_verdict_and_paths(document: dict[str, Any]) -> None:
    server, ours = _server(document), _ours(document)
    assert bool(server) == bool(ours)
    # Entries of a list with an invalid length are not checked.
    assert {path for path in server if not any(path.startswith(f"{list_}[") for list_ in ours)} <= ours
