"""The components of OME: an InferenceService, a BenchmarkJob, a TrainingJob."""

from typing import TYPE_CHECKING

from .registration.arguments import ManifestComponent, arguments_model

if TYPE_CHECKING:
    from .args.index import BenchmarkJobArgs, OMEInferenceServiceArgs, TrainingJobArgs  # noqa: F401
    from .args.snake_case import index as snake_case  # noqa: F401


class OMEInferenceServiceComponent(ManifestComponent["OMEInferenceServiceArgs", "snake_case.OMEInferenceServiceArgs"]):
    """Engine, decoder and router of one OME service, with all that reaches and scales them."""

    KIND = ("ome.io/v1beta1", "InferenceService")
    ARGUMENTS = arguments_model(
        "OMEInferenceServiceArguments",
        "An InferenceService of OME.",
        spec=(
            KIND,
            "The spec of the InferenceService, as in its YAML. Models and runtimes it names stand in `manifests`.",
        ),
    )


class BenchmarkJobComponent(ManifestComponent["BenchmarkJobArgs", "snake_case.BenchmarkJobArgs"]):
    """The Job that measures one model service."""

    KIND = ("ome.io/v1beta1", "BenchmarkJob")
    ARGUMENTS = arguments_model(
        "BenchmarkJobArguments",
        "A BenchmarkJob of OME.",
        spec=(KIND, "The spec of the BenchmarkJob, as in its YAML. The endpoint may be another component's output."),
    )


class TrainingJobComponent(ManifestComponent["TrainingJobArgs", "snake_case.TrainingJobArgs"]):
    """The JobSet, Job or TrainJob that trains one model."""

    KIND = ("ome.io/v1beta1", "TrainingJob")
    ARGUMENTS = arguments_model(
        "TrainingJobArguments",
        "A TrainingJob of OME.",
        spec=(KIND, "The spec of the TrainingJob, as in its YAML."),
    )
