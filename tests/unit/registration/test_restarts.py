"""Digests of what pods read, in their templates. That a change rolls the pods is shown in ``tests/integration``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from modelservices.kubernetes.objects import Key
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings
from modelservices.registration.restarts import restarting
from tests.integration.manifests import model, service

SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: "${secret:token}"}
"""
EXAMPLES = Path(__file__).parents[3] / "examples/rendered"
ENV = [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "token"}}}]


def planned(folder: Path, text: str) -> StackPlan:
    (folder / "services.yaml").write_text(text)
    return plan_paths([folder], Settings(), namespace="n").raise_for_errors()


def annotations(plan: StackPlan) -> dict[str, Any]:
    """What the pods of each Deployment are said to read, by its name."""
    templates = {o["metadata"]["name"]: o["spec"]["template"] for o in plan.all_objects() if o["kind"] == "Deployment"}
    return {name: t["metadata"].get("annotations", {}).get("modelservices/reads") for name, t in templates.items()}


def test_servers_that_read_a_secret_have_its_digest(tmp_path: Path) -> None:
    plan = planned(tmp_path, model() + SECRET + service("reads", env=ENV) + service("other"))
    one, two = (annotations(restarting(plan, lambda key, v=value: v, ())) for value in ("one", "two"))
    assert one == {"reads": "token=2ba6", "other": None}
    assert two["reads"] != one["reads"]


def test_a_picker_has_the_digest_of_its_configuration(tmp_path: Path) -> None:
    plan = planned(tmp_path, (EXAMPLES / "prefill-decode/input.yaml").read_text())
    (picker,) = (text for text in annotations(restarting(plan, str, ())).values() if text)
    assert re.fullmatch(r"qwen3-32b-[a-z-]+=[0-9a-f]{12}", picker)


def test_pods_that_were_taken_over_stay_as_they_are(tmp_path: Path) -> None:
    plan = planned(tmp_path, model() + SECRET + service("reads", env=ENV))
    kept = {Key("apps/v1", "Deployment", "n", "reads")}
    assert annotations(restarting(plan, lambda key: "one", kept)) == {"reads": None}
