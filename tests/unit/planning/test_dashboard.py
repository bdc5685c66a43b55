"""Dashboard and rules: exact PromQL for a service, and all of it parsed.

Not proven here: that Grafana shows it, and that a deployed engine has these metrics (llama.cpp's are looked up in its
real server by tests/integration/test_llama_server.py).
"""

import json
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from modelservices.__main__ import main
from modelservices.engines.known import ENGINES
from modelservices.planning.dashboard import dashboard, rules, rules_object, watched

REPOSITORY = Path(__file__).parents[3]
SELECTOR = '{namespace="models",pod=~"chat-[a-z0-9]+-[a-z0-9]+"}'


def workload(image: str, *, kind: str = "Deployment", gpu: str = "") -> dict[str, Any]:
    resources = {"limits": {gpu: "1"}} if gpu else {}
    pod = {"containers": [{"name": "server", "image": image, "resources": resources}]}
    spec: dict[str, Any] = {"template": {"spec": pod}}
    if kind == "LeaderWorkerSet":
        spec = {"leaderWorkerTemplate": {"workerTemplate": {"spec": pod}}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "chat", "namespace": "models"}, "spec": spec}


def expressions(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["expr"]] if isinstance(value.get("expr"), str) else []
        return own + [text for item in value.values() for text in expressions(item)]
    return [text for item in value for text in expressions(item)] if isinstance(value, list) else []


def queries(obj: dict[str, Any]) -> dict[str, list[str]]:
    panels = dashboard("Models", watched([obj]))["panels"]
    return {panel["title"]: [target["expr"] for target in panel["targets"]] for panel in panels if "targets" in panel}


def test_the_panels_of_a_service_of_vllm():
    assert queries(workload("vllm/vllm-openai:v0.15.1", gpu="nvidia.com/gpu")) == {
        "Pods that are ready": [
            f'sum(kube_pod_status_ready{{condition="true",{SELECTOR[1:]})',
            f"count(kube_pod_info{SELECTOR})",
        ],
        "Requests": [f"sum(vllm:num_requests_running{SELECTOR})", f"sum(vllm:num_requests_waiting{SELECTOR})"],
        "Tokens each second": [
            f"sum(rate(vllm:generation_tokens_total{SELECTOR}[5m]))",
            f"sum(rate(vllm:prompt_tokens_total{SELECTOR}[5m]))",
        ],
        "Time to the first token, 95 of 100 requests": [
            f"histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{SELECTOR}[5m])))"
        ],
        "KV cache in use": [f"max(vllm:kv_cache_usage_perc{SELECTOR})"],
        "GPU utilization": [f"avg(DCGM_FI_DEV_GPU_UTIL{SELECTOR})"],
    }


def test_a_service_of_llama_cpp_on_cpu_has_what_its_server_measures():
    assert set(queries(workload("ghcr.io/ggml-org/llama.cpp:server-b10068"))) == {
        "Pods that are ready",
        "Requests",
        "Tokens each second",
    }


def test_pods_of_a_leader_worker_set_are_numbered():
    (found,) = watched([workload("vllm/vllm-openai:v0.15.1", kind="LeaderWorkerSet")])
    assert found.selector == '{namespace="models",pod=~"chat-[0-9]+(-[0-9]+)?"}'


def test_what_runs_no_known_engine_is_left_out():
    assert watched([workload("registry.example.com/own:1")]) == []


@pytest.mark.parametrize("image", ["vllm/vllm-openai:v0.15.1", "lmsysorg/sglang:v0.5.5"])
def test_alerts(image: str):
    (group,) = rules(watched([workload(image)]))["groups"]
    assert group["name"] == "models/chat"
    assert [rule["alert"] for rule in group["rules"]] == [
        f"ModelService{name}"
        for name in ("PodsNotReady", "NoMetrics", "RequestsWait", "NoTokens", "FirstTokenLate", "CacheFull")
    ]


def test_every_engine_with_metrics_says_what_alerts_need():
    needed = {"concurrency", "waiting", "generated", "prompt"}
    assert [e for e in ENGINES if not (e.metric and needed <= e.queries.keys())] == []


def test_all_of_the_shipped_stacks_parses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(REPOSITORY)
    for stack in ("dev", "staging", "prod"):
        assert main(["dashboard", "--stack", stack, "--output", str(tmp_path / stack)]) == 0
        board = json.loads((tmp_path / stack / "dashboard.json").read_text())
        alerts = yaml.safe_load((tmp_path / stack / "rules.yaml").read_text())
        found = [*expressions(board), *expressions(alerts)]
        assert len(found) > 30
        for text in found:
            promql_parser.parse(text)
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids))


def test_panels_do_not_overlap():
    board = dashboard("Models", watched([workload("vllm/vllm-openai:v0.15.1", gpu="nvidia.com/gpu")] * 2))
    cells = [
        (x, y)
        for panel in board["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24


def test_the_rules_of_the_prometheus_operator():
    found = rules_object("model-services", "models", watched([workload("vllm/vllm-openai:v0.15.1")]))
    assert (found["apiVersion"], found["kind"]) == ("monitoring.coreos.com/v1", "PrometheusRule")
    assert found["spec"]["groups"][0]["rules"][0]["for"] == "15m"
