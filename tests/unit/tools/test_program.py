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
