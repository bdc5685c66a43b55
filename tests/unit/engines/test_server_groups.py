"""What keeps servers of several pods from working together. Not proved here: that servers behave so."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.server_groups import group_problems, transfer_problems

from .test_server import LAUNCH, SGLANG, VLLM


def transferring(connector: str = "") -> dict[str, Any]:
    config = ["--kv-transfer-config", f'{{"kv_connector": "{connector}"}}'] if connector else []
    return {"command": ["vllm", "serve", "m", *config]}


def by_parts(connector: str) -> dict[str, Any]:
    return {"command": ["vllm", "serve", "m", "--kv-transfer-config.kv_connector", connector]}


def disaggregated(mode: str) -> dict[str, Any]:
    return {"command": [*LAUNCH, "--disaggregation-mode", mode]}


@pytest.mark.parametrize(
    ("prompts", "tokens", "code"),
    [
        (transferring("NixlConnector"), transferring("NixlConnector"), None),
        (transferring("NixlConnector"), transferring("LMCacheConnectorV1"), "connectors-differ"),
        (transferring("NixlConnector"), transferring(), "kv-transfer-on-one-side"),
        (transferring(), transferring("NixlConnector"), "kv-transfer-on-one-side"),
        (transferring(), transferring(), "no-kv-transfer"),
        (disaggregated("prefill"), disaggregated("decode"), None),
        (disaggregated("prefill"), {"command": LAUNCH}, "kv-transfer-on-one-side"),
        (disaggregated("prefill"), disaggregated("null"), "kv-transfer-on-one-side"),
        (transferring("NixlConnector"), {"command": ["serve"]}, None),
        (transferring("NixlConnector"), by_parts("NixlConnector"), None),
        (transferring("LMCacheConnectorV1"), by_parts("NixlConnector"), "connectors-differ"),
        (transferring("NixlConnector"), {"command": ["vllm", "serve", "m", "--kv-transfer-config", "$(KV)"]}, None),
    ],
)
def test_kv_blocks(prompts: dict[str, Any], tokens: dict[str, Any], code: str | None) -> None:
    found = [(problem.path, problem.code) for problem in transfer_problems(prompts, tokens)]
    assert found == ([("args", code)] if code else [])


def member(*words: str, image: str = SGLANG, gpus: str = "8") -> dict[str, Any]:
    return {"image": image, "command": [*LAUNCH, *words], "resources": {"limits": {"nvidia.com/gpu": gpus}}}


TWO = ("--nnodes", "2", "--dist-init-addr", "$(LWS_LEADER_ADDRESS):5000", "--tp", "16")


@pytest.mark.parametrize(
    ("leader", "worker", "found"),
    [
        (member(*TWO), member(*TWO), []),
        (member(*TWO), member(*TWO, image="lmsysorg/sglang:v0.5.10"), [("image", "images-differ")]),
        (member(*TWO), member(*TWO, "--dist-init-addr=$(LWS_LEADER_ADDRESS):5001"), [("args", "group-differs")]),
        (member(*TWO), member(*TWO, "--nnodes=4"), [("args", "group-differs")]),
        (member(*TWO), member(*TWO, gpus="4"), [("args", "too-few-accelerators")]),
        (member(*TWO), {"image": VLLM, "command": ["ray", "start"]}, []),
    ],
)
def test_groups(leader: dict[str, Any], worker: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert [(problem.path, problem.code) for problem in group_problems(leader, worker, 2)] == found


def test_kv_blocks_of_a_group() -> None:
    found = group_problems(transferring("NixlConnector"), transferring(), 2)
    assert [(problem.path, problem.code) for problem in found] == [("args", "kv-transfer-on-one-side")]
    assert list(group_problems(transferring(), transferring(), 2)) == []


def test_a_leader_that_knows_itself_by_its_own_address() -> None:
    own = member(*TWO, "--dist-init-addr", "$(POD_IP):5000")
    assert list(group_problems(own, member(*TWO), 2)) == []


def test_a_group_of_unknown_size() -> None:
    assert list(group_problems(member(*TWO), member(*TWO, "--nnodes=4"), None)) == []
