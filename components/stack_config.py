"""A stack's config (`Pulumi.<stack>.yaml`, namespace `modelservices`): manifests, settings, target."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from .findings import Finding, InvalidManifests
from .kubernetes.engine_values import engine_problems
from .kubernetes.model import Spec, defaults, read
from .kubernetes.scalars import Boolean, FreeForm, Name, shape
from .kubernetes.secret_manifest import not_in_settings
from .kubernetes.secrets import secret_problems
from .manifests.documents import Document, load, only_mapping, parse
from .manifests.files import text_of
from .manifests.kustomize_copy import EVERYTHING
from .planning.adopted import adopted_file, load_adopted, with_adopted
from .planning.engine_config import NotReadable, engine_config
from .planning.patches import Patch, patched
from .planning.plan import StackPlan, make_plan
from .planning.settings import Settings, max_file_size
from .planning.tenant_files import access, file_owner
from .planning.tenants import NOBODY, PLATFORM, Tenant

NAMESPACE = "modelservices"


class Directory(Spec):
    directory: Name
    """Folder that the YAML is written to."""


class StackConfig(Spec):
    """The keys of a stack's config, without their `modelservices:` prefix."""

    manifests: list[Name] | None = None
    """Files or folders of manifests; `stacks/<stack>` by default."""
    services: list[FreeForm] = []
    """Manifests written in the config itself."""
    patches: list[Patch] = []
    """Changes of this stack to manifests that it shares with others."""
    settings: Settings = defaults(Settings)
    """Platform settings."""
    target: Literal["cluster"] | Directory = "cluster"
    """`cluster`, or a directory that the YAML is written to for GitOps."""
    tenants: list[Tenant] | None = None
    """Which manifests may write into which namespaces, with which kinds and secrets; by default everything belongs to
    one team. Manifests in the config itself belong to the platform."""
    createNamespaces: Boolean = False
    """Register the namespaces that the manifests name."""
    adopt: Boolean | list[Name] = False
    """Objects to take over that exist in the cluster and were not made by this stack, as messages write them
    (`Deployment inference/chat`); `true` for all. Meant for one update."""
    adopted: Name | None = None
    """File of the workloads that `adopt` took over with their live pod templates; `stacks/<stack>.adopted.yaml` by
    default."""


_PATHS = frozenset(["manifests", "adopted", "target"])


def read_config(values: Mapping[str, Any], file: str) -> StackConfig:
    """The config as a model. Raises InvalidManifests with every problem."""
    config, problems = read(StackConfig, dict(values))
    problems += not_in_settings(values.get("settings"), "settings")
    # Problems of its manifests are reported with all others.
    problems += engine_problems({key: value for key, value in values.items() if key != "services"})
    # Messages print a path that does not exist.
    problems += secret_problems({key: value for key, value in values.items() if key in _PATHS})
    if config is None or problems:
        raise InvalidManifests(Finding.of(problem, file, "config") for problem in problems)
    return config


def config_file(stack: str, root: Path) -> tuple[dict[str, Any], str]:
    """The `modelservices:` keys of `Pulumi.<stack>.yaml`, and the namespace from `kubernetes:namespace`."""
    config, has_environments = _config_of(stack, root)
    if has_environments:
        config = {**_from_environments(stack, root), **config}
    prefix = f"{NAMESPACE}:"
    values = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
    known = {key: value for key, value in values.items() if not _is_secret(value)}
    return known, str(config.get("kubernetes:namespace", "default"))


def cluster_config(stack: str, root: Path) -> tuple[str | None, str | None]:
    """The kubeconfig and the context that the stack's config gives the provider, if any.

    Raises InvalidManifests if the kubeconfig is a secret that the engine does not give.
    """
    config, has_environments = _config_of(stack, root)
    is_secret = _is_secret(config.get("kubernetes:kubeconfig"))
    if is_secret or (has_environments and "kubernetes:kubeconfig" not in config):
        config = {**config, **_of_cluster(stack, root, required=is_secret)}
    values = [config.get(f"kubernetes:{field}") for field in ("kubeconfig", "context")]
    kubeconfig, context = (str(value) if isinstance(value, str) else None for value in values)
    return kubeconfig, context


def _from_environments(stack: str, root: Path) -> dict[str, Any]:
    """What a stack's ESC environments add; without an engine that reads them the file alone counts, and that is said.

    Secret texts stay out: `${secret:…}` is resolved by the engine when the program runs.
    """
    try:
        return engine_config(stack, root, secret_texts=False)
    except NotReadable as error:
        print(f"Pulumi.{stack}.yaml alone is read, without its environments: {error}", file=sys.stderr)
        return {}


def _of_cluster(stack: str, root: Path, *, required: bool) -> dict[str, Any]:
    try:
        values = engine_config(stack, root, secret_texts=True)
    except NotReadable as error:
        if not required:
            return {}
        message = f"is a secret that only pulumi can read: {error}; or set KUBECONFIG, and leave this key out"
        finding = Finding(f"Pulumi.{stack}.yaml", "", "kubernetes:kubeconfig", message, code="unreadable")
        raise InvalidManifests([finding]) from None
    return {key: value for key, value in values.items() if key in ("kubernetes:kubeconfig", "kubernetes:context")}


def program_folder(root: Path) -> Path:
    """The folder to which a stack's paths are relative: its program's, which `main` in Pulumi.yaml may set."""
    text = text_of(root / "Pulumi.yaml")
    documents, findings = ([], [text]) if isinstance(text, Finding) else parse(text, "Pulumi.yaml")
    main = documents[0].data.get("main") if documents and not findings else None
    place = root / main if isinstance(main, str) else root
    return place.parent if place.is_file() else place


def _config_of(stack: str, root: Path) -> tuple[Mapping[str, Any], bool]:
    """The config in a stack's file, and whether the file imports ESC environments.

    Raises InvalidManifests with every problem.
    """
    name = f"Pulumi.{stack}.yaml"
    text = text_of(root / name)
    if isinstance(text, Finding):
        message = f"does not exist, so there is no stack {stack!r}" if text.code == "not-found" else text.message
        raise InvalidManifests([replace(text, file=name, message=message)])
    data = only_mapping(name, *parse(text, name))
    config = data.get("config") or {}
    if not isinstance(config, Mapping):
        message = f"must be a mapping, got {shape(config)}"
        raise InvalidManifests([Finding(name, "", "config", message, code="bad-value")])
    return config, bool(data.get("environment"))


def _is_secret(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"secure"}


def plan_stack(config: StackConfig, stack: str, root: Path, namespace: str) -> StackPlan:
    """Load and plan everything that a stack's config names. Workloads that were taken over keep their pods."""
    path = adopted_path(config, stack, root)
    return with_adopted(plan_manifests(config, stack, root, namespace), load_adopted(path), str(path))


def adopted_path(config: StackConfig, stack: str, root: Path) -> Path:
    """The file of the workloads that keep their pods."""
    return _relative(root / (config.adopted or adopted_file(stack)))


def plan_manifests(config: StackConfig, stack: str, root: Path, namespace: str) -> StackPlan:
    """Load and plan everything that a stack's config names, as rendered."""
    paths = config.manifests if config.manifests is not None else [f"stacks/{stack}"]
    reach = EVERYTHING if config.tenants is None else access(config.tenants, root)
    documents, findings = load([_relative(root / path) for path in paths], max_file_size(config.settings), reach)
    file = f"Pulumi.{stack}.yaml"
    inline = [
        Document(f"{file}: services[{index}]", index + 1, 0, data if isinstance(data, dict) else {})
        for index, data in enumerate(config.services)
    ]
    documents, wrong = patched(documents, config.patches, file)
    return make_plan(
        [*documents, *inline],
        config.settings,
        namespace=namespace,
        findings=[*findings, *wrong],
        owner=_owner(config.tenants, root, inline),
    )


def _owner(tenants: Sequence[Tenant] | None, root: Path, inline: Iterable[Document]) -> Callable[[Document], Tenant]:
    """A function from a document to its tenant. Manifests in the config itself belong to the platform."""
    if tenants is None:
        return lambda document: PLATFORM
    of_platform = {document.file for document in inline}
    of_file = file_owner(tenants, root)
    return lambda document: PLATFORM if document.file in of_platform else of_file(document.file) or NOBODY


def _relative(path: Path) -> Path:
    """Findings name files as someone in the project's folder would type them."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
