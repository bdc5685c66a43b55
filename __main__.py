"""The Pulumi program: the model services of the current stack."""

from pathlib import Path

from modelservices import run

run(Path(__file__).parent)
