"""What the keys can't do on a service of another family, and where its manifest says something else."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..findings import Problem
from ..kubernetes.rendered import RenderedComponent
from . import keys
from .flags import overridden, path_of
from .labels import label_problems, scheduling
from .names import leader_worker_set_limit
from .network_policy import security_problems
from .objects import has_monitor
from .persistent_volume_claim import storage_problems
from .pod_template import contradictions
from .presence import KNATIVE, is_ome_key
from .scaling import scale_of, scale_problems
from .scheduling import is_queued
from .service import Keys, Workload, main_first, workloads
from .vocabulary import vocabulary


def problems(known: Keys, rendered: RenderedComponent, changed: RenderedComponent) -> Iterator[Problem]:
    """Each problem once, although several workloads may have it. ``changed`` is ``rendered`` with the keys' changes."""
    yield from _of_ome_only(known)
    yield from _of_knative_only(known)
    made = workloads(changed)
    if not made:
        yield from _without_pods(known)
        return
    parts = [_mode_problems(known, made), _source_problems(known), _monitor_problems(known, rendered)]
    scale = scale_of(known, rendered)
    parts += [scale_problems(scale)] if scale else []
    parts += [storage_problems(known.effective, _most_pods(changed, made))]
    parts += [_of_workload(known, one) for one in made]
    yield from dict.fromkeys(chain.from_iterable(parts))


def _of_ome_only(known: Keys) -> Iterator[Problem]:
    """Keys that OME's controllers know and its documentation does not."""
    metadata, known_keys = known.manifest.metadata, vocabulary()
    for place, values in (("labels", metadata.labels), ("annotations", metadata.annotations)):
        for key in values:
            if is_ome_key(key) and key not in known_keys.entries and known_keys.upstream_key(key):
                message = (
                    f"has no effect on this kind ({known.manifest.kind}), because only OME's services support it; "
                    "remove it"
                )
                yield Problem(f'metadata.{place}["{key}"]', message, "warning", "no-effect", key)


def _of_knative_only(known: Keys) -> Iterator[Problem]:
    """No family but OME makes Knative Services, but what another tool reads may stand in a manifest: just a note."""
    for key in sorted(KNATIVE):
        if key in known.manifest.metadata.annotations:
            message = (
                f"has no effect on this kind ({known.manifest.kind}), because Knative does not scale it; remove it"
            )
            yield Problem(path_of(key), message, "info", "no-effect", key)


def _without_pods(known: Keys) -> Iterator[Problem]:
    if known.effective:
        message = f"the model service runs no pods here, so {' and '.join(known.effective)} has no effect"
        yield Problem("metadata", message, "warning", "no-effect")


def _of_workload(known: Keys, workload: Workload) -> Iterator[Problem]:
    template = main_first(workload.template)
    yield from label_problems(known, workload)
    yield from contradictions(template, known.effective, known.settings)
    yield from security_problems(template, known.effective, path_of(keys.SECURITY_POD_SECURITY_POLICY))
    longest = len(workload.name) + len(str(max(workload.obj["spec"].get("replicas", 1) - 1, 0))) - 1
    limit = leader_worker_set_limit(queued=True)
    if workload.obj["kind"] == "LeaderWorkerSet" and is_queued(scheduling(known)) and longest > limit:
        message = (
            f"is {longest - limit} characters too long for groups in a Kueue queue, whose name would be "
            f"{workload.name}; shorten it"
        )
        yield Problem("metadata.name", message, code="name-too-long")


def _mode_problems(known: Keys, made: tuple[Workload, ...]) -> Iterator[Problem]:
    """The workload is the family's business: a deployment mode can agree with it, or change nothing."""
    mode = known.effective.get(keys.DEPLOYMENT_MODE)
    kinds = {one.obj["kind"] for one in made}
    fits = {
        "RawDeployment": kinds == {"Deployment"},
        "MultiNode": "LeaderWorkerSet" in kinds,
        "PDDisaggregated": len(made) > 1,
    }
    if mode and not fits.get(mode, False):
        what = " and ".join(sorted(kinds))
        message = (
            f"{mode} has no effect on this kind ({known.manifest.kind}), because its spec makes it a {what}; remove it"
        )
        yield Problem(path_of(keys.DEPLOYMENT_MODE), message, "warning", "no-effect", keys.DEPLOYMENT_MODE)


def _source_problems(known: Keys) -> Iterator[Problem]:
    model: Any = getattr(getattr(known.manifest, "spec", None), "model", None)
    uri = known.effective.get(keys.MODEL_STORAGE_URI)
    if uri is not None and getattr(model, "uri", None) != uri:
        yield overridden(
            keys.MODEL_STORAGE_URI, "the spec says where the model is, so the server gets this key only as a variable"
        )


def _monitor_problems(known: Keys, rendered: RenderedComponent) -> Iterator[Problem]:
    if known.settings.podMonitors and has_monitor(rendered):
        for key in (keys.MONITORING_PORT, keys.MONITORING_PATH):
            if key in known.effective:
                yield overridden(
                    key, "a PodMonitor already scrapes the pods, set by the manifest or the platform's settings"
                )


def _most_pods(rendered: RenderedComponent, made: tuple[Workload, ...]) -> int:
    """The most pods that may run at a time."""
    bounds = [obj["spec"] for obj in rendered.objects.values() if "scaleTargetRef" in obj.get("spec", {})]
    highest = [spec.get("maxReplicas", spec.get("maxReplicaCount", 1)) for spec in bounds]
    return sum(one.obj["spec"].get("replicas", 0 if highest else 1) for one in made) + max(highest, default=0)
