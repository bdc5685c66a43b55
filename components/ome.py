"""The components of OME: an InferenceService, a BenchmarkJob, a TrainingJob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .registration.arguments import ManifestComponent, arguments_model

if TYPE_CHECKING:
    from .args.index import BenchmarkJobArgs, OMEInferenceServiceArgs, TrainingJobArgs
    from .args.snake_case import index as snake_case


class OMEInferenceServiceComponent(ManifestComponent):
    """Engine, decoder and router of one OME service, with all that reaches and scales them."""

    KIND = ("ome.io/v1beta1", "InferenceService")
    ARGUMENTS = arguments_model(
        "OMEInferenceServiceArguments",
        "An InferenceService of OME.",
        {
            "spec": (
                KIND,
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
        super().__init__(name, args, opts)


class BenchmarkJobComponent(ManifestComponent):
    """The Job that measures one model service."""

    KIND = ("ome.io/v1beta1", "BenchmarkJob")
    ARGUMENTS = arguments_model(
        "BenchmarkJobArguments",
        "A BenchmarkJob of OME.",
        {
            "spec": (
                KIND,
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
        super().__init__(name, args, opts)


class TrainingJobComponent(ManifestComponent):
    """The JobSet, Job or TrainJob that trains one model."""

    KIND = ("ome.io/v1beta1", "TrainingJob")
    ARGUMENTS = arguments_model(
        "TrainingJobArguments",
        "A TrainingJob of OME.",
        {"spec": (KIND, "The spec of the TrainingJob, as in its YAML.")},
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.TrainingJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
