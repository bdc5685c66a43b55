"""``schema``: JSON Schema with which editors complete and check manifests and stack files."""

import argparse
import json
from typing import Any

from pydantic.json_schema import models_json_schema

from ..families.registry import FAMILIES
from ..findings import Finding, InvalidManifests
from ..kubernetes.model import Manifest
from ..kubernetes.secret_manifest import SecretManifest
from ..stack_config import NAMESPACE, StackConfig

STACK = "stack"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", nargs="?", metavar="KIND", help=f"one kind, or {STACK!r} for Pulumi.<stack>.yaml; all kinds by default"
    )


def run(arguments: argparse.Namespace) -> int:
    print(json.dumps(schema(arguments.kind), indent=2))
    return 0


def schema(kind: str | None) -> dict[str, Any]:
    """The schema of one kind, of the stack file (``stack``), or of manifests of any kind (None)."""
    if kind == STACK:
        return _stack_schema()
    kinds = {identity: model for identity, model in _kinds().items() if kind in (None, identity[1])}
    if not kinds:
        known = ", ".join(sorted({name for _, name in _kinds()}))
        raise InvalidManifests([Finding("", "", "", f"there is no kind {kind!r}; known are {known}, {STACK}")])
    models = dict.fromkeys(kinds.values())
    references, definitions = models_json_schema([(model, "validation") for model in models])
    return _worded(
        {
            "$schema": _DIALECT,
            "title": kind or "Manifest",
            "type": "object",
            "required": ["apiVersion", "kind"],
            "properties": {
                "apiVersion": {"enum": sorted({api_version for api_version, _ in kinds})},
                "kind": {"enum": sorted({name for _, name in kinds})},
            },
            "allOf": [_rule(identity, references[model, "validation"]) for identity, model in kinds.items()],
            **definitions,
        }
    )


_WORDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def _worded(value: Any) -> Any:
    """Bounds under JSON Schema's names. Pydantic keeps its own where a validator of ours reads the value first."""
    if isinstance(value, dict):
        return {_WORDS.get(key, key): _worded(item) for key, item in value.items()}
    return [_worded(item) for item in value] if isinstance(value, list) else value


def _kinds() -> dict[tuple[str, str], type[Manifest]]:
    kinds: dict[tuple[str, str], type[Manifest]] = {("v1", "Secret"): SecretManifest}
    for family in FAMILIES:
        kinds.update(family.entry().KINDS)
    return kinds


def _rule(identity: tuple[str, str], reference: dict[str, Any]) -> dict[str, Any]:
    """A kind's schema that applies only to documents of that kind, so that editors report against the right one."""
    api_version, kind = identity
    return {"if": {"properties": {"apiVersion": {"const": api_version}, "kind": {"const": kind}}}, "then": reference}


def _stack_schema() -> dict[str, Any]:
    config = StackConfig.model_json_schema()
    properties = {f"{NAMESPACE}:{name}": body for name, body in config["properties"].items()}
    return _worded(
        {
            "$schema": _DIALECT,
            "title": "Pulumi stack of model services",
            "type": "object",
            "properties": {"config": {"type": "object", "properties": properties, "additionalProperties": True}},
            "$defs": config.get("$defs", {}),
        }
    )
