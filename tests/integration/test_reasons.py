"""Reasons why a service is not ready, which `status` and a waiting update report. An update ends early if pods can't
start.

The nodes are simulated, so the tests write what a kubelet would report into the pods' status. Not proven here: that
kubelets use these words, and that logs can be read.
"""

from __future__ import annotations

import time
from typing import Any

from kubernetes.dynamic import DynamicClient

from tests.integration import kubelet
from tests.integration import test_kserve as kserve
from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.model_services import model_service
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.test_ome_services import service as ome_service
from tests.integration.waiting import eventually

PULL = 'Back-off pulling image "example/server:1": not found'
NOT_THERE = 'secret "tokens" not found'
SETTINGS = {"llmkube": {"startup": {"errorSeconds": 2, "unschedulableSeconds": 6}}}


def test_an_update_ends_early_and_says_why_while_others_go_on(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": SETTINGS})
    statuses = {
        "pulls": kubelet.waiting("ImagePullBackOff", PULL),
        "lacks": kubelet.waiting("CreateContainerConfigError", NOT_THERE),
        "crashes": kubelet.crashed(3, "unrecognized arguments: --no-such-flag", 2),
        "loads": kubelet.crashed(1, "CUDA out of memory", 137, "OOMKilled"),
    }
    with kubelet.node(api) as labels, kubelet.reporting(api, stack.namespace, statuses):
        bare: dict[str, Any] = {"nodeSelector": labels, "tolerations": kubelet.ANYWHERE}
        failing = [service(name, **bare) for name in ("pulls", "lacks", "crashes")]
        stack.write(model() + service("good") + service("nowhere", nodeSelector={"disk": "none"}) + "".join(failing))

        failed = stack.up(fails=True)

        messages = "\n".join(failed.messages)
        status = command(stack, "status")

        # An update waits again for services that were not ready, even without changes; repaired services become ready.
        # Past crashes end no update, so the service that only has those is removed first.
        stack.write(model() + service("good") + "".join(failing[:2]))
        stack.up(fails=True)
        in_vain = stack.up(fails=True)
        stack.write(model() + service("good") + service("pulls"))
        again = stack.up()

        # A single crash doesn't end an update, but is reported.
        stack.write(model() + service("good") + service("loads", **bare))
        update = stack.start_up()
        eventually(lambda: has_crashed(api, stack.namespace, "loads"), "the report of the crash")
        time.sleep(5 * SETTINGS["llmkube"]["startup"]["errorSeconds"])
        running = update.poll() is None
        update.kill()
        update.wait()
        stack.cancel()
        crashed_once = command(stack, "status")

    where = stack.namespace
    assert f"Deployment {where}/pulls can't start: ImagePullBackOff: pod pulls-" in messages
    assert PULL in messages
    assert f"Deployment {where}/lacks can't start: CreateContainerConfigError: pod lacks-" in messages
    assert NOT_THERE in messages
    assert "exit code 2, restarted 3 times: unrecognized arguments: --no-such-flag" in messages
    assert f"Deployment {where}/nowhere can't start: Unschedulable: pod nowhere-" in messages
    names = sorted(["crashes", "lacks", "nowhere", "pulls"])
    (summary,) = [message for message in failed.messages if message.startswith("not ready: ")]
    assert all(f"Deployment {where}/{name}" in summary for name in names)
    assert f"{where}/good" not in summary
    assert "Traceback" not in failed.text
    rows = {line.split()[0].partition("/")[2]: line for line in status.stdout.splitlines()[1:]}
    assert "Ready" in rows["good"]
    for name, reason in {
        "pulls": PULL,
        "lacks": NOT_THERE,
        "crashes": "exit code 2",
        "nowhere": "Unschedulable",
    }.items():
        assert reason in rows[name]
    assert "good" not in {step.name.partition("/")[2] for step in again.changes}
    assert {step.type.rpartition(":")[2] for step in in_vain.changes} == set()
    assert "pulls can't start: ImagePullBackOff" in "\n".join(in_vain.messages)
    assert running
    assert "OOMKilled: pod loads-" in crashed_once.stdout


def has_crashed(api: DynamicClient, namespace: str, name: str) -> bool:
    """Whether a pod with this name prefix has a container that has ended."""
    pods = api.resources.get(api_version="v1", kind="Pod").get(namespace=namespace).items
    own = [pod.to_dict()["status"] for pod in pods if pod.metadata.name.startswith(f"{name}-")]
    return any(container["restartCount"] for status in own for container in status.get("containerStatuses", []))


def test_what_happened_before_an_update_began_does_not_end_it(stack: Stack, api: DynamicClient) -> None:
    """A server that crashed often and becomes ready once the cause is removed outside the manifests."""
    stack.config({"settings": SETTINGS})
    with kubelet.node(api) as labels:
        bare: dict[str, Any] = {"nodeSelector": labels, "tolerations": kubelet.ANYWHERE}
        stack.write(model() + service("web", **bare))
        with kubelet.reporting(api, stack.namespace, {"web": kubelet.crashed(7, "no space left on device")}):
            failed = stack.up(fails=True)

        update = stack.start_up()
        time.sleep(15)
        running = update.poll() is None
        (pod,) = api.resources.get(api_version="v1", kind="Pod").get(namespace=stack.namespace).items
        kubelet.write_ready(api, pod)
        ended = update.wait(timeout=60)

    messages = "\n".join(failed.messages)
    assert "restarted 7 times: no space left on device" in messages
    rows = [line for line in failed.stdout.splitlines() if " kubernetes:apps/v1:Deployment " in line]
    assert not any("failed" in row for row in rows)  # the object was created
    assert running
    assert ended == 0


def test_pods_that_an_admission_forbids_are_not_waited_for(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": SETTINGS})
    api.resources.get(api_version="v1", kind="Namespace").patch(
        name=stack.namespace,
        body={"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}},
        content_type="application/merge-patch+json",
    )
    stack.write(model() + service("root", podSecurityContext={"runAsNonRoot": False}))

    failed = stack.up(fails=True)

    (problem,) = [message for message in failed.messages if "can't start" in message]
    assert f"Deployment {stack.namespace}/root can't start: FailedCreate: " in problem
    assert "violates PodSecurity" in problem


def test_an_update_whose_new_pods_can_t_start_while_the_old_ones_serve(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": SETTINGS})
    stack.write(model() + service("web"))
    stack.up()
    statuses = {"web": kubelet.waiting("ImagePullBackOff", PULL)}
    with kubelet.node(api) as labels, kubelet.reporting(api, stack.namespace, statuses):
        new = service("web", image="example/server:2", nodeSelector=labels, tolerations=kubelet.ANYWHERE)
        stack.write(model() + new)

        failed = stack.up(fails=True)

        deployment = read(api, "apps/v1", "Deployment", "web", stack.namespace)
        status = command(stack, "status")

    assert status.returncode == 1
    assert "Progressing" in status.stdout
    assert PULL in status.stdout
    assert f"Deployment {stack.namespace}/web can't start: ImagePullBackOff: pod web-" in "\n".join(failed.messages)
    assert deployment["status"]["readyReplicas"] == 1  # the old pod


def test_a_service_that_breaks_later_holds_up_nobody_elses_update(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service("web"))
    stack.up()
    pods = api.resources.get(api_version="v1", kind="Pod")
    (pod,) = pods.get(namespace=stack.namespace).items
    pods.status.patch(
        name=pod.metadata.name,
        namespace=stack.namespace,
        body={"status": {"conditions": [{"type": "Ready", "status": "False"}]}},
        content_type="application/merge-patch+json",
    )

    stack.write(model() + service("web") + service("other"))
    stack.up()

    deployment = read(api, "apps/v1", "Deployment", "web", stack.namespace)
    assert deployment["status"].get("readyReplicas", 0) == 0
    services = stack.outputs()["services"]
    phases = {name.partition("/")[2]: entry["phase"] for name, entry in services.items()}
    assert phases == {"web": "Creating", "other": "Ready"}


def test_every_family_says_why_its_pods_do_not_start(stack: Stack, api: DynamicClient) -> None:
    """KServe's group without its image, OtterScale's decode pods that crash, OME's service that fits no node."""
    startup = {"startup": {"errorSeconds": 2, "unschedulableSeconds": 6}}
    ome = {"ingress": {"disableIngressCreation": True}, **startup}
    stack.config({"settings": {"kserve": startup, "otterscale": startup, "ome": ome}})
    statuses = {
        "group-kserve-mn": kubelet.waiting("ImagePullBackOff", PULL),
        "pair-decode": kubelet.crashed(3, "unrecognized arguments: --no-such-flag", 2),
    }
    with kubelet.node(api) as labels, kubelet.reporting(api, stack.namespace, statuses):
        bare: dict[str, Any] = {"nodeSelector": labels, "tolerations": kubelet.ANYWHERE}
        worker = {"containers": [{"name": "main"}], **bare}
        group = kserve.service("group", parallelism={"data": 2, "dataLocal": 1}, template=worker, worker=worker)
        pair = model_service("pair", decode=bare)
        runner = {"name": "ome-container", "image": "example/server:1"}
        alone = ome_service("alone", {"engine": {"runner": runner, "nodeSelector": {"disk": "none"}}})
        stack.write(group + pair + alone)

        failed = stack.up(fails=True)
        status = command(stack, "status")

    messages, where = "\n".join(failed.messages), stack.namespace
    assert f"LeaderWorkerSet {where}/group-kserve-mn can't start: ImagePullBackOff: pod group-kserve-mn-0" in messages
    assert f"Deployment {where}/pair-decode can't start: CrashLoopBackOff: pod pair-decode-" in messages
    assert f"Deployment {where}/alone-engine can't start: Unschedulable: pod alone-engine-" in messages
    rows = {line.split()[0].partition("/")[2]: line for line in status.stdout.splitlines()[1:]}
    assert PULL in rows["group"]
    assert "exit code 2, restarted 3 times: unrecognized arguments: --no-such-flag" in rows["pair"]
    assert "Unschedulable" in rows["alone"]
