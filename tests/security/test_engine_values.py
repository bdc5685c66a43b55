"""Values with a special meaning to Pulumi's engine never reach it from manifests, at any path.

Not proven here: that later releases of the engine have no further ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pulumi.runtime import rpc

from modelservices.findings import InvalidManifests
from modelservices.kubernetes.engine_values import CONSTANTS
from modelservices.manifests.documents import Document, load
from modelservices.planning import plan as planning
from modelservices.planning.adopted import load_adopted
from modelservices.planning.plan import StackPlan, make_plan, plan_paths
from modelservices.planning.settings import Settings
from modelservices.registration.apply import register
from modelservices.registration.arguments import InvalidArguments, read_settings
from modelservices.registration.registered import Registered
from modelservices.stack import register_plan
from modelservices.stack_config import read_config
from modelservices.testing import render

from .fuzzing import seeds
from .teams import ATTACKS, kserve, planned

SIGNATURE = "4dabf18193072939515e22adb298388d"
UNKNOWN = rpc.UNKNOWN
ASSET = {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "path": "/etc/hostname"}
CASES = yaml.safe_load((ATTACKS / "engine-values.yaml").read_text())


def codes(plan: StackPlan) -> set[str]:
    return {finding.code for finding in plan.findings if finding.severity == "error"}


def test_the_constants_are_those_of_the_sdk() -> None:
    known = {value for name, value in vars(rpc).items() if name.startswith("_special") and name.endswith("_sig")}
    assert {*known, UNKNOWN, rpc._special_sig_key} <= set(CONSTANTS)


@pytest.mark.parametrize("name", CASES)
def test_a_value_of_the_engine_is_an_error_at_its_path(name: str) -> None:
    obj = {
        "apiVersion": "ome.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "s", "namespace": "team-a", **CASES[name]},
        "spec": {"engine": {"runner": {"name": "ome-container", "image": "quay.io/x/y:1"}}},
    }
    (field,) = CASES[name]
    plan = make_plan([Document("x.yaml", 1, 1, obj)], Settings())
    found = [finding for finding in plan.findings if finding.code == "engine-value"]
    assert found
    assert all(finding.path.startswith(f"metadata.{field}") for finding in found)
    assert all(constant not in str(finding) for finding in found for constant in CONSTANTS[:1])


@pytest.mark.parametrize("value", [ASSET, UNKNOWN, [UNKNOWN], {"a": ASSET}])
def test_every_other_way_in_refuses_it_too(value: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidManifests, match="Pulumi's engine"):
        read_config({"settings": {"kserve": {"ingress": value}}}, "Pulumi.dev.yaml")
    with pytest.raises(InvalidArguments, match="Pulumi's engine"):
        read_settings("args", {"images": {"digests": value}})
    adopted = tmp_path / "dev.adopted.yaml"
    entry = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "rendered": "x", "spec": {"template": value}}
    adopted.write_text(yaml.safe_dump({"workloads": [entry]}))
    with pytest.raises(InvalidManifests, match="Pulumi's engine"):
        load_adopted(adopted)
    patch = {"target": {"name": "own"}, "merge": {"metadata": {"annotations": {"a": value}}}}
    with pytest.raises(InvalidManifests, match="Pulumi's engine"):
        read_config({"patches": [patch]}, "Pulumi.dev.yaml")
    inline = planned(tmp_path, {}, None, services=[kserve("own", "n") | {"metadata": {"name": "own", "labels": value}}])
    assert "engine-value" in codes(inline)


@pytest.mark.parametrize("value", [ASSET, UNKNOWN, [UNKNOWN], {"a": ASSET}, {"__defaults": []}])
def test_nothing_of_it_is_registered(value: Any) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": value}
    with pytest.raises(pulumi.RunError, match=r"ConfigMap a: data.*Pulumi's engine"):
        render(lambda: register("a", obj, Registered()))


def test_a_template_that_makes_it_is_an_error() -> None:
    """KServe's templates can combine the texts of two fields into such a value."""
    half = UNKNOWN[:20]
    container = {"name": "main", "env": [{"name": "A", "value": f"{half}{{{{.Spec.Model.Name}}}}"}]}
    spec = {"model": {"uri": "hf://a/b", "name": UNKNOWN[20:]}, "template": {"containers": [container]}}
    plan = make_plan([Document("x.yaml", 1, 1, kserve("own", "n", spec))], Settings())
    assert "engine-value" in codes(plan)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for name, item in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from paths(item, (*path, name))


VALUES = st.one_of(
    st.sampled_from(CONSTANTS),
    st.sampled_from(CONSTANTS).map(str.upper),
    st.sampled_from(CONSTANTS).map(lambda constant: f" {constant}"),
    st.sampled_from(CONSTANTS).map(lambda constant: [constant]),
    st.sampled_from(CONSTANTS).map(lambda constant: {SIGNATURE: constant, "path": "/dev/zero", "uri": "http://x/"}),
    st.sampled_from(CONSTANTS).map(lambda constant: {constant: "x"}),
    st.sampled_from(CONSTANTS).map(lambda constant: json.dumps({SIGNATURE: constant})),
)


@st.composite
def planted(draw: st.DrawFn) -> list[Any]:
    """The documents of a reference case with an engine value somewhere in one of them."""
    documents = [deepcopy(doc) for doc in seeds.documents(draw(st.sampled_from(seeds.manifests())))]
    objects = [doc for doc in documents if isinstance(doc, dict)]
    assume(objects)
    target = draw(st.sampled_from(objects))
    *way, last = draw(st.sampled_from([path for path in paths(target) if path]))
    holder = target
    for step in way:
        holder = holder[step]
    if isinstance(holder, dict) and draw(st.booleans()):
        last = draw(st.sampled_from(["labels", "annotations", "value", "name", "x", *CONSTANTS]))
    holder[last] = draw(VALUES)
    return documents


random = settings(
    max_examples=150, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@random
@given(documents=planted())
def test_no_value_gets_through_reading(documents: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "planted.yaml"
    file.write_text(yaml.safe_dump_all(documents, allow_unicode=True))
    plan = plan_paths([file], Settings())
    loaded, _ = load([file])
    reached = any(constant in repr(doc.data).lower() for doc in loaded for constant in CONSTANTS)
    assert codes(plan)
    assert not reached or "engine-value" in codes(plan)


@random
@given(documents=planted())
def test_no_value_gets_through_registration(documents: list[Any]) -> None:
    """Registration rejects the values even if reading and planning let everything through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "without_engine_values", lambda documents, allowed: (list(documents), []))
        patch.setattr(planning, "engine_values", lambda objects, allowed: [])
        data = [Document("x.yaml", i, 1, doc) for i, doc in enumerate(documents, 1) if isinstance(doc, dict)]
        plan = make_plan(data, Settings())
    if codes(plan):
        return
    try:
        recording = render(lambda: register_plan(plan))
    except pulumi.RunError:
        return
    text = repr([registration.inputs for registration in recording.registrations]).lower()
    assert not any(constant in text for constant in CONSTANTS)


ANNOTATIONS = {"pulumi.com/waitFor": "jsonpath={.a}=b", "pulumi.com/deletionPropagationPolicy": "orphan", "own": "a"}
OME = {"engine": {"runner": {"name": "ome-container", "image": "quay.io/x/y:1"}, "annotations": ANNOTATIONS}}


def test_annotations_for_the_provider_are_left_out() -> None:
    obj = {"apiVersion": "ome.io/v1beta1", "kind": "InferenceService", "spec": OME}
    obj["metadata"] = {"name": "s", "namespace": "n", "annotations": ANNOTATIONS}
    plan = make_plan([Document("x.yaml", 1, 1, obj)], Settings()).raise_for_errors()
    assert "pulumi.com/" not in repr(plan.all_objects())
    assert "'own': 'a'" in repr(plan.all_objects())
    said = {finding.path: finding.message for finding in plan.findings if finding.severity == "info"}
    assert "settings.ome.startup says how long an update waits" in said['metadata.annotations["pulumi.com/waitFor"]']
    assert "startup" not in said['metadata.annotations["pulumi.com/deletionPropagationPolicy"]']

    allowed = Settings.model_validate({"pulumiAnnotations": ["pulumi.com/waitFor"]})
    plan = make_plan([Document("x.yaml", 1, 1, obj)], allowed).raise_for_errors()
    assert "pulumi.com/waitFor" in repr(plan.all_objects())
    assert "deletionPropagationPolicy" not in repr(plan.all_objects())
