"""`pulumi import` of an operator's objects: the next preview compares them, replaces nothing and restarts no pod.

Not proven here: that engines other than the pinned one read the file.
"""

import json
from pathlib import Path

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration import ome_operator
from tests.integration.adopted_families import FAMILIES
from tests.integration.live import read
from tests.integration.operators import Operator, install_definitions
from tests.integration.stacks import Stack
from tests.integration.test_adoption import are_ready, pods, run_case
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

CASES = {
    "llmkube": "cpu-minimal",
    "otterscale": "epp-explicit-full",
    "kserve": "p30-mn-no-metadata",
    "ome": "raw-default",
}
CACHE = "llmkube-model-cache"


def test_import(stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    install_definitions(api)
    ome_operator.mark_nodes(api, stack.namespace)
    settings = {name: dict(FAMILIES[name].settings) for name in CASES}
    stack.config({"settings": settings, "adopted": str(tmp_path / "adopted.yaml")})
    stack.write(yaml.safe_dump_all(ome_operator.environment(stack.namespace)), "runtimes.yaml")
    operator = Operator(api, stack.namespace)
    for family, case in CASES.items():
        stack.write(yaml.safe_dump_all(run_case(FAMILIES[family], case, operator)), f"{case}.yaml")
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    before = pods(api, stack.namespace)
    file = tmp_path / "import.json"

    done = command(stack, "adopt", "--yes", "--import-file", str(file))
    assert done.returncode == 0, done.stderr
    imported = {resource["logicalName"] for resource in json.loads(file.read_text())["resources"] if "id" in resource}
    stack.import_file(file)

    preview = stack.preview()
    # The import used the default provider; the stack has its own with the same settings.
    other = {(step.op, step.type) for step in preview.changes if step.op not in ("create", "update")}
    assert other == {("delete", "pulumi:providers:kubernetes")}
    assert not imported & {step.name for step in preview.changes if step.op == "create"}
    assert [step for step in preview.changes if step.replace] == []
    assert command(stack, "replacements").stdout == "nothing is replaced\n"
    up = stack.up()
    assert {(step.op, step.name) for step in up.changes} == {(step.op, step.name) for step in preview.changes}
    assert pods(api, stack.namespace) == before
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes")

    claim = read(api, "v1", "PersistentVolumeClaim", CACHE, stack.namespace)
    stack.config({"settings": settings | {"llmkube": {"modelCacheAccessMode": "ReadWriteMany"}}})
    refused = stack.preview(fails=True)
    assert f"PersistentVolumeClaim {stack.namespace}/{CACHE}: spec.accessModes can't change in place" in refused.text
    assert read(api, "v1", "PersistentVolumeClaim", CACHE, stack.namespace) == claim
