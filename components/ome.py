"""The components of OME: an InferenceService, a BenchmarkJob, a TrainingJob."""

from collections.abc import Mapping
from typing import Any

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import ServiceArgs, manifest, render_arguments
from .registration.component import ServiceComponent

API_VERSION = "ome.io/v1beta1"


class OMEInferenceServiceArgs(ServiceArgs):
    """An InferenceService of OME."""

    spec: dict[str, pulumi.Input[Any]]
    """The spec of the InferenceService, as in its YAML. Models and runtimes it names stand in `manifests`."""


class BenchmarkJobArgs(ServiceArgs):
    """A BenchmarkJob of OME."""

    spec: dict[str, pulumi.Input[Any]]
    """The spec of the BenchmarkJob, as in its YAML. The endpoint may be another component's output."""


class TrainingJobArgs(ServiceArgs):
    """A TrainingJob of OME."""

    spec: dict[str, pulumi.Input[Any]]
    """The spec of the TrainingJob, as in its YAML."""


class OMEInferenceServiceComponent(ServiceComponent):
    """Engine, decoder and router of one OME service, with all that reaches and scales them."""

    def __init__(self, name: str, args: OMEInferenceServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, _rendered("InferenceService", type(self).__name__, name, args), opts)


class BenchmarkJobComponent(ServiceComponent):
    """The Job that measures one model service."""

    def __init__(self, name: str, args: BenchmarkJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, _rendered("BenchmarkJob", type(self).__name__, name, args), opts)


class TrainingJobComponent(ServiceComponent):
    """The JobSet, Job or TrainJob that trains one model."""

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, _rendered("TrainingJob", type(self).__name__, name, args), opts)


def _rendered(kind: str, component: str, name: str, args: Mapping[str, Any] | Rendered) -> Rendered:
    # The stack has planned all its services already and hands over what it rendered.
    if isinstance(args, Rendered):
        return args
    manifests = [manifest(API_VERSION, kind, name, args), *args.get("manifests", [])]
    return render_arguments(component, name, manifests, args.get("settings"))
