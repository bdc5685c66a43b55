"""What a process loads before it does its work, counted: it is most of the time that a small stack takes.

Does not prove how long that takes: `make bench` does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from modelservices.families.registry import FAMILIES

PACKAGE = Path(__file__).parents[2] / "components"
MANIFEST = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: chat}
spec: {source: https://models.example.com/chat.gguf}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: chat}
spec: {modelRef: chat}
"""
COUNTING = """
import atexit, collections, dataclasses, gc, json, sys

made, collections_of_garbage = [], []
make = dataclasses._process_class
dataclasses._process_class = lambda cls, *a: made.append(cls.__module__) or make(cls, *a)
gc.callbacks.append(lambda phase, info: collections_of_garbage.append(info["generation"]))
{code}
atexit._run_exitfuncs()
counts = collections.Counter(name for name in made if name.startswith("modelservices"))
read = sys.modules.get("modelservices.kubernetes.model")
waiting = [read.Spec] if read else []
models = {{}}
while waiting:
    model = waiting.pop()
    models[model.__qualname__] = model.__pydantic_complete__
    waiting += model.__subclasses__()
found = {{
    "modules": sorted(sys.modules),
    "dataclasses": counts.total(),
    "models": len(models),
    "built": sorted(name for name, is_built in models.items() if is_built),
    "garbage": len(collections_of_garbage) // 2,
    "left_at_end": gc.get_freeze_count(),
}}
print(json.dumps(found), file=sys.stderr)
"""


class Loaded(NamedTuple):
    """What code has loaded: its modules, how many dataclasses and models of the package were made, which of the models
    have their validators, how often it was looked for garbage, and how many objects are left out of that at the end."""

    modules: list[str]
    dataclasses: int
    models: int
    built: list[str]
    garbage: int
    left_at_end: int


def loaded(code: str) -> Loaded:
    """In a process of its own."""
    words = [sys.executable, "-c", COUNTING.format(code=code)]
    done = subprocess.run(words, cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    return Loaded(**json.loads(done.stderr.splitlines()[-1]))


def command(*words: str) -> str:
    """The code that runs a command as the console script does."""
    return f"""
from modelservices.__main__ import program
sys.argv = ["modelservices", *{words!r}]
try:
    program()
except SystemExit as end:
    assert not end.code, end.code
"""


def test_importing_the_package_or_its_command_line_loads_no_other_package():
    found = loaded("import modelservices.__main__")
    others = {"pydantic", "yaml", "pulumi"} & set(found.modules)
    own = {name for name in found.modules if name.startswith("modelservices.")}
    assert others == set()
    assert own == {
        "modelservices.__main__",
        "modelservices.families",
        "modelservices.families.registry",
        "modelservices.findings",
        "modelservices.garbage",
        "modelservices.secret_forms",
    }


def test_rendering_a_file_loads_what_the_file_needs(tmp_path: Path):
    file = tmp_path / "chat.yaml"
    file.write_text(MANIFEST)
    found = loaded(command("render", str(file)))
    others = [f.folder for f in FAMILIES if f"modelservices.families.{f.folder}.settings" in found.modules]
    unneeded = {
        *("modelservices.stack_config", "modelservices.planning.tenant_files", "modelservices.linking.targets"),
        *("modelservices.ome_keys.settings", "modelservices.ome_keys.vocabulary"),
        *("pulumi", "subprocess", "cryptography", "difflib"),
    }
    assert others == ["llmkube"]
    assert unneeded & set(found.modules) == set()
    # A frozen dataclass takes four times as long to be made as a NamedTuple, and longer than a model.
    assert 0 < found.dataclasses <= 15
    assert 0 < found.models <= 85
    # Only what the manifests give a value of is built: that is most of what a model costs.
    assert found.built == ["InferenceService", "InferenceServiceSpec", "Model", "ModelSpec", "ObjectMeta"]
    assert found.garbage <= 12
    assert found.left_at_end > 10_000


def test_a_component_loads_its_family_when_it_is_made():
    found = loaded("from modelservices import InferenceServiceComponent, OMEInferenceServiceComponent, run")
    families = [f.folder for f in FAMILIES if f"modelservices.families.{f.folder}" in found.modules]
    assert families == []
    assert 0 < found.models <= 55
    assert found.built == []
