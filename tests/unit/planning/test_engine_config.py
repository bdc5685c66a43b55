"""Config that the engine has to read: ESC environments and a secret kubeconfig, with a stand-in for `pulumi` on PATH.

Not proven here: that an engine prints such JSON (it is what 3.276 prints), and that an environment can be opened.
"""

import json
from pathlib import Path

import pytest

from modelservices.findings import InvalidManifests
from modelservices.stack_config import cluster_config, config_file

CONFIG = {
    "kubernetes:kubeconfig": {"value": "apiVersion: v1", "secret": True},
    "kubernetes:namespace": {"value": "team-a", "secret": False},
    "modelservices:adopted": {"value": "other.yaml", "secret": False},
    "modelservices:settings": {"value": "{}", "objectValue": {"allowReplace": True}, "secret": False},
    "modelservices:token": {"value": "s3cret", "secret": True},
}


@pytest.fixture
def pulumi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `pulumi` that prints the config; the only program on PATH."""
    program = tmp_path / "bin/pulumi"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf '%s' '{json.dumps(CONFIG)}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def stack(folder: Path, text: str) -> Path:
    (folder / "Pulumi.dev.yaml").write_text(text)
    return folder


ENVIRONMENT = "environment: [models/dev]\nconfig:\n  modelservices:createNamespaces: true\n"
SECRET = "config:\n  kubernetes:kubeconfig: {secure: AAAB}\n"


def test_what_an_environment_gives_is_seen_and_its_secrets_are_not(pulumi: Path, tmp_path: Path):
    values, namespace = config_file("dev", stack(tmp_path, ENVIRONMENT))
    assert values == {"createNamespaces": "true", "adopted": "other.yaml", "settings": {"allowReplace": True}}
    assert namespace == "team-a"


def test_the_file_takes_precedence_over_its_environments(pulumi: Path, tmp_path: Path):
    text = ENVIRONMENT + "  modelservices:settings: {allowReplace: false}\n"
    values, _ = config_file("dev", stack(tmp_path, text))
    assert str(values["settings"]["allowReplace"]).lower() == "false"


def test_without_an_engine_the_file_alone_is_read_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("PATH", str(tmp_path))
    values, _ = config_file("dev", stack(tmp_path, ENVIRONMENT))
    assert set(values) == {"createNamespaces"}
    assert capsys.readouterr().err == (
        "Pulumi.dev.yaml alone is read, without its environments: pulumi is not on PATH\n"
    )


@pytest.mark.parametrize("text", [SECRET, ENVIRONMENT])
def test_a_kubeconfig_that_is_a_secret_or_an_environments(pulumi: Path, tmp_path: Path, text: str):
    assert cluster_config("dev", stack(tmp_path, text)) == ("apiVersion: v1", None)


def test_a_secret_kubeconfig_that_the_engine_refuses(pulumi: Path, tmp_path: Path):
    pulumi.write_text("#!/bin/sh\necho 'error: incorrect passphrase' >&2\nexit 255\n")
    with pytest.raises(InvalidManifests) as caught:
        cluster_config("dev", stack(tmp_path, SECRET))
    (finding,) = caught.value.findings
    assert str(finding) == (
        "Pulumi.dev.yaml: kubernetes:kubeconfig: is a secret that only pulumi can read: error: incorrect "
        "passphrase; or set KUBECONFIG, and leave this key out"
    )


def test_a_plain_stack_asks_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cluster_config("dev", stack(tmp_path, "config:\n  kubernetes:context: mine\n")) == (None, "mine")
