"""The shape of handed-on values. Not proved: that the file is of the newest Kubernetes (tools/api_fields.py)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from modelservices.kubernetes.api_fields import field_problems, fields
from modelservices.kubernetes.scalars import Opaque
from tools.api_fields import ROOTS, TARGET, api_fields


def problems(value: Any, kind: str) -> list[str]:
    return [f"{problem.path}: {problem.message}" for problem in field_problems(value, kind, "x")]


TERM = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "zone"}
WEIGHTED = {"weight": 1, "podAffinityTerm": TERM}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [WEIGHTED]}}, "Affinity"),
        ({"options": [{"name": "ndots", "value": "1"}], "searches": ["a"]}, "PodDNSConfig"),
        ([{"ip": "10.0.0.1", "hostnames": ["a"]}], "[HostAlias]"),
        ({"sizeLimit": "1Gi"}, "EmptyDirVolumeSource"),
        ({"sizeLimit": 1024}, "EmptyDirVolumeSource"),
        ({"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}}, "EphemeralVolumeSource"),
        (
            {"sources": [{"secret": {"name": "a", "items": [{"key": "k", "path": "p", "mode": 420}]}}]},
            "ProjectedVolumeSource",
        ),
        ({"name": None}, "ConfigMapVolumeSource"),
        (None, "Affinity"),
        (Opaque(None), "Affinity"),
        ({"matchLabels": {"a": Opaque(None)}}, "LabelSelector"),
    ],
)
def test_values_of_their_types(value: Any, kind: str) -> None:
    assert problems(value, kind) == []


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        ([], "Affinity", "x: must be a mapping, got a list"),
        ({"podAffinty": {}}, "Affinity", "x.podAffinty: is not a known field; did you mean podAffinity?"),
        ({"zzz": 1}, "Affinity", "x.zzz: is not a known field; known here: nodeAffinity, podAffinity, podAntiAffinity"),
        ({"options": {}}, "PodDNSConfig", "x.options: must be a list, got a mapping"),
        ({"options": [{"value": 1}]}, "PodDNSConfig", "x.options[0].value: must be a string, got 1"),
        ([None], "[HostAlias]", "x[0]: is null; remove it, or give it a value"),
        ([{"hostnames": []}], "[HostAlias]", "x[0].ip: is required"),
        ({"sizeLimit": "big"}, "EmptyDirVolumeSource", "x.sizeLimit: must be a quantity such as 1Gi, got 'big'"),
        ({"sizeLimit": True}, "EmptyDirVolumeSource", "x.sizeLimit: must be a quantity such as 1Gi, got true"),
        ({"optional": "yes"}, "SecretVolumeSource", "x.optional: must be true or false, got 'yes'"),
        ({"defaultMode": "0644"}, "SecretVolumeSource", "x.defaultMode: must be a whole number, got '0644'"),
        ({"matchLabels": []}, "LabelSelector", "x.matchLabels: must be a mapping, got a list"),
        ({"matchLabels": {"a": 1}}, "LabelSelector", 'x.matchLabels["a"]: must be a string, got 1'),
    ],
)
def test_values_of_another_type(value: Any, kind: str, wanted: str) -> None:
    assert problems(value, kind) == [wanted]


def test_every_type_that_is_named_is_there() -> None:
    scalars = {"any", "boolean", "int-or-string", "integer", "number", "quantity", "string"}
    named = set(re.findall(r'": "[!\[{]*([A-Za-z-]+)[\]}]*"', TARGET.read_text())) | set(ROOTS)
    assert all(fields(name) for name in named - scalars)


def test_types_are_taken_from_the_document() -> None:
    core, meta = "io.k8s.api.core.v1.", "io.k8s.apimachinery.pkg.apis.meta.v1."
    rules = {
        "a": {"type": "array", "items": {"type": "string"}},
        "b": {"type": "object", "additionalProperties": {"$ref": f"#/definitions/{core}Inner"}},
        "c": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity"},
        "d": {"type": "object"},
    }
    document = {"definitions": {f"{core}{name}": {} for name in ROOTS}}
    document["definitions"] |= {
        f"{core}Affinity": {"properties": rules, "required": ["a"]},
        f"{core}Inner": {"properties": {"x": {"type": "integer"}}},
        f"{core}Unused": {},
        f"{meta}LabelSelector": {},
    }
    found = api_fields(document)
    assert found["Affinity"] == {"a": "![string]", "b": "{Inner}", "c": "quantity", "d": "any"}
    assert found["Inner"] == {"x": "integer"} and "Unused" not in found
