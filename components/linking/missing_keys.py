"""Keys that pods read from Secrets and ConfigMaps which are among the manifests but lack them, in any family."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..findings import Problem
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest, dump
from ..kubernetes.objects import Object
from ..kubernetes.pod_templates import containers_of, pods
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.secret_manifest import SecretManifest
from ..kubernetes.source import Source
from ..kubernetes.values import mapping, mappings, texts

_LOGINS = (".dockerconfigjson", ".dockercfg")
_SHOWN = 10
"""A message names at most so many keys."""


class _Use(NamedTuple):
    """The keys of an object of which a pod needs one, and what happens without it."""

    kind: str
    name: Any
    keys: tuple[Any, ...]
    otherwise: str


def missing_keys(objects: Iterable[RenderedObject], manifests: Iterable[Manifest]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each key that a pod needs. An object without any key may be filled by somebody else."""
    known = {(m.kind, m.namespace, m.name): keys for m in manifests if (keys := _keys(m))}
    for record in objects if known else ():
        namespace = str(record.body["metadata"].get("namespace"))
        uses = [(use, known.get((use.kind, namespace, str(use.name)))) for use in dict.fromkeys(_uses(record.body))]
        lacking = [(use, keys) for use, keys in uses if keys and keys.isdisjoint(use.keys)]
        places = _places(record) if lacking else {}
        for use, keys in lacking:
            shown = [*sorted(keys)[:_SHOWN], *(["…"] if len(keys) > _SHOWN else [])]
            wanted, there = " or ".join(map(str, use.keys)), ", ".join(shown)
            message = f"{use.kind} {use.name} has no key {wanted} (it has {there}), so {use.otherwise}"
            place = places.get(_written(use), record.field)
            yield record.source, Problem(place, message, "warning", "missing-key")


def _keys(manifest: Manifest) -> set[str]:
    """The keys of a Secret or ConfigMap. They are in plain text even in a file with encrypted values."""
    if isinstance(manifest, SecretManifest):
        return {*manifest.data, *manifest.stringData}
    if not isinstance(manifest, Existing) or manifest.kind not in ("ConfigMap", "Secret"):
        return set()
    return {str(key) for field in ("data", "stringData", "binaryData") for key in mapping(manifest.body(field))}


def _uses(obj: Object) -> Iterator[_Use]:
    for container in containers_of(obj):
        for variable in mappings(container.body.get("env")):
            for kind, field in (("Secret", "secretKeyRef"), ("ConfigMap", "configMapKeyRef")):
                reference = mapping(mapping(variable.get("valueFrom")).get(field))
                if reference and not reference.get("optional"):
                    keys = (reference.get("key"),)
                    yield _Use(kind, reference.get("name"), keys, "the container does not start; correct the key")
    for pod in pods(obj):
        for reference in mappings(pod.spec.get("imagePullSecrets")):
            yield _Use("Secret", reference.get("name"), _LOGINS, "it is no login for a registry; correct the Secret")


def _places(record: RenderedObject) -> dict[tuple[str, str], str]:
    """The manifest's texts with the names of their fields, and where each stands first."""
    written = [*texts(dump(record.source.manifest))]
    return {(text, path.rpartition(".")[2]): path for path, text in reversed(written)}


def _written(use: _Use) -> tuple[str, str]:
    """What the manifest says: the key, or the Secret's name for a login."""
    return (str(use.name), "name") if use.keys is _LOGINS else (str(use.keys[0]), "key")
