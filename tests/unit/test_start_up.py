"""What a process loads before it does its work, counted: it is most of the time that a small stack takes.

Does not prove how long that takes: `make bench` does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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
import json, sys
{code}
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(code: str) -> set[str]:
    """The modules that code has loaded, in a process of its own."""
    words = [sys.executable, "-c", COUNTING.format(code=code)]
    done = subprocess.run(words, cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


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
    assert {"pydantic", "yaml", "pulumi"} & loaded("import modelservices.__main__") == set()


def test_rendering_a_file_loads_the_family_of_the_file(tmp_path: Path):
    file = tmp_path / "chat.yaml"
    file.write_text(MANIFEST)
    found = loaded(command("render", str(file)))
    assert [f.folder for f in FAMILIES if f"modelservices.families.{f.folder}.render" in found] == ["llmkube"]
    assert {"modelservices.stack_config", "pulumi", "cryptography"} & found == set()
