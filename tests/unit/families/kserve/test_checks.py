"""What is refused, with its path. Each check of the family that no other module here tests.

Not proved: that the API server refuses nothing else (tests/integration/test_kserve.py asks one for random services).
"""

from __future__ import annotations

from typing import Any

import pytest

from .services import DATA_PARALLEL, MODEL, config, findings, main, manifest, messages, of

PROMETHEUS = {"autoscaling-wva-controller-config": {"prometheus": {"url": "https://p"}}}
CRON = {"timezone": "UTC", "start": "0 6 * * *", "end": "0 20 * * *", "desiredReplicas": "2"}
TRIGGERS = {"keda": {"triggers": [{"type": "cron", "metadata": CRON}]}}
DRA = "serving.kserve.io/exp-dra-"


def paths(spec: dict[str, Any], **settings: Any) -> list[str]:
    return [path for path, severity, _ in findings(manifest(spec), settings=settings) if severity == "error"]


@pytest.mark.parametrize(
    ("parallelism", "worker", "path", "message"),
    [
        ({"data": 10, "dataLocal": 4}, True, "data", "data 10 is not a multiple of dataLocal 4"),
        ({"data": 4}, True, "dataLocal", "is required beside data"),
        ({"dataLocal": 4}, True, "data", "is required beside dataLocal"),
        ({"data": 4, "dataLocal": 2, "pipeline": 2}, True, "", "has both pipeline and data parallelism"),
        ({"tensor": 2}, True, None, "needs data and dataLocal, or pipeline"),
        ({}, True, None, "needs data and dataLocal, or pipeline"),
        ({"data": 10, "dataLocal": 4}, False, "data", "data 10 is not a multiple of dataLocal 4"),
        ({"tensor": 0}, False, "tensor", "must be 1 or more, got 0"),
        ({"pipeline": -1}, False, "pipeline", "must be 1 or more, got -1"),
        ({"data": "four"}, False, "data", "must be a whole number, got 'four'"),
        ({"dataRPCPort": 70000}, False, "dataRPCPort", "must be between 1 and 65535, got 70000"),
    ],
)
@pytest.mark.parametrize("prefill", [False, True])
def test_parallelism(parallelism: dict[str, Any], worker: bool, path: str | None, message: str, prefill: bool) -> None:
    """Decision K7, and what KServe's admission refuses."""
    spec = {"parallelism": parallelism, **({"worker": main()} if worker else {})}
    (found,) = [
        text
        for text in messages(manifest({"prefill": spec} if prefill else spec))
        if not any(other in text for other in ("no effect", "accelerators", "kv-transfer"))
    ]
    base = "spec.prefill" if prefill else "spec"
    where = f"{base}.worker" if path is None else ".".join(filter(None, [base, "parallelism", path]))
    assert found.startswith(f"{where}: {message}")


def test_copies_of_a_single_pod_have_no_effect() -> None:
    assert findings(manifest({"parallelism": {"data": 4, "dataLocal": 2}})) == [
        ("spec.parallelism.data", "warning", "no-effect")
    ]


@pytest.mark.parametrize(
    ("scaling", "path"),
    [
        ({"maxReplicas": 2, **TRIGGERS, "wva": {"hpa": {}}}, "spec.scaling"),
        ({"maxReplicas": 2}, "spec.scaling"),
        ({"maxReplicas": 2, "wva": {}}, "spec.scaling.wva"),
        ({"maxReplicas": 2, "wva": {"hpa": {}, "keda": {}}}, "spec.scaling.wva"),
        ({**TRIGGERS}, "spec.scaling.maxReplicas"),
        ({"minReplicas": 3, "maxReplicas": 2, **TRIGGERS}, "spec.scaling.minReplicas"),
        ({"minReplicas": 0, "maxReplicas": 2, **TRIGGERS}, "spec.scaling.minReplicas"),
        ({"maxReplicas": 2, "keda": {"triggers": []}}, "spec.scaling.keda.triggers"),
        ({"maxReplicas": 2, "keda": {**TRIGGERS["keda"], "idleReplicaCount": 1}}, "spec.scaling.keda.idleReplicaCount"),
        ({"maxReplicas": 2, "wva": {"hpa": {}, "variantCost": "dear"}}, "spec.scaling.wva.variantCost"),
    ],
)
def test_scaling(scaling: dict[str, Any], path: str) -> None:
    assert paths({"scaling": scaling}, **PROMETHEUS) == [path]


def test_scaling_through_keda_needs_prometheus() -> None:
    spec = {"scaling": {"maxReplicas": 2, "wva": {"keda": {}}}}
    assert paths(spec) == ["spec.scaling.wva.keda"]
    assert paths(spec, **PROMETHEUS) == []


def test_replicas_and_scaling() -> None:
    scaling = {"scaling": {"maxReplicas": 2, "wva": {"hpa": {}}}}
    assert paths({"replicas": 2, **scaling}) == ["spec.replicas"]
    assert paths({"prefill": {"replicas": 2, **scaling}}) == ["spec.prefill.replicas"]
    base = config({"replicas": 2})
    assert findings(manifest({"baseRefs": [{"name": "base"}], **scaling}), base) == []


@pytest.mark.parametrize(
    ("rollout", "path"),
    [
        ({"maxSurge": 0, "maxUnavailable": 0}, ""),
        ({"maxSurge": "0%", "maxUnavailable": 0}, ""),
        ({"maxSurge": "0", "maxUnavailable": "0%"}, ".maxSurge"),
        ({"maxSurge": -1}, ".maxSurge"),
        ({"maxUnavailable": "abc%"}, ".maxUnavailable"),
        ({"maxUnavailable": "101%"}, ".maxUnavailable"),
        ({"maxUnavailable": "25"}, ".maxUnavailable"),
        ({"maxSurge": "00%", "maxUnavailable": 0}, ""),
    ],
)
def test_rollouts(rollout: dict[str, Any], path: str) -> None:
    assert paths({"rolloutStrategy": rollout}) == [f"spec.rolloutStrategy{path}"]


@pytest.mark.parametrize(
    ("rollout", "replicas", "path"),
    [
        ({"maxSurge": "200%"}, 1, "spec.rolloutStrategy.maxSurge"),
        ({"maxUnavailable": "25%"}, None, "spec.rolloutStrategy"),
        ({"maxUnavailable": "25%"}, 3, "spec.rolloutStrategy"),
        ({"maxUnavailable": "25%"}, 4, None),
        ({"maxUnavailable": "25%"}, 0, None),
        ({"maxUnavailable": "25%", "maxSurge": "10%"}, 3, None),
        ({"maxSurge": "10%", "maxUnavailable": 0}, 3, None),
        ({}, 3, None),
    ],
)
def test_rollouts_of_groups(rollout: dict[str, Any], replicas: int | None, path: str | None) -> None:
    """Checked against the admission webhook of LeaderWorkerSet 0.8."""
    count = {} if replicas is None else {"replicas": replicas}
    assert paths({"rolloutStrategy": rollout, **count, **DATA_PARALLEL}) == ([path] if path else [])


def test_a_deployment_may_double_itself() -> None:
    assert paths({"rolloutStrategy": {"maxSurge": "200%"}}) == []


def test_a_group_has_no_surge_by_default() -> None:
    rollout = {"rolloutStrategy": {"maxUnavailable": 0}}
    assert paths(rollout) == []
    assert paths({**rollout, **DATA_PARALLEL}) == ["spec.rolloutStrategy"]


@pytest.mark.parametrize(
    ("kv", "path"),
    [
        ({}, "cpu"),
        ({"cpu": "0"}, "cpu"),
        ({"cpu": "ten"}, "cpu"),
        ({"cpu": "1Gi", "evictionPolicy": "fifo"}, "evictionPolicy"),
        ({"cpu": "1Gi", "secondary": [{}]}, "secondary[0].fileSystem"),
        ({"cpu": "1Gi", "secondary": [{"fileSystem": {}}]}, "secondary[0].fileSystem"),
        ({"cpu": "1Gi", "secondary": [{"fileSystem": {"pvc": {}}}]}, "secondary[0].fileSystem.pvc"),
        ({"cpu": "1Gi", "secondary": [{"fileSystem": {"emptyDir": {}}}]}, "secondary[0].fileSystem.emptyDir.size"),
    ],
)
def test_kv_cache_offloading(kv: dict[str, Any], path: str) -> None:
    assert paths({"kvCacheOffloading": kv}) == [f"spec.kvCacheOffloading.{path}"]


@pytest.mark.parametrize(
    ("parallelism", "gpus", "refused"),
    [
        ({"tensor": 2}, "1", True),
        ({"tensor": 2}, "2", False),
        ({"tensor": 2, "pipeline": 2}, "2", True),
        ({"tensor": 2, "pipeline": 2}, "4", False),
        ({"tensor": 2}, None, False),
    ],
)
def test_accelerators_of_a_single_pod(parallelism: dict[str, int], gpus: str | None, refused: bool) -> None:
    limits = {"resources": {"limits": {"nvidia.com/gpu": gpus}}} if gpus else {}
    wanted = [("spec.parallelism", "warning", "too-few-accelerators")]
    assert findings(manifest({"parallelism": parallelism, "template": main(**limits)})) == (wanted if refused else [])


def test_accelerators_of_a_group() -> None:
    gpus = main(resources={"limits": {"nvidia.com/gpu": "4"}})
    spec = {"parallelism": {"data": 8, "dataLocal": 4, "tensor": 2}, "template": main(), "worker": gpus}
    (message,) = messages(manifest(spec))
    assert message == ("spec.parallelism: needs 8 accelerators in a pod, but the main container of spec.worker has 4")


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ({"containers": [{"name": "main"}, {"name": "side"}]}, "spec.template.containers[1].image"),
        ({"containers": [{"name": "main"}, {"name": "main", "image": "x"}]}, "spec.template.containers[1].name"),
        ({"containers": [{"name": "Main", "image": "x"}]}, "spec.template.containers[0].name"),
        (main(volumeMounts=[{"name": "gone", "mountPath": "/x"}]), "spec.template.containers[0].volumeMounts[0].name"),
        (
            main(resources={"limits": {"nvidia.com/gpu": "0.5"}}),
            'spec.template.containers[0].resources.limits["nvidia.com/gpu"]',
        ),
        (main(resources={"limits": {"memory": "2gb"}}), "spec.template.containers[0].resources.limits.memory"),
        (
            main(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}),
            "spec.template.containers[0].resources.requests.cpu",
        ),
        (main(ports=[{"containerPort": 0}]), "spec.template.containers[0].ports[0].containerPort"),
        (
            main(ports=[{"containerPort": 1, "name": "x"}, {"containerPort": 2, "name": "x"}]),
            "spec.template.containers[0].ports",
        ),
        (
            main(env=[{"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
            "spec.template.containers[0].env[0]",
        ),
        (main(imagePullPolicy="Sometimes"), "spec.template.containers[0].imagePullPolicy"),
        (main(lifecycle={"preStop": {"sleeep": {}}}), "spec.template.containers[0].lifecycle.preStop.sleeep"),
        ({**main(), "volumes": [{"name": "x"}]}, "spec.template.volumes[0]"),
        ({**main(), "volumes": [{"name": "x", "emptyDir": {}, "hostPath": {"path": "/"}}]}, "spec.template.volumes[0]"),
        ({**main(), "volumes": [{"name": "X", "emptyDir": {}}]}, "spec.template.volumes[0].name"),
        ({**main(), "volumes": [{"name": "x", "emptydir": {}}]}, "spec.template.volumes[0].emptydir"),
        ({**main(), "serviceAccountName": "Mine"}, "spec.template.serviceAccountName"),
        ({**main(), "terminationGracePeriodSeconds": -1}, "spec.template.terminationGracePeriodSeconds"),
        ({**main(), "ephemeralContainers": [{"name": "x"}]}, "spec.template.ephemeralContainers"),
        ({**main(), "tolerations": [{"operator": "Equal"}]}, "spec.template.tolerations[0].operator"),
        (
            {**main(), "securityContext": {"runAsUser": 0, "runAsNonRoot": True}},
            "spec.template.securityContext.runAsUser",
        ),
        ({**main(), "nodeselector": {}}, "spec.template.nodeselector"),
    ],
)
def test_pods(template: dict[str, Any], path: str) -> None:
    assert paths({"template": template}) == [path]


def test_an_item_that_is_not_the_services_own_is_called_by_its_name() -> None:
    bad = main(volumeMounts=[{"name": "gone", "mountPath": "/x"}], env=[{"name": "a=b", "value": "1"}])
    own = {"presets": {"kserve-config-llm-template": {"template": bad}}}
    assert [path for path, _, _ in findings(manifest(), settings=own)] == [
        "spec.template.containers[main].volumeMounts[/x].name",
        "spec.template.containers[main].env[a=b].name",
    ]


def test_a_typo_gets_a_suggestion() -> None:
    (message,) = messages(manifest({"template": {**main(), "nodeselector": {}}}))
    assert message.endswith("is not a known field; did you mean nodeSelector?")


@pytest.mark.parametrize("pod", ["worker", "prefill"])
def test_other_pods_are_checked_too(pod: str) -> None:
    bad = main(resources={"limits": {"nvidia.com/gpu": "0.5"}})
    spec = {**DATA_PARALLEL, "worker": bad} if pod == "worker" else {"prefill": {"template": bad}}
    where = "spec.worker" if pod == "worker" else "spec.prefill.template"
    assert paths(spec) == [f'{where}.containers[0].resources.limits["nvidia.com/gpu"]']


@pytest.mark.parametrize(
    ("item", "where", "severity"),
    [
        ({"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}, "env[1].name", "warning"),
        ({"ports": [{"containerPort": 1}, {"containerPort": 1}]}, "ports[1].containerPort", "error"),
        (
            {"volumeMounts": [{"name": "tmp-dir", "mountPath": "/x"}, {"name": "home", "mountPath": "/x"}]},
            "volumeMounts[1].mountPath",
            "error",
        ),
    ],
)
def test_items_that_merging_would_fold_into_one(item: dict[str, Any], where: str, severity: str) -> None:
    assert findings(manifest({"template": main(**item)})) == [
        (f"spec.template.containers[0].{where}", severity, "duplicate")
    ]


def test_items_that_say_nothing() -> None:
    http = {"spec": {"rules": [{"filters": [None]}]}}
    assert findings(manifest({"router": {"route": {"http": http}}})) == [
        ("spec.router.route.http.spec.rules[0].filters[0]", "error", "bad-value")
    ]


def test_of_a_variable_that_is_there_twice_the_last_value_counts() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "x"}, {"name": "A", "value": "2"}]
    made = of({"template": main(env=env)})["decode-deployment"]["spec"]["template"]["spec"]["containers"][0]["env"]
    assert [variable for variable in made if variable["name"] == "A"] == [{"name": "A", "value": "2"}]


@pytest.mark.parametrize(
    ("notes", "key"),
    [
        ({"device-class": "A_b"}, "device-class"),
        ({"device-class": "gpu", "device-count": "0"}, "device-count"),
        ({"device-class": "gpu", "device-count": "two"}, "device-count"),
        ({"device-class": "gpu", "cel-selector": " \n "}, "cel-selector"),
        ({"device-class": "gpu", "container-name": "A"}, "container-name"),
        ({"device-class": "gpu", "colour": "red"}, "colour"),
        ({"device-count": "1"}, "device-count"),
    ],
)
def test_devices(notes: dict[str, str], key: str) -> None:
    annotations = {f"{DRA}{name}": value for name, value in notes.items()}
    assert [path for path, _, _ in findings(manifest(annotations=annotations))] == [
        f'metadata.annotations["{DRA}{key}"]'
    ]


@pytest.mark.parametrize("name", ["3.2-chat", "Chat"])
def test_names(name: str) -> None:
    assert {path for path, _, _ in findings(manifest(name=name))} == {"metadata.name"}


def test_a_group_with_many_replicas_may_need_a_shorter_name() -> None:
    name = "a" * 41
    assert findings(manifest({**DATA_PARALLEL, "replicas": 10}, name=name)) == []
    assert findings(manifest({**DATA_PARALLEL, "replicas": 11}, name=name)) == [
        ("metadata.name", "error", "name-too-long")
    ]
    scaling = {"scaling": {"maxReplicas": 11, "wva": {"hpa": {}}}}
    assert findings(manifest({**DATA_PARALLEL, **scaling}, name=name)) == [("metadata.name", "error", "name-too-long")]


def test_services_that_would_make_the_same_object() -> None:
    first, second = manifest(name="chat"), manifest({"router": {"route": {}}}, name="chat")
    assert {code for _, _, code in findings(first, second)} >= {"duplicate-name"}
    assert [code for _, _, code in findings(manifest(name="a"), manifest(name="a-kserve"))] == []


def test_a_stopped_service_is_checked_for_its_types_only() -> None:
    stop = {"serving.kserve.io/stop": "true"}
    assert findings(manifest({"parallelism": {"data": 1}}, annotations=stop)) == []
    assert [code for _, _, code in findings(manifest({"x": 1}, annotations=stop))] == ["unknown-field"]


def test_a_scheduler_s_config_that_is_a_text() -> None:
    found = messages(manifest({"router": {"scheduler": {"config": {"inline": "plugins: []\n"}}}}))
    path, advice = "spec.router.scheduler.config.inline", "remove the | or > after inline"
    assert [message for message in found if advice in message] == [f"{path}: must be a mapping, got a text; {advice}"]


def test_variables_in_the_shell_text_of_vllm_s_arguments_are_no_placeholders() -> None:
    def template(name: str) -> dict[str, Any]:
        env = [{"name": name, "value": "--x kv@${POD_IP}"}, {"name": "POD_IP", "value": "1"}]
        return {"template": {"containers": [{"name": "main", "env": env}]}}

    assert paths(template("VLLM_ADDITIONAL_ARGS")) == []
    assert paths(template("OTHER")) == ["spec.template.containers[0].env[0].value"]


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ({"maxRank": 512}, []),
        ({"maxRank": 513}, [("spec.model.lora.maxRank", "warning", "unknown-value")]),
        ({"maxAdapters": 4, "maxCpuAdapters": 2}, [("spec.model.lora.maxCpuAdapters", "error", "bad-value")]),
        ({"maxAdapters": 4, "maxCpuAdapters": 4}, []),
        ({"maxCpuAdapters": 2}, []),
    ],
)
def test_limits_of_adapters(limits: dict[str, int], found: list[Any]) -> None:
    lora = {"adapters": [{"name": "a", "uri": "hf://o/a"}], **limits}
    assert findings(manifest({"model": {**MODEL, "lora": lora}})) == found


def test_no_device_at_all_is_said_at_the_container() -> None:
    assert findings(manifest({"template": main(resources={"limits": {"nvidia.com/gpu": "0"}})})) == []
    none = {"parallelism": {"tensor": 2}, "template": main(resources={"limits": {"nvidia.com/gpu": "0"}})}
    assert ("spec.parallelism", "warning", "too-few-accelerators") in findings(manifest(none))
