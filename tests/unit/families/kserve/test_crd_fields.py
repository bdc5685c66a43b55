"""Every field of KServe's LLMInferenceService, in both API versions, is accepted and acts, or is a finding.

A field from which nothing may come stands in ``WITHOUT_EFFECT`` with the reason. Not proved here: that the effect is
the right one, and what stands below the fields of Kubernetes' own pods.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from modelservices.manifests.lines import steps

from .services import MODEL, config, manifest, plan

ROWS = [
    [*line.split("\t"), ""][:4]
    for line in Path(__file__).with_name("crd_fields.tsv").read_text().splitlines()
    if not line.startswith("#")
]
VERSIONS = ("v1alpha1", "v1alpha2")

WITHOUT_EFFECT = {
    r"spec\.router\.ingress\.": "an Ingress of the user's own is only named",
    r"spec\.router\.scheduler\.config\.ref\.optional": "the ConfigMap has to be among the manifests in any case",
}
"""Pattern of paths to the reason why nothing comes of them."""
REFUSED = {r".*\.ephemeralContainers$": "no template can have them, only a running pod"}
"""Pattern of paths to the reason why the API server refuses them."""

SAMPLES: dict[str, Any] = {
    "accessModes": ["ReadWriteMany"],
    "backendRequest": "5s",
    "request": "10s",
    "data": 8,
    "dataLocal": 1,
    "enabled": False,
    "operator": "DoesNotExist",
    "adapters": [{"name": "a", "uri": "hf://org/a"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
    "containers": [{"name": "side", "image": "side:1"}],
    "dnsConfig": {"nameservers": ["1.1.1.1"]},
    "dnsPolicy": "Default",
    "ephemeralContainers": [{"name": "debug", "image": "debug:1"}],
    "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["a"]}],
    "imagePullSecrets": [{"name": "a"}],
    "initContainers": [{"name": "first", "image": "first:1"}],
    "inline": {"plugins": [{"type": "queue-scorer"}], "schedulingProfiles": []},
    "limits": {"cpu": "1"},
    "os": {"name": "linux"},
    "overhead": {"cpu": "1"},
    "preemptionPolicy": "Never",
    "readinessGates": [{"conditionType": "a.b/c"}],
    "requests": {"cpu": "1"},
    "resourceClaims": [{"name": "c", "resourceClaimName": "x"}],
    "resourceId": "kbs:///default/key/m",
    "resources": {"limits": {"cpu": "3"}},
    "restartPolicy": "Never",
    "schedulingGates": [{"name": "a.b/c"}],
    "securityContext": {"runAsUser": 1000},
    "tolerations": [{"operator": "Exists"}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    "metricType": "Value",
    "selectPolicy": "Disabled",
    "statusCode": 308,
    "uri": "hf://org/other",
    "variantCost": "5",
    "volumes": [{"name": "v", "emptyDir": {}}],
    "workloadRef": {"name": "w", "podGroup": "g"},
}
BY_PATH = {
    "policies[].type": "Pods",
    "authenticationRef.kind": "ClusterTriggerAuthentication",
    "matches[].path.value": "/text",
}
"""Samples of fields whose names have several meanings, by the end of their paths."""
INCOMPLETE = r"is required .* of (HTTPRoute|HorizontalPodAutoscaler|ScaledObject) .*|needs the port of Service \S+"
"""The message about a field beside the one that is tried, which the API takes only together."""
BY_TYPE: dict[str, Any] = {
    "string": "text",
    "integer": 7,
    "boolean": True,
    "int-or-string": 2,
    "map": {"a": "b"},
    "any": {"a": 1},
}

GROUP = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {"containers": [{"name": "main"}]}}
KEDA = {"keda": {"triggers": [{"type": "cron", "metadata": {"start": "0 8 * * *"}}]}}
ROUTE = "router.route.http.spec"
TIERS = "kvCacheOffloading"


def claim(**spec: Any) -> dict[str, Any]:
    """A tier on a claim that is made for each pod."""
    return {"secondary": [{"fileSystem": {"pvc": {"spec": spec}}}]}


NEEDED: list[tuple[str, str, Any]] = [
    (r"(prefill\.)?worker\.|.*dataLocal$|.*dataRPCPort$|(prefill\.)?parallelism\.data$", "", GROUP),
    (r".*scaling\.", "scaling", {"maxReplicas": 9}),
    (r".*scaling\.keda\.|.*scaling\.m", "scaling", KEDA),
    (r".*scaling\.keda\..*authenticationRef", "scaling.keda.triggers[0].authenticationRef", {"name": "a"}),
    (r".*scaling\.(wva\.)?keda\.idle", "scaling", {"minReplicas": 8}),
    (r".*scaling\.wva\.keda", "scaling.wva.keda", {}),
    (r".*scaling\.wva\.(hpa|var)", "scaling.wva.hpa", {}),
    (r".*kvCacheOffloading\.", "kvCacheOffloading", {"cpu": "1Gi"}),
    (r".*secondary.*\.emptyDir", TIERS, {"secondary": [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}]}),
    (r".*secondary.*\.ref\.", TIERS, {"secondary": [{"fileSystem": {"pvc": {"ref": {"name": "c"}}}}]}),
    (r".*pvc\.spec\.(?!dataS|selector)", TIERS, claim(volumeMode="Filesystem")),
    (r".*pvc\.spec\.dataSource\.", TIERS, claim(dataSource={"kind": "x", "name": "x"})),
    (r".*pvc\.spec\.dataSourceRef\.", TIERS, claim(dataSourceRef={"kind": "x", "name": "x"})),
    (
        r".*pvc\.spec\.selector\.matchE",
        TIERS,
        claim(selector={"matchExpressions": [{"key": "x", "operator": "Exists"}]}),
    ),
    (r".*model\.lora\.max", "model.lora", {"adapters": [{"name": "a", "uri": "hf://org/a"}]}),
    (r".*model\.confidential\.", "model.confidential", {"enabled": True}),
    (r".*extensionRef\.", "router.scheduler.pool.spec.extensionRef", {"name": "x", "failureMode": "FailClose"}),
    (
        r".*endpointPickerRef\.",
        "router.scheduler.pool.spec.endpointPickerRef",
        {"name": "x", "failureMode": "FailClose"},
    ),
    (r".*config\.ref\.", "router.scheduler.config.ref", {"name": "epp", "key": "text"}),
    (r".*parentRefs\[\]", ROUTE, {"parentRefs": [{"name": "gw"}]}),
    (r".*gateway\.refs\[\]", "router.gateway", {"refs": [{"name": "gw"}]}),
    (r".*backendRefs\[\]", ROUTE, {"rules": [{"backendRefs": [{"name": "own", "port": 80}]}]}),
    (r".*matches\[\]\.(headers|queryParams)", ROUTE, {"rules": [{"matches": [{}]}]}),
    (r".*matches\[\]\.headers", f"{ROUTE}.rules[0].matches[0]", {"headers": [{"name": "h", "value": "v"}]}),
    (r".*matches\[\]\.queryParams", f"{ROUTE}.rules[0].matches[0]", {"queryParams": [{"name": "q", "value": "v"}]}),
]
"""What must be there for a field to be valid and to act: a pattern of fields, the place, the value. A place of a
workload is the prefill one's for its fields."""


def base(path: str) -> dict[str, Any]:
    """A spec in which the field may act."""
    spec: dict[str, Any] = {"model": dict(MODEL), "router": {"route": {}, "gateway": {}, "scheduler": {}}}
    prefill = path.startswith("prefill.")
    if prefill:
        spec["prefill"] = {}
    if path.startswith("router.route.http.refs"):
        del spec["router"]["gateway"]
    for pattern, place, value in NEEDED:
        if re.match(pattern, path):
            start = spec["prefill"] if prefill and not place.startswith(("router", "model")) else spec
            merge_in(start, steps(place), value)
    return spec


def merge_in(at: Any, place: list[str | int], value: Any) -> None:
    for step in place:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    at.update(copy.deepcopy(value))


def sample(path: str, kind: str, choices: str, given: Any) -> Any:
    """A value for a field that is another one than the given one."""
    name = path.rpartition(".")[2]
    if choices and name not in SAMPLES:
        choice = next(choice for choice in reversed(choices.split()) if choice != given)
        return [choice] if kind.startswith("array of") else choice
    for end, value in BY_PATH.items():
        if path.endswith(end):
            return value
    found: Any = SAMPLES.get(name, BY_TYPE.get(kind))
    if kind.startswith("array of") and name not in SAMPLES:
        found = [BY_TYPE[kind.removeprefix("array of ")]]
    if found != given:
        return found
    return f"{found}-2" if isinstance(found, str) else not found if isinstance(found, bool) else found + 1


def put(spec: Any, path: str, kind: str, choices: str) -> None:
    """Set a field below a spec (``scaling.keda.triggers[].name``)."""
    *parents, last = path.split(".")
    for parent in parents:
        name = parent.removesuffix("[]")
        below = spec.setdefault(name, [{}] if parent.endswith("[]") else {})
        spec = below[0] if parent.endswith("[]") else below
    spec[last] = sample(path, kind, choices, spec.get(last))


PROMETHEUS = {"autoscaling-wva-controller-config": {"prometheus": {"url": "https://p"}}}
PLUGINS = """
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins: [{type: queue-scorer}, {type: max-score-picker}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}, {pluginRef: max-score-picker}]}]
"""


def results(spec: dict[str, Any], version: str) -> tuple[list[Any], list[Any]]:
    own, epp = manifest(api=version), {"text": PLUGINS, "text-2": PLUGINS.replace("queue", "kv-cache-utilization")}
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "epp", "namespace": "models"},
        "data": epp,
    }
    text = {**config_map, "metadata": {"name": "text", "namespace": "models"}, "data": {"text": epp["text-2"]}}
    base = config({"replicas": 3}, name="text")
    planned = plan({**own, "spec": spec}, config_map, text, base, settings=PROMETHEUS)
    return planned.all_objects(), [(f.path, f.severity, f.code, f.message) for f in planned.findings]


def is_group(kind: str) -> bool:
    """An object or list of objects whose fields have rows of their own."""
    return kind in ("object", "array of object")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_field_is_accepted_and_acts(version: str) -> None:
    refused, idle, bases = [], [], {}
    for versions, path, kind, choices in ROWS:
        if version not in versions.split() or (is_group(kind) and path.rpartition(".")[2] not in SAMPLES):
            continue
        spec = base(path.removeprefix("spec."))
        key = repr(spec)
        before = bases.get(key) or bases.setdefault(key, results(spec, version))
        changed = copy.deepcopy(spec)
        put(changed, path.removeprefix("spec."), kind, choices)
        after = results(changed, version)
        new = [found for found in after[1] if found not in before[1]]
        wrong = [f"{path}: {found}" for found in (*before[1], *new) if found[1] == "error"]
        wrong = [text for text in wrong if not re.search(INCOMPLETE, text)]
        refused += [] if new and any(re.match(pattern, path) for pattern in REFUSED) else wrong
        if after == before and not any(re.match(pattern, path) for pattern in WITHOUT_EFFECT):
            idle.append(path)
    assert refused == []
    assert idle == []


def test_all_fields_are_here() -> None:
    assert [len([row for row in ROWS if version in row[0].split()]) for version in VERSIONS] == [728, 804]


def test_reasons_are_those_of_fields_that_exist() -> None:
    listed = [*WITHOUT_EFFECT, *REFUSED]
    assert [pattern for pattern in listed if not any(re.match(pattern, row[1]) for row in ROWS)] == []
