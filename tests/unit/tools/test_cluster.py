"""The control plane's pure parts. That the processes take these flags and objects is for the integration tests."""

import json
import socket
import time
from pathlib import Path

import pytest

from tools.cluster import controllers, objects, waiting
from tools.cluster.api import Api, ApiError
from tools.cluster.ports import known_ports, ports_for
from tools.cluster.processes import Process, ProcessError
from tools.cluster.waiting import wait_for

WEBHOOKS = """---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: mutating-webhook-configuration
webhooks:
- admissionReviewVersions:
  - v1
  clientConfig:
    service:
      name: webhook-service
      namespace: system
      path: /mutate--v1-pod
  failurePolicy: Fail
  name: mpod.kb.io
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: validating-webhook-configuration
webhooks:
- clientConfig:
    service:
      name: webhook-service
      namespace: system
      path: /validate-jobset
  name: vjobset.kb.io
"""


def test_webhooks_are_reached_by_url_and_see_their_own_pods_only() -> None:
    found = controllers.registrations(controllers.CONTROLLERS["jobset"], WEBHOOKS, 1234, "QUJD")

    paths = [path.rpartition("/v1/")[2] for path, _ in found]
    assert paths == [
        "mutatingwebhookconfigurations/jobset-mutating",
        "validatingwebhookconfigurations/jobset-validating",
    ]
    mutating, validating = (document for _, document in found)
    assert "  name: jobset-mutating\n" in mutating
    assert "  clientConfig:\n    url: https://127.0.0.1:1234/mutate--v1-pod\n    caBundle: QUJD\n" in mutating
    assert "    - {key: jobset.sigs.k8s.io/jobset-name, operator: Exists}\n" in mutating
    assert "    url: https://127.0.0.1:1234/validate-jobset\n" in validating
    assert "objectSelector" not in validating


def test_ports_are_distinct_and_stay_the_same(tmp_path: Path) -> None:
    first = ports_for(tmp_path, ["a", "b", "c"])

    assert len(set(first.values())) == 3
    assert ports_for(tmp_path, ["a", "b", "c"]) == first
    assert known_ports(tmp_path) == first


def test_taken_port_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    first = ports_for(tmp_path, ["a", "b"])
    with socket.create_server(("127.0.0.1", first["a"])):
        second = ports_for(tmp_path, ["a", "b"])

    assert second["a"] != first["a"]
    assert second["b"] == first["b"]


def test_nodes_have_what_they_offer_and_no_taints() -> None:
    nodes = [json.loads(text) for _, text in objects.nodes()]
    offered = [json.loads(text)["status"]["allocatable"] for _, text in objects.node_statuses()]

    assert len(nodes) == len(offered)
    assert all("spec" not in node for node in nodes)
    resources = {name for status in offered for name in status if "/" in name}
    assert resources >= {
        "nvidia.com/gpu",
        "nvidia.com/mig-3g.40gb",
        "amd.com/gpu",
        "devic.es/dri-render",
        "gpu.intel.com/i915",
        "habana.ai/gaudi",
        "google.com/tpu",
    }


def test_process_is_known_by_its_pid_file_until_it_is_stopped(tmp_path: Path) -> None:
    process = Process(tmp_path, "sleeper")
    assert process.pid() is None

    process.start(["/bin/sleep", "60"])
    pid = process.pid()
    process.start(["/bin/sleep", "60"])

    assert pid is not None
    assert Process(tmp_path, "sleeper").pid() == pid
    process.stop()
    assert process.pid() is None


def test_pid_of_another_program_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "sleeper.pid").write_text("1 12345678901\n")

    assert Process(tmp_path, "sleeper").pid() is None


def test_process_that_ended_is_reported_with_its_log(tmp_path: Path) -> None:
    process = Process(tmp_path, "failing")
    process.start(["/bin/sh", "-c", "echo no such flag"])
    while process.pid() is not None:
        time.sleep(0.01)

    with pytest.raises(ProcessError, match=r"(?s)failing has ended.*no such flag"):
        process.check()


def test_waiting_goes_on_while_something_new_comes() -> None:
    words = iter(["a and b", "a and b", "b", "b", ""])
    lines = iter(range(100))

    wait_for("parts", lambda: next(words), pytest.fail, news=lambda: next(lines), quiet_seconds=0)

    assert list(words) == []


def test_waiting_ends_when_nothing_new_comes_and_says_what_is_missing() -> None:
    with pytest.raises(ApiError, match=r"^the CRDs: nothing new for 0 s; still missing: 2 of them$"):
        wait_for("the CRDs", lambda: "2 of them", pytest.fail, quiet_seconds=0)


def test_waiting_says_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TELL_SECONDS", -1)
    words, lines = iter(["etcd", ""]), []

    wait_for("the API server", lambda: next(words), lines.append)

    assert lines == ["waiting for the API server (0 s): etcd"]


def test_a_server_that_is_not_ready_names_the_failing_checks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answer = "GET /readyz: 500 [+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/rbac failed: reason"

    def fails(self: Api, method: str, path: str, seconds: float) -> bytes:
        raise ApiError(answer)

    monkeypatch.setattr(Api, "request", fails)
    assert Api(1, "token", tmp_path).not_ready() == "etcd, poststarthook/rbac"
    assert not Api(1, "token", tmp_path).is_ready()
