"""Fifty services converge in one update and then stay stable.

Not proven here: how long images and models take to load.
"""

from kubernetes.dynamic import DynamicClient

from tests.integration.live import objects
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack

COUNT = 50


def test_many_services(stack: Stack, api: DynamicClient) -> None:
    names = [f"web-{number:02}" for number in range(COUNT)]
    for name in names:
        stack.write(model(f"{name}-model") + service(name, model=f"{name}-model"), f"{name}.yaml")

    stack.up()

    assert objects(api, stack.namespace) == {(kind, name) for name in names for kind in ("Deployment", "Service")}
    services = stack.outputs()["services"]
    assert len(services) == COUNT
    assert {service["phase"] for service in services.values()} == {"Ready"}
    stack.preview("--refresh", "--expect-no-changes")
