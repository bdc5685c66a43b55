"""Any valid ModelService renders, always the same, with legal names and matching selectors; any garbage is findings.

Not proved: that the API server takes every such rendering.
"""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from modelservices.findings import errors
from modelservices.kubernetes.objects import Object

from ....rendered_flags import unknown_flags
from .services import manifest, plan

_LABEL = r"[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?"
NAMES = st.from_regex(rf"{_LABEL}(\.{_LABEL})?", fullmatch=True)
PORTS = st.integers(1, 65535)
SIZES = st.integers(1, 16)
TEXTS = st.text(max_size=12)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping with any of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


ROLES = some(
    replicas=st.integers(0, 9),
    parallelism=some(tensor=SIZES, data=SIZES, dataLocal=SIZES),
    resources=some(limits=some(memory=st.just("64Gi")), requests=some(cpu=st.just("4"))),
    nodeSelector=st.just({"zone": "a"}),
    tolerations=st.just([{"key": "gpu", "operator": "Exists"}]),
)
SPECS = st.fixed_dictionaries(
    {
        "engine": some(port=PORTS, image=st.just("e:1"), args=st.lists(TEXTS, max_size=3)),
        "accelerator": st.fixed_dictionaries(
            {"type": st.sampled_from(["nvidia", "amd", "intel-gaudi", "google", "cpu"])}
        ),
        "decode": ROLES,
    },
    optional={
        "prefill": ROLES,
        "routingProxy": some(
            connector=st.sampled_from(["nixlv2", "shared-storage", "sglang"]),
            zapEncoder=TEXTS,
            secureProxy=st.booleans(),
            certPath=TEXTS,
        ),
        "inferencePool": st.fixed_dictionaries(
            {"endpointPicker": some(replicas=st.integers(0, 5), failureMode=st.sampled_from(["FailOpen", "FailClose"]))}
        ),
        "httpRoute": st.fixed_dictionaries(
            {"gatewayRef": st.fixed_dictionaries({"name": NAMES})}, optional={"hostnames": st.just(["a.example.com"])}
        ),
        "monitoring": some(podMonitor=some(enabled=st.booleans(), interval=st.just("1m"))),
    },
)
SETTINGS = some(
    version=st.sampled_from(["", "v1"]),
    kitImage=st.sampled_from(["", "kit:1"]),
    servingProbes=st.booleans(),
    epp=some(
        provider=st.sampled_from(["istio", "gke", "none"]),
        metricsEndpointAuth=st.booleans(),
        defaultGatewayName=st.sampled_from(["", "gw"]),
        flags=st.dictionaries(st.sampled_from(["v", "enable-pprof"]), TEXTS),
        tracing=some(enabled=st.booleans(), sampler=TEXTS),
    ),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["model", "engine", "accelerator", "decode", "prefill", "inferencePool", "httpRoute", "monitoring"]
)


@settings(max_examples=60, deadline=None)
@given(spec=SPECS, name=NAMES, own=SETTINGS)
def test_a_valid_service_renders(spec: dict[str, Any], name: str, own: dict[str, Any]) -> None:
    planned = plan(manifest(spec, name=name), settings=own)
    assert errors(planned.findings) == []
    made = planned.all_objects()
    assert json.dumps(made) == json.dumps(plan(manifest(spec, name=name), settings=own).all_objects())
    for obj in made:
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", obj["metadata"]["name"])
        assert _has_no_null(obj)
    _check_selectors(made)
    assert list(unknown_flags(made, str((spec, own)))) == []


def _check_selectors(made: list[Object]) -> None:
    pods = [obj["spec"]["template"]["metadata"]["labels"] for obj in made if obj["kind"] == "Deployment"]
    for obj in made:
        spec = obj.get("spec", {})
        if obj["kind"] in ("Deployment", "InferencePool", "PodMonitor"):
            assert any(spec["selector"]["matchLabels"].items() <= labels.items() for labels in pods)
        if obj["kind"] == "Service":
            assert sum(spec["selector"].items() <= labels.items() for labels in pods) == 1


def _has_no_null(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_has_no_null, value.values()))
    if isinstance(value, list):
        return all(map(_has_no_null, value))
    return value is not None


@settings(max_examples=80, deadline=None)
@given(field=FIELDS, value=JSON)
def test_garbage_is_findings(field: str, value: Any) -> None:
    plan(manifest({field: value}))


@settings(max_examples=40, deadline=None)
@given(spec=JSON)
def test_a_garbage_spec_is_findings(spec: Any) -> None:
    planned = plan({**manifest(), "spec": spec})
    assert errors(planned.findings)
    assert planned.services == ()
