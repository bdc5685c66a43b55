"""OtterScale's reference cases on the real engine: transitions and deletions; the server accepts the rendered objects.

Cases are moved to a separate namespace. Not proven here: that the pods serve; tests/conformance compares the objects'
content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient

from modelservices.kubernetes.objects import Key, Object, key
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from tests.conformance import test_otterscale as conformance
from tests.conformance.reference import load_yaml, plan_case
from tests.integration.live import everything, read
from tests.integration.model_services import configure, model_service
from tests.integration.stacks import Stack
from tests.integration.strictness import Asked, asked, refusal
from tests.integration.waiting import eventually


def test_the_server_takes_the_objects(api: DynamicClient) -> None:
    plans = [(case, conformance.plan(case)) for case in conformance.CASES]
    cases = [(case, plan, plan.all_objects()) for case, plan in plans]
    assert asked(api, cases) == Asked(objects=501, refused_here=5, refused=[])


def test_the_server_takes_what_a_converted_values_file_renders(api: DynamicClient) -> None:
    plan = plan_paths(["examples/chart/model-service.yaml"], Settings(), namespace="llm").raise_for_errors()
    assert len(plan.all_objects()) == 17
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


@pytest.mark.parametrize("case", conformance.of_kind("transition"))
def test_transition(case: str, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    folder = moved(conformance.folder(case), stack.namespace, tmp_path / "case")
    before, after = planned(folder, previous=True), planned(folder)
    bring(stack, folder, previous=True)
    stack.up()
    uids = live(api, before)
    assert set(uids) == set(before)
    known = registered(stack)

    bring(stack, folder)
    result = stack.up()

    assert live(api, removed(folder)) == {}
    now = live(api, after)
    assert set(now) == set(after)
    kept = before.keys() & after.keys()
    assert {identity: now[identity] for identity in kept} == {identity: uids[identity] for identity in kept}
    known |= registered(stack)
    assert {(step.op, known[step.type, step.name]) for step in result.changes} == {
        *(("delete", identity) for identity in removed(folder)),
        *(("create", identity) for identity in after.keys() - kept),
        *(("update", identity) for identity in kept if before[identity] != after[identity]),
    }
    stack.destroy()
    assert live(api, before) == {}


@pytest.mark.parametrize("case", conformance.of_kind("delete"))
def test_deletion(case: str, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    folder = moved(conformance.folder(case), stack.namespace, tmp_path / "case")
    objects = planned(folder)
    bring(stack, folder)
    stack.write(model_service("stays"), "other.yaml")
    stack.up()
    assert set(live(api, objects)) == set(objects)
    known = registered(stack)

    (stack.manifests / "services.yaml").unlink()
    result = stack.up()

    assert {(step.op, known.get((step.type, step.name))) for step in result.changes} == {
        ("delete", None),  # the components
        *(("delete", identity) for identity in objects),
    }
    assert live(api, [*objects, *removed(folder)]) == {}
    stack.destroy()
    eventually(lambda: everything(api, stack.namespace) == [], "the controllers' objects gone")


def moved(case: Path, namespace: str, folder: Path) -> Path:
    """A copy of a case's files, with the namespace of its service replaced."""
    own = load_yaml(case / "input.yaml")[0]["metadata"]["namespace"]
    folder.mkdir()
    for file in case.glob("*.yaml"):
        (folder / file.name).write_text(re.sub(rf"(?<![\w.-]){re.escape(own)}\b", namespace, file.read_text()))
    return folder


def files(folder: Path, *, previous: bool) -> tuple[Path, dict[str, Any]]:
    """The manifests and settings of a case; unchanged settings have only one file."""
    operator = folder / "previous-operator.yaml"
    operator = operator if previous and operator.exists() else folder / "operator.yaml"
    return folder / ("previous.yaml" if previous else "input.yaml"), load_yaml(operator)[0]


def planned(folder: Path, *, previous: bool = False) -> dict[Key, Object]:
    manifests, settings = files(folder, previous=previous)
    plan = plan_case([manifests], {"otterscale": settings}).raise_for_errors()
    return {key(obj): obj for obj in plan.all_objects()}


def bring(stack: Stack, folder: Path, *, previous: bool = False) -> None:
    manifests, settings = files(folder, previous=previous)
    stack.write(manifests.read_text())
    configure(stack, **settings)


def removed(folder: Path) -> set[Key]:
    listed = load_yaml(folder / "removed.yaml")[0]
    return {Key(item["apiVersion"], item["kind"], item.get("namespace", ""), item["name"]) for item in listed}


def live(api: DynamicClient, identities: Iterable[Key]) -> dict[Key, str]:
    """The uids of the objects that exist in the cluster."""
    found = {identity: read(api, *_place(identity)) for identity in identities}
    return {identity: obj["metadata"]["uid"] for identity, obj in found.items() if obj}


def _place(identity: Key) -> tuple[str, str, str, str | None]:
    return identity.api_version, identity.kind, identity.name, identity.namespace or None


def registered(stack: Stack) -> dict[tuple[str, str], Key]:
    """Maps the type and Pulumi name of each Kubernetes object in the stack's state to its key in the cluster."""
    objects = [item for item in stack.state() if item["type"].startswith("kubernetes:")]
    return {(item["type"], item["urn"].rpartition("::")[2]): key(item["outputs"]) for item in objects}
