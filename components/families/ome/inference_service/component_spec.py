"""Specs of engine, decoder and router, in services and in runtimes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, WrapValidator

from ....findings import Problem
from ....kubernetes.model import Spec
from ....kubernetes.pod import Container, PodSpec
from ....kubernetes.scalars import Boolean, FreeForm, Integer, IntOrString, Name, PassedText, Strings, Text
from ..fields import Count


class TriggerAuthentication(Spec):
    kind: Literal["TriggerAuthentication", "ClusterTriggerAuthentication"] | None = None
    """TriggerAuthentication by default."""
    name: Name
    """Name of the KEDA object."""


class KedaConfig(Spec):
    """How KEDA scales a service by a Prometheus query."""

    authModes: Text | None = None
    """basic, tls, bearer or custom, or several separated by commas; needs authenticationRef."""
    authenticationRef: TriggerAuthentication | None = None
    """Credentials for Prometheus."""
    customPromQuery: Text | None = None
    """The Prometheus query; %s stands for the component's name."""
    enableKeda: Boolean | None = None
    """Not read by OME: the annotation ome.io/autoscalerClass decides."""
    promServerAddress: Text | None = None
    """Address of Prometheus, with http:// or https://."""
    scalingOperator: Text | None = None
    """GreaterThan, GreaterThanOrEqual, LessThan or LessThanOrEqual."""
    scalingThreshold: Text | None = None
    """The value that the query's result is compared with."""


class RollingUpdate(Spec):
    maxSurge: IntOrString | None = None
    """Maximum additional pods during an update (number or percentage)."""
    maxUnavailable: IntOrString | None = None
    """Maximum unavailable pods during an update (number or percentage)."""


class DeploymentStrategy(Spec):
    rollingUpdate: RollingUpdate | None = None
    """Bounds of a rolling update."""
    type: Literal["RollingUpdate", "Recreate"] | None = None
    """RollingUpdate by default."""


def _runner(container: Any, handler: Callable[[Any], Container]) -> Container:
    """A container as Kubernetes' types read it: an empty text (``imagePullPolicy: ""``) says nothing. It may lack its
    name, which a runtime inherits: it has the usual one, as if nobody had given it."""
    if not isinstance(container, Mapping):
        return handler(container)
    stated = {field: value for field, value in container.items() if not (isinstance(value, str) and value == "")}
    runner = handler({"name": MAIN, **stated})
    if "name" not in stated:
        runner.model_fields_set.discard("name")
    return runner


Runner = Annotated[Container, WrapValidator(_runner)]

MAIN = "ome-container"
LATER = "it is a field of OME 1.3, not covered here"


class ComponentSpec(PodSpec):
    """Fields common to engine, decoder and router: the pod, its replicas and their scaling."""

    HINTS = {
        "replicas": "write minReplicas and maxReplicas",
        "rollout": f"{LATER}; deploymentStrategy says how pods are replaced",
    }

    runner: Runner | None = None
    """The main container."""
    annotations: Strings = {}
    """Annotations of the component's objects and pods."""
    labels: Strings = {}
    """Labels of the component's objects and pods."""
    minReplicas: Count | None = None
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    maxReplicas: Count | None = None
    """Maximum number of replicas; 3 by default, 2 for a router."""
    minAvailable: IntOrString | None = None
    """Minimum available pods during evictions (number or percentage)."""
    maxUnavailable: IntOrString | None = None
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scaleMetric: Literal["cpu", "memory", "concurrency", "rps"] | None = None
    """Metric that the autoscaler watches; cpu by default."""
    scaleTarget: Integer | None = None
    """Target value of the metric."""
    containerConcurrency: Annotated[Integer, Field(ge=0)] | None = None
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeoutSeconds: Annotated[Integer, Field(ge=0)] | None = None
    """Maximum duration of a request, in seconds."""
    canaryTrafficPercent: Annotated[Integer, Field(ge=0, le=100)] | None = None
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deploymentStrategy: DeploymentStrategy | None = None
    """How pods are replaced."""
    kedaConfig: KedaConfig | None = None
    """KEDA settings of this component."""


class LeaderSpec(PodSpec):
    runner: Runner | None = None
    """Main container of the leader."""


class WorkerSpec(PodSpec):
    runner: Runner | None = None
    """Main container of the workers."""
    size: Count | None = None
    """Number of workers of each leader."""


class EngineSpec(ComponentSpec):
    """Engine or decoder."""

    HINTS = {
        **ComponentSpec.HINTS,
        "topologyKey": f"{LATER}; write affinity",
        "topologySpread": f"{LATER}; write topologySpreadConstraints",
        "topologySpreadKey": f"{LATER}; write topologySpreadConstraints",
    }

    leader: LeaderSpec | None = None
    """First pod of each group, if a model spans several nodes."""
    worker: WorkerSpec | None = None
    """Other pods of each group."""
    acceleratorOverride: FreeForm = None
    """Accelerator of this component; only its acceleratorClass has an effect."""


class RouterSpec(ComponentSpec):
    config: dict[Text, PassedText] = {}
    """Settings of the router's framework, as environment variables of its runner."""


def component_problems(component: ComponentSpec, path: str, *, inherits: bool = False) -> Iterator[Problem]:
    """Checks one component of a service or a runtime. ``inherits``: the runtime may inherit the runner's name."""
    low, high = component.minReplicas, component.maxReplicas
    if low is not None and high is not None and low > high:
        message = f"is {high}, below minReplicas, {low}, so {low} is used"
        yield Problem(f"{path}.maxReplicas", message, "warning", "replica-bounds")
    if component.minAvailable is not None and component.maxUnavailable is not None:
        yield Problem(path, "has both minAvailable and maxUnavailable; keep one of them")
    for where, pod in (
        ("", component),
        *((f".{part}", getattr(component, part, None)) for part in ("leader", "worker")),
    ):
        if not inherits and pod is not None and pod.runner is not None and "name" not in pod.runner.model_fields_set:
            yield Problem(f"{path}{where}.runner.name", "is required", code="required")
        if pod is not None and pod.resources is not None:
            message = (
                f"is not a field of OME, so its containers request none of it; write {path}{where}.runner.resources"
            )
            yield Problem(f"{path}{where}.resources", message, code="unknown-field")
    yield from accelerator_problems(getattr(component, "acceleratorOverride", None), f"{path}.acceleratorOverride")
    yield from _strategy_problems(component.deploymentStrategy, f"{path}.deploymentStrategy")


def accelerator_problems(selector: Any, path: str) -> Iterator[Problem]:
    """Warns about a selector's fields other than its class, because AcceleratorClasses are not read here."""
    for field in ("constraints", "policy"):
        if isinstance(selector, Mapping) and selector.get(field) is not None:
            message = (
                "has no effect, because AcceleratorClasses are not read here; choose nodes by nodeSelector or affinity"
            )
            yield Problem(f"{path}.{field}", message, "warning", "no-effect")


def _strategy_problems(strategy: DeploymentStrategy | None, path: str) -> Iterator[Problem]:
    update = strategy.rollingUpdate if strategy else None
    if strategy and strategy.type == "Recreate" and update:
        yield Problem(f"{path}.rollingUpdate", "has no meaning with type Recreate; remove it")
    if update and {str(update.maxSurge), str(update.maxUnavailable)} <= {"0", "0%"}:
        message = "must not have both maxSurge and maxUnavailable 0, because no pod can be replaced then"
        yield Problem(f"{path}.rollingUpdate", message)
