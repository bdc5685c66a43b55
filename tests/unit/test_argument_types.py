"""What a type checker says of programs: pyright, once, on programs that are right and programs that are wrong.

Not proven here: that the values are accepted when the program runs (tests/unit/registration/test_arguments.py).
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
HEAD = """
import pulumi
import pulumi_kubernetes as k8s

from modelservices import *

chat = {"source": "https://models.example.com/m.gguf"}
later = pulumi.Output.from_input("x")
"""
CHAT = 'InferenceServiceComponent("chat", {{"namespace": "a", "model": {{"source": "hf://o/m"}}, "spec": {{{spec}}}}})'


def service(spec: str) -> str:
    return CHAT.format(spec=spec)


RIGHT = {
    "all_keys_as_in_yaml": service('"modelRef": "m", "replicas": 3, "contextSize": 4096, "runtime": "vllm"'),
    "keys_in_snake_case": service(
        '"model_ref": "m", "context_size": 4096, "resources": {"gpu_memory": "8Gi"}, '
        '"env": [{"name": "A", "value_from": {"secret_key_ref": {"name": "s", "key": "k"}}}]'
    ),
    "outputs_that_are_passed_on": service(
        '"modelRef": "m", "image": later, "env": [{"name": "A", "value": later}], "nodeSelector": {"pool": later}'
    ),
    "namespace_and_source_are_outputs": 'InferenceServiceComponent("chat", '
    '{"namespace": later, "model": {"source": later}, "spec": {"modelRef": "m"}})',
    "objects_of_pulumi_kubernetes": service(
        '"modelRef": "m", "env": [k8s.core.v1.EnvVarArgs(name="A", value="b")], '
        '"tolerations": [k8s.core.v1.TolerationArgs(key="gpu", operator="Exists")]'
    ),
    "optional_arguments_are_none": service('"modelRef": "m", "image": pulumi.Config().get("image")'),
    "settings": 'PrefillDecodeComponent("x", {"spec": {"model": {"name": "m", "image": "i"}, "engine": {}, '
    '"accelerator": {"type": "nvidia"}, "decode": {"replicas": 1}, "routingProxy": {}, '
    '"inferencePool": {"endpointPicker": {}}}, "settings": {"otterscale": {"plainHTTP": True}, "allowReplace": True}})',
    "kserve": 'LLMInferenceServiceComponent("x", {"spec": {"model": {"uri": "hf://o/m", "name": "m"}, "replicas": 1}})',
    "arguments_by_their_type": 'args: InferenceServiceArgs = {"model": {"source": "x"}, "spec": {"modelRef": "m"}}\n'
    'InferenceServiceComponent("chat", args)',
    "endpoint_picker": 'EPPComponent("x", {"poolName": "p", "spec": {"provider": "none", "replicas": 2}})',
    "endpoint_picker_in_snake_case": 'EPPComponent("x", {"pool_name": "p", "spec": {"failure_mode": "FailOpen"}})',
}

WRONG = {
    "misspelt_field": (service('"modelRef": "m", "replicsa": 3'), "replicsa"),
    "text_for_a_number": (service('"modelRef": "m", "replicas": "three"'), "Literal['three']"),
    "output_for_a_number": (service('"modelRef": "m", "replicas": later'), '"Output[str]" is not assignable'),
    "wrong_choice": (service('"modelRef": "m", "runtime": "vlm"'), "Literal['vlm']"),
    "missing_field": (service('"replicas": 3'), "modelRef"),
    "missing_argument": ('InferenceServiceComponent("x", {"spec": {"modelRef": "m"}})', '"model"'),
    "misspelt_argument": (
        'InferenceServiceComponent("x", {"modle": chat, "model": {"source": "x"}, "spec": {"modelRef": "m"}})',
        "modle",
    ),
    "unknown_setting": (
        'InferenceServiceComponent("x", {"model": {"source": "s"}, "spec": {"modelRef": "m"}, '
        '"settings": {"llmkube": {"modelCacheSice": "1Gi"}}})',
        "modelCacheSice",
    ),
    "no_arguments": ('InferenceServiceComponent("x", None)', "None"),
    "list_for_a_mapping": (service('"modelRef": "m", "resources": [1]'), '"list[int]" is not assignable'),
    "nested_misspelt_field": (service('"modelRef": "m", "endpoint": {"prot": 80}'), "prot"),
    "wrong_object_of_pulumi_kubernetes": (
        service('"modelRef": "m", "env": [k8s.core.v1.TolerationArgs(key="gpu")]'),
        '"TolerationArgs" is not assignable to "EnvVar"',
    ),
    "misspelt_snake_case": (service('"model_ref": "m", "contxt_size": 1'), "contxt_size"),
    "wrong_output": (
        'InferenceServiceComponent("x", {"model": {"source": "x"}, "spec": {"modelRef": "m"}}).endpiont',
        "endpiont",
    ),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What pyright says of each program."""
    folder = tmp_path_factory.mktemp("programs")
    programs = RIGHT | {name: text for name, (text, _) in WRONG.items()}
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(HEAD + text + "\n")
    settings = {
        "extraPaths": [str(REPOSITORY / ".venv/types")],
        "venvPath": str(REPOSITORY),
        "venv": ".venv",
        "typeCheckingMode": "basic",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [Path(sys.executable).with_name("pyright"), "--outputjson", "--project", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {name: [] for name in programs}
    for item in json.loads(done.stdout)["generalDiagnostics"]:
        if item["severity"] == "error":
            found[Path(item["file"]).stem].append(item["message"])
    return found


@pytest.mark.parametrize("name", RIGHT)
def test_programs_that_are_right(said: dict[str, list[str]], name: str):
    assert said[name] == []


@pytest.mark.parametrize("name", WRONG)
def test_programs_that_are_wrong(said: dict[str, list[str]], name: str):
    assert WRONG[name][1] in "\n".join(said[name])
