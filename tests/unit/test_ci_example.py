"""The pipeline that users copy gives untrusted code nothing. Not proved: what GitHub makes of it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

FILE = Path(__file__).parents[2] / "examples/ci/github-actions.yaml"
TEXT = FILE.read_text()
# YAML 1.1 reads the key `on` as true.
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]


def test_actions_are_pinned_by_digest_and_say_their_version():
    used = re.findall(r"uses: (\S+)(.*)", TEXT)
    assert len(used) > 8
    assert [name for name, note in used if not re.search(r"@[0-9a-f]{40}$", name) or not note.startswith(" # v")] == []


def test_jobs_have_only_the_permissions_that_they_name():
    assert WORKFLOW["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "check": {"contents": "read"},
        "preview": {"contents": "read", "pull-requests": "write"},
        "up": {"contents": "read"},
        "drift": {"contents": "read"},
    }


def test_what_a_pull_request_brings_runs_without_secrets():
    assert set(WORKFLOW[True]) == {"pull_request", "push", "schedule"}
    assert "secrets." not in yaml.safe_dump(JOBS["check"])
    assert "environment" not in JOBS["check"]


@pytest.mark.parametrize("name", [name for name in JOBS if name != "check"])
def test_secrets_come_from_the_environment_of_the_stack_alone(name: str):
    assert JOBS[name]["environment"].startswith("${{ matrix.stack }}")
    assert set(re.findall(r"secrets\.(\w+)", yaml.safe_dump(JOBS[name]))) == {"PULUMI_ACCESS_TOKEN", "KUBECONFIG"}


def test_a_preview_runs_the_main_branch_with_the_manifests_of_the_pull_request():
    steps = JOBS["preview"]["steps"]
    assert steps[0]["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert "core.symlinks=false" in steps[1]["run"]
    assert JOBS["preview"]["environment"] == "${{ matrix.stack }}-preview"
    assert "head.repo.full_name == github.repository" in JOBS["preview"]["if"]


def test_no_script_is_put_together_from_expressions():
    runs = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert [run for run in runs if "${{" in run] == []


@pytest.mark.parametrize(("name", "commands"), [("preview", ["preview"]), ("up", ["preview", "up"])])
def test_policies_are_run_with_their_config(name: str, commands: list[str]):
    """Before an update, too: the action's own `up` has no preview."""
    pulumi = [step["with"] for step in JOBS[name]["steps"] if "pulumi" in step.get("uses", "")]
    assert [each["command"] for each in pulumi] == commands
    packs = {(each["policyPacks"], each["policyPackConfigs"]) for each in pulumi}
    assert packs == {("policy", "policy/config.json")}


def test_drift_of_one_stack_hides_no_other():
    assert JOBS["drift"]["strategy"]["fail-fast"] is False
