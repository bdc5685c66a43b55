"""docs/kserve.md says what the program does: its tables are made from it, its lists are complete.

Not proved: that its sentences are right; and pictures are compared by ``python -m tools.generate --check``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modelservices.families.kserve import labels
from modelservices.families.kserve.settings import KServeSettings
from tools import kserve_reference
from tools.kserve_reference import owned_labels, who_gets_what, with_tables

from .services import DATA_PARALLEL, manifest, objects, shipped_names

REPOSITORY = Path(__file__).parents[4]
PAGE = (REPOSITORY / "docs/kserve.md").read_text()


def test_the_tables_are_up_to_date() -> None:
    assert with_tables(PAGE) == PAGE
    for table in (who_gets_what(), owned_labels()):
        assert table in PAGE


def test_the_table_of_labels() -> None:
    head, _, *rows = who_gets_what().splitlines()
    assert head.split(" | ")[1:] == [
        "decode workload",
        "decode pods",
        "prefill workload",
        "prefill pods",
        "scheduler pods",
        "everything else |",
    ]
    cells = {row.split(" | ")[0].strip("| `"): [cell.strip(" |") for cell in row.split(" | ")[1:]] for row in rows}
    assert cells["metadata.labels"] == ["`kueue.x-k8s.io…`"] * 4 + ["", ""]
    assert cells["spec.labels"] == cells["spec.annotations"] == ["", "all", "", "all", "", ""]
    assert cells["spec.prefill.annotations"] == ["", "", "", "all", "", ""]
    assert cells["spec.router.scheduler.labels"] == ["", "", "", "", "all", ""]
    assert len(cells) == 8


def test_a_rule_that_reaches_a_part_of_a_column_can_not_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = labels.Rule("odd", lambda spec: spec, frozenset(["decode pod"]))
    monkeypatch.setattr(kserve_reference, "RULES", (odd,))
    with pytest.raises(ValueError, match="odd reaches only some of decode pods"):
        who_gets_what()


def test_every_object_is_listed_by_its_role() -> None:
    tls = {"ingress": {"enableLLMInferenceServiceTLS": True}, "inferencePoolApis": ["v1", "v1alpha2"]}
    tls["autoscaling-wva-controller-config"] = {"prometheus": {"url": "https://p"}}
    router = {"route": {}, "scheduler": {"tokenizer": {}}}
    hpa, keda = ({"scaling": {"maxReplicas": 2, "wva": {kind: {}}}} for kind in ("hpa", "keda"))
    device = {"serving.kserve.io/exp-dra-device-class": "gpu"}
    made = objects(manifest({"router": router, **hpa, "prefill": keda}, annotations=device), settings=tls)
    made |= objects(manifest({**DATA_PARALLEL, **keda, "prefill": {**DATA_PARALLEL, **hpa}}), settings=tls)
    assert {role for role in made if f"`{role}`" not in PAGE} == set()


def test_every_setting_is_listed() -> None:
    names = [field.alias or name for name, field in KServeSettings.model_fields.items()]
    assert [name for name in names if f"`{name}" not in PAGE] == []


def test_every_preset_of_the_settings_example_is_shipped() -> None:
    named = set(re.findall(r"kserve-config-llm-[a-z-]+", PAGE)) - {"kserve-config-llm-worker-pipeline-parallel"}
    assert named <= set(shipped_names())
