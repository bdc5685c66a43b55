"""Maps keys as programs write them to the keys of manifests: ``model_ref`` in Python is ``modelRef``.

Only the fields of models are renamed. Names that users choose (labels, environment, free-form values) stay.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from .model import model_in, plain

_PLURAL = re.compile(r"([A-Z]{2,})s(?=[A-Z]|$)")
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(key: str) -> str:
    """``memoryLimitGiB`` becomes ``memory_limit_gib``, ``clusterIPs`` becomes ``cluster_ips``."""
    singular = _PLURAL.sub(lambda match: match[1].capitalize() + "s", key.replace("GiB", "Gib"))
    return _WORD.sub("_", singular).lower().replace("-", "_")


def camel_case(key: str) -> str:
    """``cache-size`` becomes ``cacheSize``, a key that every language can write. Other keys stay as they are."""
    head, *rest = key.split("-")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def with_yaml_keys(annotation: Any, value: Any) -> Any:
    """A value of the annotated type with the keys of models as in YAML."""
    if isinstance(value, list):
        arguments = get_args(plain(annotation))
        return [with_yaml_keys(arguments[0], item) for item in value] if arguments else value
    if not isinstance(value, Mapping):
        return value
    model = model_in(annotation)
    if model is not None:
        names, fields = _by_spelling(model), _fields(model)
        named: dict[str, Any] = {names.get(str(key), str(key)): item for key, item in value.items()}
        return {key: with_yaml_keys(fields.get(key, Any), item) for key, item in named.items()}
    if get_origin(plain(annotation)) is dict:
        of = get_args(plain(annotation))[1]
        return {key: with_yaml_keys(of, item) for key, item in value.items()}
    return value


@cache
def _fields(model: type[BaseModel]) -> dict[str, Any]:
    hints = get_type_hints(model, include_extras=True)
    return {field.alias or name: hints[name] for name, field in model.model_fields.items()}


@cache
def _by_spelling(model: type[BaseModel]) -> dict[str, str]:
    """Each accepted spelling with its key; the key itself takes precedence."""
    return {spell(key): key for spell in (snake_case, camel_case, str) for key in _fields(model)}
