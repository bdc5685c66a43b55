"""What `make up` and `make preview` tell the engine about the policy pack. That it keeps to it: tests/integration."""

import os
from pathlib import Path

import pytest

from modelservices.findings import InvalidManifests
from tools import on_path, program


def installed(is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_path, "suite_is_there", lambda suite: is_there and suite == "engine")


def test_a_built_engine_gets_the_program_and_an_installed_one_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    config = ["--policy-pack-config", str(program.POLICY / "config.json")]
    installed(False, monkeypatch)
    assert program.policy_flags("dev") == ["--policy-pack", str(program.POLICY / "run"), *config]
    installed(True, monkeypatch)
    assert program.policy_flags("dev") == ["--policy-pack", str(program.POLICY), *config]


def test_the_pack_can_be_started_either_way() -> None:
    assert os.access(program.POLICY / "run", os.X_OK)
    assert (program.POLICY / "PulumiPolicy.yaml").exists()


def test_a_stack_can_have_a_config_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(program, "POLICY", tmp_path)
    for name in ("config.json", "config.prod.json"):
        (tmp_path / name).write_text("{}")
    configs = [program.policy_flags(stack)[-1] for stack in ("dev", "prod")]
    assert configs == [str(tmp_path / "config.json"), str(tmp_path / "config.prod.json")]


def test_a_misspelt_rule_stops_before_the_engine_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(program, "POLICY", tmp_path)
    (tmp_path / "config.json").write_text('{"image-tags": "mandatory"}')
    with pytest.raises(InvalidManifests, match=r"image-tags: is not a rule; did you mean image-tag\?$"):
        program.policy_flags("dev")


def test_an_update_has_its_preview_first() -> None:
    assert "--skip-preview" not in program.PULUMI["up"]


def test_a_preview_writes_no_state_and_an_update_writes_it_at_each_step() -> None:
    assert program.SETTINGS == {"preview": {"PULUMI_SKIP_CHECKPOINTS": "true"}}


def test_each_stack_has_a_control_plane_of_its_own() -> None:
    assert program.plane_of("dev") != program.plane_of("staging")


KUBECONFIG = """
current-context: mine
contexts: [{name: mine, context: {cluster: c}}, {name: other, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "https://example.com"}}]
"""


def test_a_given_cluster_is_changed_only_when_somebody_said_yes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[tuple[str, ...]] = []
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.delenv("YES", raising=False)
    monkeypatch.setattr(program, "engine", lambda kubeconfig: {})
    monkeypatch.setattr(program, "_run", lambda command, *rest: ran.append((command, *rest[3:])) or 0)

    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(program.NotAsked, match=r"`make up` asks before .*; YES=1 answers"):
        program._run_on_given_cluster("up", "dev")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    program._run_on_given_cluster("up", "dev")
    monkeypatch.setenv("YES", "1")
    program._run_on_given_cluster("down", "dev")

    assert ran == [("preview",), ("up",), ("down", "--yes")]
    assert "the cluster is mine (https://example.com)" in capsys.readouterr().err
