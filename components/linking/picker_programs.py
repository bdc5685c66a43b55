"""Checks rendered endpoint pickers of all families: what they read against what the stack makes.

A picker waits for its pool, exits at a plugin that it does not have, and sees pods without load if it can't read their
metrics. The last of these does not show in its status.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..engines.command_reader import container_commands
from ..engines.companions import ENDPOINT_PICKER
from ..engines.server import pod_serves_tls
from ..engines.tool import is_off
from ..findings import Problem
from ..kubernetes.endpoint_picker.inference_pool import GROUP
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object, TypedObjectReference
from ..kubernetes.pod_templates import Container, Pod, containers, pods
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source, at
from ..kubernetes.spelling import nearest
from ..kubernetes.values import mapping, mappings, value_at
from ..kubernetes.yaml_text import load
from .places import place_of, place_of_flag
from .pools import pods_by_source, selected_pods

_POOL = "InferencePool"
_METRICS_SOURCE = "metrics-data-source"
_SCHEME = "--model-server-metrics-scheme"
_CERTIFICATE = "--cert-path"

ConfigMaps = Mapping[tuple[str, str], Mapping[str, Any]]


class _Picker(NamedTuple):
    """A picker's container, with the flags of its command line and its configuration, as far as it is known."""

    record: RenderedObject
    container: Container
    words: list[Any]
    flags: Mapping[str, Any]
    config: Mapping[str, Any]

    @property
    def plugins(self) -> list[Mapping[str, Any]]:
        return mappings(self.config.get("plugins"))

    def value(self, flag: str) -> str:
        """The value of a flag; empty if it is absent or unknown."""
        stated = self.flags.get(flag)
        return stated if isinstance(stated, str) and "$" not in stated else ""


def picker_problems(
    objects: Iterable[RenderedObject], manifests: Iterable[Manifest], said: Iterable[tuple[Source, Problem]]
) -> Iterator[tuple[Source, Problem]]:
    """A warning for each thing that a picker reads and that is missing or different."""
    records = list(objects)
    config_maps = dict(_config_maps(records, manifests))
    pools: dict[Source, list[RenderedObject]] = {}
    for record in records:
        if record.key.kind == _POOL:
            pools.setdefault(record.source, []).append(record)
    pods_of = pods_by_source(record for record in records if record.source in pools)
    encrypted = {source for source, problem in said if problem.code == "tls-on-one-side"}
    for picker in _pickers(records, config_maps):
        source = picker.record.source
        yield from at(source, _plugin_problems(picker))
        yield from at(source, _pool_problems(picker, pools.get(source, [])))
        yield from at(source, _file_problems(picker))
        if source not in encrypted:
            yield from at(source, _scheme_problems(picker, pools.get(source, []), pods_of.get(source, [])))


def _pickers(records: Iterable[RenderedObject], config_maps: ConfigMaps) -> Iterator[_Picker]:
    for record in records:
        for pod in pods(record.body) if record.key.kind == "Deployment" else ():
            for container in containers(pod):
                if _is_picker(container.body):
                    yield _picker(record, pod, container, config_maps)


def _is_picker(container: Mapping[str, Any]) -> bool:
    words = [*(container.get("command") or []), *(container.get("args") or [])]
    names_pool = (isinstance(word, str) and word.startswith("--pool-name") for word in words)
    return ENDPOINT_PICKER.is_in(container.get("image")) or any(names_pool)


def _picker(record: RenderedObject, pod: Pod, container: Container, config_maps: ConfigMaps) -> _Picker:
    words = [word for command in container_commands(container.body) for word in command]
    flags = ENDPOINT_PICKER.dialect.flags(words)
    text = flags.get("--config-text") or _mounted(str(flags.get("--config-file")), record, pod, container, config_maps)
    return _Picker(record, container, words, flags, _parsed(text))


def _mounted(file: str, record: RenderedObject, pod: Pod, container: Container, config_maps: ConfigMaps) -> Any:
    folder, _, name = file.rpartition("/")
    for mount in mappings(container.body.get("volumeMounts")):
        if str(mount.get("mountPath")).rstrip("/") == folder:
            volumes = (each for each in mappings(pod.spec.get("volumes")) if each.get("name") == mount.get("name"))
            config_map = str(value_at(next(volumes, {}), "configMap", "name"))
            return config_maps.get((record.key.namespace, config_map), {}).get(name)
    return None


def _parsed(text: Any) -> Mapping[str, Any]:
    try:
        return mapping(load(text)) if isinstance(text, str) else {}
    except ValueError:
        return {}


def _config_maps(
    records: Iterable[RenderedObject], manifests: Iterable[Manifest]
) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    for manifest in manifests:
        if isinstance(manifest, Existing) and manifest.kind == "ConfigMap":
            yield (manifest.namespace, manifest.name), mapping(manifest.body("data"))
    for record in records:
        if record.key.kind == "ConfigMap":
            yield (record.key.namespace, record.key.name), mapping(record.body.get("data"))


def _plugin_problems(picker: _Picker) -> Iterator[Problem]:
    """Plugin types that the image's release does not have, as far as its plugins are known."""
    image = picker.container.body.get("image")
    release = ENDPOINT_PICKER.release_of(image) if ENDPOINT_PICKER.is_in(image) else None
    if release is None or release.asked or not release.plugins:
        return
    for kind in dict.fromkeys(str(plugin.get("type")) for plugin in picker.plugins):
        if kind not in release.plugins:
            close = nearest(kind, release.plugins)
            hint = f"did you mean {close}?" if close else "remove it, or use an image that has it"
            message = f"{kind} is not a plugin of the endpoint picker's image, so the picker does not start; {hint}"
            yield Problem(place_of(picker.record, kind), message, "warning", "unknown-plugin")


def _pool_problems(picker: _Picker, pools: Sequence[RenderedObject]) -> Iterator[Problem]:
    """A pool that the picker reads instead of the one that is made for it."""
    made = [record.key.reference for record in pools]
    reads = _reads(picker)
    if not made or reads in made:
        return
    nearest_pool = max(made, key=lambda pool: [pool.name == reads.name, pool.namespace == reads.namespace])
    flags = {"--pool-group": "group", "--pool-namespace": "namespace", "--pool-name": "name"}
    for flag, field in flags.items():
        wanted, is_read = getattr(nearest_pool, field), getattr(reads, field)
        if picker.value(flag) not in ("", wanted) and "{{" not in is_read:
            message = (
                f"{flag} is {is_read}, but the pool of this service is {_POOL}.{nearest_pool.group} "
                f"{nearest_pool.namespace}/{nearest_pool.name}, so the picker waits for a pool that is not its own; "
                f"remove {flag}"
            )
            yield Problem(place_of_flag(picker.record, flag), message, "warning", "other-pool")


def _reads(picker: _Picker) -> TypedObjectReference:
    namespace = picker.value("--pool-namespace") or picker.record.key.namespace
    return TypedObjectReference(picker.value("--pool-group") or GROUP, _POOL, namespace, picker.value("--pool-name"))


def _file_problems(picker: _Picker) -> Iterator[Problem]:
    """A certificate where nothing is mounted."""
    mounts = [str(mount.get("mountPath")).rstrip("/") for mount in mappings(picker.container.body.get("volumeMounts"))]
    folder = picker.value(_CERTIFICATE)
    is_mounted = any(f"{folder}/".startswith(f"{mount}/") for mount in mounts)
    if folder and not is_mounted and not is_off(picker.words, "--secure-serving"):
        message = (
            f"{_CERTIFICATE} names {folder}, but nothing is mounted there, so the endpoint picker does not start; "
            f"mount the certificate there, or remove {_CERTIFICATE}"
        )
        yield Problem(place_of_flag(picker.record, _CERTIFICATE), message, "warning", "no-file")


def _scheme_problems(
    picker: _Picker, pools: Sequence[RenderedObject], placed: Sequence[tuple[str, Pod]]
) -> Iterator[Problem]:
    """Metrics read by https from pods that speak http, or the reverse."""
    if not (picker.config or picker.value(_SCHEME)):
        return  # the configuration is in the image
    selected = [pod for pool in pools for pod in selected_pods(pool.body, placed)]
    speak = {pod_serves_tls(pod.spec) for pod in selected}
    source = next((each for each in picker.plugins if each.get("type") == _METRICS_SOURCE), {})
    scheme = str(mapping(source.get("parameters")).get("scheme") or picker.value(_SCHEME) or "http").lower()
    if speak in ({True}, {False}) and (scheme == "https") not in speak:
        spoken = "https" if True in speak else "http"
        message = (
            f"the picker reads metrics by {scheme}, but the servers speak {spoken}, so every pod seems to have no load "
            f"and requests are spread blindly; write the scheme {spoken} into {_METRICS_SOURCE}, or make the servers "
            f"speak {scheme}"
        )
        flagged = place_of_flag(picker.record, _SCHEME)
        written = place_of(picker.record, _METRICS_SOURCE).removesuffix(".type")
        in_config = f"{written}.parameters.scheme" if written.endswith("]") else written
        path = in_config if flagged == picker.record.field else flagged
        yield Problem(path, message, "warning", "tls-on-one-side")


FIELDS = {GROUP: "endpointPickerRef"}
_ALPHA_FIELD = "extensionRef"


def shared_pickers(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each pool whose picker another pool has. A pool in both API versions is one pool."""
    pools: dict[TypedObjectReference, tuple[str, Object]] = {}
    for record in objects:  # services' pools come first: their pickers are made for them
        if record.key.kind != "InferencePool":
            continue
        obj = record.body
        field = FIELDS.get(obj["apiVersion"].partition("/")[0], _ALPHA_FIELD)
        picker = _reference(obj, value_at(obj, "spec", field))
        if picker is None:
            continue
        name, _ = pools.setdefault(picker, (obj["metadata"]["name"], obj))
        if name != obj["metadata"]["name"]:
            message = (
                f"{picker.name} is also the endpoint picker of InferencePool {picker.namespace}/{name}, but a picker "
                "chooses pods of one pool only, so requests to the other are lost; give each pool a separate picker"
            )
            path = f"spec.{field}.name" if record.field == "spec" else record.field
            yield record.source, Problem(path, message, "warning", "shared-picker")


def _reference(pool: Object, reference: Any) -> TypedObjectReference | None:
    name = value_at(reference, "name")
    if not isinstance(name, str):
        return None
    group, kind = value_at(reference, "group") or "", value_at(reference, "kind") or "Service"
    return TypedObjectReference(str(group), str(kind), pool["metadata"].get("namespace", ""), name)
