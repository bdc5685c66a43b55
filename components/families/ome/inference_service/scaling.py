"""How a component is scaled: by whom, between which bounds, by which metric, and the object that does it.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers at v0.1.5: hpa and keda.
Decisions: M12 (docs/decisions).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....engines.engine import Engine
from ....engines.known import GPU_UTILIZATION, query
from ....engines.vllm import VLLM
from ....findings import Problem
from ....kubernetes.objects import Object
from ....ome_keys import keys, names
from ....ome_keys.flags import path_of
from ....ome_keys.scaling import DEFAULT_SERVER, QUERY, SERVER, horizontal, keda_object, utilization
from .component import Component
from .component_spec import KedaConfig
from .context import Context
from .labels import component_annotations, metadata_of

CLASS = "ome.io/autoscalerClass"
_HPA_METRICS = ("cpu", "memory")
_KNATIVE_METRICS = ("concurrency", "rps", "cpu", "memory")


@dataclass(frozen=True)
class Scaling:
    """Scaling of a component. Annotations take precedence over its spec, and its spec over the documented keys."""

    context: Context
    component: Component
    annotations: Mapping[str, Any]

    @property
    def effective(self) -> Mapping[str, Any]:
        return self.context.effective

    @property
    def engine(self) -> Engine:
        """Engine of the service. If it is unknown, queries use vLLM's metrics, as in OME."""
        return self.context.engine or VLLM

    @property
    def by(self) -> str:
        """Who scales, hpa, keda or external: the annotation, else the key for KEDA, else an HPA."""
        asked = self.annotations.get(CLASS)
        if asked in ("hpa", "keda", "external"):
            return asked
        return "keda" if self.effective.get(keys.AUTOSCALING_ENABLE_KEDA) == "true" else "hpa"

    @property
    def stays_at_zero(self) -> bool:
        """Whether a Deployment has minReplicas 0 and an HPA, which can't scale from zero. It then has no autoscaler."""
        return self.context.mode == "RawDeployment" and self.component.low == 0 and self.by == "hpa"

    @property
    def metric(self) -> str:
        return self.component.spec.scaleMetric or str(self.effective.get(keys.AUTOSCALING_METRIC, ""))

    @property
    def knative(self) -> dict[str, Any]:
        """Target and metric of the Knative autoscaler: the spec's, otherwise Knative's annotations', otherwise the
        keys'."""
        spec = self.component.spec
        asked = {
            "target": self.effective.get(keys.AUTOSCALING_TARGET),
            "metric": self.effective.get(keys.AUTOSCALING_METRIC),
        }
        annotated = {name: self.annotations.get(f"autoscaling.knative.dev/{name}") for name in asked}
        values = {name: annotated[name] or value for name, value in asked.items()}
        if values["metric"] not in (None, *_KNATIVE_METRICS):
            values["metric"] = None
        fields = {"target": spec.scaleTarget, "metric": spec.scaleMetric}
        values |= {name: str(value) for name, value in fields.items() if value is not None}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def keda(self) -> KedaConfig:
        return self.component.spec.kedaConfig or self.context.service.spec.kedaConfig or KedaConfig()

    @property
    def has_query(self) -> bool:
        return bool(self.annotations.get(QUERY) or self.keda.customPromQuery)

    @property
    def asks_engine(self) -> bool:
        """Whether KEDA scales by a generated query for the engine's metrics."""
        gpu = self.effective.get(keys.AUTOSCALING_METRIC) == GPU_UTILIZATION
        return self.component.workload == "Deployment" and self.by == "keda" and not self.has_query and not gpu

    @property
    def knows_load(self) -> bool:
        """False if the documented key names a load (concurrency or rps) for which the engine has no query."""
        documented = str(self.effective.get(keys.AUTOSCALING_METRIC, ""))
        return documented not in ("concurrency", "rps") or documented in self.engine.queries

    @property
    def query(self) -> Any:
        """The annotation's query, otherwise the manifest's (%s is the component's name), otherwise a generated one."""
        if self.annotations.get(QUERY):
            return self.annotations[QUERY]
        if self.keda.customPromQuery:
            return self.keda.customPromQuery.replace("%s", self.component.name).replace("%%", "%")
        documented = str(self.effective.get(keys.AUTOSCALING_METRIC, ""))
        if documented == GPU_UTILIZATION:
            return query(documented, self.engine, f'{{pod=~"{self.component.name}-.*"}}')
        load = documented if documented in self.engine.queries else "tps"
        return query(load, self.engine, f'{{ome_io_inferenceservice="{self.context.service.name}"}}')


def scaling_of(context: Context, component: Component) -> Scaling:
    return Scaling(context, component, component_annotations(context, component))


_ACTS_ON: Mapping[keys.AnnotationKey, frozenset[str]] = {
    keys.MAX_REPLICAS: frozenset(["Deployment", "KnativeService"]),
    keys.TARGET_UTILIZATION: frozenset(["Deployment"]),
    keys.AUTOSCALING_METRIC: frozenset(["Deployment", "KnativeService"]),
    keys.AUTOSCALING_TARGET: frozenset(["Deployment", "KnativeService"]),
    keys.KNATIVE_METRIC: frozenset(["KnativeService"]),
    keys.KNATIVE_TARGET: frozenset(["KnativeService"]),
}


def idle_keys(scalings: Collection[Scaling]) -> Iterator[Problem]:
    """Warns about scaling keys that no workload of the service uses."""
    effective = {key: value for scaling in scalings for key, value in scaling.effective.items()}
    for key, workloads in _ACTS_ON.items():
        users = [one for one in scalings if one.component.workload in workloads]
        if key == keys.TARGET_UTILIZATION:
            users = [one for one in users if one.by == "hpa"]
        if key in effective and not users:
            what = " and ".join(sorted({one.component.workload for one in scalings}))
            message = f"has no effect, because the InferenceService is a {what}"
            yield Problem(path_of(key), message, "warning", "no-effect")


def scaling_problems(scaling: Scaling) -> Iterator[Problem]:
    """Warns about scaling settings that can't take effect as written."""
    path = f"spec.{scaling.component.role}"
    if scaling.component.workload != "Deployment":
        if scaling.by == "keda" and scaling.component.role != "router":
            by_key = scaling.effective.get(keys.AUTOSCALING_ENABLE_KEDA) == "true"
            key = keys.AUTOSCALING_ENABLE_KEDA if by_key else CLASS
            message = f"has no effect, because {path} is a {scaling.component.workload}, not a Deployment"
            yield Problem(f'metadata.annotations["{key}"]', message, "warning", "overridden")
        return
    if scaling.stays_at_zero:
        message = (
            "is 0, so no pod runs and nothing starts one, because an HPA can't scale from zero; "
            f'ask for KEDA ({keys.AUTOSCALING_ENABLE_KEDA}: "true") or write 1'
        )
        yield Problem(f"{path}.minReplicas", message, "warning", "scaled-to-zero")
    elif scaling.component.low == 0 and scaling.by == "hpa":
        message = "is 0, but an HPA keeps at least one replica of a Deployment, so 1 is used"
        yield Problem(f"{path}.minReplicas", message, "warning", "scaled-to-zero")
    if scaling.by == "keda" and not scaling.has_query and not scaling.knows_load:
        message = f"{scaling.engine.container} has no metric for it, so the rate of its tokens is used"
        yield Problem(path_of(keys.AUTOSCALING_METRIC), message, "warning", "unknown-metric")
    if scaling.by == "hpa" and scaling.metric and scaling.metric not in _HPA_METRICS:
        message = f"an HPA scales on cpu or memory, not on {scaling.metric}; ask for KEDA, or choose one of them"
        where = f"{path}.scaleMetric" if scaling.component.spec.scaleMetric else path_of(keys.AUTOSCALING_METRIC)
        yield Problem(where, message, "warning", "unknown-metric")


def _autoscaled(scaling: Scaling, name: str, target: str) -> tuple[dict[str, Any], dict[str, str], int, int]:
    """Metadata of an autoscaler, its scaleTargetRef and its bounds."""
    component = scaling.component
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": component.name}
    return metadata_of(scaling.context, component, name, target), reference, component.low, component.high


def horizontal_pod_autoscaler(scaling: Scaling) -> Object:
    """What a manifest's field names is passed on, as OME does it; a key only if an HPA knows the metric."""
    spec, effective = scaling.component.spec, scaling.effective
    metric = spec.scaleMetric or (scaling.metric if scaling.metric in _HPA_METRICS else "cpu")
    percents = (
        scaling.annotations.get("ome.io/targetUtilizationPercentage"),
        spec.scaleTarget,
        effective.get(keys.TARGET_UTILIZATION),
        effective.get(keys.AUTOSCALING_TARGET),
    )
    percent = next((int(value) for value in percents if value is not None and str(value).isdecimal()), 80)
    return horizontal(*_autoscaled(scaling, scaling.component.name, "autoscaler"), utilization(metric, percent))


def scaled_object(scaling: Scaling) -> Object:
    annotations, keda = scaling.annotations, scaling.keda
    thresholds = (
        annotations.get("autoscaling.keda.sh/threshold"),
        keda.scalingThreshold,
        scaling.effective.get(keys.AUTOSCALING_TARGET),
    )
    metadata = {
        "serverAddress": annotations.get(SERVER) or keda.promServerAddress or DEFAULT_SERVER,
        "metricName": scaling.metric or "tps",
        "query": scaling.query,
        "threshold": next(filter(None, thresholds), "10"),
        "operator": annotations.get("autoscaling.keda.sh/operator") or keda.scalingOperator or "LessThanOrEqual",
    }
    trigger: dict[str, Any] = {"type": "prometheus", "metadata": metadata}
    reference = keda.authenticationRef
    if reference is not None:
        metadata |= {"authModes": keda.authModes} if keda.authModes else {}
        trigger["authenticationRef"] = {"kind": reference.kind or "TriggerAuthentication", "name": reference.name}
    name = names.scaled_object(scaling.component.name)
    return keda_object(*_autoscaled(scaling, name, "scaled-object"), trigger)
