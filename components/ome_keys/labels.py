"""Labels and annotations that the keys bring, as layers of the family's propagation where it states some; among them
those by which Volcano or Kueue put the pods of a service in a queue."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes.labels import QUEUE
from ..kubernetes.objects import Object
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.propagation import Layer, Propagation, propagate
from . import keys
from .flags import overridden
from .pod_template import MONITORING, Template, monitoring
from .service import Keys, Workload, with_template

LABELS, ANNOTATIONS = "metadata.labels", "metadata.annotations"


def labelled(obj: Object, labels: Mapping[str, Any]) -> Object:
    """The object and its pods with labels that they lack."""
    result = _with_missing(obj, "labels", labels)
    for path, _ in pod_templates(obj):
        result = with_template(result, path, lambda template: _with_missing(template, "labels", labels))
    return result


def _with_missing(holder: Mapping[str, Any], field: str, values: Mapping[str, Any]) -> dict[str, Any]:
    metadata = holder.get("metadata", {})
    merged = {**values, **metadata.get(field, {})}
    return {**holder, "metadata": {**metadata, field: merged}} if merged else dict(holder)


def scheduling(known: Keys) -> dict[str, Any]:
    metadata = known.manifest.metadata
    return scheduler_labels(metadata.annotations, metadata.labels, known.effective)


def with_metadata(known: Keys, workload: Workload, layers: Propagation | None) -> Object:
    """A workload with its keys' annotations and scheduler labels, and its pods with annotations for Prometheus."""
    result = _with_missing(workload.obj, "annotations", known.placed("annotation"))
    scrape = monitoring(known.effective)
    for path, _ in pod_templates(workload.obj) if scrape else ():
        result = with_template(result, path, lambda template, path=path: _scraped(template, path, scrape, layers))
    return labelled(result, scheduling(known))


def _scraped(template: Template, path: str, scrape: Mapping[str, Any], layers: Propagation | None) -> dict[str, Any]:
    """A key overrides the family's defaults but not the manifest."""
    target = layers.templates.get(path) if layers else None
    if layers is None or target is None:
        return _with_missing(template, "annotations", scrape)
    mine = propagate(_over_defaults(layers.annotations, Layer(ANNOTATIONS, scrape, frozenset([target]))), target)
    metadata = template["metadata"]
    annotations = {**metadata.get("annotations", {}), **{name: mine[name] for name in scrape}}
    return {**template, "metadata": {**metadata, "annotations": annotations}}


def _over_defaults(layers: tuple[Layer, ...], mine: Layer) -> tuple[Layer, ...]:
    """Insert a layer between the family's defaults and those of the manifest (``spec.…``)."""
    defaults = tuple(layer for layer in layers if "." not in layer.source)
    return (*defaults, mine, *(layer for layer in layers if layer not in defaults))


def with_layers(known: Keys, layers: Propagation) -> Propagation:
    """The propagation of a workload with the keys' layers."""
    everything = frozenset(layers.places().values())
    templates = frozenset(layers.templates.values())
    labels = [Layer(LABELS, known.placed("label"), everything), Layer("scheduler", scheduling(known), everything)]
    of_object = Layer(ANNOTATIONS, known.placed("annotation"), frozenset([layers.object]))
    scrape = Layer(ANNOTATIONS, monitoring(known.effective), templates)
    annotations = _over_defaults(layers.annotations, scrape)
    return layers._replace(labels=(*labels, *layers.labels), annotations=(of_object, *annotations))


def label_problems(known: Keys, workload: Workload) -> Iterator[Problem]:
    """Keys for which the rendered pods have another value, which takes precedence."""
    metadata = workload.template.get("metadata", {})
    for key, value in known.placed("label").items():
        stated = metadata.get("labels", {}).get(key)
        if stated != value:
            yield overridden(key, f"the pods of {workload.name} have {stated}")
    for key, name in MONITORING.items():
        stated = metadata.get("annotations", {}).get(name)
        if key in known.effective and stated != known.effective[key]:
            yield overridden(key, f"the pods of {workload.name} have {name} {stated}")


def scheduler_labels(
    annotations: Mapping[str, Any], labels: Mapping[str, Any], effective: Mapping[str, Any]
) -> dict[str, Any]:
    """Queue and priority. OME's annotation for the cluster takes precedence over the documented label.

    ``annotations`` and ``labels`` are the service's, ``effective`` its documented keys in effect.
    """
    documented = labels.get(keys.INFRASTRUCTURE_CLUSTER) if keys.INFRASTRUCTURE_CLUSTER in effective else None
    cluster = annotations.get("ome.io/dedicated-ai-cluster", documented)
    result: dict[str, Any] = {}
    if "ome.io/volcano-queue" in annotations:
        result["volcano.sh/queue-name"] = annotations["ome.io/volcano-queue"]
    elif cluster and "kueue-enabled" in annotations:
        result[QUEUE] = cluster
        result["kueue.x-k8s.io/priority-class"] = "kueue-scheduling-high-priority"
    elif cluster:
        result["volcano.sh/queue-name"] = cluster
        result["ray.io/priority-class-name"] = "volcano-scheduling-high-priority"
    if "volcano" in annotations:
        result["ray.io/scheduler-name"] = "volcano"
    return result
