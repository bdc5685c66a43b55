"""What a process loads before it does its work, counted: it is most of the time that a small stack takes.

Does not prove how long that takes: `make bench` does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from components.families.registry import FAMILIES

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
import collections, dataclasses, gc, json, sys

made, collections_of_garbage = [], []
make = dataclasses._process_class
dataclasses._process_class = lambda cls, *a: made.append(cls.__module__) or make(cls, *a)
gc.callbacks.append(lambda phase, info: collections_of_garbage.append(info["generation"]))
{code}
counts = collections.Counter(name for name in made if name.startswith("components"))
found = {{"modules": sorted(sys.modules), "dataclasses": counts.total(), "garbage": len(collections_of_garbage) // 2}}
print(json.dumps(found), file=sys.stderr)
"""


def loaded(code: str) -> tuple[frozenset[str], int, int]:
    """In a process of its own: the modules that code has loaded, how many dataclasses of the package were made, and
    how often it was looked for garbage."""
    words = [sys.executable, "-c", COUNTING.format(code=code)]
    done = subprocess.run(words, cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    found = json.loads(done.stderr.splitlines()[-1])
    return frozenset(found["modules"]), found["dataclasses"], found["garbage"]


def command(*words: str) -> str:
    """The code that runs a command as the console script does."""
    return f"""
from components.__main__ import program
sys.argv = ["modelservices", *{words!r}]
try:
    program()
except SystemExit as end:
    assert not end.code, end.code
"""


def test_importing_the_package_or_its_command_line_loads_no_other_package():
    modules, _, _ = loaded("import components.__main__")
    others = {"pydantic", "yaml", "pulumi"} & modules
    own = {name for name in modules if name.startswith("components.")}
    assert others == set()
    assert own == {
        "components.__main__",
        "components.families",
        "components.families.registry",
        "components.findings",
        "components.secret_forms",
    }


def test_rendering_a_file_loads_what_the_file_needs(tmp_path: Path):
    file = tmp_path / "chat.yaml"
    file.write_text(MANIFEST)
    modules, dataclasses, garbage = loaded(command("render", str(file)))
    others = [family.folder for family in FAMILIES if f"components.families.{family.folder}.render" in modules]
    unneeded = {"components.stack_config", "components.planning.tenant_files", "pulumi", "subprocess", "cryptography"}
    assert others == ["llmkube"]
    assert unneeded & modules == set()
    # A frozen dataclass takes four times as long to be made as a NamedTuple, and longer than a model.
    assert 0 < dataclasses <= 20
    assert garbage <= 12
