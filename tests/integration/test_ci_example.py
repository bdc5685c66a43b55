"""The pipelines that users copy, step by step, in a repository set up as examples/ci/README.md says: with this
checkout's wheel, a file backend, the real engine and an API server.

Not proven here: what GitHub and GitLab add (checkouts, environments, comments on their pages); `pulumi/actions`, for
which the GitLab jobs run the same commands; `smoke`, as nothing serves on simulated nodes; and that an installed engine
starts the folder `policy` (the built one starts the program in it).
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.stacks import REPOSITORY
from tools import toolchain

CI = REPOSITORY / "examples/ci"
GITHUB: dict[Any, Any] = yaml.safe_load((CI / "github-actions.yaml").read_text())
GITLAB: dict[str, Any] = yaml.safe_load((CI / "gitlab-ci.yaml").read_text())
STACKS = ("dev", "prod")


@dataclass(frozen=True)
class Repository:
    """A platform repository and the environment of a runner that works in it."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a script as runners do: with bash, stopping at the first error."""
        command = ["bash", "-eo", "pipefail", "-c", script]
        own = {**self.environment, **variables}
        return subprocess.run(command, cwd=self.folder, env=own, capture_output=True, text=True, check=False)

    def passes(self, script: str, **variables: str) -> str:
        done = self.run(script, **variables)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def edit(self, stack: str, before: str, after: str) -> None:
        file = self.folder / f"stacks/{stack}/chat.yaml"
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))


def job(name: str) -> str:
    """The script of a GitLab job, without the commands that need a real server."""
    own = GITLAB[name]
    lines = [*own.get("before_script", GITLAB["default"]["before_script"]), *own["script"]]
    kept = [line for line in lines if not line.startswith("modelservices smoke")]
    return "\n".join(kept).replace("--policy-pack policy ", "--policy-pack policy/run ")


@pytest.fixture
def repository(cluster: SharedCluster, namespace: str, installed: tuple[Path, Path], tmp_path: Path) -> Repository:
    """A fresh repository with two stacks, each in a separate namespace."""
    venv, wheel = installed
    folder = tmp_path / "repository"
    engine = toolchain.engine_environment()
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([str(venv / "bin"), engine["PATH"]]),
        "PULUMI_HOME": engine.get("PULUMI_HOME", str(tmp_path / ".pulumi")),
        "PULUMI_BACKEND_URL": f"file://{tmp_path}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "KUBECONFIG": str(cluster.kubeconfig),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    made = Repository(folder, environment)
    subprocess.run([venv / "bin/modelservices", "init", folder], check=True, capture_output=True)
    shutil.copytree(REPOSITORY / "policy", folder / "policy", ignore=shutil.ignore_patterns("__pycache__"))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "requirements.lock").write_text(f"modelservices @ {wheel.as_uri()} --hash=sha256:{digest}\n")
    shutil.copytree(folder / "stacks/dev", folder / "stacks/prod")
    shutil.copy(folder / "Pulumi.dev.yaml", folder / "Pulumi.prod.yaml")
    for stack in STACKS:
        made.edit(stack, "namespace: models", f"namespace: {namespace}-{stack}")
    made.passes("git init -q -b main && git config user.name x && git config user.email x@example.com")
    made.passes("git add -A && git commit -qm first")
    made.passes("for stack in dev prod; do pulumi stack init $stack; done && git add -A && git commit -qm stacks")
    return made


def test_the_workflow_is_what_github_reads():
    linter = toolchain.ensure("actionlint")["actionlint"]
    done = subprocess.run(
        [linter, "-no-color", *sorted(CI.glob("github-*.yaml")), REPOSITORY / ".github/workflows/ci.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_what_a_pull_request_breaks_is_an_annotation(repository: Repository):
    steps = {step["name"]: step["run"] for step in GITHUB["jobs"]["check"]["steps"] if "name" in step}
    validate = steps["Validate"].replace("dev staging prod", " ".join(STACKS))
    assert "::error" not in repository.passes(validate)

    repository.edit("prod", "contextSize: 2048", "contextSise: 2048")
    done = repository.run(validate)

    assert done.returncode == 1
    assert "::error file=stacks/prod/chat.yaml,line=17" in done.stdout
    assert "did you mean contextSize?" in done.stdout


def test_the_kubeconfig_is_written_for_the_job_alone(repository: Repository, tmp_path: Path):
    steps = {step["name"]: step for step in GITHUB["jobs"]["up"]["steps"] if "name" in step}
    target = str(tmp_path / "written")
    repository.passes(steps["Write the kubeconfig"]["run"], KUBECONFIG=target, KUBECONFIG_CONTENT="a\nb")
    assert Path(target).read_text() == "a\nb" and Path(target).stat().st_mode & 0o777 == 0o600


def test_from_a_merge_request_to_the_cluster_and_a_look_for_drift(
    repository: Repository, api: DynamicClient, namespace: str
):
    repository.edit("dev", "contextSize: 2048", "contextSize: 4096")
    repository.passes("git checkout -q -b change && git commit -qam change")
    commit = repository.passes("git rev-parse HEAD").strip()
    repository.passes(job("check"), STACK="dev")

    repository.passes("git remote add origin .")
    repository.passes(job("preview"), STACK="dev", CI_DEFAULT_BRANCH="main", CI_COMMIT_SHA=commit)

    comment = (repository.folder / "comment.md").read_text()
    assert comment.startswith("Preview of dev\n\n<pre>\n| ") and "to create" in comment
    repository.passes("git checkout -q -f main && git merge -q change")
    said = repository.passes(job("up"), STACK="dev")
    assert "Ready" in said
    repository.passes(job("drift"), STACK="dev")

    deployments = api.resources.get(api_version="apps/v1", kind="Deployment")
    patch = [{"op": "replace", "path": "/spec/template/spec/containers/0/args/7", "value": "1024"}]
    deployments.patch(body=patch, name="chat", namespace=f"{namespace}-dev", content_type="application/json-patch+json")
    drift = repository.run(job("drift"), STACK="dev")

    assert drift.returncode != 0
    assert "chat-deployment" in drift.stdout + drift.stderr
    repository.passes("pulumi destroy --stack dev --yes --non-interactive")


def test_each_stack_has_a_job_of_its_own():
    for name in ("check", "preview", "up", "drift"):
        assert GITLAB[name]["extends"] == ".stacks"
    assert GITLAB[".stacks"]["parallel"]["matrix"] == [{"STACK": ["dev", "staging", "prod"]}]
