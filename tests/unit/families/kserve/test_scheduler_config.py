"""The endpoint picker's configuration: the default ones and the migrations.

Not proved: that a picker's release takes them; the OtterScale and Inference Extension families test their own.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from modelservices.families.kserve.scheduler_config import default_config, flags_moved, migrated, version
from modelservices.kubernetes.yaml_text import document as text

URL = "http://tok:8000"
OLD = (0, 6, 0)
NEW = (0, 10, 0)
KV_NEW = "kv-cache-utilization-scorer"


def plugins(*items: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "old/v1", "kind": "EndpointPickerConfig", "plugins": list(items), **fields}


def profile(*references: str) -> list[dict[str, Any]]:
    return [{"name": "default", "plugins": [{"pluginRef": name, "weight": 2} for name in references]}]


def references(config: dict[str, Any], name: str) -> dict[str, int | None]:
    (found,) = [item for item in config["schedulingProfiles"] if item["name"] == name]
    return {item["pluginRef"]: item.get("weight") for item in found["plugins"]}


def test_the_default_configuration() -> None:
    config = default_config(disaggregated=False, adapters=False)
    assert [plugin["type"] for plugin in config["plugins"]] == [
        "single-profile-handler",
        "queue-scorer",
        "kv-cache-utilization-scorer",
        "prefix-cache-scorer",
        "no-hit-lru-scorer",
        "max-score-picker",
    ]
    assert references(config, "default") == {
        "queue-scorer": 2,
        "kv-cache-utilization-scorer": 2,
        "prefix-cache-scorer": 3,
        "no-hit-lru-scorer": 2,
        "max-score-picker": None,
    }
    assert (config["apiVersion"], config["kind"]) == ("llm-d.ai/v1alpha1", "EndpointPickerConfig")


def test_the_default_configuration_with_prefill() -> None:
    config = default_config(disaggregated=True, adapters=False)
    assert references(config, "prefill") == {
        "prefill-filter": None,
        "prefix-cache-scorer": 3,
        "queue-scorer": 2,
        "kv-cache-utilization-scorer": 2,
        "max-score-picker": None,
    }
    assert references(config, "decode") == {
        "decode-filter": None,
        "active-request-scorer": 2,
        "prefix-cache-scorer": 3,
        "max-score-picker": None,
    }
    (handler,) = [plugin for plugin in config["plugins"] if plugin["type"] == "disagg-profile-handler"]
    assert handler["parameters"] == {"deciders": {"prefill": "always-disagg-pd-decider"}}


@pytest.mark.parametrize("disaggregated", [False, True])
def test_adapters_are_a_reason_to_choose_a_pod(disaggregated: bool) -> None:
    config = default_config(disaggregated=disaggregated, adapters=True)
    declared = {plugin["type"] for plugin in config["plugins"]}
    for item in config["schedulingProfiles"]:
        assert references(config, item["name"])["lora-affinity-scorer"] == 4
        assert {reference["pluginRef"] for reference in item["plugins"]} <= declared


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("0.10.0", (0, 10, 0)),
        ("v1.2.3", (1, 2, 3)),
        ("0.9.0-rc1", (0, 9, 0)),
        ("0.9.0+build", (0, 9, 0)),
        ("", (0, 0, 0)),
        (None, (0, 0, 0)),
        ("latest", None),
        ("0.10", None),
        ("1.2.3.4", None),
    ],
)
def test_versions(given: Any, wanted: Any) -> None:
    assert version(given) == wanted


def test_an_old_release_keeps_its_configuration() -> None:
    config = plugins({"type": "pd-profile-handler", "parameters": {"threshold": 0, "hashBlockSize": 5}})
    assert migrated(config, OLD, {}, URL) == config


@pytest.mark.parametrize(
    ("old", "new", "since"),
    [
        ("prefill-header-handler", "disagg-headers-handler", (0, 7, 0)),
        ("pd-profile-handler", "disagg-profile-handler", (0, 7, 0)),
        ("model-server-protocol-metrics", "core-metrics-extractor", (0, 8, 0)),
    ],
)
def test_renamed_plugins(old: str, new: str, since: tuple[int, int, int]) -> None:
    config = plugins({"type": old}, {"type": "x", "name": old}, schedulingProfiles=profile(old, "y"))
    found = migrated(config, since, {}, None)
    assert found["plugins"] == [{"type": new}, {"type": "x", "name": new}]
    assert found["schedulingProfiles"] == profile(new, "y")
    before = (since[0], since[1] - 1, 9)
    assert migrated(config, before, {}, None)["plugins"][0] == {"type": old}


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"threshold": 0}, [{"type": "always-disagg-pd-decider"}]),
        ({"threshold": 100}, [{"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 25}}]),
        ({"threshold": 101}, [{"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 26}}]),
        ({"threshold": "1"}, [{"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 1}}]),
        ({"threshold": "odd"}, [{"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 1}}]),
        ({"threshold": float("inf")}, [{"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 1}}]),
    ],
)
def test_a_threshold_becomes_a_decider(parameters: dict[str, Any], wanted: list[dict[str, Any]]) -> None:
    handler = {"type": "pd-profile-handler", "parameters": {**parameters, "hashBlockSize": 5, "other": 1}}
    found = migrated(plugins({"type": "a"}, handler), (0, 7, 0), {}, None)["plugins"]
    decider = wanted[0]["type"]
    assert found == [
        {"type": "a"},
        *wanted,
        {"type": "disagg-profile-handler", "parameters": {"other": 1, "deciders": {"prefill": decider}}},
    ]


def test_a_decider_that_is_named_or_there_already() -> None:
    named = {"type": "disagg-profile-handler", "parameters": {"deciderPluginName": "mine", "threshold": 5}}
    assert migrated(plugins(named), (0, 7, 0), {}, None)["plugins"] == [
        {"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": "mine"}}}
    ]
    there = {"type": "always-disagg-pd-decider"}
    handler = {"type": "disagg-profile-handler", "parameters": {"threshold": 0}}
    assert migrated(plugins(there, handler), (0, 7, 0), {}, None)["plugins"][0] == there
    done = {"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": "mine"}, "threshold": 5}}
    assert migrated(plugins(done), (0, 7, 0), {}, None)["plugins"] == [done]


def test_the_prefix_scorer_keeps_one_parameter() -> None:
    scorer = {"type": "prefix-cache-scorer", "parameters": {"prefixMatchInfoProducerName": "x", "lruCapacity": 5}}
    assert migrated(plugins(scorer), (0, 8, 0), {}, None)["plugins"] == [scorer]
    found = migrated(plugins(scorer, {"type": "prefix-cache-scorer", "parameters": {"a": 1}}), (0, 9, 0), {}, None)
    assert found["plugins"] == [
        {"type": "prefix-cache-scorer", "parameters": {"prefixMatchInfoProducerName": "x"}},
        {"type": "prefix-cache-scorer"},
    ]
    assert found["apiVersion"] == "llm-d.ai/v1alpha1"


def test_the_precise_prefix_scorer_becomes_three_plugins() -> None:
    scorer = {
        "type": "precise-prefix-cache-scorer",
        "parameters": {
            "tokenProcessorConfig": {"blockSize": 64},
            "indexerConfig": {"tokenizersPoolConfig": {"hf": {}}, "kvBlockIndexConfig": {"a": 1}},
            "speculativeTTL": "5s",
        },
    }
    config = plugins(scorer, schedulingProfiles=profile("precise-prefix-cache-scorer"))
    found = migrated(config, (0, 9, 0), {}, URL)
    assert found["plugins"] == [
        {"type": "token-producer", "parameters": {"modelName": "/mnt/models/base", "vllm": {"url": URL}}},
        {
            "type": "precise-prefix-cache-producer",
            "parameters": {
                "speculativeTTL": "5s",
                "tokenProcessorConfig": {"blockSize": 64},
                "indexerConfig": {"kvBlockIndexConfig": {"a": 1}},
                "kvEventsConfig": {"discoverPods": True},
            },
        },
        {"type": "prefix-cache-scorer", "parameters": {"prefixMatchInfoProducerName": "precise-prefix-cache-producer"}},
    ]
    assert found["schedulingProfiles"] == profile("prefix-cache-scorer")
    assert migrated(config, (0, 8, 0), {}, URL)["plugins"] == [scorer]


def test_a_named_precise_prefix_scorer_keeps_its_name() -> None:
    config = plugins({"name": "mine", "type": "precise-prefix-cache-scorer"}, schedulingProfiles=profile("mine"))
    found = migrated(config, NEW, {}, URL)
    assert found["plugins"][-1]["name"] == "mine" and found["schedulingProfiles"] == profile("mine")


def test_two_precise_prefix_scorers_share_what_they_need() -> None:
    """The release refuses a name that is declared twice."""
    scorers = [{"name": name, "type": "precise-prefix-cache-scorer"} for name in ("a", "b")]
    found = migrated(plugins(*scorers), NEW, {}, URL)["plugins"]
    assert [plugin.get("name", plugin["type"]) for plugin in found] == [
        "token-producer",
        "precise-prefix-cache-producer",
        "a",
        "b",
    ]


def test_a_token_producer_of_ones_own_asks_the_tokenizer() -> None:
    own = [{"type": "token-producer"}, {"type": "precise-prefix-cache-producer", "name": "index"}]
    found = migrated(plugins(*own, {"type": "precise-prefix-cache-scorer"}), NEW, {}, URL)["plugins"]
    assert found == [
        {"type": "token-producer", "parameters": {"modelName": "/mnt/models/base", "vllm": {"url": URL}}},
        {"type": "precise-prefix-cache-producer", "name": "index"},
        {"type": "prefix-cache-scorer", "parameters": {"prefixMatchInfoProducerName": "index"}},
    ]
    whom = {"modelName": "m", "vllm": {"url": "http://mine"}}
    asking = {"type": "token-producer", "parameters": whom}
    assert migrated(plugins(asking), NEW, {}, URL)["plugins"] == [asking]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([("kv-cache-scorer", "kv"), (KV_NEW, "")], [(KV_NEW, "kv"), (KV_NEW, "")]),
        ([("kv-cache-scorer", KV_NEW)], [(KV_NEW, KV_NEW)]),
        ([("kv-cache-scorer", ""), (KV_NEW, "")], [(KV_NEW, "")]),
    ],
)
def test_a_plugin_of_an_old_type_under_any_name(given: list[tuple[str, str]], wanted: list[tuple[str, str]]) -> None:
    declared = [{"type": kind, **({"name": name} if name else {})} for kind, name in given]
    found = migrated(plugins(*declared), NEW, {}, None)["plugins"]
    assert [(plugin["type"], plugin.get("name", "")) for plugin in found] == wanted


def test_flags_become_part_of_the_configuration() -> None:
    flags = {
        "total-queued-requests-metric": "vllm:num_requests_waiting",
        "model-server-metrics-scheme": "https",
        "model-server-metrics-https-insecure-skip-verify": "true",
    }
    assert flags_moved((0, 6, 0), with_file=False) == frozenset()
    assert "total-queued-requests-metric" in flags_moved((0, 7, 0), with_file=False)
    assert "model-server-metrics-scheme" not in flags_moved((0, 9, 0), with_file=False)
    assert set(flags) < flags_moved(NEW, with_file=False)
    assert migrated(plugins(), NEW, flags, None)["plugins"] == [
        {
            "name": "core-metrics-extractor",
            "type": "core-metrics-extractor",
            "parameters": {
                "engineLabelKey": "inference.networking.k8s.io/engine-type",
                "defaultEngine": "vllm",
                "engineConfigs": [{"name": "vllm", "queuedRequestsSpec": "vllm:num_requests_waiting"}],
            },
        },
        {"type": "metrics-data-source", "parameters": {"scheme": "https", "insecureSkipVerify": True}},
    ]


def test_ones_own_plugins_count_before_flags() -> None:
    source = {"type": "metrics-data-source", "parameters": {"scheme": "http"}}
    flags = {"model-server-metrics-scheme": "https", "model-server-metrics-path": "/m"}
    assert migrated(plugins(source), NEW, flags, None)["plugins"] == [
        {"type": "metrics-data-source", "parameters": {"scheme": "http", "path": "/m"}}
    ]
    extractor = {"type": "core-metrics-extractor"}
    assert migrated(plugins(extractor), NEW, {"lora-info-metric": "x"}, None)["plugins"] == [extractor]


def test_a_default_configuration_needs_no_migration() -> None:
    for disaggregated in (False, True):
        config = default_config(disaggregated=disaggregated, adapters=True)
        assert migrated(config, (9, 0, 0), {}, URL) == config
        assert yaml.safe_load(text(config)) == config


JSON = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KNOWN = st.sampled_from(
    ["pd-profile-handler", "precise-prefix-cache-scorer", "prefix-cache-scorer", "metrics-data-source", "odd"]
)
PLUGIN = st.fixed_dictionaries(
    {"type": KNOWN | JSON},
    optional={
        "name": JSON,
        "parameters": JSON | st.fixed_dictionaries({}, optional={"threshold": JSON, "indexerConfig": JSON}),
    },
)


@settings(max_examples=150, deadline=None)
@given(
    config=st.fixed_dictionaries(
        {}, optional={"plugins": st.lists(PLUGIN | JSON, max_size=4) | JSON, "schedulingProfiles": JSON}
    )
)
def test_any_configuration_is_migrated_or_left(config: dict[str, Any]) -> None:
    flags = {"model-server-metrics-scheme": "https", "lora-info-metric": "x"}
    migrated(config, NEW, flags, URL)
