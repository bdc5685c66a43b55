"""The model services of the current stack: the manifests in stacks/<stack>."""

from pathlib import Path

from modelservices import run

run(Path(__file__).parent)
