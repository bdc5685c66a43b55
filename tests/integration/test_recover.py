"""Updates that write the state only at the end, killed at random moments: `recover` finds the leftover objects.

RECOVER_SERVICES and RECOVER_KILLS enlarge the test.

Not proven here: an API server or a state backend that fails at the same time.
"""

from __future__ import annotations

import os
import random
import subprocess

from kubernetes.dynamic import DynamicClient

from tests.integration.live import objects, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.test_crash import deployments, kill
from tests.integration.waiting import eventually

SERVICES = int(os.environ.get("RECOVER_SERVICES", "10"))
KILLS = int(os.environ.get("RECOVER_KILLS", "3"))


def write(stack: Stack, names: list[str], version: int) -> None:
    image = f"example/server:{version}"
    stack.write(model() + "".join(service(name, image=image) for name in names))


def test_killed_updates_leave_nothing_twice_and_nothing_behind(stack: Stack, api: DynamicClient) -> None:
    moments = random.Random(14)
    every = [f"web-{number:03}" for number in range(SERVICES)]
    names: list[str] = []
    killed = 0
    for turn in range(1, KILLS + 1):
        names = sorted(moments.sample(every, SERVICES * 2 // 3))
        write(stack, names, turn)
        process = stack.start_up(checkpoints=False)
        wait_for(moments.randrange(len(names)), turn, process, stack, api)
        if process.poll() is None:
            kill(process)
            stack.cancel()
            killed += 1
    assert killed > 0
    before = deployments(api, stack)

    lost = set(before) - set(names) - known_deployments(stack)
    print(f"{killed} of {KILLS} updates killed, {len(lost)} of {len(before)} Deployments lost")

    named, deleted = command(stack, "recover"), command(stack, "recover", "--yes")
    stack.up("--refresh")

    lines = [line.partition(": ")[0] for line in named.stdout.splitlines()]
    assert {line for line in lines if line.startswith("Deployment")} == {
        f"Deployment {stack.namespace}/{name}" for name in lost
    }
    assert named.returncode == (1 if lines else 0), named.stderr
    assert deleted.stdout.splitlines() == [f"{line}: deleted" for line in lines], deleted.stderr
    assert objects(api, stack.namespace) == {(kind, name) for name in names for kind in ("Deployment", "Service")}
    after = deployments(api, stack)
    assert {name: after[name][0] for name in names if name in before} == {
        name: before[name][0] for name in names if name in before
    }
    for name in names:
        pod = read(api, "apps/v1", "Deployment", name, stack.namespace)["spec"]["template"]["spec"]
        assert pod["containers"][0]["image"] == f"example/server:{KILLS}"
    stack.preview("--refresh", "--expect-no-changes")
    assert command(stack, "recover").returncode == 0


def wait_for(count: int, version: int, process: subprocess.Popen[bytes], stack: Stack, api: DynamicClient) -> None:
    """Waits until ``count`` services have the version or the update has ended."""
    resource = api.resources.get(api_version="apps/v1", kind="Deployment")

    def changed() -> int:
        found = resource.get(namespace=stack.namespace).items
        images = [item.spec.template.spec.containers[0].image for item in found]
        return images.count(f"example/server:{version}")

    eventually(lambda: process.poll() is not None or changed() >= count, f"{count} services of version {version}")


def known_deployments(stack: Stack) -> set[str]:
    """The names of the Deployments in the stack's state."""
    found = (resource["inputs"] for resource in stack.state() if resource["type"].endswith(":Deployment"))
    return {inputs["metadata"]["name"] for inputs in found}


def test_a_stack_that_was_never_updated_has_left_nothing_behind(stack: Stack) -> None:
    write(stack, ["web"], 1)
    done = command(stack, "recover")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_an_orphan_is_named_before_it_is_deleted(stack: Stack, api: DynamicClient) -> None:
    write(stack, ["kept"], 1)
    stack.up()
    orphan = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "lost", "namespace": stack.namespace},
        "data": {"made": "by a run that nobody remembers"},
    }
    api.resources.get(api_version="v1", kind="ConfigMap").server_side_apply(
        body=orphan, name="lost", namespace=stack.namespace, field_manager=stack.mark
    )
    line = f"ConfigMap {stack.namespace}/lost: made by this stack, and neither in its state nor in its manifests"

    named = command(stack, "recover")

    assert (named.returncode, named.stdout.splitlines()) == (1, [line])
    assert read(api, "v1", "ConfigMap", "lost", stack.namespace)
    assert command(stack, "recover", "--yes").stdout == f"ConfigMap {stack.namespace}/lost: deleted\n"
    assert read(api, "v1", "ConfigMap", "lost", stack.namespace) is None
    assert objects(api, stack.namespace) == {("Deployment", "kept"), ("Service", "kept")}
