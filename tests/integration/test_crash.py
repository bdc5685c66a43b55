"""The engine is killed during an update: the next one continues, without duplicate or leftover objects.

Not proven here: an API server or a state backend that fails at the same time.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from kubernetes.dynamic import DynamicClient

from tests.integration.live import objects, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack
from tests.integration.waiting import eventually

NAMES = [f"web-{number}" for number in range(6)]
ONE_BY_ONE = ("--parallel", "1")
"""Makes the kill happen while only some of the objects exist."""
WANTED = {(kind, name) for name in NAMES for kind in ("Deployment", "Service")}


def write(stack: Stack, *, image: str, env: list[dict[str, str]]) -> None:
    stack.write(model() + "".join(service(name, image=image, env=env) for name in NAMES))


def test_killed_while_creating_and_while_updating(stack: Stack, api: DynamicClient) -> None:
    write(stack, image="example/server:1", env=[{"name": "OLD", "value": "1"}])
    process = stack.start_up(*ONE_BY_ONE)
    eventually(lambda: deployments(api, stack) != {}, "a first Deployment")
    assert kill(process) >= 3
    survivors = deployments(api, stack)
    assert len(survivors) < len(NAMES), "the update had ended"

    go_on(stack)

    assert objects(api, stack.namespace) == WANTED
    after = deployments(api, stack)
    assert {name: after[name][0] for name in survivors} == {name: uid for name, (uid, _) in survivors.items()}
    stack.preview("--refresh", "--expect-no-changes")

    # The objects of the killed run still belong to the stack: their fields can be changed and removed.
    write(stack, image="example/server:2", env=[])
    process = stack.start_up(*ONE_BY_ONE)
    eventually(lambda: any(generation > 1 for _, generation in deployments(api, stack).values()), "an update")
    assert kill(process) >= 3
    assert any(generation == 1 for _, generation in deployments(api, stack).values()), "the update had ended"

    go_on(stack)

    assert objects(api, stack.namespace) == WANTED
    for name in NAMES:
        pod = read(api, "apps/v1", "Deployment", name, stack.namespace)["spec"]["template"]["spec"]
        assert (pod["containers"][0]["image"], pod["containers"][0].get("env")) == ("example/server:2", None)
    assert {service["phase"] for service in stack.outputs()["services"].values()} == {"Ready"}
    stack.destroy()
    assert objects(api, stack.namespace) == set()


def go_on(stack: Stack) -> None:
    """Recovers like a user after a crash: removes the lock and brings the stack up again."""
    stack.cancel()
    stack.up()


def deployments(api: DynamicClient, stack: Stack) -> dict[str, tuple[str, int]]:
    """Maps each name to its uid and generation."""
    items = api.resources.get(api_version="apps/v1", kind="Deployment").get(namespace=stack.namespace).items
    return {item.metadata.name: (item.metadata.uid, item.metadata.generation) for item in items}


def kill(process: subprocess.Popen[bytes]) -> int:
    """Kills the engine with its language host and provider, which are in separate process groups, all at once.

    Returns the number of processes.
    """
    members = list(session(process.pid))
    for pid in members:
        with contextlib.suppress(ProcessLookupError):  # a plugin may notice that its engine is gone
            os.kill(pid, signal.SIGKILL)
    process.wait()
    return len(members)


def session(leader: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == leader:
                    yield int(entry.name)
            except ProcessLookupError:
                continue
