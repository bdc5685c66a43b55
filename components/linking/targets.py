"""The services that others (benchmarks) send requests to, read from their rendered objects."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from ..families import Pending, Plan, Target
from ..kubernetes.model import Manifest
from ..kubernetes.pod_templates import containers_of
from ..kubernetes.rendered import RenderedComponent
from ..ome_keys.flags import served_name


def complete(plan: Plan) -> Iterator[Plan]:
    """Render each pending service, now that the service that it needs has been rendered."""
    for pending in plan.pending:
        yield pending.render(_target(pending, plan))


def _target(pending: Pending, plan: Plan) -> Target | None:
    """The service with the name in another family; the pending service's family has searched its own services."""
    group = _group(pending.source.manifest)
    for service in plan.services:
        manifest = service.source.manifest
        named = (service.namespace, service.name) == (pending.namespace, pending.name)
        if named and _group(manifest) != group:
            objects = tuple(record.key for record in service.owned())
            name = _model_name(manifest, service)
            return Target(_address(service), name, _tokenizer(manifest, name), objects)
    return None


def _group(manifest: Manifest) -> str:
    return manifest.apiVersion.partition("/")[0]


def _address(service: RenderedComponent) -> str:
    """Scheme, host and port of the endpoint in a service's status; empty if it has none."""
    endpoint = urlsplit(service.observe({}).endpoint) if service.observe else None
    return f"{endpoint.scheme}://{endpoint.netloc}" if endpoint and endpoint.netloc else ""


def _model_name(manifest: Manifest, service: RenderedComponent) -> str:
    """The model's name in requests: the one that the server is started with, or else the manifest's."""
    names = (served_name(container.body) for obj in service.all_objects() for container in containers_of(obj))
    model: Any = getattr(getattr(manifest, "spec", None), "model", None)
    name = getattr(model, "name", None)
    return next(filter(None, names), None) or (name if isinstance(name, str) and name else manifest.name)


def _tokenizer(manifest: Manifest, model_name: str) -> str:
    """The Hugging Face repository of the model without its revision, or else the model's name."""
    model: Any = getattr(getattr(manifest, "spec", None), "model", None)
    uri = getattr(model, "uri", None)
    if not isinstance(uri, str) or not uri.startswith("hf://"):
        return model_name
    return uri.removeprefix("hf://").partition("@")[0].partition(":")[0]
