"""A component's arguments as manifests: the Python API follows the same rules as the YAML files.

A component's arguments are a model like those of the manifests. The types for programs, in Python
(``modelservices.args``) and in the other languages (the plugin's schema), are generated from it.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, TypeVar, overload

import pulumi
from pydantic import Field, create_model

from ..families.registry import family_of
from ..findings import Finding, InvalidManifests, errors
from ..kubernetes.engine_values import engine_problems
from ..kubernetes.keys import with_yaml_keys
from ..kubernetes.model import Manifest, Spec, defaults, read
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.scalars import FreeForm, Later, Strings, Text
from ..kubernetes.secret_manifest import not_in_settings
from ..manifests.documents import Document
from ..planning.plan import make_plan
from ..planning.settings import Settings
from .component import ServiceComponent
from .later import later_texts, render_later
from .outputs import hide_outputs
from .registered import registered_objects


class ServiceArguments(Spec):
    """The arguments that all components have."""

    name: Text = ""
    """Name in the cluster; the component's name by default."""
    namespace: Annotated[Text, Later("{}")] = ""
    """Namespace of all objects; `default` by default."""
    labels: Strings = {}
    """Labels, as in the manifest's metadata."""
    annotations: Strings = {}
    """Annotations, as in the manifest's metadata."""
    manifests: list[dict[str, FreeForm]] = []
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: Settings = defaults(Settings)
    """Platform settings, as in the stack's config."""


def arguments_model(name: str, about: str, **specs: tuple[tuple[str, str], str]) -> type[ServiceArguments]:
    """The model of a component's arguments: the common ones and, by argument, the specs of its manifests, each as API
    version and kind with a description."""
    fields: dict[str, Any] = {
        argument: (_spec_model(*kind), Field(description=text)) for argument, (kind, text) in specs.items()
    }
    return create_model(name, __base__=ServiceArguments, __doc__=about, __module__=__name__, **fields)


def _spec_model(api_version: str, kind: str) -> Any:
    family = family_of(api_version)
    assert family is not None
    return family.entry().KINDS[api_version, kind].model_fields["spec"].annotation


class InvalidArguments(pulumi.RunError):
    """The arguments of a component are invalid. ``findings`` has every problem; nothing of it was registered."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in errors(findings)))


def read_arguments(component: str, name: str, model: type[Spec], args: object) -> dict[str, Any]:
    """The arguments with their YAML keys, Outputs hidden, without those that are None.

    Raises InvalidArguments with every problem if a key is unknown or missing, or if a value is not a mapping where the
    model has one. The rules of the manifests check the rest.
    """
    where = f"{component} {name}"
    if not isinstance(args, Mapping):
        needed = ", ".join(key for key, field in model.model_fields.items() if field.is_required())
        message = f"must be a mapping with {needed}, got {'None' if args is None else type(args).__name__}"
        raise InvalidArguments([Finding(where, "", "args", message)])
    arguments = with_yaml_keys(model, hide_outputs(args))
    if not _has_its_keys(model, arguments):
        _, problems = read(model, arguments)
        raise InvalidArguments([Finding.of(problem, where, "") for problem in problems])
    return arguments


def _has_its_keys(model: type[Spec], arguments: Mapping[str, Any]) -> bool:
    required = [key for key, field in model.model_fields.items() if field.is_required()]
    specs = [key for key in ("spec", "model", "settings") if key in arguments]
    return (
        arguments.keys() <= model.model_fields.keys()
        and arguments.keys() >= set(required)
        and all(isinstance(arguments[key], Mapping) for key in specs)
        and all(isinstance(item, Mapping) for item in arguments.get("manifests", []))
    )


def manifest(kind: tuple[str, str], name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest of a kind (API version and kind) with the metadata and ``spec`` of a component's arguments."""
    metadata = {
        "name": args.get("name", name),
        **{key: args[key] for key in ("namespace", "labels", "annotations") if key in args},
    }
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": metadata, "spec": args["spec"]}


def read_settings(where: str, settings: Mapping[str, Any]) -> Settings:
    """The settings of a component's arguments. Raises InvalidArguments with every problem."""
    model, problems = read(Settings, settings)
    problems += [*not_in_settings(settings), *engine_problems(settings)]
    if model is None or problems:
        raise InvalidArguments([Finding.of(problem, where, "settings") for problem in problems])
    return model


Args = TypeVar("Args")
SnakeCaseArgs = TypeVar("SnakeCaseArgs")


class ManifestComponent(ServiceComponent, Generic[Args, SnakeCaseArgs]):
    """A component whose arguments are those of a manifest of ``KIND``, its API version and kind. Type checkers know
    them with the keys of the YAML and in snake case."""

    KIND: ClassVar[tuple[str, str]]

    @overload
    def __init__(self, name: str, args: SnakeCaseArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    @overload
    def __init__(self, name: str, args: Args, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        # The stack has already planned all its services and passes what it rendered.
        super().__init__(name, args if isinstance(args, RenderedComponent) else _render(type(self), name, args), opts)

    @classmethod
    def manifests(cls, name: str, args: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The manifests that the arguments stand for, the service's first."""
        return [manifest(cls.KIND, name, args)]


def _render(component: type[ManifestComponent], name: str, args: object) -> RenderedComponent:
    arguments = read_arguments(component.__name__, name, component.ARGUMENTS, args)
    warned: set[str] = set()

    def render(values: Mapping[str, Any]) -> RenderedComponent:
        return _rendered(component.__name__, name, component.manifests(name, values), values, warned)

    texts = list(later_texts(component.ARGUMENTS, arguments))
    return render_later(name, arguments, texts, render, registered_objects()) if texts else render(arguments)


def _rendered(
    component: str, name: str, manifests: Sequence[dict[str, Any]], args: Mapping[str, Any], warned: set[str]
) -> RenderedComponent:
    """The service of the first manifest. It may refer to the other manifests and to those among the arguments."""
    where = f"{component} {name}"
    model = read_settings(where, args.get("settings", {}))
    bodies = [*manifests, *map(_with_yaml_keys, args.get("manifests", []))]
    documents = [Document(where, index, 0, data) for index, data in enumerate(bodies, start=1)]
    try:
        plan = make_plan(documents, model).raise_for_errors()
    except InvalidManifests as error:
        raise InvalidArguments(error.findings) from None
    for message in dict.fromkeys(str(finding) for finding in plan.findings):
        if message not in warned:
            pulumi.log.warn(message)
            warned.add(message)
    first = documents[0].data
    identity = (first["kind"], first["metadata"].get("namespace") or "default", first["metadata"]["name"])
    return next(s for s in plan.services if (s.kind, s.namespace, s.name) == identity)


def _with_yaml_keys(data: dict[str, Any]) -> dict[str, Any]:
    """A manifest with YAML keys if it is of our kinds, otherwise unchanged."""
    known = with_yaml_keys(Manifest, data)
    family = family_of(str(known.get("apiVersion")))
    model = family.entry().KINDS.get((str(known.get("apiVersion")), str(known.get("kind")))) if family else None
    return with_yaml_keys(model, known) if model else data
