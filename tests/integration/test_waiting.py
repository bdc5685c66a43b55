"""What never becomes ready by itself does not hang an update; what may take long gets its time.

A command of a test may take less than the provider would wait. Not proven here: that the provider keeps to the
timeouts that it is given.
"""

from typing import Any

from kubernetes.dynamic import DynamicClient

from modelservices.kubernetes.rollout import MARGIN_SECONDS
from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack

STARTUP_SECONDS = 180 * 10
"""The startup probes' budget: attempts and seconds between them."""

PATIENT = {"startup": {"tcpSocket": {"port": 8080}, "periodSeconds": 30, "failureThreshold": 240}}


def test_nothing_hangs(stack: Stack, api: DynamicClient) -> None:
    stack.write(
        model()
        + model("gguf", source="https://models.example.com/m.gguf", format="gguf")
        + service("stopped", model="gguf", runtime="llamacpp", skipModelInit=False, replicas=0)
        + service("balanced", endpoint={"type": "LoadBalancer"})
        + service("patient", probeOverrides=PATIENT)
    )

    stack.up()

    # Nobody uses the claim yet, no pod stands behind the Service, and nobody gives it an address.
    assert read(api, "v1", "PersistentVolumeClaim", "llmkube-model-cache", stack.namespace)["status"] == {
        "phase": "Pending"
    }
    assert read(api, "v1", "Service", "balanced", stack.namespace)["status"] == {"loadBalancer": {}}
    services = stack.outputs()["services"]
    phases = {name.partition("/")[2]: service["phase"] for name, service in services.items()}
    assert phases == {"stopped": "Stopped", "balanced": "Ready", "patient": "Ready"}
    assert timeouts(stack, "balanced-deployment") == STARTUP_SECONDS + MARGIN_SECONDS
    assert timeouts(stack, "patient-deployment") == 30 * 240 + MARGIN_SECONDS
    stack.preview("--refresh", "--expect-no-changes")


def timeouts(stack: Stack, child: str) -> float:
    """The seconds that the engine gives the provider to create a resource and to update it."""
    (found,) = [resource for resource in stack.state() if resource["urn"].endswith(f"::{stack.namespace}/{child}")]
    given: dict[str, Any] = found["customTimeouts"]
    assert given["create"] == given["update"]
    return given["create"]
