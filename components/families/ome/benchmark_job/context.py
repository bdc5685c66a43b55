"""What a BenchmarkJob measures, a model service of any family, and how; completed by its platform's settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....kubernetes.objects import Key, key
from ....ome_keys import keys
from ....ome_keys.flags import served_name
from ....ome_keys.pod_template import main, monitoring
from ... import Target
from ..base_model import BaseModel
from ..fields import StorageSpec
from ..inference_service.component import serving_runner
from ..inference_service.context import Context
from ..inference_service.pod_template import templates_of
from ..inference_service.render import rendered
from ..inference_service.service import endpoint
from ..metadata import standard_labels
from ..settings import OMESettings
from .spec import BenchmarkJob, BenchmarkJobSpec, DirectEndpoint

_MODEL_OF_OME = "vllm-model"
"""Model name that OME's runtimes serve and its controller assumes."""


@dataclass(frozen=True)
class Measured:
    """``model`` provides the tokenizer's files; ``tokenizer`` is a folder or a Hugging Face repository. ``objects`` are
    the service's objects, which must be ready first; empty if the stack does not make the service. ``builds_on`` are
    the manifests of an OME service."""

    url: Any
    backend: str
    model_name: str
    tokenizer: str
    model: BaseModel | None = None
    objects: tuple[Key, ...] = ()
    builds_on: tuple[Key, ...] = ()


@dataclass(frozen=True)
class Benchmark:
    """A job with its completed spec, its target and the documented keys in effect."""

    manifest: BenchmarkJob
    spec: BenchmarkJobSpec
    target: Measured
    effective: Mapping[str, Any]
    settings: OMESettings

    def labels(self) -> dict[str, Any]:
        """Labels of the Job and its pods: OME's own and, in the profile ``document``, the documented ones."""
        name = self.manifest.name
        labels: dict[str, Any] = {"benchmark": name}
        if self.settings.profile != "document":
            return labels
        labels |= standard_labels("benchmark", name, self.settings.version)
        labels |= {key: value for key, value in self.effective.items() if key in self.manifest.metadata.labels}
        labels |= {keys.BENCHMARK_JOB_NAME: name, keys.BENCHMARK_TASK_TYPE: self.spec.task}
        target = self.spec.endpoint.inferenceService if self.spec.endpoint else None
        return labels | ({keys.BENCHMARK_TARGET_SERVICE: target.name} if target else {})

    def annotations(self) -> dict[str, Any]:
        return {"logging-forward": "true", **monitoring(self.effective)}


def completed(manifest: BenchmarkJob, settings: OMESettings) -> BenchmarkJobSpec:
    """The spec with ``outputLocation`` filled in from the platform's settings."""
    uri = settings.benchmarkjob.outputStorageUri
    if manifest.spec.outputLocation is not None or not uri:
        return manifest.spec
    return manifest.spec.model_copy(update={"outputLocation": StorageSpec(storageUri=uri)})


def of_ome(context: Context) -> Measured:
    """The target for an OME service; without a port in the profile ``upstream``, as in OME's status."""
    service, model, upstream = context.service, context.model, context.settings.profile == "upstream"
    url = f"http://{service.name}.{service.namespace}.svc.cluster.local" if upstream else endpoint(context)
    fallback = _MODEL_OF_OME if upstream else context.model_name or _MODEL_OF_OME
    name = served_name(_serving(context)) or fallback
    tokenizer = (model and (model.path or model.repository)) or name
    objects = tuple(key(obj) for obj in rendered(context).all_objects())
    return Measured(url, _backend(context), name, tokenizer, model, objects, (service.key, *context.builds_on))


def _serving(context: Context) -> Mapping[str, Any]:
    """The container that sets the served model's name: the engine's, even behind a router."""
    component = next((context.components[role] for role in ("engine", "decoder") if role in context.components), None)
    component = component or context.entry
    return main(templates_of(context, component)(component.serving_part))


def _backend(context: Context) -> str:
    for variable in serving_runner(context.entry).env or []:
        if variable.name == "PROTOCOL_VERSION" and isinstance(variable.value, str):
            return variable.value
    return "openai"


def of_other_family(target: Target) -> Measured:
    return Measured(target.url, "openai", target.model_name, target.tokenizer, objects=target.objects)


def of_address(direct: DirectEndpoint) -> Measured:
    name = direct.modelName or ""
    return Measured(direct.url, direct.apiFormat, name, name)
