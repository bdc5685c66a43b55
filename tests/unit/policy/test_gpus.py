"""Rules on accelerators. Not proven: how many of them a cluster has."""

from typing import Any

import pytest

from modelservices.kubernetes.scalars import Opaque
from modelservices.policy.counting import Use, uses
from modelservices.policy.rules.gpus import GPU_BUDGET, GPU_LIMITS
from tests.unit.policy.helpers import MAIN, container, obj, said, said_of_all, template, workload

GPU = "nvidia.com/gpu"


@pytest.mark.parametrize("limits", [{}, {GPU: "2"}])
def test_a_gpu_without_the_same_limit(limits: dict[str, str]) -> None:
    thing = workload(container(resources={"requests": {GPU: "1"}, "limits": limits}))
    assert said(GPU_LIMITS, thing) == [
        f"Deployment n/web: {MAIN}.resources: the container server requests nvidia.com/gpu without the same limit; "
        "set resources.limits to it"
    ]


def test_gpus_past_the_scheduler() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    assert said(GPU_LIMITS, workload(container(env=env))) == [
        f"Deployment n/web: {MAIN}.env[1]: NVIDIA_VISIBLE_DEVICES gives the container server GPUs that the scheduler "
        "does not account for; remove it, and set resources.limits"
    ]
    assert said(GPU_LIMITS, workload(container(gpus=1, env=env))) == []
    assert said(GPU_LIMITS, workload(container(env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]))) == []


def test_variables_of_a_source_that_nobody_reads_may_be_gpus() -> None:
    source = [{"secretRef": {"name": "a"}}, {"prefix": "HF_", "configMapRef": {"name": "b"}}]
    assert said(GPU_LIMITS, workload(container(envFrom=source))) == [
        f"Deployment n/web: {MAIN}.envFrom[0]: the variables of this source may include NVIDIA_VISIBLE_DEVICES, which "
        "gives the container server GPUs that the scheduler does not account for; set the variable to `void` in env"
    ]
    none = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    assert said(GPU_LIMITS, workload(container(envFrom=source, env=none))) == []
    assert said(GPU_LIMITS, workload(container(gpus=1, envFrom=source))) == []


def test_sources_of_downloads_count_where_the_platform_says_so() -> None:
    download = workload(
        container(), pod={"initContainers": [container("fetch", envFrom=[{"secretRef": {"name": "a"}}])]}
    )
    assert said(GPU_LIMITS, download) == []
    assert len(said(GPU_LIMITS, download, {"initContainers": True})) == 1


def test_gpus_that_are_asked_for_in_the_open() -> None:
    both = {"requests": {GPU: "1", "cpu": "1"}, "limits": {GPU: "1"}}
    assert said(GPU_LIMITS, workload(container(resources=both))) == []
    assert said(GPU_LIMITS, workload(container(gpus=1), container("side"))) == []


def group(**fields: Any) -> dict[str, Any]:
    """A LeaderWorkerSet of 2 groups: a leader without GPUs and 3 workers with 8, unless fields say otherwise."""
    leader, worker = template(container()), template(container(gpus=8))
    parts = {"size": 4, "leaderTemplate": leader, "workerTemplate": worker, **fields}
    return obj("LeaderWorkerSet", replicas=2, leaderWorkerTemplate={k: v for k, v in parts.items() if v is not None})


def job(count: int, gpus: int, **spec: Any) -> dict[str, Any]:
    return {"parallelism": count, "completions": count, "template": template(container(gpus=gpus)), **spec}


def knative(**annotations: str) -> dict[str, Any]:
    pod = template(container(gpus=1))
    pod["metadata"]["annotations"] = {f"autoscaling.knative.dev/{k}": v for k, v in annotations.items()}
    return obj("Service", "web", "serving.knative.dev/v1", template=pod)


@pytest.mark.parametrize(
    ("thing", "copies", "each"),
    [
        (workload(container(gpus=2), replicas=3), 3, 2),
        (workload(container(gpus=2)), 1, 2),
        (workload(container(gpus=1), container("b", gpus=1), replicas=2), 2, 2),
        (workload(container(resources={"requests": {GPU: "2"}})), 1, 2),
        (workload(container(resources={"limits": {"habana.ai/gaudi": 4, "nvidia.com/mig-1g.5gb": "1"}})), 1, 5),
        (workload(container(resources={"limits": {GPU: "1", "nvidia.com/gpumem": "8000"}})), 1, 1),
        (workload(container(gpus=1), kind="StatefulSet", replicas=2), 2, 1),
        (workload(container(gpus=1), kind="DaemonSet"), 1, 1),
        (obj("Pod", containers=[container(gpus=3)]), 1, 3),
        (group(), 2, 24),
        (group(leaderTemplate=None), 2, 32),
        (obj("Job", **job(2, 4)), 2, 4),
        (obj("Job", **job(4, 1, completions=2)), 2, 1),
        (obj("Job", template=template(container(gpus=1))), 1, 1),
        (obj("CronJob", jobTemplate={"spec": job(2, 1)}), 2, 1),
        (
            obj(
                "JobSet",
                replicatedJobs=[
                    {"replicas": 1, "template": {"spec": job(1, 0)}},
                    {"replicas": 2, "template": {"spec": job(2, 4)}},
                ],
            ),
            1,
            16,
        ),
        (obj("TrainJob", trainer={"numNodes": 2, "resourcesPerNode": {"limits": {GPU: "8"}}}), 2, 8),
        (
            obj(
                "RayCluster",
                headGroupSpec={"template": template(container(gpus=1))},
                workerGroupSpecs=[{"replicas": 1, "maxReplicas": 3, "template": template(container(gpus=2))}],
            ),
            1,
            7,
        ),
        (knative(**{"max-scale": "4"}), 4, 1),
        (knative(), None, 1),
        (knative(**{"max-scale": "0"}), None, 1),
    ],
)
def test_how_many_a_workload_uses(thing: dict[str, Any], copies: int | None, each: int) -> None:
    assert uses([thing]) == [Use(f"{thing['kind']} n/web", copies, each)]


@pytest.mark.parametrize(
    "thing",
    [
        workload(container()),
        workload(container(gpus=2), replicas=0),
        workload(container(resources={"limits": {GPU: Opaque(None)}})),
        workload(container(resources={"limits": {GPU: "many"}})),
        obj("Service", ports=[{"port": 80}]),
        obj("InferencePool", selector={}),
    ],
)
def test_what_uses_none(thing: dict[str, Any]) -> None:
    assert uses([thing]) == []


def test_an_init_container_uses_them_before_the_others() -> None:
    def pod(**init: Any) -> dict[str, Any]:
        return obj("Deployment", template=template(container(gpus=2), initContainers=[container("first", 3, **init)]))

    assert uses([pod()]) == [Use("Deployment n/web", 1, 3)]
    assert uses([pod(restartPolicy="Always")]) == [Use("Deployment n/web", 1, 5)]


def scaled(kind: str, target: str = "Deployment", **spec: Any) -> dict[str, Any]:
    return obj(kind, "scaler", scaleTargetRef={"kind": target, "name": "web"}, **spec)


@pytest.mark.parametrize(
    ("thing", "scaler", "copies"),
    [
        (workload(container(gpus=1)), scaled("HorizontalPodAutoscaler", maxReplicas=5), 5),
        (workload(container(gpus=1), replicas=6), scaled("HorizontalPodAutoscaler", maxReplicas=5), 6),
        (workload(container(gpus=1), replicas=0), scaled("ScaledObject", maxReplicaCount=4), 4),
        (workload(container(gpus=1)), obj("ScaledObject", scaleTargetRef={"name": "web"}), 100),
        (group(), scaled("HorizontalPodAutoscaler", "LeaderWorkerSet", maxReplicas=3), 3),
        (workload(container(gpus=1)), scaled("HorizontalPodAutoscaler", "StatefulSet", maxReplicas=5), 1),
    ],
)
def test_what_an_autoscaler_goes_up_to_counts(thing: dict[str, Any], scaler: dict[str, Any], copies: int) -> None:
    (use,) = uses([scaler, thing])
    assert use.copies == copies


@pytest.mark.parametrize(
    "request_",
    [{"exactly": {"deviceClassName": "gpu.nvidia.com", "count": 2}}, {"deviceClassName": "gpu.x.y", "count": 2}],
)
def test_claims_of_dynamic_resource_allocation_count(request_: dict[str, Any]) -> None:
    requests = [request_, {"exactly": {"deviceClassName": "nic.example.com"}}]
    claims = obj("ResourceClaimTemplate", "devices", spec={"devices": {"requests": requests}})
    pod = template(container(), resourceClaims=[{"name": "d", "resourceClaimTemplateName": "devices"}])
    assert uses([obj("Deployment", replicas=3, template=pod), claims]) == [Use("Deployment n/web", 3, 2)]


CHAT = workload(container(gpus=2), name="chat", replicas=2)
CODE = workload(container(gpus=1), name="code")
SCALER = obj("HorizontalPodAutoscaler", scaleTargetRef={"kind": "Deployment", "name": "code"}, maxReplicas=5)


def test_a_stack_beyond_its_budget() -> None:
    assert said_of_all(GPU_BUDGET, [CHAT, CODE, SCALER], {"maximum": 8}) == [
        "the stack uses up to 9 accelerators, more than its budget of 8 (Deployment n/code: 5 x 1; Deployment n/chat: "
        "2 x 2): lower replicas or what autoscalers go up to, or raise gpu-budget.maximum"
    ]


def test_a_stack_within_its_budget() -> None:
    assert said_of_all(GPU_BUDGET, [CHAT, CODE, SCALER], {"maximum": 9}) == []
    assert said_of_all(GPU_BUDGET, [CHAT, CODE, SCALER], {}) == []
    assert said_of_all(GPU_BUDGET, [CHAT, CODE], {"maximum": 1, "exempt": ["Deployment n/chat"]}) == []


def test_the_largest_are_named() -> None:
    many = [workload(container(gpus=1), name=f"w{index}", replicas=index) for index in range(1, 8)]
    (sentence,) = said_of_all(GPU_BUDGET, many, {"maximum": 0})
    assert (
        "(Deployment n/w7: 7 x 1; Deployment n/w6: 6 x 1; Deployment n/w5: 5 x 1; Deployment n/w4: 4 x 1; " in sentence
    )
    assert "Deployment n/w3: 3 x 1; 2 more)" in sentence


def test_a_workload_without_a_bound() -> None:
    assert said_of_all(GPU_BUDGET, [knative()], {"maximum": 8}) == [
        "Service n/web scales without a bound, with 1 accelerators per pod; set the annotation "
        "autoscaling.knative.dev/max-scale"
    ]
