"""Take-overs of services with TLS from KServe's real controller, which makes the certificates that their pods mount."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.real_operators.controller import RealOperator
from tests.integration.real_operators.team import Team, lost
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

pytestmark = pytest.mark.operators

_CASES = ("s03-single-router-tls", "s16-pd-single-router")
_SERVERS = 3
"""Their Deployments: that of one service, two of the other."""
_TLS = {"enableLLMInferenceServiceTLS": True}


@pytest.fixture
def family() -> str:
    return "kserve"


@pytest.fixture
def encrypting(operator: RealOperator, api: DynamicClient) -> Iterator[RealOperator]:
    """The controller, whose installation has TLS switched on for this test."""
    maps = api.resources.get(api_version="v1", kind="ConfigMap")
    place = {"name": "inferenceservice-config", "namespace": operator.controller.namespace}
    before = maps.get(**place).data["ingress"]

    def configure(ingress: str) -> None:
        maps.patch(**place, body={"data": {"ingress": ingress}}, content_type="application/merge-patch+json")

    configure(json.dumps({**json.loads(before), **_TLS}))
    yield operator
    configure(before)


def test_pods_keep_their_certificates_until_their_service_changes(
    encrypting: RealOperator, new_team: Callable[..., Team], api: DynamicClient
) -> None:
    """One team leaves the running controller, the other follows the guide."""
    leaving, guided = (new_team(*_CASES, settings={"ingress": _TLS}) for _ in range(2))
    with encrypting.running():
        for team in (leaving, guided):
            team.apply()
        made = [obj for team in (leaving, guided) for obj in team.backed_up()]
        serving = {**leaving.serving(), **guided.serving()}
        assert len([name for name in serving if name.startswith("Secret ")]) == 2 * len(_CASES)
        assert len([obj for obj in made if "--ssl-certfile" in json.dumps(obj)]) == 2 * _SERVERS
        leaving.delete_custom_resources("Orphan")
        leaving.take_over()
    eventually(lambda: command(guided.stack, "adopt").returncode == 0, "the end of the controller's lease")
    said = guided.adopt()
    assert said.count("take over, live certificate kept") == len(_CASES)
    guided.take_over()
    guided.remove_finalizers(said)
    guided.delete_custom_resources()
    assert {**leaving.serving(), **guided.serving()} == serving
    assert lost(api, made) == []

    for team in (leaving, guided):
        changed, *others = team.documents
        changed["spec"]["labels"] = {"example.com/changed": "yes"}
        before = team.secrets()
        team.stack.write(yaml.safe_dump_all([changed, *others]))
        team.stack.up()
        after = team.secrets()
        assert [name for name in before if before[name] != after[name]] == [
            f"{changed['metadata']['name']}-kserve-self-signed-certs"
        ]
        team.stack.preview("--refresh", "--expect-no-changes")
