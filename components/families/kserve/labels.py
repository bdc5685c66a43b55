"""Labels and annotations: those that the program owns, and which objects the user's reach.

``RULES`` is KServe's complete propagation. Top-level metadata with an approved prefix reaches the workload objects and
their pods. Maps in the spec are not filtered and reach only pods: prefill's override the service's, and the scheduler's
reach the scheduler's pods.

Decisions: K1, K4 (docs/decisions).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ...findings import Problem
from ...kubernetes.labels import COMPONENT, NAME, PART_OF
from ...kubernetes.metadata import annotation_problems, label_problems
from ...kubernetes.propagation import Layer, Propagation, collisions, propagate
from .context import Service
from .spec import ServiceSpec, WorkloadSpec

SERVING, ROLE = "kserve.io/component", "llm-d.ai/role"
OWNED_KEYS = frozenset([NAME, PART_OF, COMPONENT, SERVING, ROLE])
PARTS = "llminferenceservice"
WORKLOAD = "workload"

MODEL_ROUTING = "serving.kserve.io/model-based-routing-enabled"
"""Annotation in ``spec.annotations`` that controls the route and is never copied to pods."""

ANNOTATION_PREFIXES = ("k8s.v1.cni.cncf.io", "kueue.x-k8s.io", "prometheus.io")
LABEL_PREFIXES = ("kueue.x-k8s.io",)


class Owned(NamedTuple):
    """A target's labels: its component, and whether its pods serve requests and so have a role."""

    component: str | None
    serving: bool = False


_LLM = "llminferenceservice"
TARGETS: Mapping[str, Owned] = {
    "decode": Owned(f"{_LLM}-workload", serving=True),
    "decode pod": Owned(f"{_LLM}-workload", serving=True),
    "decode group": Owned(f"{_LLM}-workload-worker"),
    "decode leader pod": Owned(f"{_LLM}-workload-leader", serving=True),
    "decode worker pod": Owned(f"{_LLM}-workload-worker"),
    "decode group without leader": Owned(f"{_LLM}-workload-worker", serving=True),
    "decode pod without leader": Owned(f"{_LLM}-workload-worker", serving=True),
    "prefill": Owned(f"{_LLM}-workload-prefill", serving=True),
    "prefill pod": Owned(f"{_LLM}-workload-prefill", serving=True),
    "prefill group": Owned(f"{_LLM}-workload-worker-prefill"),
    "prefill leader pod": Owned(f"{_LLM}-workload-leader-prefill", serving=True),
    "prefill worker pod": Owned(f"{_LLM}-workload-worker-prefill"),
    "prefill group without leader": Owned(f"{_LLM}-workload-worker-prefill", serving=True),
    "prefill pod without leader": Owned(f"{_LLM}-workload-worker-prefill", serving=True),
    "scheduler": Owned(f"{_LLM}-router-scheduler"),
    "scheduler pod": Owned(f"{_LLM}-router-scheduler"),
    "tokenizer": Owned("tokenizer"),
    "tokenizer pod": Owned("tokenizer"),
    "route": Owned(f"{_LLM}-router"),
    "workload parts": Owned(f"{_LLM}-workload"),
    "group account": Owned(None),
}
"""Everything that has labels, by its name in messages and documentation.

``workload parts`` are the workload's Service, Secret, accounts and autoscalers; ``scheduler`` stands for all objects of
the scheduler.
"""


def _of(workload: str) -> frozenset[str]:
    return frozenset(target for target in TARGETS if target.split()[0] == workload)


def _pods(targets: frozenset[str]) -> frozenset[str]:
    return frozenset(target for target in targets if "pod" in target.split())


_DECODE, _PREFILL, _SCHEDULER = _of("decode"), _of("prefill"), _of("scheduler")


class Rule(NamedTuple):
    """One source of labels and annotations. ``maps`` finds them in a spec; ``filtered`` passes only keys with an
    approved prefix."""

    source: str
    maps: Callable[[ServiceSpec], Any]
    targets: frozenset[str]
    filtered: bool = False


RULES = (
    Rule("metadata", lambda spec: None, _DECODE | _PREFILL, filtered=True),
    Rule("spec", lambda spec: spec, _pods(_DECODE | _PREFILL)),
    Rule("spec.prefill", lambda spec: spec.prefill, _pods(_PREFILL)),
    Rule("spec.router.scheduler", lambda spec: spec.router and spec.router.scheduler, _pods(_SCHEDULER)),
)
"""In the order of application: later rules win."""


def owned_labels(service: Service, target: str) -> dict[str, str]:
    """The labels that selectors rely on."""
    owned = TARGETS[target]
    labels = {COMPONENT: owned.component, NAME: service.name, PART_OF: PARTS}
    if owned.serving:
        role = "decode" if service.prefill or target.endswith("without leader") else "both"
        labels |= {SERVING: WORKLOAD, ROLE: "prefill" if target.startswith("prefill") else role}
    return {key: value for key, value in labels.items() if value is not None}


def workload_selector(service: Service) -> dict[str, str]:
    """Selects the pods of all workloads that take requests."""
    return {NAME: service.name, PART_OF: PARTS, SERVING: WORKLOAD}


def label_layers(service: Service) -> tuple[Layer, ...]:
    owned = [
        Layer("this program", owned_labels(service, target), frozenset([target]), owned=True) for target in TARGETS
    ]
    prefixes = (*LABEL_PREFIXES, *service.settings.propagation.labelPrefixes)
    return (*owned, *_layers(service, "labels", prefixes))


def annotation_layers(service: Service) -> tuple[Layer, ...]:
    prefixes = (*ANNOTATION_PREFIXES, *service.settings.propagation.annotationPrefixes)
    return tuple(_layers(service, "annotations", prefixes))


def _layers(service: Service, field: str, prefixes: tuple[str, ...]) -> Iterator[Layer]:
    """For each rule, the maps of the presets and configs, then the service's."""
    for rule in RULES:
        if rule.filtered:
            yield Layer(f"{rule.source}.{field}", getattr(service.metadata, field), rule.targets, prefixes)
            continue
        for source in service.sources:
            values = _values(rule.maps(source.spec), field)
            if values:
                yield Layer(f"{source.name} {rule.source}.{field}".strip(), values, rule.targets)


def _values(holder: Any, field: str) -> dict[str, Any]:
    values = dict(getattr(holder, field)) if holder else {}
    if isinstance(holder, WorkloadSpec):
        values.pop(MODEL_ROUTING, None)
    return values


def metadata(service: Service, target: str, name: str) -> dict[str, Any]:
    return {"name": name, "namespace": service.namespace, **template_metadata(service, target)}


def template_metadata(service: Service, target: str) -> dict[str, Any]:
    annotations = propagate(annotation_layers(service), target)
    result: dict[str, Any] = {"labels": propagate(label_layers(service), target)}
    return {**result, "annotations": annotations} if annotations else result


def propagation(service: Service, target: str, templates: Mapping[str, str]) -> Propagation:
    return Propagation(label_layers(service), annotation_layers(service), target, templates)


def propagation_problems(service: Service, targets: frozenset[str]) -> Iterator[Problem]:
    """Owned keys that the user sets, and labels or annotations that the API server rejects, on the rendered targets."""
    layers = label_layers(service)
    problems = [problem for target in sorted(targets) for problem in collisions(layers, target, OWNED_KEYS)]
    yield from {problem.path: problem for problem in reversed(problems)}.values()
    # The metadata of the service itself is checked with its manifest.
    for check, checked in ((label_problems, layers), (annotation_problems, annotation_layers(service))):
        for layer in checked:
            if not layer.owned and not layer.source.startswith("metadata"):
                yield from check(layer.values, layer.source)
