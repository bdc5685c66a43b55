"""Every field of LLMKube's newest custom resource definitions is accepted and acts, or is listed with its reason.

A field acts when two of its values (or one and its absence) render differently. Not proved here: that what it does is
what LLMKube does with it, which the tests of each object show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.families.llmkube.model_spec import ModelSpec
from modelservices.families.llmkube.not_covered import MODEL, NOTES, SERVICE
from modelservices.families.llmkube.spec import InferenceServiceSpec
from modelservices.findings import errors

from .render import SOURCE, brief, manifest, plan_of
from .test_spec import fields

REASONS = {
    "InferenceService": {**SERVICE, **NOTES["InferenceService"]},
    "Model": {**MODEL, **NOTES["Model"]},
}
REFUSED = {"probeOverrides.readiness.terminationGracePeriodSeconds": "the API server refuses it"}


@dataclass(frozen=True)
class Field:
    kind: str
    path: str
    type: str
    constraints: Mapping[str, str]

    @property
    def required(self) -> bool:
        return "required" in self.constraints


def read_fields() -> Iterator[Field]:
    for line in (Path(__file__).parent / "crd_fields.tsv").read_text().splitlines():
        if not line.startswith("#"):
            kind, path, kind_of_value, *rest = line.split("\t")
            constraints = {
                name: value for name, _, value in (item.partition("=") for item in "".join(rest).split("; "))
            }
            yield Field(kind, path.removeprefix("spec."), kind_of_value, constraints)


FIELDS = list(read_fields())
BY_PATH = {(field.kind, field.path): field for field in FIELDS}


@cache
def below(kind: str, path: str) -> tuple[Field, ...]:
    """The fields right below an object or the objects of a list."""
    inner = re.compile(re.escape(path) + r"(\[\])?\.[^.\[]+")
    return tuple(field for field in FIELDS if field.kind == kind and inner.fullmatch(field.path))


LEAVES = [field for field in FIELDS if not below(field.kind, field.path)]

QUANTITY = r"(cpu|memory|hostMemory|ephemeralStorage|divisor|sizeLimit|targetAverageValue)$"
VALUES: list[tuple[str, list[Any]]] = [
    (r"maxSkew$|weight$|minReplicas$|successThreshold$", [1, 2]),
    (r"terminationGracePeriodSeconds$", [30, 60]),
    (
        r"(requiredDuring|preferredDuring).*operator$|labelSelector.*operator$|namespaceSelector.*operator$",
        ["In", "NotIn"],
    ),
    (r"[tT]olerations.*operator$", ["Equal", "Exists"]),
    (r"[tT]olerations.*effect$", ["NoSchedule", "NoExecute"]),
    (r"whenUnsatisfiable$", ["DoNotSchedule", "ScheduleAnyway"]),
    (r"nodeAffinityPolicy$|nodeTaintsPolicy$", ["Honor", "Ignore"]),
    (r"fieldRef\.fieldPath$", ["metadata.name", "metadata.namespace"]),
    (r"resourceFieldRef\.resource$", ["limits.cpu", "requests.memory"]),
    (r"(seccompProfile|appArmorProfile)\.type$", ["RuntimeDefault", "Unconfined"]),
    (r"fsGroupChangePolicy$", ["OnRootMismatch", "Always"]),
    (r"seLinuxChangePolicy$", ["Recursive"]),
    (r"supplementalGroupsPolicy$", ["Merge", "Strict"]),
    (r"supplementalGroups$", [[1], [2]]),
    (r"procMount$", ["Default"]),
    (r"httpGet\.scheme$", ["HTTP", "HTTPS"]),
    (r"(httpGet|tcpSocket)\.port$", [8081, "http"]),
    (r"topologyKey$", ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]),
    (r"slo\.objective$", ["99", "99.5"]),
    (r"slo\.latencyThreshold$|ropeScaling\.factor$", ["2", "4"]),
    (r"slo\.window$", ["7d", "14d"]),
    (r"gpuSharing\.profile$", ["1g.24gb", "3g.90gb"]),
    (r"turboQuantBits$", [3, 6]),
    (r"hardware\.gpu\.(resourceName|tolerationKey)$", ["example.com/gpu", "example.com/slice"]),
    (r"layerSplit$", [["0-9", "10-39"], ["0-19", "20-39"]]),
    (r"sha256$", ["a" * 64, "b" * 64]),
    (r"^source$", [SOURCE, "https://models.example.com/other.gguf"]),
    (r"^files$", [["a.gguf"], ["b.gguf"]]),
    (r"^mmproj$", ["p.gguf", "q.gguf"]),
    (r"mountPath$", ["/text-a", "/text-b"]),
    (r"loraModules$", [["a=/a"], ["b=/b"]]),
    (r"sglangConfig\.quantization$", ["fp8", "awq"]),
    (r"(vllm|sglang)Config\.kvCacheCustomDtype$", ["fp8_e4m3", "fp8_e5m2"]),
    (r"metadataOverrides$|tensorOverrides$", [["a=int:1"], ["b=int:1"]]),
    (r"(^|\.)(env|.*[eE]nv)\[\]\.name$", ["TEXT_A", "TEXT_B"]),
    (r"^modelRef$", ["chat-q4", "chat-q5"]),
    (r"draftModelRef$", ["chat-q5", "chat-q6"]),
    (r"draftModel$", ["a.gguf", "b.gguf"]),
    (r"claimName$", ["text-a", "text-b"]),
    (r"autoscaling\.metrics\[\]\.type$", ["Pods", "Resource"]),
    (r"autoscaling\.metrics\[\]\.name$", ["cpu", "memory"]),
]
"""Values by the end of a field's path; others are made from its type."""

SETTINGS = {
    "enablePyrraSLO": True,
    "gpuSharingSharedPoolSelector": {"pool": "shared"},
    "featureGates": ["SELinuxMount"],
}
OTHERS = [
    *(manifest("Model", f"chat-q{n}", spec={"source": f"{SOURCE}?{n}"}) for n in (5, 6)),
    *(manifest("PersistentVolumeClaim", f"text-{n}", spec={"accessModes": ["ReadWriteMany"]}) for n in "ab"),
]
CONTEXTS = yaml.safe_load((Path(__file__).parent / "crd_contexts.yaml").read_text())


def around(field: Field) -> tuple[dict[str, Any], dict[str, Any]]:
    """The rest of the service and of its Model that the field needs."""
    for row in CONTEXTS:
        if re.match(row["path"], f"{field.kind}.{field.path}"):
            return row.get("service", {}), row.get("model", {})
    return {}, {}


def values(field: Field) -> list[Any]:
    """Two values or more that the field's type and constraints allow."""
    known = next((found for pattern, found in VALUES if re.search(pattern, field.path)), None)
    if known is not None:
        return known
    constraints = field.constraints
    if "enum" in constraints:
        return [int(v) if field.type == "integer" else v for v in constraints["enum"].split("|")]
    if re.search(QUANTITY, field.path):
        return ["1", "2"]
    least = int(float(constraints.get("minimum", "1")))
    return {
        "integer": [max(least, 1), max(least, 1) + 1],
        "number": [0.5, 0.6],
        "boolean": [True, False],
        "int-or-string": [1, 2],
        "array of string": [["text-a"], ["text-b"]],
        "array of integer": [[1], [2]],
        "map of string": [{"a": "text-a"}, {"a": "text-b"}],
        "map of int-or-string": [{"a": "1"}, {"a": "2"}],
        "object": [{}],
    }.get(field.type, ["text-a", "text-b"])


def least(field: Field) -> Any:
    """The shortest value with everything that is required below it."""
    children = below(field.kind, field.path)
    if not children:
        return values(field)[0]
    value = {child.path.rpartition(".")[2]: least(child) for child in children if child.required}
    return [value] if field.type == "array of object" else value


def placed(field: Field, value: Any, spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with the value at the field's path, and what is required on the way there."""
    *parents, last = field.path.split(".")
    at: Any = spec
    path = ""
    for part in parents:
        name = part.removesuffix("[]")
        path = f"{path}.{name}" if path else name
        start = least(BY_PATH[field.kind, path])
        found = merged(start, at.get(name))
        at[name] = found
        at = found[0] if isinstance(found, list) else found
        path = f"{path}[]" if part.endswith("[]") else path
    if value is not ABSENT:
        at[last] = value
    else:
        at.pop(last, None)
    return spec


ABSENT = object()


def merged(start: Any, given: Any) -> Any:
    if isinstance(start, dict) and isinstance(given, dict):
        return {**start, **{name: merged(start.get(name), value) for name, value in given.items()}}
    if isinstance(start, list) and isinstance(given, list):
        return [merged(start[0] if start else None, given[0]), *given[1:]]
    return start if given is None else given


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Outcome:
    """What a manifest gives: objects and status of the service, or why it is refused; and what is said of it."""

    seen: tuple[Any, ...]
    findings: tuple[str, ...]
    refused: tuple[str, ...]


def outcome(field: Field, value: Any) -> Outcome:
    service, model = (copied(part) for part in around(field))
    service, model = {"modelRef": "chat-q4", **service}, {"source": SOURCE, **model}
    placed(field, value, service if field.kind == "InferenceService" else model)
    own = [manifest("Model", "chat-q4", spec=model), manifest("InferenceService", "chat", spec=service)]
    plan = plan_of([*own, *(OTHERS if field.path.endswith(("Ref", "modelCache.claimName")) else [])], SETTINGS)
    statuses = [rendered.observe({}) for rendered in plan.services if rendered.observe]
    return Outcome(
        seen=(plan.all_objects(), statuses),
        findings=tuple(brief(plan.findings)),
        refused=tuple(str(finding) for finding in errors(plan.findings)),
    )


@pytest.mark.parametrize("field", LEAVES, ids=lambda field: f"{field.kind}.{field.path}")
def test_a_field_acts_or_has_its_reason(field: Field) -> None:
    candidates = values(field) if field.required else [ABSENT, *values(field)]
    found = [outcome(field, value) for value in candidates]
    accepted = [each for each in found if not each.refused]
    reason = REASONS[field.kind].get(field.path)
    if field.path in REFUSED:
        assert not accepted[1:], REFUSED[field.path]
        return
    assert accepted, [each.refused for each in found]
    assert accepted[-1] is not found[0], "no value was accepted"
    acts = any(each.seen != accepted[0].seen for each in accepted[1:])
    assert acts != bool(reason), reason or [each.refused for each in found]
    if reason and field.path not in NOTES[field.kind]:
        assert any(f"warning spec.{field.path} not-covered" in each.findings for each in accepted)


def test_nothing_is_listed_that_is_no_field() -> None:
    for kind, reasons in REASONS.items():
        assert [path for path in reasons if (kind, path) not in BY_PATH] == []


def test_the_models_have_no_field_of_their_own() -> None:
    known = {(kind, path.replace("[]", "")) for kind, path in BY_PATH}
    ours = [("InferenceService", path) for path, _, _ in fields(InferenceServiceSpec)]
    ours += [("Model", path) for path, _, _ in fields(ModelSpec)]
    assert [field for field in ours if field not in known] == []


def test_the_list_is_whole() -> None:
    """Fields that hold others act by those."""
    assert (len(FIELDS), len(LEAVES)) == (742, 568)
