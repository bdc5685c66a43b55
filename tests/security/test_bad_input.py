"""Unexpected shapes and sizes: a one-line error for each, never a traceback, and quickly.

Not proven here: inputs that the authors haven't thought of.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from modelservices.__main__ import main
from modelservices.findings import InvalidManifests
from modelservices.stack_config import config_file

ATTACKS = Path(__file__).parent / "attacks"
SERVICE = "apiVersion: inference.llmkube.dev/v1alpha1\nkind: InferenceService\nmetadata: {name: s, namespace: n}\n"
LLM = "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nmetadata: {name: s, namespace: n}\n"
SECONDS = 20
"""CPU seconds on a busy machine; quadratic rules took minutes."""


def rendered(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Exit code and findings of a render, which must end quickly."""
    start = time.process_time()
    code = main(["render", str(file)])
    assert time.process_time() - start < SECONDS
    return code, [line.removeprefix(str(file)) for line in capsys.readouterr().err.splitlines()]


@pytest.mark.parametrize(
    ("attack", "part"),
    [
        ("deep900", "nested more than 100 levels deep"),
        ("deep-filters-350", "nested more than 100 levels deep"),
        ("kind-list", "kind: must be a text, got a list"),
        ("qty-overflow", "must be a quantity within reach of a cluster"),
        ("qty-slow", "must be a quantity within reach of a cluster"),
        ("redos-gotemplate", "has {{ without }}"),
        ("template-int", "has a number with more than 300 digits"),
    ],
)
def test_an_odd_input_is_an_error(attack: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = rendered(ATTACKS / f"{attack}.yaml", capsys)
    assert code == 1 and any(part in line for line in lines)


def test_an_unquoted_url_is_only_unusual(capsys: pytest.CaptureFixture[str]) -> None:
    assert rendered(ATTACKS / "bm-url-plain.yaml", capsys)[0] == 0


def test_a_scheduler_s_config_that_no_scheduler_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """The config has an invalid date, which stays a text, in an unknown field."""
    code, (line,) = rendered(ATTACKS / "sched-config-date.yaml", capsys)
    assert code == 1
    assert line == (
        ":6: LLMInferenceService a/s: spec.router.scheduler.template.containers[main].args: has fields that an "
        "EndpointPickerConfig does not have, so the endpoint picker does not start: 'a'; allowed are apiVersion, "
        "kind, "
        "featureGates, plugins, schedulingProfiles, saturationDetector, data, dataLayer, flowControl, parser, "
        "requestHandler, discovery"
    )


DATES = {
    "2001-99-99": "'2001-99-99'",
    "2001-01-01": "'2001-01-01'",
    "0000-00-00": "'0000-00-00'",
    "2001-01-01T99:99:99Z": "'2001-01-01T99:99:99Z'",
    "99:99:99": "'99:99:99'",
    "0x": "'0x'",
    "0o9": "'0o9'",
}


@pytest.mark.parametrize(("text", "written"), DATES.items())
@pytest.mark.parametrize("where", ["inline", "ref", "args"])
def test_dates_and_numbers_in_a_scheduler_s_config(
    text: str, written: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a plugin's parameter they reach the scheduler as it would have parsed them itself."""
    config = f"plugins: [{{type: a, parameters: {{since: {text}}}}}]\nschedulingProfiles: []"
    scheduler = {
        "inline": f"{{config: {{inline: {{{config.replace(chr(10), ', ')}}}}}}}",
        "ref": "{config: {ref: {name: c, key: k}}}",
        "args": f"{{template: {{containers: [{{name: main, args: [--config-text, {json.dumps(config)}]}}]}}}}",
    }[where]
    router = f"{{route: {{}}, gateway: {{}}, scheduler: {scheduler}}}"
    service = LLM + f"spec: {{model: {{uri: 'hf://a/b', name: m}}, router: {router}}}\n"
    data = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: n}}\ndata: {{k: {json.dumps(config)}}}\n"
    (tmp_path / "x.yaml").write_text(f"{service}---\n{data}")
    assert main(["render", str(tmp_path / "x.yaml")]) == 0
    found = [line.strip() for line in capsys.readouterr().out.splitlines() if " since: " in line]
    assert found == [f"since: {written}"]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("unknown", SERVICE + "spec:\n  modelRef: m\n" + "".join(f"  replicaz{i}: 1\n" for i in range(10_000)), 1),
        ("braces", LLM + f"spec: {{model: {{uri: 'hf://a/b', name: '{'{{ ' * 100_000}'}}}}\n", 1),
        ("spaces", LLM + f"spec: {{model: {{uri: 'hf://a/b', name: '{' ' * 300_000}{{{{'}}}}\n", 1),
        ("dollars", LLM + f"spec: {{model: {{uri: 'hf://a/b', name: '{'${ ' * 100_000}'}}}}\n", None),
        ("deep", LLM + "spec: " + "[" * 100_000, 1),
        ("number", SERVICE + f"spec: {{modelRef: m, replicas: {'9' * 100_000}}}\n", 1),
    ],
)
def test_a_large_input_takes_no_time(
    name: str, text: str, code: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text(text)
    assert rendered(file, capsys)[0] in ((0, 1) if code is None else (code,))


@pytest.mark.parametrize("content", ["config: 5", "config: [a]", "- a", "\udcff"])
def test_an_odd_stack_file_is_an_error(content: str, tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.odd.yaml"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InvalidManifests) as caught:
        config_file("odd", tmp_path)
    assert all(finding.file == "Pulumi.odd.yaml" for finding in caught.value.findings)


def test_a_stack_file_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.odd.yaml").mkdir()
    with pytest.raises(InvalidManifests, match=r"Pulumi\.odd\.yaml"):
        config_file("odd", tmp_path)
