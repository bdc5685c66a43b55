"""The endpoint picker's config file: what is read, what would keep a picker from starting, how it is written.

Not proved: that plugins of these types exist and take these parameters.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from modelservices.kubernetes.endpoint_picker.config import CheckedConfig, EndpointPickerConfig, config_text
from modelservices.kubernetes.model import dump, read
from modelservices.kubernetes.scalars import Opaque, Plain

VERSION = "llm-d.ai/v1alpha1"
PROFILE = {"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 2}]}
CONFIG = {"plugins": [{"type": "queue-scorer"}], "schedulingProfiles": [PROFILE]}


def config(**fields: Any) -> EndpointPickerConfig:
    model, problems = read(EndpointPickerConfig, {**CONFIG, **fields})
    assert model is not None, problems
    return model


def found(**fields: Any) -> list[tuple[str, str, str]]:
    return [(p.path, p.severity, p.code) for p in config(**fields).problems("spec.config")]


def profile(*plugins: dict[str, Any]) -> dict[str, Any]:
    return {"schedulingProfiles": [{"name": "default", "plugins": list(plugins)}]}


def test_a_good_config_has_no_problem() -> None:
    assert found() == []
    assert found(apiVersion=VERSION, kind="EndpointPickerConfig", featureGates=["flowControl"]) == []


def test_a_plugin_is_called_by_its_name_else_its_type() -> None:
    plugins = [{"type": "queue-scorer"}, {"type": "queue-scorer", "name": "second"}]
    assert found(plugins=plugins, **profile({"pluginRef": "queue-scorer"}, {"pluginRef": "second"})) == []
    named = [{"type": "queue-scorer", "name": "mine"}]
    assert found(plugins=named) == [("spec.config.schedulingProfiles[0].plugins[0].pluginRef", "error", "plugin-ref")]


def test_the_message_lists_the_plugins() -> None:
    (problem,) = config(**profile({"pluginRef": "queue-scorre"})).problems()
    assert problem.path == "schedulingProfiles[0].plugins[0].pluginRef"
    assert problem.message == "must name a plugin, got 'queue-scorre'; the plugins are queue-scorer"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"data": {"sources": [{"pluginRef": "x", "extractors": []}]}}, "data.sources[0].pluginRef"),
        (
            {"dataLayer": {"sources": [{"pluginRef": "queue-scorer", "extractors": [{"pluginRef": "x"}]}]}},
            "dataLayer.sources[0].extractors[0].pluginRef",
        ),
        ({"saturationDetector": {"pluginRef": "x"}}, "saturationDetector.pluginRef"),
        ({"parser": {"pluginRef": "x"}}, "parser.pluginRef"),
        (
            {"plugins": [{"type": "queue-scorer"}, {"type": "h", "parameters": {"deciderPluginName": "x"}}]},
            "plugins[1].parameters.deciderPluginName",
        ),
        (
            {"plugins": [{"type": "queue-scorer"}, {"type": "h", "parameters": {"deciders": {"prefill": "x"}}}]},
            "plugins[1].parameters.deciders.prefill",
        ),
    ],
)
def test_other_references_are_warnings(fields: dict[str, Any], path: str) -> None:
    """A picker adds some plugins by itself."""
    assert found(**fields) == [(f"spec.config.{path}", "warning", "plugin-ref")]


def test_names_given_twice() -> None:
    plugins = [{"type": "queue-scorer"}, {"type": "queue-scorer"}]
    assert found(plugins=plugins, schedulingProfiles=[PROFILE, PROFILE]) == [
        ("spec.config.plugins", "error", "duplicate-name"),
        ("spec.config.schedulingProfiles", "error", "duplicate-name"),
    ]
    told = [problem.message for problem in config(plugins=plugins, schedulingProfiles=[PROFILE, PROFILE]).problems()]
    assert told == [
        "has 2 plugins named 'queue-scorer'; give each a different name",
        "has 2 profiles named 'default'; rename or merge them",
    ]


SINGLE, DISAGGREGATED = {"type": "single-profile-handler"}, {"type": "disagg-profile-handler"}
SCORE, RANDOM = {"type": "max-score-picker"}, {"type": "random-picker"}


def profiles(*names: str, plugins: tuple[str, ...] = ("max-score-picker",)) -> list[dict[str, Any]]:
    return [{"name": name, "plugins": [{"pluginRef": plugin} for plugin in plugins]} for name in names]


@pytest.mark.parametrize(
    ("plugins", "profiles", "path", "message"),
    [
        (
            [SINGLE, {"name": "other", **SINGLE}, SCORE],
            profiles("default"),
            "plugins",
            "has 2 profile handlers, single-profile-handler and other, but the endpoint picker takes one and does not "
            "start with more; keep one",
        ),
        (
            [SINGLE, SCORE],
            profiles("prefill", "decode"),
            "schedulingProfiles",
            "has 2 profiles, but single-profile-handler runs only one, so the endpoint picker does not start; keep "
            "one profile, or declare a handler for several, such as disagg-profile-handler for prefill and decode",
        ),
        (
            [SCORE, {"type": "prefill-header-handler"}],
            profiles("prefill", "decode"),
            "schedulingProfiles",
            "has 2 profiles, but no profile handler chooses among them, so the endpoint picker does not start; keep "
            "one profile, or declare a handler for several, such as disagg-profile-handler for prefill and decode",
        ),
        (
            [SINGLE, SCORE, {"name": "luck", **RANDOM}],
            profiles("default", plugins=("max-score-picker", "luck")),
            "schedulingProfiles[0].plugins",
            "has 2 pickers, max-score-picker and luck, but a profile takes one, so the endpoint picker does not start; "
            "keep one",
        ),
        (
            [SINGLE, SCORE],
            profiles("default", plugins=("max-score-picker", "max-score-picker")),
            "schedulingProfiles[0].plugins",
            "has 2 pickers, max-score-picker and max-score-picker, but a profile takes one, so the endpoint picker "
            "does not start; keep one",
        ),
    ],
)
def test_what_an_endpoint_picker_does_not_combine(
    plugins: list[dict[str, Any]], profiles: list[dict[str, Any]], path: str, message: str
) -> None:
    (problem,) = config(plugins=plugins, schedulingProfiles=profiles).problems()
    assert (problem.path, problem.severity, problem.code) == (path, "error", "scheduling-profiles")
    assert problem.message == message


@pytest.mark.parametrize(
    ("handler", "names", "found"),
    [
        ({"type": "pd-profile-handler"}, ("decode", "prefill"), {}),
        ({"type": "pd-profile-handler"}, ("decode",), {"prefill": "warning"}),
        ({"type": "pd-profile-handler"}, ("other", "prefill"), {"decode": "warning"}),
        ({"type": "pd-profile-handler", "parameters": {"decodeProfile": "x"}}, ("x", "prefill"), {}),
        ({"type": "disagg-profile-handler"}, ("decode",), {}),
        ({"type": "disagg-profile-handler", "parameters": {"profiles": {"decode": "x"}}}, ("x",), {}),
        (
            {"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": "d"}}},
            ("decode",),
            {"prefill": "warning"},
        ),
    ],
)
def test_a_handler_runs_profiles_that_are_there(
    handler: dict[str, Any], names: tuple[str, ...], found: dict[str, str]
) -> None:
    problems = config(plugins=[handler, SCORE], schedulingProfiles=profiles(*names)).problems()
    told = {p.message.split()[3].rstrip(","): p.severity for p in problems if p.message.startswith("has no profile")}
    assert told == found


@pytest.mark.parametrize(
    ("plugins", "profiles"),
    [
        ([SCORE], profiles("default")),
        ([SINGLE, SCORE, RANDOM], profiles("default")),
        ([DISAGGREGATED, SCORE], profiles("prefill", "decode")),
        ([{"type": "our-own-handler"}, SCORE, RANDOM], [*profiles("a"), *profiles("b", plugins=("random-picker",))]),
    ],
)
def test_what_it_combines(plugins: list[dict[str, Any]], profiles: list[dict[str, Any]]) -> None:
    assert found(plugins=plugins, schedulingProfiles=profiles) == []


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"plugins": [{"name": "x"}]}, "plugins[0].type"),
        ({"plugins": None}, "plugins"),
        (profile({"pluginRef": "queue-scorer", "weight": "heavy"}), "schedulingProfiles[0].plugins[0].weight"),
        (profile({"pluginRef": "queue-scorer", "weight": True}), "schedulingProfiles[0].plugins[0].weight"),
        (profile({"pluginRef": "queue-scorer", "weight": float("nan")}), "schedulingProfiles[0].plugins[0].weight"),
        (profile({"weight": 1}), "schedulingProfiles[0].plugins[0].pluginRef"),
        ({"schedulingProfiles": [{"name": "", "plugins": []}]}, "schedulingProfiles[0].name"),
        ({"apiVersion": "v1"}, "apiVersion"),
        ({"kind": "EndpointPicker"}, "kind"),
        ({"profiles": []}, "profiles"),
        ({"plugins": [{"type": "a", "parameters": {"b": Opaque(object())}}]}, "plugins[0].parameters.b"),
        ({"plugins": [{"type": "a", "parameters": {"b": [{"c": Opaque(object())}]}}]}, "plugins[0].parameters.b"),
        ({"flowControl": {"maxBytes": Opaque(object())}}, "flowControl.maxBytes"),
        ({"flowControl": {"maxBytes": "lots"}}, "flowControl.maxBytes"),
    ],
)
def test_refused_by_the_schema(fields: dict[str, Any], path: str) -> None:
    model, problems = read(EndpointPickerConfig, {**CONFIG, **fields})
    assert model is None
    assert [problem.path for problem in problems] == [path]


def test_the_file_is_written_as_pickers_read_it() -> None:
    given = config(
        featureGates=["flowControl"],
        plugins=[{"type": "queue-scorer", "parameters": {"a": Plain("1"), "b": "1e3", "c": "on", "d": {"e": [1.5]}}}],
        **profile({"pluginRef": "queue-scorer", "weight": "2.0"}, {"pluginRef": "queue-scorer", "weight": 0.5}),
    )
    assert config_text(given, VERSION) == (
        "apiVersion: llm-d.ai/v1alpha1\n"
        "kind: EndpointPickerConfig\n"
        "featureGates:\n"
        "- flowControl\n"
        "plugins:\n"
        "- type: queue-scorer\n"
        "  parameters:\n"
        "    a: 1\n"
        "    b: '1e3'\n"
        "    c: 'on'\n"
        "    d:\n"
        "      e:\n"
        "      - 1.5\n"
        "schedulingProfiles:\n"
        "- name: default\n"
        "  plugins:\n"
        "  - pluginRef: queue-scorer\n"
        "    weight: 2\n"
        "  - pluginRef: queue-scorer\n"
        "    weight: 0.5\n"
    )


def test_a_version_of_its_own_stays() -> None:
    own = "inference.networking.x-k8s.io/v1alpha1"
    assert yaml.safe_load(config_text(config(apiVersion=own), VERSION))["apiVersion"] == own


def test_a_checked_config_is_refused_as_a_whole() -> None:
    adapter = TypeAdapter(CheckedConfig)
    assert adapter.validate_python(CONFIG) == config()
    with pytest.raises(ValidationError, match=r"schedulingProfiles\[0\]\.plugins\[0\]\.pluginRef must name a plugin"):
        adapter.validate_python({**CONFIG, "plugins": []})


PARAMETERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(parameters=st.dictionaries(st.text(max_size=8), PARAMETERS, max_size=3))
def test_what_is_written_reads_back(parameters: dict[str, Any]) -> None:
    given_config = config(plugins=[{"type": "queue-scorer", "parameters": parameters}])
    text = config_text(given_config, VERSION)
    assert text == config_text(given_config, VERSION)
    assert yaml.safe_load(text)["plugins"][0]["parameters"] == dump(given_config)["plugins"][0]["parameters"]


@settings(max_examples=60, deadline=None)
@given(garbage=PARAMETERS)
def test_garbage_is_problems(garbage: Any) -> None:
    model, problems = read(EndpointPickerConfig, garbage)
    assert (model is None) == bool(problems)
