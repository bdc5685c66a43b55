"""Gateway API Inference Extension kinds with the real CRDs: our validation agrees with the server's, and stacks work.

Not proven here: what controllers and gateways do with the objects.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ResourceNotFoundError

from modelservices.findings import errors
from tests.conformance.reference import cases, departures, load_yaml, plan_case
from tests.integration.live import read
from tests.integration.stacks import Stack, changes

ALPHA = "inference.networking.x-k8s.io"
STABLE = "inference.networking.k8s.io"
GATEWAY = "gateway.networking.k8s.io"


@pytest.mark.parametrize("case", cases("inference_extension"), ids=lambda case: case.stem)
def test_the_server_says_the_same(case: Path, api: DynamicClient) -> None:
    verdict, *at = case.read_text().splitlines()[0].removeprefix("# expect: ").split()
    plan = plan_case([case])
    (document,) = load_yaml(case)

    said = server_says(api, document)

    assert (said is None) == (verdict == "valid"), said
    accepted = verdict == "valid" or bool(departures("inference_extension", case.stem).letters)  # a status is ignored
    assert (not errors(plan.findings)) == accepted
    if said is None:
        # The server stores exactly what we register: its defaults equal ours, and the next preview is empty.
        (ours,) = plan.objects
        resource = api.resources.get(api_version=ours["apiVersion"], kind=ours["kind"])
        made = resource.create(body=ours, namespace="default", query_params=strict()).to_dict()
        assert made.get("spec") == ours.get("spec")
    elif at[1] != "no-such-kind":
        assert at[0] in said


def server_says(api: DynamicClient, document: dict[str, Any]) -> str | None:
    """Why the server rejects an object in strict mode, or None if it accepts it. Nothing is stored."""
    try:
        resource = api.resources.get(api_version=document["apiVersion"], kind=document["kind"])
    except ResourceNotFoundError:
        return "no such kind"
    try:
        if "status" in document:
            _write_status(resource, document)
        else:
            resource.create(body=document, namespace="default", query_params=strict())
    except ApiException as error:
        assert error.status in (400, 422), error
        return error.body if isinstance(error.body, str) else error.body.decode()
    return None


def strict() -> list[tuple[str, str]]:
    """Strict like `kubectl apply`, but nothing is stored. A new list each time, as the client appends to it."""
    return [("fieldValidation", "Strict"), ("dryRun", "All")]


def _write_status(resource: Any, document: dict[str, Any]) -> None:
    """Writes the status to an existing object, as a controller does, because a create drops the status."""
    name = f"{document['metadata']['name']}-{uuid.uuid4().hex[:8]}"
    body = copy.deepcopy(document) | {"metadata": {"name": name, "namespace": "default"}}
    made = resource.create(body=body, namespace="default")
    try:
        body["metadata"]["resourceVersion"] = made.metadata.resourceVersion
        resource.status.replace(body=body, name=name, namespace="default", query_params=strict())
    finally:
        resource.delete(name=name, namespace="default")


def pool(name: str = "llama", port: int = 8000, **labels: str) -> dict[str, Any]:
    picker = {"name": "epp", "port": {"number": 9002}}
    selector = {"matchLabels": {"app": "llama", **labels}}
    spec = {"selector": selector, "targetPorts": [{"number": port}], "endpointPickerRef": picker}
    return document(f"{STABLE}/v1", "InferencePool", name, spec=spec)


def alpha_pool(name: str = "old", port: int = 8000) -> dict[str, Any]:
    spec = {"selector": {"app": "old"}, "targetPortNumber": port, "extensionRef": {"name": "epp"}}
    return document(f"{ALPHA}/v1alpha2", "InferencePool", name, spec=spec)


def objective(name: str, pool: str, group: str, priority: int) -> dict[str, Any]:
    spec = {"priority": priority, "poolRef": {"name": pool, "group": group}}
    return document(f"{ALPHA}/v1alpha2", "InferenceObjective", name, spec=spec)


def imported(team: str) -> dict[str, Any]:
    return document(f"{ALPHA}/v1alpha1", "InferencePoolImport", "afar", labels={"team": team})


def document(api_version: str, kind: str, name: str, labels: dict[str, str] | None = None, **body: Any) -> Any:
    metadata = {"name": name} | ({"labels": labels} if labels else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def write(stack: Stack, *documents: dict[str, Any]) -> None:
    stack.write(yaml.safe_dump_all(documents, sort_keys=False))


@pytest.fixture
def inference(stack: Stack, api: DynamicClient) -> Iterator[Stack]:
    """A stack with an object of each kind, and an objective for each pool."""
    objectives = [objective("high", "llama", STABLE, 1), objective("low", "old", ALPHA, 1)]
    write(stack, pool(), alpha_pool(), *objectives, imported("a"))
    stack.up()
    yield stack
    stack.destroy()
    assert there(api, stack) == set()


PLACES = [
    (f"{STABLE}/v1", "InferencePool", "llama"),
    (f"{STABLE}/v1", "InferencePool", "old"),
    (f"{ALPHA}/v1alpha2", "InferencePool", "old"),
    (f"{ALPHA}/v1alpha2", "InferenceObjective", "high"),
    (f"{ALPHA}/v1alpha2", "InferenceObjective", "low"),
    (f"{ALPHA}/v1alpha1", "InferencePoolImport", "afar"),
]


def there(api: DynamicClient, stack: Stack) -> set[str]:
    """The names of the objects in ``PLACES`` that exist in the cluster."""
    return {place[2] for place in PLACES if read(api, *place, stack.namespace)}


def test_each_kind_is_made_and_changed_in_place(inference: Stack, api: DynamicClient) -> None:
    stack = inference
    assert there(api, stack) == {"llama", "old", "high", "low", "afar"}
    stack.preview("--refresh", "--expect-no-changes")
    changed = [pool(port=8001, tier="one"), alpha_pool(port=8001), imported("b")]

    write(stack, *changed, objective("high", "llama", STABLE, 9), objective("low", "old", ALPHA, -1))
    result = stack.up()

    assert {(step.op, step.replace) for step in result.changes} == {("update", ())}
    assert len(result.changes) == 5
    assert spec(api, stack, f"{STABLE}/v1", "InferencePool", "llama")["targetPorts"] == [{"number": 8001}]
    assert spec(api, stack, f"{ALPHA}/v1alpha2", "InferencePool", "old")["targetPortNumber"] == 8001
    assert spec(api, stack, f"{ALPHA}/v1alpha2", "InferenceObjective", "low")["priority"] == -1


def test_pools_are_converted_on_demand(inference: Stack, api: DynamicClient) -> None:
    stack = inference

    stack.config({"settings": {"inferenceExtension": {"convertPools": True}}})
    result = stack.up()

    here = stack.namespace
    assert changes(result) == {
        ("create", "InferencePool", f"{here}/old-inferencepool"),
        ("delete", "InferencePool", f"{here}/old-inferencepool"),
        ("update", "InferenceObjective", f"{here}/low-inferenceobjective"),
    }
    assert read(api, f"{ALPHA}/v1alpha2", "InferencePool", "old", here) is None
    assert spec(api, stack, f"{STABLE}/v1", "InferencePool", "old") == {
        "selector": {"matchLabels": {"app": "old"}},
        "targetPorts": [{"number": 8000}],
        "endpointPickerRef": {
            "group": "",
            "kind": "Service",
            "name": "epp",
            "port": {"number": 9002},
            "failureMode": "FailClose",
        },
    }
    assert spec(api, stack, f"{ALPHA}/v1alpha2", "InferenceObjective", "low")["poolRef"]["group"] == STABLE


def spec(api: DynamicClient, stack: Stack, api_version: str, kind: str, name: str) -> dict[str, Any]:
    return read(api, api_version, kind, name, stack.namespace)["spec"]


def test_a_route_into_another_namespace(stack: Stack, api: DynamicClient, new_namespace: Callable[[], str]) -> None:
    here, there = stack.namespace, new_namespace()
    backends = [
        {"group": STABLE, "kind": "InferencePool", "name": "llama", "namespace": there},
        {"kind": "Service", "name": "fallback", "namespace": there, "port": 80},
    ]
    route = document(f"{GATEWAY}/v1", "HTTPRoute", "web", spec={"rules": [{"backendRefs": backends}]})
    far = pool()
    far["metadata"]["namespace"] = there
    write(stack, far, route)
    passed = [{"apiVersion": f"{GATEWAY}/v1", "kind": "HTTPRoute"}]
    stack.config({"settings": {"passthrough": passed, "referenceGrants": [there]}})

    stack.up()

    grants = [f"from-{here}-httproute-to-{end}" for end in ("inferencepool-llama", "service-fallback")]
    made = [read(api, f"{GATEWAY}/v1beta1", "ReferenceGrant", grant, there) for grant in grants]
    assert [grant["spec"]["from"][0]["namespace"] for grant in made] == [here, here]
    stack.preview("--refresh", "--expect-no-changes")
    stack.destroy()
    assert not [grant for grant in grants if read(api, f"{GATEWAY}/v1beta1", "ReferenceGrant", grant, there)]
