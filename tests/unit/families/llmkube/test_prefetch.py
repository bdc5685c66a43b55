"""Models that are downloaded before their services. Not proved here: what the scripts do (the folder scripts)."""

from __future__ import annotations

from typing import Any

import pytest

from .render import KEY, SOURCE, brief, manifest, plan_of

MODEL = {"source": SOURCE, "prefetch": True}


def planned(spec: Any, settings: Any = None, *others: Any) -> Any:
    return plan_of([manifest("Model", "chat", spec=spec), *others], settings)


def test_a_job_downloads_into_the_shared_cache() -> None:
    plan = planned({**MODEL, "prefetchTolerations": [{"key": "gpu", "operator": "Exists"}]}).raise_for_errors()
    (service,) = plan.services
    job = service.objects["job"]
    labels = {"app.kubernetes.io/component": "model-prefetch", "inference.llmkube.dev/model": "chat"}
    assert (service.kind, service.namespace, service.name) == ("Model", "ai", "chat-prefetch")
    assert job["metadata"] == {
        "name": "chat-prefetch",
        "namespace": "ai",
        "labels": {
            "app.kubernetes.io/name": "llmkube",
            "app.kubernetes.io/managed-by": "llmkube-controller",
            **labels,
        },
    }
    assert (job["spec"]["backoffLimit"], job["spec"]["template"]["metadata"]["labels"]) == (2, labels)
    pod = job["spec"]["template"]["spec"]
    assert (pod["restartPolicy"], pod["tolerations"]) == ("Never", [{"key": "gpu", "operator": "Exists"}])
    assert [container["name"] for container in pod["initContainers"]] == ["model-cache-prep", "model-downloader"]
    assert {"name": "MODEL_PATH", "value": f"/models/{KEY}/chat.gguf"} in pod["initContainers"][1]["env"]
    assert pod["containers"][0]["command"] == ["sh", "-c", "echo prefetch complete"]
    assert pod["volumes"] == [{"name": "model-cache", "persistentVolumeClaim": {"claimName": "llmkube-model-cache"}}]
    assert [obj["metadata"]["name"] for obj in plan.shared] == ["llmkube-model-cache"]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ([None, None], {"fsGroup": 102}),
        ([{"runAsNonRoot": True}, {"fsGroup": 7}], {"runAsNonRoot": True}),
        ([None, {"fsGroup": 7}], {"fsGroup": 7}),
    ],
)
def test_the_job_runs_as_the_services_of_its_model(stated: list[Any], expected: dict[str, Any]) -> None:
    specs = [{"modelRef": "chat", **({"podSecurityContext": each} if each is not None else {})} for each in stated]
    chats = [manifest("InferenceService", f"chat-{index}", spec=spec) for index, spec in enumerate(specs)]
    other = manifest("InferenceService", "a", spec={"modelRef": "b", "podSecurityContext": {"fsGroup": 9}})
    more = [other, manifest("Model", "b", spec={"source": SOURCE})]
    job = next(service for service in planned(MODEL, None, *more, *reversed(chats)).services if service.kind == "Model")
    security = job.objects["job"]["spec"]["template"]["spec"]["securityContext"]
    assert security == {"seccompProfile": {"type": "RuntimeDefault"}, **expected}


def test_a_service_finds_the_file_that_was_prefetched() -> None:
    chat = manifest("InferenceService", "chat", spec={"modelRef": "chat"})
    plan = planned(MODEL, None, chat).raise_for_errors()
    deployment = next(service for service in plan.services if service.kind == "InferenceService").objects["deployment"]
    assert deployment["spec"]["template"]["spec"]["containers"][0]["args"][:2] == [
        "--model",
        f"/models/{KEY}/chat.gguf",
    ]
    assert len(plan.shared) == 1


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        (MODEL, {"modelCacheMode": "perService"}),
        (MODEL, {"modelCachePath": ""}),
        ({**MODEL, "source": "pvc://claim/m.gguf"}, {"existingClaims": ["ai/claim"]}),
        ({**MODEL, "source": "/srv/m.gguf"}, {"allowedHostPathRoots": ["/srv"]}),
        ({**MODEL, "source": "org/name"}, {}),
        ({**MODEL, "source": "s3://b/m.gguf", "sourceSecretRef": {"name": "s"}}, {}),
    ],
)
def test_where_there_is_nothing_to_prefetch(spec: Any, settings: Any) -> None:
    plan = planned(spec, settings)
    assert plan.services == ()
    assert "warning spec.prefetch no-effect" in brief(plan.findings)


def test_a_repository_s_files_are_prefetched() -> None:
    (service,) = planned({**MODEL, "source": "org/name", "files": ["a.gguf"]}).raise_for_errors().services
    env = service.objects["job"]["spec"]["template"]["spec"]["initContainers"][1]["env"]
    assert {"name": "MODEL_FILES", "value": "a.gguf"} in env


def test_a_name_that_is_too_long_for_a_job() -> None:
    plan = plan_of([manifest("Model", "m" * 55, spec=MODEL)])
    assert brief(plan.findings) == ["error metadata.name invalid"]
    assert brief(plan_of([manifest("Model", "m" * 54, spec=MODEL)]).findings) == []


@pytest.mark.parametrize(
    ("conditions", "phase", "reason"),
    [
        ([], "Downloading", "PrefetchRunning"),
        ([{"type": "Complete", "status": "True"}], "Ready", "ModelPrefetched"),
        ([{"type": "Failed", "status": "True", "message": "BackoffLimitExceeded"}], "Failed", "PrefetchFailed"),
        ([{"type": "Complete", "status": "False"}], "Downloading", "PrefetchRunning"),
    ],
)
def test_status(conditions: Any, phase: str, reason: str) -> None:
    (service,) = planned(MODEL).services
    assert service.observe
    status = service.observe({"job": {"conditions": conditions}})
    assert (status.phase, status.reason) == (phase, reason)
