"""TrainingJob of ome.io: a model trained on one or more nodes.

OME no longer has a controller for it; the fields are those in both its documentation and its samples.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ....findings import Problem
from ....kubernetes.core import EnvVar, ResourceRequirements
from ....kubernetes.metadata import annotation_problems, is_dns_label, label_problems
from ....kubernetes.model import Manifest, Spec, defaults
from ....kubernetes.scalars import Boolean, FreeForm, Int32, Name, PassedText, Strings, Text, describe
from ..fields import StorageSpec, uri_problems
from ..metadata import metadata_problems


def _as_list(value: Any) -> Any:
    """Accept a single data set without a list."""
    return [value] if isinstance(value, dict) else value


class TrainingRuntimeRef(Spec):
    apiGroup: Text | None = None
    """API group of the runtime."""
    kind: Literal["TrainingRuntime", "ClusterTrainingRuntime"] | None = None
    """ClusterTrainingRuntime by default."""
    name: Name
    """Name of the runtime."""


class Trainer(Spec):
    image: PassedText | None = None
    """Image of the training container."""
    command: list[PassedText] | None = None
    """Command of the container."""
    args: list[PassedText] | None = None
    """Arguments of the command."""
    env: list[EnvVar] = []
    """Environment variables of the container."""
    numNodes: Annotated[Int32, Field(ge=1)] | None = None
    """Number of nodes, 1 by default."""
    numProcPerNode: Text | None = None
    """Processes on each node: auto, cpu, gpu or a number."""
    resourcesPerNode: ResourceRequirements | None = None
    """Resources of each node's container."""


class DataSet(Spec):
    storageUri: Text | None = None
    """Where the data is stored."""
    parameters: dict[Text, PassedText] = {}
    """How it is read."""
    storageKey: Text | None = None
    """Key of the Secret with credentials."""


class ModelConfig(Spec):
    inputModel: Text | None = None
    """The model that training starts from."""
    outputModel: StorageSpec | None = None
    """Where the trained model is stored."""


class Metric(Spec):
    name: Name
    """Name of the metric."""
    goal: Literal["minimize", "maximize"]
    """Whether to minimize or maximize the metric."""


class Tuning(Spec):
    method: Literal["grid", "random", "bayes"]
    """Search method."""
    maxTrials: Annotated[Int32, Field(ge=1)] | None = None
    """Maximum number of trials."""
    metric: Metric
    """Metric to optimize."""
    parameters: FreeForm = None
    """The parameters and their ranges."""


class TrainingJobSpec(Spec):
    annotations: Strings = {}
    """Annotations of the derived objects and pods."""
    compartmentID: Text | None = None
    """OCI compartment."""
    datasets: Annotated[list[DataSet], BeforeValidator(_as_list)] = []
    """Data to train on."""
    hyperParameterTuningConfig: Tuning | None = None
    """Search for hyperparameters; passed to the trainer as JSON."""
    labels: Strings = {}
    """Labels of the derived objects and pods."""
    modelConfig: ModelConfig = defaults(ModelConfig)
    """Input and output models."""
    runtimeRef: TrainingRuntimeRef | None = None
    """Runtime of a TrainJob; the other backends need none."""
    suspend: Boolean | None = None
    """Start suspended."""
    trainer: Trainer = defaults(Trainer)
    """The training container."""


class TrainingJob(Manifest):
    spec: TrainingJobSpec = defaults(TrainingJobSpec)
    """What is trained, and how."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        if not is_dns_label(self.name):
            message = "must be at most 63 lower-case letters, digits and '-', because pods are named after it"
            yield Problem("metadata.name", message)
        processes = self.spec.trainer.numProcPerNode
        if processes not in (None, "auto", "cpu", "gpu") and not str(processes).isdecimal():
            message = f"must be auto, cpu, gpu or a whole number, got {describe(processes)}"
            yield Problem("spec.trainer.numProcPerNode", message, code="bad-value")
        yield from label_problems(self.spec.labels, "spec.labels")
        yield from annotation_problems(self.spec.annotations, "spec.annotations")
        for index, data in enumerate(self.spec.datasets):
            yield from uri_problems(data, f"spec.datasets[{index}]")
        yield from uri_problems(self.spec.modelConfig.outputModel, "spec.modelConfig.outputModel")


def nodes(spec: TrainingJobSpec) -> int:
    return spec.trainer.numNodes or 1
