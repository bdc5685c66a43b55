"""The pipeline that users copy gives untrusted code nothing. Not proved: what GitHub makes of it."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

CI = Path(__file__).parents[2] / "examples/ci"
TEXTS = {name: (CI / f"github-{name}.yaml").read_text() for name in ("actions", "preview")}
# YAML 1.1 reads the key `on` as true.
WORKFLOWS: dict[str, dict[Any, Any]] = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
JOBS: dict[str, dict[str, Any]] = {name: job for each in WORKFLOWS.values() for name, job in each["jobs"].items()}
PATH = {"PATH": os.environ["PATH"]}
GITLAB: dict[str, Any] = yaml.safe_load((CI / "gitlab-ci.yaml").read_text())


def test_actions_are_pinned_by_digest_and_say_their_version():
    used = [found for text in TEXTS.values() for found in re.findall(r"uses: (\S+)(.*)", text)]
    assert len(used) > 8
    assert [name for name, note in used if not re.search(r"@[0-9a-f]{40}$", name) or not note.startswith(" # v")] == []


def test_jobs_have_only_the_permissions_that_they_name():
    assert [each["permissions"] for each in WORKFLOWS.values()] == [{}, {}]
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "check": {"contents": "read"},
        "preview": {"contents": "read", "pull-requests": "write"},
        "up": {"contents": "read"},
        "drift": {"contents": "read"},
    }


def test_what_a_pull_request_brings_runs_without_secrets():
    assert set(WORKFLOWS["actions"][True]) == {"pull_request", "push", "schedule"}
    started = {name: job for name, job in WORKFLOWS["actions"]["jobs"].items() if "== '" not in job["if"]}
    assert list(started) == ["check"]
    assert "secrets." not in yaml.safe_dump(JOBS["check"])
    assert "secrets." not in yaml.safe_dump({k: v for k, v in WORKFLOWS["actions"].items() if k != "jobs"})
    assert "environment" not in JOBS["check"]


@pytest.mark.parametrize("name", [name for name in JOBS if name != "check"])
def test_secrets_come_from_the_environment_of_the_stack_alone(name: str):
    assert JOBS[name]["environment"].startswith("${{ matrix.stack }}")
    assert set(re.findall(r"secrets\.(\w+)", yaml.safe_dump(JOBS[name]))) == {"PULUMI_ACCESS_TOKEN", "KUBECONFIG"}


def test_a_preview_runs_the_main_branch_with_the_manifests_of_the_pull_request():
    """The workflow, too: `pull_request` would take that of the proposer's branch."""
    assert WORKFLOWS["preview"][True] == {"pull_request_target": {"branches": ["main"]}}
    steps = JOBS["preview"]["steps"]
    assert steps[0]["with"]["ref"] == "${{ github.event.repository.default_branch }}"
    assert [step for step in steps[1:] if "checkout@" in step.get("uses", "")] == []
    assert 'git -c core.symlinks=false checkout "$HEAD_SHA" -- stacks' in steps[1]["run"]
    assert yaml.safe_dump(steps).count("HEAD_SHA") == 3
    assert JOBS["preview"]["environment"] == "${{ matrix.stack }}-preview"
    assert JOBS["preview"]["if"] == "github.event.pull_request.head.repo.full_name == github.repository"
    assert "env" not in JOBS["preview"]
    with_secrets = [step["name"] for step in steps if "secrets." in yaml.safe_dump(step)]
    assert with_secrets == ["Write the kubeconfig", "Preview"]


def test_environments_with_secrets_are_told_to_take_the_main_branch_alone():
    readme = (CI / "README.md").read_text()
    for line in (line for line in readme.splitlines() if line.startswith("| environments `dev")):
        assert "deployment branches: `main` only" in line


def test_a_merge_request_of_gitlab_is_previewed_with_the_default_branch():
    script = "\n".join(GITLAB["preview"]["before_script"])
    assert 'git fetch --quiet origin "$CI_DEFAULT_BRANCH"\ngit checkout --quiet --detach FETCH_HEAD' in script
    assert 'git -c core.symlinks=false checkout "$CI_COMMIT_SHA" -- stacks' in script
    assert "TARGET_BRANCH" not in script and "DIFF_BASE" not in script
    assert "gitlab-ci.yaml@platform/ci:main" in (CI / "README.md").read_text()


QUOTING = {
    "github": next(step["run"] for step in JOBS["preview"]["steps"] if step.get("name") == "Comment"),
    "gitlab": GITLAB["preview"]["script"][0],
}
HOSTILE = "a\n/merge\n```\n</pre>\n/approve\n::error::x\n\x1b[2J##[group]\r/close\n~~~\n &lt;/pre&gt; naïve 模型"


@pytest.mark.parametrize("name", QUOTING)
def test_the_text_of_a_comment_stays_in_its_block(name: str, tmp_path: Path):
    """Manifests have names and values in it that end blocks and run quick actions."""
    (tmp_path / "preview.txt").write_bytes(HOSTILE.encode() + b"\xff\n")
    lines = QUOTING[name].splitlines()
    begin = next(index for index, line in enumerate(lines) if line.lstrip().startswith("tail -c"))
    end = next(index for index, line in enumerate(lines) if "> comment.md" in line)
    script = "\n".join(line for line in lines[begin : end + 1])
    subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env={"STACK": "dev", **PATH}, check=True)
    title, empty, opened, *inner, closed = (tmp_path / "comment.md").read_text().rstrip("\n").split("\n")
    assert (title, empty, opened, closed) == ("Preview of dev", "", "<pre>", "</pre>")
    assert [line for line in inner if line and not line.startswith("| ")] == []
    assert all(line.isprintable() for line in inner)
    assert "<" not in "".join(inner) and "naïve 模型" in "".join(inner)


def test_no_script_is_put_together_from_expressions():
    runs = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert [run for run in runs if "${{" in run] == []


def test_policies_are_run_with_their_config():
    """Before an update, too: the action's own `up` has no preview."""
    for script in (*(step.get("run", "") for step in JOBS["preview"]["steps"]), *GITLAB["preview"]["script"]):
        assert "pulumi preview" not in script or "--policy-pack policy --policy-pack-config" in script
    pulumi = [step["with"] for step in JOBS["up"]["steps"] if "pulumi" in step.get("uses", "")]
    assert [each["command"] for each in pulumi] == ["preview", "up"]
    packs = {(each["policyPacks"], each["policyPackConfigs"]) for each in pulumi}
    assert packs == {("policy", "policy/config.json")}


def test_drift_of_one_stack_hides_no_other():
    assert JOBS["drift"]["strategy"]["fail-fast"] is False
