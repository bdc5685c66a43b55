"""What the API server would refuse in a pod. Not proved: that it refuses nothing else; families ask a real one."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.model import read
from modelservices.kubernetes.pod import PodSpec
from modelservices.kubernetes.pod_checks import pod_problems
from modelservices.kubernetes.scalars import Opaque

VOLUMES = {"volumes": [{"name": "v", "emptyDir": {}}]}


def problems(pod: dict[str, Any], **main: Any) -> list[str]:
    container = {"name": "main", "image": "i:1", **main}
    model, found = read(PodSpec, {"containers": [container], **pod})
    assert model is not None, found
    return [f"{problem.path}: {problem.message}" for problem in pod_problems(model, "p")]


def test_a_plain_pod_has_no_problems() -> None:
    assert problems({}) == []
    assert problems(VOLUMES, volumeMounts=[{"name": "v", "mountPath": "/v"}], image=Opaque(None)) == []
    assert problems(VOLUMES, volumeMounts=[{"name": "v", "mountPath": "/v", "subPath": "a/..b"}]) == []
    spread = [SPREAD, {**SPREAD, "whenUnsatisfiable": "ScheduleAnyway"}, {**SPREAD, "topologyKey": "host"}]
    assert problems({"topologySpreadConstraints": [*spread[:2], {**spread[2], "minDomains": 2}]}) == []


SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}

REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"image": None}, "p.containers[0].image: is required; name the image of the container main"),
    ({}, {"name": "a_b"}, "p.containers[0].name: must be lower-case letters"),
    ({"initContainers": [{"name": "main", "image": "i"}]}, {}, "p.containers: has two containers named 'main'"),
    ({"volumes": [{"name": "v", "emptyDir": {}}] * 2}, {}, "p.volumes: has two volumes named 'v'"),
    ({"volumes": [{"name": "v", "nothing": {}}]}, {}, "p.volumes[0].nothing: is not a kind of volume"),
    ({"volumes": [{"name": "v"}]}, {}, "p.volumes[0]: has no source"),
    (
        {"resources": {"limits": {"nvidia.com/gpu": 1, "memory": "1Gi"}}},
        {},
        'p.resources.limits["nvidia.com/gpu"]: can\'t be requested by a pod as a whole',
    ),
    ({"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}, {}, "p.resources.requests.memory: "),
    ({"volumes": [{"name": "v", "emptyDir": {"medum": "x"}}]}, {}, "p.volumes[0].emptyDir.medum: is not a known"),
    ({"volumes": [{"name": "v", "emptyDir": []}]}, {}, "p.volumes[0].emptyDir: must be a mapping, got a list"),
    ({}, {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}, "p.containers[0].volumeMounts[0].name: mounts 'v'"),
    (
        VOLUMES,
        {"volumeMounts": [{"name": "v", "mountPath": "/v"}] * 2},
        "p.containers[0].volumeMounts: has two mounts named '/v'",
    ),
    (
        VOLUMES,
        {"volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "../x"}]},
        "p.containers[0].volumeMounts[0].subPath: must be a path within the volume",
    ),
    (
        VOLUMES,
        {"volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "/x"}]},
        "p.containers[0].volumeMounts[0].subPathExpr: must be a path within the volume",
    ),
    (
        VOLUMES,
        {"volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "a", "subPathExpr": "b"}]},
        "p.containers[0].volumeMounts[0].subPathExpr: excludes subPath",
    ),
    (
        {"topologySpreadConstraints": [{**SPREAD, "maxSkew": 0}]},
        {},
        "p.topologySpreadConstraints[0].maxSkew: must be 1",
    ),
    (
        {"topologySpreadConstraints": [{**SPREAD, "minDomains": 0}]},
        {},
        "p.topologySpreadConstraints[0].minDomains: must be 1 or more, got 0",
    ),
    (
        {"topologySpreadConstraints": [{**SPREAD, "minDomains": 2, "whenUnsatisfiable": "ScheduleAnyway"}]},
        {},
        "p.topologySpreadConstraints[0].minDomains: needs whenUnsatisfiable: DoNotSchedule",
    ),
    (
        {"topologySpreadConstraints": [{**SPREAD, "matchLabelKeys": ["pod-template-hash"]}]},
        {},
        "p.topologySpreadConstraints[0].matchLabelKeys: needs a labelSelector",
    ),
    (
        {"topologySpreadConstraints": [SPREAD, {**SPREAD, "maxSkew": 2}]},
        {},
        "p.topologySpreadConstraints[1]: repeats DoNotSchedule for 'zone'",
    ),
    ({}, {"ports": [{"containerPort": 1}] * 2}, "p.containers[0].ports: has two ports named '1/TCP'"),
    ({}, {"ports": [{"containerPort": 1, "name": "a" * 16}]}, "p.containers[0].ports[0].name: must be at most 15"),
    ({"ephemeralContainers": [{}]}, {}, "p.ephemeralContainers: belongs in a running pod"),
    ({"serviceAccountName": "A"}, {}, "p.serviceAccountName: must be the name of a ServiceAccount"),
    ({"priorityClassName": "A"}, {}, "p.priorityClassName: must be the name of a class"),
    ({"runtimeClassName": "a_b"}, {}, "p.runtimeClassName: must be the name of a class"),
    ({"terminationGracePeriodSeconds": -1}, {}, "p.terminationGracePeriodSeconds: must be 0 or more"),
    ({"affinity": []}, {}, "p.affinity: must be a mapping"),
    ({"hostAliases": [{}]}, {}, "p.hostAliases[0].ip: is required"),
    ({"dnsConfig": {"search": []}}, {}, "p.dnsConfig.search: is not a known field; did you mean searches?"),
    (
        {},
        {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
        "p.containers[0].lifecycle.preStop.sleep.seconds: must be between 0 and terminationGracePeriodSeconds, 30",
    ),
    (
        {"terminationGracePeriodSeconds": 5},
        {"lifecycle": {"postStart": {"sleep": {"seconds": 6}}}},
        "p.containers[0].lifecycle.postStart.sleep.seconds: must be between 0 and",
    ),
    ({}, {"livenessProbe": {}}, "p.containers[0].livenessProbe: must have exactly one of"),
    ({}, {"readinessProbe": {"httpGet": {"port": 0}}}, "p.containers[0].readinessProbe.httpGet.port: must be"),
    (
        {},
        {"restartPolicyRules": [{"action": "Restart", "x": 1}]},
        "p.containers[0].restartPolicyRules[0].x: is not",
    ),
]
"""Fields of a pod, fields of its container, and what is said. A real API server is asked about each of them, too
(tests/integration/test_strict_validation.py)."""


@pytest.mark.parametrize(
    ("pod", "main", "wanted"), REFUSED, ids=[wanted.partition(": ")[0] for _, _, wanted in REFUSED]
)
def test_what_is_refused(pod: dict[str, Any], main: dict[str, Any], wanted: str) -> None:
    (found,) = problems(pod, **main)
    assert found.startswith(wanted)
