"""Base of every manifest model, and the reader that reports all problems of a manifest at once, as sentences.

A model's field names are exactly the YAML keys; a field's docstring is its description in the JSON Schema.
"""

import types
import typing
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..findings import Problem, first_problems
from .descriptions import descriptions
from .objects import Key
from .scalars import Name, Opaque, Strings, Text, describe, shape
from .secret_names import strength
from .spelling import nearest
from .values import field_path

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema, ErrorDetails

MAX_NAME = 253

Place = tuple[str | int, ...]
"""Keys and indices that lead to a value."""


class Spec(BaseModel):
    """Base of all models, which are immutable and reject unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    HINTS: ClassVar[Mapping[str, str]] = {}
    """Advice by field name, for a missing, unknown or wrong field: what to write instead."""
    RELEASES: ClassVar[str] = ""
    """Operator and releases that the model describes, for messages about unknown fields."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: "CoreSchema", handler: "GetJsonSchemaHandler") -> "JsonSchemaValue":
        """The JSON Schema, with the fields' docstrings as descriptions."""
        made = handler(schema)
        properties = handler.resolve_ref_schema(made).get("properties", {})
        for name, text in descriptions(cls).items():
            field = cls.model_fields.get(name)
            key = field.alias or name if field else name
            if key in properties:
                properties[key]["description"] = text
        return made


M = TypeVar("M", bound=BaseModel)


@cache
def defaults(model: type[M]) -> M:
    """The model with only defaults. All callers share it, because models are immutable. Calling the class would first
    build its validator, which is slow."""
    return model.model_construct()


def dump(model: Spec) -> dict[str, Any]:
    """The model as a plain mapping for Kubernetes, without what the user left out."""
    return model.model_dump(exclude_unset=True, exclude_none=True)


def dumps(models: Sequence[Spec]) -> list[dict[str, Any]]:
    return [dump(model) for model in models]


def _labels(value: Any) -> Any:
    return {} if value is None else value


class ObjectMeta(Spec):
    """Name, namespace, labels and annotations; what a live cluster adds (uid, managedFields, …) is ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    HINTS = {"name": "write a fixed name, because generateName would make another object each time"}

    name: Name
    namespace: Text = ""
    labels: Annotated[Strings, BeforeValidator(_labels)] = {}
    annotations: Annotated[Strings, BeforeValidator(_labels)] = {}

    # Fields that API servers and tools write into dumped manifests; they have no meaning here.
    creationTimestamp: Any = Field(default=None, exclude=True)
    deletionGracePeriodSeconds: Any = Field(default=None, exclude=True)
    deletionTimestamp: Any = Field(default=None, exclude=True)
    finalizers: Any = Field(default=None, exclude=True)
    generateName: Any = Field(default=None, exclude=True)
    generation: Any = Field(default=None, exclude=True)
    managedFields: Any = Field(default=None, exclude=True)
    ownerReferences: Any = Field(default=None, exclude=True)
    resourceVersion: Any = Field(default=None, exclude=True)
    selfLink: Any = Field(default=None, exclude=True)
    uid: Any = Field(default=None, exclude=True)


class Manifest(Spec):
    """One object of a manifest. Each kind's model narrows ``spec``. The ``status`` of a dumped object is ignored unless
    a family's rules read it."""

    apiVersion: Text
    kind: Text
    metadata: ObjectMeta
    status: Any = Field(default=None, exclude=True)

    @property
    def namespace(self) -> str:
        return self.metadata.namespace

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def key(self) -> Key:
        return Key(self.apiVersion, self.kind, self.namespace, self.name)

    def problems(self) -> Iterator[Problem]:
        """Problems across fields, beyond what the types check."""
        yield from ()


def read(model: type[M], data: Any, *, ignore_unknown: bool = False) -> tuple[M | None, list[Problem]]:
    """``data`` as a ``model`` (None if it is invalid), and its problems.

    With ``ignore_unknown``, unknown fields are left out with a warning instead of being rejected.
    """
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        details = details_of(model, error)
    unknown = {detail["loc"]: None for detail in details if detail["type"] == "extra_forbidden"}
    if not (ignore_unknown and unknown):
        return None, _sorted(
            first_problems(_problem(model, detail, with_advice=at < ADVISED) for at, detail in enumerate(details))
        )
    warnings = first_problems(
        Problem(path_of(model, loc), _unknown_sentence(model, loc) + ": ignored", "warning", "unknown-field")
        for loc in unknown
    )
    instance, rest = read(model, _without(data, unknown))
    return instance, _sorted([*warnings, *rest])


def details_of(model: type[BaseModel], error: ValidationError) -> "list[ErrorDetails]":
    """Pydantic's errors, without fields that are missing only because they are misspelled."""
    details = error.errors(include_url=False)
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    meant = {(*loc[:-1], meant_field(model, loc)) for loc in unknown[:ADVISED]}
    return [detail for detail in details if detail["type"] != "missing" or detail["loc"] not in meant]


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.path)


def _without(data: Any, paths: Container[tuple[str | int, ...]], at: tuple[str | int, ...] = ()) -> Any:
    if isinstance(data, Mapping):
        return {key: _without(value, paths, (*at, key)) for key, value in data.items() if (*at, str(key)) not in paths}
    if isinstance(data, list):
        return [_without(value, paths, (*at, index)) for index, value in enumerate(data)]
    return data


_ALTERNATIVES = ("function-before[", "function-plain[", "list[", "literal[")
"""How pydantic's locations name the alternatives of a field with several types: texts, a list, a model."""


def path_of(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    """``("spec", "env", 0, "name")`` becomes ``spec.env[0].name``; a key with dots or slashes goes in brackets."""
    path = ""
    for part in place_of(model, loc):
        path = f"{path}[{part}]" if isinstance(part, int) else field_path(path, part)
    return path


def place_of(model: type[BaseModel], loc: Sequence[str | int]) -> Place:
    """The path in the input. Pydantic's location also names the types that it tried, which are left out."""
    return tuple(
        part
        for index, part in enumerate(loc)
        if isinstance(part, int)
        or not (part == "[key]" or part.startswith(_ALTERNATIVES) or _is_alternative(model, loc[:index], part))
    )


def _is_alternative(model: type[BaseModel], loc: Sequence[str | int], name: str) -> bool:
    """Whether a part of pydantic's location names one of the models that a field accepts, rather than a key."""
    annotation = plain(_field_type(model, loc)) if name[:1].isupper() or name[:1] == "_" else None
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    return is_union and any(getattr(plain(each), "__name__", "") == name for each in typing.get_args(annotation))


ADVISED = 25
"""Number of problems in a manifest that get advice: finding a similar name is slow, and thousands are no typos."""


def _problem(model: type[BaseModel], detail: Mapping[str, Any], *, with_advice: bool) -> Problem:
    loc, kind, value = detail["loc"], detail["type"], detail.get("input")
    path = path_of(model, loc)
    if kind == "extra_forbidden" and not with_advice:
        return Problem(path, "is not a known field", code="unknown-field")
    if kind == "extra_forbidden":
        return Problem(path, _unknown_sentence(model, loc), code="unknown-field")
    if kind == "missing":
        return Problem(path, "is required" + _hint(model, loc), code="required")
    if isinstance(value, Opaque):
        return Problem(path, "decides what is rendered, so it must be a plain value, got an Output", code="output")
    return Problem(path, _sentence(model, detail, value) + _hint(model, loc), code="bad-value")


def _hint(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    """The model's advice for a field, as the end of a sentence."""
    owner = model_in(_field_type(model, loc[:-1]))
    advice = owner.HINTS.get(str(loc[-1])) if loc and owner and issubclass(owner, Spec) else None
    return f": {advice}" if advice else ""


_SENTENCES = {
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
}
_SHAPES = {
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
}


def _sentence(model: type[BaseModel], detail: Mapping[str, Any], value: Any) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    shown = _shown(detail["loc"], value)
    if kind == "value_error":
        return str(context["error"])
    if kind == "less_than":
        return f"must be less than {context['lt']}, got {shown}"
    if kind in ("greater_than_equal", "less_than_equal", "greater_than"):
        return f"must be {_bounds(model, detail['loc'])}, got {shown}"
    if kind in ("literal_error", "enum"):
        choices = context["expected"].replace("'", "").replace(" or ", ", ")
        return f"must be one of {choices}, got {shown}"
    if kind == "string_pattern_mismatch":
        return f"must match {context['pattern']}, got {shown}"
    if kind in ("string_too_short", "too_short"):
        return "must not be empty"
    if kind in ("string_too_long", "too_long"):
        return f"must have at most {context['max_length']} {'characters' if isinstance(value, str) else 'items'}"
    if kind in _SHAPES:
        return f"{_SHAPES[kind]}, got {shape(value)}"
    return f"{_SENTENCES.get(kind, detail['msg'])}, got {shown}"


def _shown(loc: Sequence[str | int], value: Any) -> str:
    """A value for a message; only its type, if the field may hold a secret by mistake."""
    names = [part.removesuffix("Ref") for part in loc if isinstance(part, str)]
    return "a text" if isinstance(value, str) and any(map(strength, names)) else describe(value)


def _bounds(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    metadata = list(_constraints(_field_type(model, loc)))
    low = max((m.ge for m in metadata if getattr(m, "ge", None) is not None), default=None)
    high = min((m.le for m in metadata if getattr(m, "le", None) is not None), default=None)
    if low is not None and high is not None:
        return f"between {low} and {high}"
    if low is not None:
        return f"{low} or more"
    return f"at most {high}" if high is not None else "in range"


def _constraints(annotation: Any) -> Iterator[Any]:
    for item in getattr(annotation, "__metadata__", ()):
        yield from getattr(item, "metadata", None) or [item]
    for argument in typing.get_args(annotation):
        if not isinstance(argument, BeforeValidator):
            yield from _constraints(argument)


def _field_type(model: Any, loc: Sequence[str | int]) -> Any:
    """The annotation at a location in a model, with the constraints that pydantic stores separately."""
    annotation: Any = model
    for part in loc:
        inner = model_in(annotation)
        if isinstance(part, str) and inner is not None and part in inner.model_fields:
            field = inner.model_fields[part]
            annotation = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        else:
            arguments = [a for a in typing.get_args(plain(annotation)) if a is not type(None)]
            annotation = arguments[-1] if arguments else Any
    return annotation


def plain(annotation: Any) -> Any:
    """An annotation without ``Annotated`` and without ``| None``."""
    if typing.get_origin(annotation) is Annotated:
        return plain(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        rest = [a for a in typing.get_args(annotation) if a is not type(None)]
        if len(rest) == 1:
            return plain(rest[0])
    return annotation


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation names, or None."""
    model = plain(annotation)
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None


def _unknown_sentence(model: type[BaseModel], loc: Sequence[str | int]) -> str:
    owner = model_in(_field_type(model, loc[:-1]))
    known = _keys(owner)
    releases = owner.RELEASES if owner and issubclass(owner, Spec) else ""
    unknown = "is not a known field" + (f" of {releases}" if releases else "")
    advice = _hint(model, loc)
    if advice:
        return f"{unknown}{advice}"
    near = meant_field(model, loc)
    if near:
        return f"{unknown}; did you mean {near}?"
    return f"{unknown}; known here: {', '.join(sorted(known))}" if 0 < len(known) <= 12 else unknown


def meant_field(model: type[BaseModel], loc: Sequence[str | int]) -> str | None:
    """The known field that an unknown one resembles, or None."""
    owner = model_in(_field_type(model, loc[:-1]))
    known = _keys(owner)
    same = (name for name in known if name.lower() == str(loc[-1]).lower())
    return nearest(str(loc[-1]), known, cutoff=0.7) or next(same, None)


def _keys(model: type[BaseModel] | None) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()] if model else []
