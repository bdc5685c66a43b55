"""vLLM's start scripts, run by bash with a stub in vLLM's place that writes down how it was called.

Not proved: that a vLLM release takes these flags, and that the image has bash, awk, getent and sort.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from modelservices.families.kserve.flag_values import shutdown_timeout

from .services import DATA_PARALLEL, config, container, main, manifest, objects, of, pod, server

STUB = """#!/bin/bash
if [ "$1" = --version ]; then
  [ -n "$STUB_VERSION" ] || exit 1
  printf '%s\\n' "$STUB_VERSION"
  exit 0
fi
printf '%s\\0' "$$" "$@" > "$STUB_CALL"
exit "${STUB_EXIT:-0}"
"""
GETENT = """#!/bin/bash
echo "$*" >> "$STUB_CALL.getent"
[ -n "$STUB_ADDRESS" ] && echo "$STUB_ADDRESS  $2" && exit 0
exit 2
"""
SINGLE = ["serve", "/mnt/models", "--served-model-name", "org/model", "publishers/models/models/org/model"]
NEW = ["--disable-access-log-for-endpoints", "/health,/metrics,/ping", "--shutdown-timeout", "40"]


@dataclass(frozen=True)
class Call:
    """How vLLM was called, whether by the shell's own process, and what the script answered."""

    args: list[str]
    replaced_the_shell: bool
    code: int
    errors: str


@pytest.fixture
def run(tmp_path: Path) -> Any:
    for name, text in (("vllm", STUB), ("getent", GETENT)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    def start(item: Mapping[str, Any], **env: str) -> Call:
        call = tmp_path / "call"
        call.unlink(missing_ok=True)
        variables = {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "STUB_CALL": str(call),
            "STUB_VERSION": "0.23.0",
            **env,
        }
        process = subprocess.Popen(
            [*item["command"], *item.get("args", [])], env=variables, stderr=subprocess.PIPE, text=True
        )
        _, errors = process.communicate(timeout=20)
        words = call.read_text().split("\0")[:-1] if call.exists() else [""]
        return Call(words[1:], words[0] == str(process.pid), process.returncode, errors)

    return start


def test_single_node(run: Any) -> None:
    call = run(server())
    assert call.args == [*SINGLE, "--port", "8000", *NEW]
    assert call.replaced_the_shell and call.code == 0 and call.errors == ""


def test_the_servers_answer_is_the_containers(run: Any) -> None:
    assert run(server(), STUB_EXIT="3").code == 3


def test_parallelism_reaches_the_command_line(run: Any) -> None:
    call = run(server({"parallelism": {"tensor": 2, "pipeline": 3, "expert": True}}))
    assert call.args == [
        *SINGLE,
        *("--port", "8000", "--enable-expert-parallel", "--tensor-parallel-size", "2", "--pipeline-parallel-size", "3"),
        *NEW,
    ]


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("0.15.1", ["--disable-uvicorn-access-log"]),
        ("0.16.0", NEW[:2]),
        ("0.17.1", NEW[:2]),
        ("0.18.0", NEW),
        ("0.9.2", ["--disable-uvicorn-access-log"]),
        ("0.23.0rc1.dev4+gabc", NEW),
        ("1.0", NEW),
        ("WARNING something 9.9\nvLLM 0.17.0", NEW[:2]),
        ("development", ["--disable-uvicorn-access-log"]),
        ("", ["--disable-uvicorn-access-log"]),
    ],
)
def test_flags_that_older_versions_do_not_know(run: Any, version: str, wanted: list[str]) -> None:
    assert run(server(), STUB_VERSION=version).args == [*SINGLE, "--port", "8000", *wanted]


@pytest.mark.parametrize(
    ("grace", "wanted"), [(None, 40), (60, 40), (120, 100), (30, 10), (20, 0), (16, 0), (3, 0), (0, 0), (600, 580)]
)
def test_shutdown_timeout(grace: int | None, wanted: int) -> None:
    assert shutdown_timeout({} if grace is None else {"terminationGracePeriodSeconds": grace}) == wanted


def test_shutdown_timeout_of_the_pod(run: Any) -> None:
    call = run(server({"template": {**main(), "terminationGracePeriodSeconds": 120}}))
    assert call.args[-2:] == ["--shutdown-timeout", "100"]


def test_arguments_come_last_and_are_shell_text(run: Any) -> None:
    """As in KServe, where they are a part of the command line."""
    args = ["--max-model-len", "8192", "--override '{\"a\": [1, 2]}'", "--stop *", '"two words"']
    env = [{"name": "VLLM_ADDITIONAL_ARGS", "value": "--dtype 'bf 16' --seed=1"}]
    item = server({"template": main(args=args, env=env)})
    call = run(item, VLLM_ADDITIONAL_ARGS=item["env"][-1]["value"])
    assert call.args[len(SINGLE) + 6 :] == [
        *("--dtype", "bf 16", "--seed=1"),
        *("--max-model-len", "8192", "--override", '{"a": [1, 2]}', "--stop", "*", "two words"),
    ]


def test_variables_in_arguments_are_filled_in_once(run: Any) -> None:
    item = server({"template": main(args=["--host", "$POD_IP"])})
    assert run(item, POD_IP="10.0.0.1").args[-2:] == ["--host", "10.0.0.1"]


def test_arguments_that_are_no_shell_text_stop_the_start(run: Any) -> None:
    call = run(server({"template": main(args=["--a", "it's"])}))
    assert call.code == 2 and call.args == [] and "unexpected EOF" in call.errors


def test_lora_modules_arrive_as_json(run: Any) -> None:
    adapters = [{"name": "sql", "uri": "hf://org/sql"}]
    call = run(server({"model": {"uri": "hf://org/model", "name": "m", "lora": {"adapters": adapters, "maxRank": 8}}}))
    assert call.args[-5:-2] == ["--enable-lora", "--max-lora-rank=8", "--lora-modules"]
    assert [json.loads(module) for module in call.args[-2:]] == [
        {"name": "sql", "path": "/mnt/lora/sql"},
        {"name": "publishers/models/models/sql", "path": "/mnt/lora/sql"},
    ]


def test_kv_cache_offloading(run: Any) -> None:
    tiers = [{"fileSystem": {"emptyDir": {"size": "1Gi"}}}]
    item = server({"kvCacheOffloading": {"cpu": "2Gi", "evictionPolicy": "arc", "secondary": tiers}})
    flag, value = run(item).args[-2:]
    assert flag == "--kv-transfer-config"
    assert json.loads(value) == {
        "kv_connector": "OffloadingConnector",
        "kv_connector_extra_config": {
            "cpu_bytes_to_use": 2147483648,
            "eviction_policy": "arc",
            "secondary_tiers": [{"root_dir": "/mnt/kv-cache-0", "type": "fs"}],
            "spec_name": "TieringOffloadingSpec",
        },
        "kv_role": "kv_both",
    }
    assert "--kv-transfer-config" not in run(item, STUB_VERSION="0.21.3").args


@pytest.mark.parametrize("place", ["args", "VLLM_ADDITIONAL_ARGS"])
def test_ones_own_kv_configuration_stands(run: Any, place: str) -> None:
    own = "--kv-transfer-config '{}'"
    change = main(args=[own]) if place == "args" else main(env=[{"name": place, "value": own}])
    item = server({"kvCacheOffloading": {"cpu": "2Gi"}, "template": change})
    call = run(item, **({} if place == "args" else {place: own}))
    assert call.args.count("--kv-transfer-config") == 1 and call.args[-1] == "{}"


def test_tls(run: Any) -> None:
    call = run(server(settings={"ingress": {"enableLLMInferenceServiceTLS": True}}))
    assert call.args[len(SINGLE) + 2 : -4] == [
        "--enable-ssl-refresh",
        *("--ssl-certfile", "/var/run/kserve/tls/tls.crt"),
        *("--ssl-keyfile", "/var/run/kserve/tls/tls.key"),
    ]


def test_prefill_and_decode(run: Any) -> None:
    made = of({"prefill": {"parallelism": {"tensor": 4}}, "parallelism": {"tensor": 2}})
    prefill = run(container(pod(made["prefill-deployment"])))
    decode = run(container(pod(made["decode-deployment"])))
    assert prefill.args[:8] == [*SINGLE[:4], "--port", "8000", "--tensor-parallel-size", "4"]
    assert decode.args[:9] == [*SINGLE, "--port", "8001", "--tensor-parallel-size", "2"]


GROUP = {"STUB_ADDRESS": "10.1.2.3", "LWS_LEADER_ADDRESS": "chat-0.chat.models"}
DATA = ["--data-parallel-size", "4", "--data-parallel-size-local", "2", "--data-parallel-address", "10.1.2.3"]


def test_leader(run: Any) -> None:
    item = container(pod(of(DATA_PARALLEL)["decode-group"], "leaderTemplate"))
    call = run(item, **GROUP)
    assert call.args == [
        *SINGLE,
        *("--port", "8000", "--api-server-count", "8"),
        *DATA,
        *("--data-parallel-rpc-port", "5555", "--data-parallel-start-rank", "0"),
        *NEW,
    ]
    assert run(item, VLLM_API_SERVER_COUNT="2", **GROUP).args[8] == "2"


@pytest.mark.parametrize(("index", "rank"), [("1", "2"), ("3", "6"), ("", "0")])
def test_worker(run: Any, index: str, rank: str) -> None:
    spec = {
        **DATA_PARALLEL,
        "parallelism": {"data": 4, "dataLocal": 2, "dataRPCPort": 6000, "tensor": 2, "expert": True},
    }
    item = container(pod(of(spec)["decode-group"], "workerTemplate"))
    call = run(item, LWS_WORKER_INDEX=index, **GROUP)
    assert call.args == [
        *SINGLE,
        *("--port", "8000", "--enable-expert-parallel", "--tensor-parallel-size", "2"),
        *DATA,
        *("--data-parallel-rpc-port", "6000", "--data-parallel-start-rank", rank, "--headless"),
        *NEW,
    ]


def test_decode_group_beside_prefill_serves_on_another_port(run: Any) -> None:
    group = of({**DATA_PARALLEL, "prefill": {}})["decode-group"]
    for template in ("leaderTemplate", "workerTemplate"):
        assert run(container(pod(group, template)), **GROUP).args[len(SINGLE) : len(SINGLE) + 2] == ["--port", "8001"]


def test_a_leader_that_has_no_address_yet_is_asked_for_again(run: Any, tmp_path: Path) -> None:
    item = container(pod(of(DATA_PARALLEL)["decode-group"], "workerTemplate"))
    call = run(item, LWS_LEADER_ADDRESS="chat-0.chat", DP_ADDRESS_RESOLVE_ATTEMPTS="2")
    assert (tmp_path / "call.getent").read_text().splitlines() == ["hosts chat-0.chat"] * 2
    assert call.args[call.args.index("--data-parallel-address") + 1] == "chat-0.chat"


def test_the_tokenizer(run: Any) -> None:
    made = of({"router": {"scheduler": {"tokenizer": {}}}})
    call = run(container(pod(made["tokenizer-deployment"])))
    assert call.args == ["launch", "render", "/mnt/models/base", "--port=8000"]
    assert call.replaced_the_shell


OWN_PRESET = """exec vllm serve /mnt/models \\
  --data-parallel-size {{ or .Spec.Parallelism.Data 1 }} \\
  {{ if .Spec.Parallelism.Expert }}--enable-expert-parallel{{- end }} \\
  --shutdown-timeout {{ shutdownTimeout .Spec.Template 15 }} {{ kvTransferConfig .Spec.KVCacheOffloading }} $@"""


def test_a_preset_that_is_written_as_kserves_own_are(run: Any) -> None:
    preset = config({"template": main(image="v:1", command=["/bin/bash", "-c", OWN_PRESET, "--"])})
    preset["metadata"] |= {"name": "kserve-config-llm-template", "namespace": "kserve"}
    own = manifest(
        {"parallelism": {"expert": True}, "template": {**main(args=["--x"]), "terminationGracePeriodSeconds": 30}}
    )
    call = run(container(pod(objects(own, preset)["decode-deployment"])))
    assert call.args == [
        *("serve", "/mnt/models", "--data-parallel-size", "1"),
        *("--enable-expert-parallel", "--shutdown-timeout", "10", "--x"),
    ]


def test_a_command_of_ones_own_stands() -> None:
    assert server({"template": main(command=["my-server"])})["command"] == ["my-server"]


@pytest.mark.parametrize("spec", [{}, DATA_PARALLEL, {"prefill": {}}, {**DATA_PARALLEL, "prefill": DATA_PARALLEL}])
def test_scripts_are_short_and_have_no_syntax_errors(spec: dict[str, Any]) -> None:
    for obj in of(spec).values():
        for template in ("template", "leaderTemplate", "workerTemplate"):
            inner = obj.get("spec", {})
            if template not in inner.get("leaderWorkerTemplate", inner):
                continue
            text = container(pod(obj, template))["command"][2]
            assert subprocess.run(["bash", "-n", "-c", text], check=False).returncode == 0
            assert text.isascii() and len(text.splitlines()) <= 40
