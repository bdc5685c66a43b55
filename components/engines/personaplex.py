"""NVIDIA PersonaPlex (Moshi): speech to speech, in an image that the user builds."""

from typing import Any

from ..kubernetes.args import Argument
from .engine import Engine
from .flag import Flag, Launch, from_table, home

FLAGS = (
    Flag("--quantize-4bit", "personaPlexConfig.quantize4Bit", "switch"),
    Flag("--cpu-offload", "personaPlexConfig.cpuOffload", "switch"),
)


def arguments(launch: Launch) -> list[Argument]:
    return [Argument(("--ssl", "/app/ssl")), *from_table(FLAGS, launch)]


def env(launch: Launch) -> list[dict[str, Any]]:
    return [{"name": "NO_TORCH_COMPILE", "value": "1"}, *home(launch)]


PERSONAPLEX = Engine(
    container="personaplex",
    port=8998,
    command=("/app/moshi/.venv/bin/python", "-m", "moshi.server"),
    arguments=arguments,
    token=("HF_TOKEN", "personaPlexConfig.hfTokenSecretRef"),
    env=env,
    fields=frozenset(["personaPlexConfig"]),
)
