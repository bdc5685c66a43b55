"""Any server: image, command and arguments are the user's."""

from ..kubernetes.args import Argument
from .engine import Engine
from .flag import Launch


def arguments(launch: Launch) -> list[Argument]:
    return [Argument((word,)) for word in launch.get("args") or []]


GENERIC = Engine(
    container="inference-server",
    port=8080,
    arguments=arguments,
    fields=frozenset(["args"]),
)
