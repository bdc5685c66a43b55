"""Status beyond the reference cases: each role by itself, the endpoint picker, Deployments that can't make pods.

Not proved: what a live cluster writes into a Deployment's status.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.endpoint_picker.render import render_endpoint_picker
from modelservices.kubernetes.endpoint_picker.spec import EndpointPickerSpec
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.kubernetes.status import Condition, ServiceStatus

from .services import PREFILL, rendered

DECODE, FILL, EPP = "decode-deployment", "prefill-deployment", "epp/deployment"


def ready(pods: int) -> dict[str, Any]:
    return {"readyReplicas": pods}


def observed(service: RenderedComponent, **live: Any) -> ServiceStatus:
    assert service.observe is not None
    return service.observe(live)


def pd(decode: int = 1, prefill: int = 2, picker: int = 1) -> RenderedComponent:
    spec = {
        **PREFILL,
        "decode": {"replicas": decode},
        "prefill": {"replicas": prefill},
        "inferencePool": {"endpointPicker": {"replicas": picker}},
    }
    return rendered(spec)


@pytest.mark.parametrize(
    ("live", "phase", "reason", "message"),
    [
        ({}, "Pending", "DeploymentNotFound", "Decode Deployment has not been created yet"),
        (
            {FILL: ready(2), EPP: ready(1)},
            "Pending",
            "DeploymentNotFound",
            "Decode Deployment has not been created yet",
        ),
        ({DECODE: {}, FILL: {}, EPP: ready(1)}, "Running", "PodsStarting", "Waiting for serving pods to become ready"),
        ({DECODE: ready(1), FILL: ready(1), EPP: ready(1)}, "Running", "PartiallyReady", "2/3 replicas ready"),
        ({DECODE: ready(1), EPP: ready(1)}, "Running", "PartiallyReady", "1/3 replicas ready"),
        (
            {DECODE: ready(1), FILL: ready(2), EPP: {}},
            *("Running", "EndpointPickerNotReady", "Waiting for the endpoint picker to become ready"),
        ),
        (
            {DECODE: ready(1), FILL: ready(2)},
            *("Running", "EndpointPickerNotReady", "Waiting for the endpoint picker to become ready"),
        ),
        ({DECODE: ready(1), FILL: ready(2), EPP: ready(1)}, "Ready", "AllReplicasReady", "All 3 replicas are ready"),
    ],
)
def test_phase(live: dict[str, Any], phase: str, reason: str, message: str) -> None:
    status = observed(pd(), **live)
    assert (status.phase, status.reason) == (phase, reason)
    assert status.conditions[0] == Condition("Ready", "True" if phase == "Ready" else "False", reason, message)


def test_a_surplus_of_decode_pods_hides_no_lack_of_prefill_pods() -> None:
    """Upstream adds them up and says Ready."""
    status = observed(pd(), **{DECODE: ready(3), FILL: ready(0), EPP: ready(1)})
    assert (status.phase, status.reason) == ("Running", "PartiallyReady")
    assert (status.ready, status.desired) == (1, 3)


def test_one_of_several_pickers_is_enough() -> None:
    """Only the leader is ready."""
    status = observed(pd(picker=3), **{DECODE: ready(1), FILL: ready(2), EPP: ready(1)})
    assert status.phase == "Ready"
    assert (status.details["endpointPickerReady"], status.details["endpointPickerReplicas"]) == (1, 3)


def test_a_service_without_replicas_is_ready() -> None:
    status = observed(pd(decode=0, prefill=0, picker=0), **{DECODE: {}, FILL: {}, EPP: {}})
    assert (status.phase, status.conditions[0].message) == ("Ready", "All 0 replicas are ready")


def test_counters() -> None:
    status = observed(pd(), **{DECODE: ready(3), EPP: ready(1)})
    assert status.details == {
        "decodeReady": 3,
        "decodeReplicas": 1,
        "prefillReady": 0,
        "prefillReplicas": 2,
        "endpointPickerReady": 1,
        "endpointPickerReplicas": 1,
    }


def test_without_prefill_its_counters_are_zero() -> None:
    status = observed(rendered(), **{DECODE: ready(1), FILL: ready(5), EPP: ready(1)})
    assert (status.details["prefillReady"], status.details["prefillReplicas"]) == (0, 0)
    assert [condition.type for condition in status.conditions] == ["Ready", "DecodeReady", "EndpointPickerReady"]


def test_a_deployment_that_can_make_no_pods_says_why() -> None:
    failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: gpus"}
    status = observed(pd(), **{DECODE: ready(1), FILL: {"conditions": [failure]}, EPP: ready(1)})
    assert status.phase == "Running"
    assert status.conditions[0] == Condition("Ready", "False", "FailedCreate", "exceeded quota: gpus")
    assert status.conditions[2] == Condition("PrefillReady", "False", "FailedCreate", "exceeded quota: gpus")


def test_each_role_has_a_condition() -> None:
    status = observed(pd(), **{DECODE: ready(1), FILL: ready(1)})
    assert status.conditions[1:] == (
        Condition("DecodeReady", "True", "AllReplicasReady", "1/1 replicas ready"),
        Condition("PrefillReady", "False", "PartiallyReady", "1/2 replicas ready"),
        Condition("EndpointPickerReady", "False", "DeploymentNotFound", "The Deployment has not been created yet"),
    )


def test_endpoint_is_the_first_host_name() -> None:
    route = {"httpRoute": {"gatewayRef": {"name": "gw"}, "hostnames": ["chat.example.com", "b.example.com"]}}
    assert observed(rendered(route)).endpoint == "http://chat.example.com"
    assert observed(rendered()).endpoint == ""


@pytest.mark.parametrize(
    ("live", "phase", "reason"),
    [
        ({}, "Pending", "DeploymentNotFound"),
        ({"deployment": {}}, "Running", "PodsStarting"),
        ({"deployment": ready(1)}, "Ready", "AllReplicasReady"),
    ],
)
def test_a_picker_by_itself(live: dict[str, Any], phase: str, reason: str) -> None:
    picker = render_endpoint_picker(EndpointPickerSpec(name="a-epp", poolName="a", replicas=2))
    status = observed(picker, **live)
    assert (status.phase, status.reason, status.conditions[0].type) == (phase, reason, "Ready")
