"""The components of OME: an InferenceService, a BenchmarkJob, a TrainingJob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import arguments_model, manifest, render_service
from .registration.component import ServiceComponent

if TYPE_CHECKING:
    from .args.index import BenchmarkJobArgs, OMEInferenceServiceArgs, TrainingJobArgs
    from .args.snake_case import index as snake_case

SERVICE = ("ome.io/v1beta1", "InferenceService")
BENCHMARK = ("ome.io/v1beta1", "BenchmarkJob")
TRAINING = ("ome.io/v1beta1", "TrainingJob")


class OMEInferenceServiceComponent(ServiceComponent):
    """Engine, decoder and router of one OME service, with all that reaches and scales them."""

    ARGUMENTS = arguments_model(
        "OMEInferenceServiceArguments",
        "An InferenceService of OME.",
        {
            "spec": (
                SERVICE,
                "The spec of the InferenceService, as in its YAML. Models and runtimes it names stand in `manifests`.",
            )
        },
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.OMEInferenceServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, args: OMEInferenceServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, _rendered(SERVICE, type(self), name, args), opts)


class BenchmarkJobComponent(ServiceComponent):
    """The Job that measures one model service."""

    ARGUMENTS = arguments_model(
        "BenchmarkJobArguments",
        "A BenchmarkJob of OME.",
        {
            "spec": (
                BENCHMARK,
                "The spec of the BenchmarkJob, as in its YAML. The endpoint may be another component's output.",
            )
        },
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.BenchmarkJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(self, name: str, args: BenchmarkJobArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, _rendered(BENCHMARK, type(self), name, args), opts)


class TrainingJobComponent(ServiceComponent):
    """The JobSet, Job or TrainJob that trains one model."""

    ARGUMENTS = arguments_model(
        "TrainingJobArguments",
        "A TrainingJob of OME.",
        {"spec": (TRAINING, "The spec of the TrainingJob, as in its YAML.")},
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.TrainingJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, _rendered(TRAINING, type(self), name, args), opts)


def _rendered(kind: tuple[str, str], component: type[ServiceComponent], name: str, args: object) -> Rendered:
    # The stack has planned all its services already and hands over what it rendered.
    if isinstance(args, Rendered):
        return args
    return render_service(component, name, args, lambda found: [manifest(kind, name, found)])
