"""Any valid service renders, always the same, with legal names and selectors that fit; any garbage is findings.

Not proved: that an API server takes every such rendering (tests/integration/test_kserve.py asks one).
"""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelservices.findings import errors
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.values import value_at

from ....rendered_flags import unknown_flags
from .random_specs import KEYED, NAMES, SETTINGS, specs
from .services import manifest, plan, pod

_GROUP_TEMPLATES = ("leaderTemplate", "workerTemplate")
OWN = SETTINGS.map(
    lambda own: {**own, "autoscaling-wva-controller-config": {"prometheus": {"url": "http://prometheus:9090"}}}
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spec=specs(), own=OWN, name=NAMES, labels=KEYED, annotations=KEYED)
def test_a_valid_service_renders(
    spec: dict[str, Any], own: dict[str, Any], name: str, labels: dict[str, str], annotations: dict[str, str]
) -> None:
    data = manifest(spec, name=name, labels=labels, annotations=annotations)
    planned = plan(data, settings=own)
    if any("limit of 16Gi" in finding.message for finding in planned.findings):
        return  # the scheduler's preset has a limit of its own
    assert [str(finding) for finding in errors(planned.findings)] == []
    (service,) = planned.services
    made = planned.all_objects()
    assert json.dumps(made) == json.dumps(plan(data, settings=own).all_objects())
    for obj in made:
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", obj["metadata"]["name"])
        assert has_no_null(obj)
    if value_at(spec, "router", "scheduler", "template") is None:  # its image may be any, also a model server's
        assert set(unknown_flags(made, json.dumps(data))) == set()
    check_selectors(made)
    check_references(made)
    for spec_of_pod in pods(made):
        check_pod(spec_of_pod)
    assert service.observe is not None and service.observe({}).phase in ("Progressing", "Ready")


def templates(made: list[Object]) -> list[dict[str, Any]]:
    found = [obj["spec"]["template"] for obj in made if obj["kind"] == "Deployment"]
    groups = [obj["spec"]["leaderWorkerTemplate"] for obj in made if obj["kind"] == "LeaderWorkerSet"]
    return found + [group[name] for group in groups for name in _GROUP_TEMPLATES if name in group]


def pods(made: list[Object]) -> list[dict[str, Any]]:
    return [template["spec"] for template in templates(made)]


def check_selectors(made: list[Object]) -> None:
    labels = [template["metadata"]["labels"] for template in templates(made)]
    for obj in made:
        selector = obj.get("spec", {}).get("selector", {})
        selector = selector.get("matchLabels", selector)
        if obj["kind"] == "Deployment":
            assert selector.items() <= obj["spec"]["template"]["metadata"]["labels"].items()
            assert sum(selector.items() <= other.items() for other in labels) == 1
        elif obj["kind"] in ("Service", "InferencePool"):
            assert any(selector.items() <= other.items() for other in labels)


def check_references(made: list[Object]) -> None:
    """What an object of the service calls by a name of the service is there."""
    names = {(obj["kind"], obj["metadata"]["name"]) for obj in made}
    for obj in made:
        spec = obj.get("spec", {})
        if "scaleTargetRef" in spec:
            assert (spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"]) in names
        if obj["kind"] == "InferencePool":
            picker = spec.get("endpointPickerRef") or spec["extensionRef"]
            assert ("Service", picker["name"]) in names
        if obj["kind"] == "HTTPRoute":
            backends = [ref for rule in spec["rules"] for ref in rule["backendRefs"]]
            assert {(ref["kind"], ref["name"]) for ref in backends if ref["name"] != "mine"} <= names
        if obj["kind"].endswith("RoleBinding"):
            accounts = {("ServiceAccount", subject["name"]) for subject in obj["subjects"]}
            assert accounts <= names | {("ServiceAccount", "reader"), ("ServiceAccount", "a.b")}
    for spec in pods(made):
        account = spec.get("serviceAccountName", "reader")
        assert ("ServiceAccount", account) in names | {("ServiceAccount", "reader"), ("ServiceAccount", "a.b")}


def check_pod(spec: dict[str, Any]) -> None:
    volumes = [volume["name"] for volume in spec.get("volumes", [])]
    containers = [*spec["containers"], *spec.get("initContainers", [])]
    assert len(set(volumes)) == len(volumes)
    assert len({item["name"] for item in containers}) == len(containers)
    for item in containers:
        names = [variable["name"] for variable in item.get("env", [])]
        assert len(set(names)) == len(names)
        assert {mount["name"] for mount in item.get("volumeMounts", [])} <= set(volumes)
        paths = [mount["mountPath"] for mount in item.get("volumeMounts", [])]
        assert len(set(paths)) == len(paths)
        assert item["image"]
        assert all(isinstance(text, str) for text in [*item.get("command", []), *item.get("args", [])])


def has_no_null(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(has_no_null, value.values()))
    if isinstance(value, list):
        return all(map(has_no_null, value))
    return value is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["model", "template", "worker", "prefill", "parallelism", "scaling", "router", "tracing", "baseRefs", "labels"]
)


@settings(max_examples=80, deadline=None)
@given(field=FIELDS, value=JSON)
def test_garbage_in_a_field_is_findings(field: str, value: Any) -> None:
    plan(manifest({field: value}))


@settings(max_examples=60, deadline=None)
@given(spec=JSON)
def test_a_garbage_spec_is_findings(spec: Any) -> None:
    planned = plan({**manifest(), "spec": spec})
    assert errors(planned.findings)
    assert planned.services == ()


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """A valid spec with one value anywhere replaced by something else."""
    spec = draw(specs())
    holder: Any = spec
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = draw(st.sampled_from(keys))
        if isinstance(holder[key], dict | list) and holder[key] and draw(st.booleans()):
            holder[key] = holder[key].copy()
            holder = holder[key]
        else:
            holder[key] = draw(JSON)
            return spec


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spec=damaged())
def test_a_damaged_service_renders_or_is_findings(spec: dict[str, Any]) -> None:
    planned = plan(manifest(spec))
    assert bool(planned.services) != bool(errors(planned.findings))
    for obj in planned.all_objects():
        assert has_no_null(obj)


@settings(max_examples=60, deadline=None)
@given(spec=JSON)
def test_a_garbage_config_is_findings(spec: Any) -> None:
    base = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "base", "namespace": "models"},
        "spec": spec,
    }
    plan(manifest({"baseRefs": [{"name": "base"}]}), base)


def test_pods_are_found_by_the_checks() -> None:
    """The helper of the other tests and this module's agree on where pods are."""
    planned = plan(manifest())
    assert pods(planned.all_objects()) == [pod(planned.services[0].objects["decode-deployment"])]
