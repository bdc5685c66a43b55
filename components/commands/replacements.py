"""``replacements``: what the next update would delete and create again, according to the engine's preview.

The check before an update compares with the cluster. The engine replaces for further reasons: another namespace or name
under the same Pulumi name, another cluster of a provider, `replaceOnChanges`, a state that was imported.
"""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from ..cluster.preflight import CONSEQUENCES
from ..kubernetes.objects import Key
from ..kubernetes.values import mapping, mappings, value_at
from .engine import ask_engine
from .live import add_stack


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stack(parser)


def run(arguments: argparse.Namespace) -> int:
    preview = ask_engine("preview", "--json", stack=arguments.stack)
    replaced = list(replacements(preview))
    print("\n".join(line for _, line in replaced) or "nothing is replaced")
    return 1 if any(kind in CONSEQUENCES for kind, _ in replaced) else 0


def replacements(preview: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Kind of each object that a preview replaces, and a line with the reason and the consequence."""
    for step in mappings(preview.get("steps")):
        inputs = mapping(value_at(step, "oldState", "inputs"))
        if step.get("op") == "replace" and "kind" in inputs:
            metadata = mapping(inputs.get("metadata"))
            kind = str(inputs["kind"])
            identity = Key(str(inputs["apiVersion"]), kind, metadata.get("namespace", ""), str(metadata.get("name")))
            yield kind, f"{identity}: deleted and made again{CONSEQUENCES.get(kind, '')}: {_reasons(step)}"


def _reasons(step: Mapping[str, Any]) -> str:
    detailed = mapping(step.get("detailedDiff"))
    fields = [path for path, change in detailed.items() if str(mapping(change).get("kind")).endswith("-replace")]
    return f"{', '.join(fields or step.get('replaceReasons') or ['the engine says so'])} changes"
