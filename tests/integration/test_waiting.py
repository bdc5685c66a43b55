"""Objects that never become ready don't block an update, and slow ones get enough time.

A test's command may take less time than the provider would wait. Not proven here: that the provider observes its
timeouts.
"""

from typing import Any

from kubernetes.dynamic import DynamicClient

from modelservices.kubernetes.rollout import MARGIN_SECONDS
from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack

STARTUP_SECONDS = 180 * 10
"""The startup probes' budget: attempts times seconds between them."""

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

    # No pod uses the claim yet, no pod is behind the Service, and the Service gets no address.
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
    """The seconds that the engine allows the provider to create or update a resource."""
    (found,) = [resource for resource in stack.state() if resource["urn"].endswith(f"::{stack.namespace}/{child}")]
    given: dict[str, Any] = found["customTimeouts"]
    assert given["create"] == given["update"]
    return given["create"]
