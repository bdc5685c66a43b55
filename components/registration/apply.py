"""Registers rendered objects as Pulumi resources, with a table of the options of each kind.

Resources are registered by their type token, so the heavy generated modules of ``pulumi_kubernetes`` are never
imported. What is registered is byte for byte what ``render`` prints, plus annotations that only Pulumi reads.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import pulumi

from ..cluster.forecast import RELEASE, REPLACED_BY
from ..cluster.ownership import manager
from ..kubernetes.engine_values import engine_problems
from ..kubernetes.objects import Object, key
from ..kubernetes.pod_templates import containers_of
from ..kubernetes.references import Reference, references
from ..kubernetes.rollout import rollout_seconds
from ..kubernetes.scalars import Opaque
from .later import with_leaves
from .outputs import reveal_outputs
from .registered import Registered, provider_name, provider_of
from .sdk import short_call_stack, unknown_output

LEADER_ELECTION = ("ha-enable-leader-election", "ha-enable-leader-election=true")
"""The endpoint pickers' leader election flag, after one dash or two."""

_RELEASE = f'metadata.labels["{RELEASE}"]'
_QUEUE = "/queue-name"
"""Suffix of the label that names a job's queue."""


class KindRule(NamedTuple):
    """How resources of a kind are registered.

    ``skip_await``: waiting is pointless (a claim waits for its first consumer, a Service for pods that its workload
    awaits anyway). ``wait_for``: the condition by which the provider knows that a custom resource is ready.
    ``secret_outputs``: properties that the provider returns and that must be encrypted in the state.
    ``waits_for_pods``: awaited as long as the pods' startup probe allows, by the program where it can.
    ``gone_at_once``: deleted before its pods, as nobody waits for them and the next object has its name. ``ignores``:
    properties whose changes are not worth a new run of a job. ``replaced_by``: properties that can't change, which the
    provider does not know.
    """

    skip_await: bool = False
    wait_for: tuple[str, ...] = ()
    secret_outputs: tuple[str, ...] = ()
    waits_for_pods: bool = False
    gone_at_once: bool = False
    ignores: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()


RULES: Mapping[str, KindRule] = {
    "Deployment": KindRule(waits_for_pods=True),
    "Ingress": KindRule(skip_await=True),
    # Nobody waits for the end of a job, which may take hours. Then the provider does not wait for its deletion either.
    "Job": KindRule(skip_await=True, gone_at_once=True, ignores=(f"spec.template.{_RELEASE}",)),
    "JobSet": KindRule(
        ignores=(
            f"spec.replicatedJobs[*].template.{_RELEASE}",
            f"spec.replicatedJobs[*].template.spec.template.{_RELEASE}",
        ),
        replaced_by=REPLACED_BY["JobSet"],
    ),
    "LeaderWorkerSet": KindRule(waits_for_pods=True, wait_for=("condition=Available",)),
    "PersistentVolumeClaim": KindRule(skip_await=True),
    "RayCluster": KindRule(waits_for_pods=True, wait_for=("jsonpath={.status.state}=ready",)),
    "Secret": KindRule(secret_outputs=("data", "stringData")),
    "Service": KindRule(skip_await=True),
    "TrainJob": KindRule(replaced_by=REPLACED_BY["TrainJob"]),
    "serving.knative.dev/Service": KindRule(waits_for_pods=True, wait_for=("condition=Ready",)),
}
"""By kind, or by group and kind if another group has a kind of the same name."""
_DEFAULT = KindRule()

CHOSEN: Mapping[str, tuple[str, ...]] = {
    "kubernetes:core/v1:PersistentVolumeClaim": ("selector", "storageClassName", "volumeName"),
    "kubernetes:core/v1:Service": ("clusterIP", "clusterIPs"),
}
"""Type to the spec fields that the cluster chooses and nobody can change. `pulumi import` records them as inputs:
unless they are ignored, the next update would replace the object, and a claim with its data."""


class KubernetesObject(pulumi.CustomResource):
    """Any Kubernetes object. ``status`` is the live status that the provider read after waiting."""

    if TYPE_CHECKING:  # the SDK would evaluate them for each object, and both are Any
        metadata: pulumi.Output[Any]
        status: pulumi.Output[Any]

    def __init__(self, name: str, obj: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        with short_call_stack():
            super().__init__(type_token(obj), name, {**obj, "status": None}, opts)


@lru_cache(maxsize=1)
def provider_version() -> str:
    return version("pulumi_kubernetes")


def type_token(obj: Mapping[str, Any]) -> str:
    """Pulumi's type token of an object."""
    api_version = obj["apiVersion"]
    return f"kubernetes:{api_version if '/' in api_version else f'core/{api_version}'}:{obj['kind']}"


def register(
    name: str,
    obj: Object,
    registered: Registered,
    opts: pulumi.ResourceOptions | None = None,
    *,
    shared_with_stacks: bool = False,
) -> KubernetesObject:
    """Register an object after the registered objects that it needs, and add it to ``registered``.

    An object that is shared with other stacks does not get this stack's mark. Raises RunError if the program also makes
    the object elsewhere.
    """
    rule = _rule(obj)
    metadata = obj["metadata"]
    provider = provider_name(provider_of(opts))
    registered.claim(obj, provider, _user(name, opts))
    options = pulumi.ResourceOptions(
        depends_on=[*_dependencies(obj, registered.resources[provider]), *registered.checks[provider]],
        custom_timeouts=_timeouts(obj) if rule.waits_for_pods and not (opts and opts.custom_timeouts) else None,
        additional_secret_outputs=list(rule.secret_outputs) or None,
        ignore_changes=list(_ignored(obj, rule)) or None,
        replace_on_changes=list(rule.replaced_by) or None,
        delete_before_replace=True if rule.replaced_by else None,
        version=provider_version(),
    )
    annotated = _annotated(
        obj,
        {
            **_awaiting(obj, rule, waits_itself=registered.waits and not provider),
            **_applying(force=registered.forces and not provider, marked=not shared_with_stacks),
            **_unasked(is_drifted=key(obj) in registered.drifted),
        },
    )
    known = with_leaves(annotated, registered.later.get(key(obj), ()))
    inputs = reveal_outputs(known, f"{obj['kind']} {metadata['name']}", secrets_allowed=obj["kind"] == "Secret")
    _refuse_engine_values(obj, inputs)
    resource = KubernetesObject(name, inputs, pulumi.ResourceOptions.merge(opts, options))
    registered.add(obj, provider, resource)
    return resource


def _refuse_engine_values(obj: Object, inputs: Any) -> None:
    """The last check before registration, for values from any source."""
    problems = engine_problems(inputs)
    if problems:
        where = f"{obj['kind']} {key(obj).name}"
        raise pulumi.RunError("\n".join(f"{where}: {problem.path}: {problem.message}" for problem in problems))


def _user(name: str, opts: pulumi.ResourceOptions | None) -> str:
    """The maker of a resource, as errors name it: its component, or else the resource itself."""
    if opts is None or opts.parent is None:
        return name
    component = opts.parent.pulumi_resource_type.rpartition(":")[2]
    return f"{component} {opts.parent.pulumi_resource_name}"


def waits_for_pods(obj: Object) -> bool:
    """Whether an update waits until the object's pods are ready."""
    return _rule(obj).waits_for_pods and not _has_no_pods(obj)


def _rule(obj: Object) -> KindRule:
    group = obj["apiVersion"].rpartition("/")[0]
    return RULES.get(f"{group}/{obj['kind']}") or RULES.get(obj["kind"], _DEFAULT)


def _ignored(obj: Object, rule: KindRule) -> Iterator[str]:
    """Properties that others change, or whose changes are not worth a replacement."""
    spec = obj.get("spec")
    yield from rule.ignores
    yield from (f"spec.{field}" for field in CHOSEN.get(type_token(obj), ()) if field not in (spec or {}))
    # An autoscaler sets the replicas. Unless Pulumi ignores them, handing them over would first set one replica.
    if rule.waits_for_pods and "replicas" not in obj["spec"]:
        yield "spec.replicas"
    # A queue starts the job in its turn and suspends it again for a more important one.
    if isinstance(spec, Mapping) and spec.get("suspend") is True and _is_queued(obj):
        yield "spec.suspend"


def _is_queued(obj: Object) -> bool:
    return any(label.endswith(_QUEUE) for label in obj["metadata"].get("labels", {}))


def _dependencies(obj: Object, registered: Mapping[Reference, pulumi.Resource]) -> Sequence[pulumi.Resource]:
    needed = [registered[reference] for reference in sorted(references(obj)) if reference in registered]
    namespace = registered.get(Reference("Namespace", "", obj["metadata"].get("namespace", "")))
    return [namespace, *needed] if namespace else needed


def _unasked(*, is_drifted: bool) -> dict[str, Any]:
    """An annotation with a value unknown in a preview, so that the provider does not ask the API server."""
    return {"pulumi.com/patchForce": Opaque(unknown_output())} if is_drifted else {}


def _annotated(obj: Object, extra: Mapping[str, Any]) -> Object:
    if not extra:
        return obj
    metadata = obj["metadata"]
    return {**obj, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **extra}}}


def _awaiting(obj: Object, rule: KindRule, *, waits_itself: bool) -> dict[str, str]:
    if rule.skip_await or _has_no_pods(obj):
        background = {"pulumi.com/deletionPropagationPolicy": "background"} if rule.gone_at_once else {}
        return {"pulumi.com/skipAwait": "true", **background}
    if rule.waits_for_pods and waits_itself:
        return {"pulumi.com/waitFor": json.dumps([_is_applied(obj["metadata"])])}
    wait_for = _one_ready(obj) if rule.waits_for_pods and elects_a_leader(obj) else rule.wait_for
    return {"pulumi.com/waitFor": json.dumps([*wait_for, _is_applied(obj["metadata"])])} if wait_for else {}


def _is_applied(metadata: Mapping[str, Any]) -> str:
    """A condition that only the object with these labels and annotations fulfils.

    The provider watches through a cache that may still hold the previous object. It detects that by the generation,
    which counts only changes of the spec. After other changes (a take-over, a label) it would write the previous object
    into the state, and the next preview would show a difference. So the condition requires an annotation with this
    digest of the metadata.
    """
    digest = hashlib.sha256(json.dumps(metadata, sort_keys=True, default=str).encode()).hexdigest()[:12]
    return f"jsonpath={{.metadata.annotations[?search(@, 'metadata {digest}')]}}"


def elects_a_leader(obj: Object) -> bool:
    """Whether only the leader of the pods is ever ready: an endpoint picker with several replicas."""
    arguments = [argument for container in containers_of(obj) for argument in container.body.get("args") or []]
    return any(isinstance(argument, str) and argument.lstrip("-") in LEADER_ELECTION for argument in arguments)


def _one_ready(obj: Object) -> tuple[str, ...]:
    """All pods exist with the newest template, and at least one is ready."""
    replicas = obj["spec"].get("replicas", 1)
    counted = [f"jsonpath={{.status.{field}}}={replicas}" for field in ("replicas", "updatedReplicas")]
    return (*counted, "jsonpath={.status.readyReplicas}")


def _applying(*, force: bool, marked: bool) -> dict[str, str]:
    """Annotations for the provider's field manager, and for taking fields back from others."""
    mark = manager(pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack())
    forced = {"pulumi.com/patchForce": "true"} if force else {}
    return {"pulumi.com/patchFieldManager": mark, **forced} if marked else forced


def _has_no_pods(obj: Object) -> bool:
    return obj.get("spec", {}).get("replicas") == 0 if isinstance(obj.get("spec"), Mapping) else False


def _timeouts(obj: Object) -> pulumi.CustomTimeouts:
    seconds = rollout_seconds(obj)
    return pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s")
