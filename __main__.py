"""The Pulumi program: the model services of the current stack."""

from pathlib import Path

from components import run

run(Path(__file__).parent)
