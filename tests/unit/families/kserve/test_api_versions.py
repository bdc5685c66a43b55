"""Fields of one version of the API, those that are not covered, and the unknown ones.

Not proved: that the API server of an older release refuses what is refused here.
"""

from __future__ import annotations

from typing import Any

import pytest

from .services import Data, config, findings, manifest, messages, plan


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ({"criticality": "Critical"}, ["criticality"]),
        (
            {"lora": {"adapters": [{"name": "a", "uri": "hf://o/a", "criticality": "Standard"}]}},
            ["lora.adapters[0].criticality"],
        ),
    ],
)
def test_fields_of_the_older_api(model: dict[str, Any], fields: list[str]) -> None:
    spec = {"model": {"uri": "hf://o/m", "name": "m", **model}}
    assert findings(manifest(spec, api="v1alpha1")) == [
        (f"spec.model.{path}", "warning", "no-effect") for path in fields
    ]
    assert findings(manifest(spec)) == [(f"spec.model.{path}", "error", "unknown-field") for path in fields]


@pytest.mark.parametrize("name", ["x'; touch /tmp/pwned; '", "$(id)", "a b", "-x"])
def test_an_adapter_s_name_is_no_shell_text(name: str) -> None:
    spec = {"model": {"uri": "hf://o/m", "name": "m", "lora": {"adapters": [{"name": name, "uri": "hf://o/a"}]}}}
    assert findings(manifest(spec)) == [("spec.model.lora.adapters[0].name", "error", "bad-name")]


def test_fields_that_are_not_covered() -> None:
    (message,) = messages(manifest({"speculator": {}}))
    assert message.startswith("spec.speculator: is not a known field") and "not covered here" in message


POOL = "spec.router.scheduler.pool.spec"


@pytest.mark.parametrize(
    ("version", "pool", "fields"),
    [
        ("v1alpha1", {"selector": {"a": "b"}, "targetPortNumber": 1, "extensionRef": {"name": "x"}}, []),
        ("v1alpha2", {"targetPortNumber": 1, "extensionRef": {"name": "x"}}, ["extensionRef", "targetPortNumber"]),
        ("v1alpha2", {"targetPorts": [{"number": 1}], "endpointPickerRef": {"name": "x"}}, []),
        (
            "v1alpha1",
            {"targetPorts": [{"number": 1}], "endpointPickerRef": {"name": "x"}},
            ["endpointPickerRef", "targetPorts"],
        ),
    ],
)
@pytest.mark.parametrize("in_config", [False, True])
def test_a_pool_in_the_form_of_the_other_version(version: str, pool: Data, fields: list[str], in_config: bool) -> None:
    spec = {"router": {"scheduler": {"pool": {"spec": pool}}}}
    manifests = [manifest(spec, api=version)]
    if in_config:
        base = config(spec)
        manifests = [manifest({"baseRefs": [{"name": "base"}]}), {**base, "apiVersion": f"serving.kserve.io/{version}"}]
    found = [path for path, severity, code in findings(*manifests) if (severity, code) == ("warning", "other-version")]
    assert found == [f"{POOL}.{field}" for field in fields]


@pytest.mark.parametrize("field", ["kvCacheOffloading", "model.confidential"])
def test_fields_of_the_newer_version(field: str) -> None:
    given = {"kvCacheOffloading": {"cpu": "1Gi"}} if field == "kvCacheOffloading" else {}
    own = manifest(given, api="v1alpha1")
    if field == "model.confidential":
        own["spec"]["model"]["confidential"] = {"enabled": True}
    assert findings(own) == [(f"spec.{field}", "warning", "other-version")]


def test_unknown_fields_are_warnings_when_that_is_set() -> None:
    (planned,) = plan(manifest({"modell": 1}), settings={"ignoreUnknown": True}).services
    assert planned.objects
    found = findings(manifest({"modell": 1}), settings={"ignoreUnknown": True})
    assert found == [("spec.modell", "warning", "unknown-field")]
