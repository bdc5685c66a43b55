"""Tracing of the model servers: flags and environment.

Not proved: that spans reach the collector.
"""

from __future__ import annotations

from .services import container, env, main, of, pod, server


def test_tracing_of_servers() -> None:
    made = of({"tracing": {}, "prefill": {"template": main(env=[{"name": "OTEL_SERVICE_NAME", "value": "mine"}])}})
    decode, prefill = (container(pod(made[f"{role}-deployment"])) for role in ("decode", "prefill"))
    assert decode["args"] == [
        "--otlp-traces-endpoint",
        "http://otel-collector:4317",
        "--collect-detailed-traces",
        "all",
    ]
    found = env(decode)
    assert {key: value for key, value in found.items() if key.startswith("OTEL") and isinstance(value, str)} == {
        "OTEL_SERVICE_NAME": "inference-server-decode",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://otel-collector:4317",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.05",
        "OTEL_RESOURCE_ATTRIBUTES": (
            "k8s.namespace.name=models,k8s.node.name=$(OTEL_RESOURCE_ATTRIBUTES_NODE_NAME),"
            "k8s.pod.name=$(OTEL_RESOURCE_ATTRIBUTES_POD_NAME),llmisvc.name=chat"
        ),
    }
    order = list(found)
    assert order.index("OTEL_RESOURCE_ATTRIBUTES") > order.index("OTEL_RESOURCE_ATTRIBUTES_POD_NAME")
    assert env(prefill)["OTEL_SERVICE_NAME"] == "mine"


def test_ones_own_tracing_flags_stand() -> None:
    spec = {
        "tracing": {"exporterEndpoint": "http://mine:4317", "samplerArg": "1"},
        "template": main(args=["--otlp-traces-endpoint=x", "--collect-detailed-traces", "model"]),
    }
    made = server(spec)
    assert made["args"] == ["--otlp-traces-endpoint=x", "--collect-detailed-traces", "model"]
    assert env(made)["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://mine:4317"
    assert env(made)["OTEL_TRACES_SAMPLER_ARG"] == "1"


def test_no_tracing_by_default() -> None:
    assert not any(name.startswith("OTEL") for name in env(server()))
