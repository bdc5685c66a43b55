"""A place to run the init containers' scripts: folders that stand for a container's."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

from modelservices.families.llmkube.scripts import Variant, download

MODEL = random.Random(7).randbytes(300_000)
HTTP = Variant("http")


class Pod:
    """A place to run a script: its folders stand for the container's."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self.folder, self.shell = folder, shell
        self.cache = folder / "models" / "key"
        self.model = self.cache / "m.gguf"
        (folder / "bin").mkdir()

    def run(self, script: str, env: Mapping[str, str], *, timeout: int = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.shell, "-c", self.placed(script)],
            env={"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), **env},
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def placed(self, script: str) -> str:
        for path in ("/custom-certs", "/host-model", "/models"):
            script = script.replace(f" {path}", f" {self.folder}{path}")
        return script

    def one_file(self, variant: Variant, source: str, env: Mapping[str, str] | None = None):
        paths = {"MODEL_SOURCE": source, "CACHE_DIR": str(self.cache), "MODEL_PATH": str(self.model)}
        return self.run(download(variant), {**paths, **(env or {})})

    def several(self, variant: Variant, source: str, files: list[str], env: Mapping[str, str] | None = None):
        given = {"MODEL_SOURCE": source, "CACHE_DIR": str(self.cache), "MODEL_FILES": "\n".join(files)}
        return self.run(download(variant), {**given, **(env or {})})

    def stub(self, name: str, body: str) -> None:
        """A program of that name, first on the PATH."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def left(self) -> list[str]:
        """Every file below the cache folder."""
        return sorted(str(path.relative_to(self.cache)) for path in self.cache.rglob("*") if path.is_file())


def recording_curl(pod: Pod) -> None:
    """A curl that writes down its arguments and its config, and gives every file the same content."""
    pod.stub(
        "curl",
        f"""cat > {pod.folder}/config
printf '%s\\n' "$@" > {pod.folder}/arguments
printf '%s' "${{CURL_CA_BUNDLE:-}}" > {pod.folder}/bundle
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo model > "$2"; fi
  shift
done""",
    )
