"""Warms up the process from which each run is forked: imports everything and plans the first manifests."""

from pathlib import Path

import kubernetes.dynamic  # noqa: F401

import modelservices.stack  # noqa: F401
from modelservices.stack_config import config_file, plan_stack, read_config

_REPOSITORY = Path(__file__).parents[2]

for stack in ("dev", "staging", "prod"):
    values, namespace = config_file(stack, _REPOSITORY)
    plan_stack(read_config(values, ""), stack, _REPOSITORY, namespace)
