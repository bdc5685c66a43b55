"""References to variables that nothing sets. Not proved here: which variables webhooks of a cluster add."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.families.kserve import services as kserve
from tests.unit.families.llmkube.render import REPOSITORY, plan

SERVED = {"runtime": "vllm", "skipModelInit": True}


def unset(found: Any) -> list[tuple[str, str]]:
    return [(each.path, each.message.split(",")[0]) for each in found.findings if each.code == "unset-variable"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"extraArgs": ["--max-num-seqs=$(SEQS)"]}, [("spec.extraArgs[0]", "has $(SEQS)")]),
        ({"extraArgs": ["--max-num-seqs=$(SEQS)"], "env": [{"name": "SEQS", "value": "4"}]}, []),
        ({"extraArgs": ["--served-model-name", "$$(SEQS)"]}, []),
        ({"extraArgs": ["--seed=$(random)", "--port=$(CHAT_PORT)"]}, []),
        ({"extraArgs": ["--master-addr=$(LWS_LEADER_ADDRESS)"]}, []),
        ({"env": [{"name": "URL", "value": "http://$(HOST)/"}]}, [("spec.env[0].value", "has $(HOST)")]),
        ({"env": [{"name": "A", "value": "$(CHAT_SERVICE_HOST):$(CHAT_SERVICE_PORT_HTTP)"}]}, []),
    ],
)
def test_of_a_server(spec: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert unset(plan({**SERVED, **spec}, REPOSITORY)) == expected


def test_in_a_script_and_in_prefill_pods() -> None:
    script = ["vllm serve --port 8001 --served-model-name $(SERVED) --tensor-parallel-size $(nvidia-smi -L | wc -l)"]
    main = {"name": "main", "command": ["sh", "-c"], "args": script}
    prefill = {"template": {"containers": [{"name": "main", "args": ["--max-num-seqs=$(SEQS)"]}]}}
    spec = {"template": {"containers": [main]}, "prefill": prefill}
    assert unset(kserve.plan(kserve.manifest(spec))) == [
        ("spec.template.containers[0].args[0]", "has $(SERVED)"),
        ("spec.prefill.template.containers[0].args[0]", "has $(SEQS)"),
    ]


def test_a_source_of_variables_may_have_any() -> None:
    main = {"name": "main", "args": ["--seed=$(SEED)"], "envFrom": [{"configMapRef": {"name": "x"}}]}
    assert unset(kserve.plan(kserve.manifest({"template": {"containers": [main]}}))) == []
