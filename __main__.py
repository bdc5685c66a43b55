"""The Pulumi program: the model services of the current stack."""

from components import run

run()
