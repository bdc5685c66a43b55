"""Values of the chart llm-d-modelservice that have no counterpart in a ModelService, each with what happens instead."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....findings import Problem, Severity
from ....kubernetes.scalars import resolve
from ....kubernetes.values import field_path, value_at

_POD = "a ModelService says nothing of its pods' {}; spec.template of KServe's LLMInferenceService does"
_SAME = "is not needed: {}"


@dataclass(frozen=True)
class NoCounterpart:
    """One value. ``path`` has ``*`` for decode and prefill, and for any item of a list. ``neutral`` are values that,
    like empty ones, mean no loss. A group of values is ignored unless its ``switch`` is true."""

    path: str
    message: str
    neutral: tuple[Any, ...] = ()
    severity: Severity = "warning"
    switch: str = ""


def _pod(path: str, what: str, *neutral: Any) -> NoCounterpart:
    return NoCounterpart(path, f"has no counterpart: {_POD.format(what)}", neutral)


def _lost(path: str, why: str, *neutral: Any) -> NoCounterpart:
    return NoCounterpart(path, f"has no counterpart: {why}", neutral)


def _needless(path: str, why: str, *neutral: Any) -> NoCounterpart:
    return NoCounterpart(path, _SAME.format(why), neutral, "info")


GROUP = "the pods of a ModelService stand alone; spec.worker of KServe's LLMInferenceService makes groups of pods"
_CLAIMS = "the pods ask for devices by the resource of the device plugin, not by claims"
_MONITOR = "a ModelService says of its PodMonitor only whether it is there, path and interval"
_PROBES = (
    "the pods get a startup probe of 30 minutes, readiness and liveness probes (settings.otterscale.servingProbes)"
)
_PROXY_LOG = "a ModelService says of the proxy's log only format and level (zapEncoder, zapLogLevel)"
_REQUESTER = "has no counterpart: the decode pods become a Deployment, without Fast Model Actuation"
_AUTOSCALING = (
    "has no counterpart; write a HorizontalPodAutoscaler beside it, and the replicas stay those of the values"
)

_TOP = (
    _needless("common", "these are values of a library of templates"),
    _lost("enabled", "the chart renders nothing; leave out what is converted here", True),
    _pod("serviceAccountOverride", "service account"),
    _pod("schedulerName", "scheduler"),
    NoCounterpart("requester", _REQUESTER, switch="enable"),
    _lost("modelArtifacts.size", "the model's volume has no size limit, that of the node's disk holds"),
    _lost("modelArtifacts.readOnly", "the model is mounted read-only", True),
    _lost("multinode", GROUP),
    _lost("accelerator.dra", _CLAIMS),
    _needless("accelerator.resourceClaimTemplates", "no claims are made"),
    _needless("routing.modelName", "the chart does nothing with it"),
    _needless("routing.proxy.debugLevel", "the chart does nothing with it, use zapLogLevel"),
    _needless("routing.proxy.imagePullPolicy", "Kubernetes' own default holds: Always for :latest", "IfNotPresent"),
    _lost("routing.proxy.zapDevel", _PROXY_LOG),
    _lost("routing.proxy.zapStacktraceLevel", _PROXY_LOG),
    _lost("routing.proxy.zapTimeEncoding", _PROXY_LOG),
    _needless("routing.inferencePool", "an InferencePool is always made"),
    _needless("routing.inferenceModel", "there is no such kind any more; write an InferenceObjective"),
    _needless("routing.httpRoute", "an HTTPRoute is always made, to the Gateway of parentRefs or the default one"),
    _lost("routing.epp", "an endpoint picker is always made; settings.otterscale.epp has what may be set"),
    _lost("extraObjects", "put them into the same folder as manifests; settings.beside says what is done with them"),
)
_ROLE = (
    NoCounterpart("*.autoscaling", _AUTOSCALING, switch="enabled"),
    _lost("*.strategy", "Kubernetes' default of a Deployment holds: a quarter more pods, a quarter fewer"),
    _pod("*.schedulerName", "scheduler"),
    _pod("*.priorityClassName", "priority", "none"),
    _lost("*.accelerator.dra", _CLAIMS),
    _lost("*.resourceClaims", _CLAIMS),
    _pod("*.volumes", "volumes, which are the model's and /dev/shm"),
    _pod("*.initContainers", "init containers, which unpack the model and route"),
    _pod("*.hostIPC", "IPC namespace"),
    _pod("*.hostPID", "process namespace"),
    _lost("*.enableServiceLinks", "the pods have no service links: a Service called vllm would set VLLM_PORT", False),
    _pod("*.terminationGracePeriodSeconds", "time to end"),
    _lost("*.subGroupPolicy", GROUP),
    _lost("*.subGroupExclusiveTopology", GROUP),
    _needless("*.subGroupExclusiveToplogy", "the chart does nothing with it"),
    _pod("*.podSecurityContext", "security context, which is a restricted one"),
    _lost("*.annotations", "a ModelService's own stay with it, its Deployments have none"),
    _pod("*.podAnnotations", "annotations"),
    *(
        _lost(f"*.monitoring.podmonitor.{field}", _MONITOR)
        for field in (
            *("scrapeTimeout", "labels", "annotations", "relabelings", "metricRelabelings", "namespaceSelector"),
        )
    ),
    _needless("*.monitoring.podmonitor.portName", "it is the port of vLLM, which is called http here"),
)
_CONTAINER = (
    _needless("*.containers.*.name", "the container is called vllm", "vllm"),
    _needless("*.containers.*.ports", "a pod may listen on any port; that of vLLM is named"),
    _needless("*.containers.*.mountModelVolume", "the model is always mounted", True),
    _pod("*.containers.*.volumeMounts", "volumes, which are the model's and /dev/shm"),
    _lost("*.containers.*.resources.claims", _CLAIMS),
    _pod("*.containers.*.extraConfig", "containers beyond image, arguments and variables"),
    _pod("*.containers.*.securityContext", "security context, which is a restricted one"),
    *(_lost(f"*.containers.*.{name}Probe", _PROBES) for name in ("startup", "readiness", "liveness")),
    *(_pod(f"*.containers.*.{field}", "containers' " + field) for field in ("workingDir", "stdin", "tty")),
)
NO_COUNTERPART = (*_TOP, *_ROLE, *_CONTAINER)

EXTRA_CONFIG = frozenset(["imagePullSecrets", "nodeSelector", "tolerations"])
"""Fields of a role's ``extraConfig``, a part of the pod's spec, that a ModelService has as well."""


def without_counterpart(values: Any) -> tuple[Any, list[Problem]]:
    """The values without those that have no counterpart, and a problem for each of these that has an effect."""
    problems: list[Problem] = []
    return _pruned(values, "", "", problems), problems


_ROWS: Mapping[str, NoCounterpart] = {row.path: row for row in NO_COUNTERPART}


def _pruned(value: Any, path: str, pattern: str, problems: list[Problem]) -> Any:
    if isinstance(value, list):
        if pattern == "*.containers":
            why = "the pods of a ModelService have one container, the first one serves the model"
            problems += [lost(f"{path}[{index}]", why) for index in range(1, len(value))]
            value = value[:1]
        return [_pruned(item, f"{path}[{i}]", f"{pattern}.*", problems) for i, item in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    kept = {}
    for key, item in value.items():
        where = field_path(path, str(key))
        row = _row(pattern, str(key))
        if row is None:
            kept[key] = _pruned(item, where, _pattern(pattern, str(key)), problems)
        else:
            problems += _said(row, item, where)
    return kept


def lost(path: str, why: str) -> Problem:
    """The problem of a value without a counterpart."""
    return Problem(path, f"has no counterpart: {why}", "warning", "no-counterpart")


def _pattern(pattern: str, key: str) -> str:
    if not pattern:
        return "*" if key in ("decode", "prefill") else key
    return f"{pattern}.{key}"


def _row(pattern: str, key: str) -> NoCounterpart | None:
    if pattern == "*.extraConfig" and key not in EXTRA_CONFIG:
        return _pod("*.extraConfig.*", key)
    return _ROWS.get(_pattern(pattern, key))


def _said(row: NoCounterpart, value: Any, path: str) -> Iterator[Problem]:
    meant = resolve(value)
    if row.switch:
        path, meant = field_path(path, row.switch), value_at(meant, row.switch)
    means_nothing = meant in (None, "", [], {}) or meant in row.neutral or (meant is False and True not in row.neutral)
    if not means_nothing:
        yield Problem(path, row.message, row.severity, "no-counterpart")
