"""The scripts as text: short, silent about secrets, left alone by Kubernetes, clean by shellcheck.

Not proved here: what they do, which the other tests of this folder show.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from modelservices.families.llmkube.scripts import Variant, download, prepare

SCRIPTS = [
    *(download(Variant(origin, several, ca_bundle=True)) for origin in ("http", "s3") for several in (False, True)),
    download(Variant("node")),
    prepare("0:102", "g+rwX"),
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_short_and_trace_nothing(script: str) -> None:
    assert "set -x" not in script and len(script) < 5500


@pytest.mark.parametrize("script", SCRIPTS)
def test_kubernetes_leaves_the_scripts_as_they_are(script: str) -> None:
    """It makes $$ to $ and puts a variable's value for $(NAME) in a container's command."""
    assert "$$" not in script
    assert set(re.findall(r"\$\(([A-Z_]+)\)", script)) == set()


@pytest.mark.parametrize(
    "variant", [Variant("node"), Variant("http", ca_bundle=True), Variant("s3", several=True, on_change=True)]
)
def test_scripts_are_clean(variant: Variant) -> None:
    command = [Path(sys.prefix) / "bin/shellcheck", "--shell=sh", "--severity=warning", "-"]
    done = subprocess.run(command, input=download(variant), capture_output=True, text=True)
    assert done.stdout == ""
