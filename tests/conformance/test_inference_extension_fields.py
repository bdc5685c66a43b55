"""Each field of the Inference Extension's CRDs is read and written, or listed with a reason.

Not proven here: what the API server does with the fields; the reference cases and the integration tests show that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from modelservices.families.inference_extension.render import KINDS

from .reference import HERE, load_yaml

NOT_READ = {
    "status": "what the gateway's controller reports; it is checked where a manifest of a live cluster has it",
}
"""Top-level fields that are not input."""


def _crds() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """API version, kind and schema of each version in the CRDs."""
    for crd in load_yaml(HERE / "inference_extension/crds.yaml"):
        spec = crd["spec"]
        for version in spec["versions"]:
            yield f"{spec['group']}/{version['name']}", spec["names"]["kind"], version["schema"]["openAPIV3Schema"]


CRDS = {(version, kind): schema for version, kind, schema in _crds()}


def _fields(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        where = f"{path}.{name}" if path else name
        yield where
        yield from _fields(inner.get("items", inner), where)


def _model(annotation: Any) -> type[BaseModel] | None:
    """The model in a field's type, also inside an optional or list type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for found in map(_model, get_args(annotation)) if found), None)


def _known(model: type[BaseModel] | None, path: list[str]) -> bool:
    if not path or model is None:
        return not path
    field = model.model_fields.get(path[0])
    return field is not None and (len(path) == 1 or _known(_model(field.annotation), path[1:]))


def test_the_crds_are_all_here() -> None:
    assert len(CRDS) == 4
    assert set(CRDS) <= set(KINDS)
    assert sum(len([*_fields(schema)]) for schema in CRDS.values()) > 80


@pytest.mark.parametrize("identity", sorted(CRDS), ids="/".join)
def test_every_field_is_read(identity: tuple[str, str]) -> None:
    """Other tests cover fields of ``metadata``, which all objects have, and fields within ``status``."""
    fields = [field for field in _fields(CRDS[identity]) if field.partition(".")[0] not in ("metadata", *NOT_READ)]
    assert [field for field in fields if not _known(KINDS[identity], field.split("."))] == []
