"""Waiting for workloads: when it ends, and how. That pods are found is shown in tests/integration/test_reasons.py."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pulumi
import pytest

from modelservices.cluster.connection import Cluster
from modelservices.kubernetes.objects import Key, Object
from modelservices.kubernetes.startup import StartupSettings
from modelservices.registration.waiting import Awaited, Waiting

OBJECT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "chat", "namespace": "inference", "generation": 1},
    "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "server"}]}}},
}
READY = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1}
LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "too late"}


class Looks:
    """A cluster with one answer for each look: a status, or an error that is raised."""

    def __init__(self, *answers: Mapping[str, Any] | Exception) -> None:
        self.answers = list(answers)

    def objects(self, wanted: Iterable[Key]) -> Any:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(objects={identity: {**OBJECT, "status": answer} for identity in wanted})

    def get(self, path: str) -> Mapping[str, Any]:
        return {"items": []}


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    asyncio.set_event_loop(asyncio.new_event_loop())
    pulumi.runtime.set_mocks(cast(Any, SimpleNamespace()))
    yield


def waited(*answers: Mapping[str, Any] | Exception) -> tuple[Mapping[str, Any], str]:
    """The status at the end of the waiting, and what ends the program."""

    async def run() -> tuple[Mapping[str, Any], str]:
        waiting = Waiting(cast(Cluster, Looks(*answers)))
        waiting.announce()
        resource = SimpleNamespace(urn=pulumi.Output.from_input("urn:x"))
        awaited = Awaited(OBJECT, cast(pulumi.Resource, resource), StartupSettings(), changed=True, one_is_enough=False)
        status = await asyncio.wait_for(waiting.until_ready(awaited), 20)
        try:
            await asyncio.wait_for(waiting.succeed(), 5)
        except pulumi.RunError as error:
            return status, str(error)
        return status, ""

    # Other tests of this process go on with the loop: `asyncio.run` would take it away.
    return asyncio.get_event_loop().run_until_complete(run())


def test_it_ends_when_the_pods_are_ready() -> None:
    assert waited({"observedGeneration": 1}, READY) == (READY, "")


def test_a_look_that_fails_is_not_the_last() -> None:
    assert waited(KeyError("kind"), READY) == (READY, "")


def test_an_interrupt_ends_the_program_without_a_traceback() -> None:
    asyncio.get_event_loop().call_later(0.3, os.kill, os.getpid(), signal.SIGINT)
    with pytest.raises(SystemExit, match="1"):
        waited({"observedGeneration": 1})


def test_a_deadline_that_has_passed_ends_the_program() -> None:
    status = {"observedGeneration": 1, "conditions": [LATE]}
    found, problem = waited(status)
    assert found == status
    assert problem.startswith("not ready: Deployment inference/chat; ")
