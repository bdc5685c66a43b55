"""The shipped presets: one file each, with a part of an LLMInferenceService's spec.

A pod may list ``parts``: files of ``parts/`` that are merged in order, with the pod on top. Texts may have KServe's
templates (``templates.py``). A config of the same name in the service's namespace or in ``kserve`` replaces a preset;
the setting ``kserve.presets`` changes it.
"""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ..merge import merge

PREFIX = "kserve-config-llm-"
_FOLDER = Path(__file__).parent


@cache
def shipped(name: str) -> dict[str, Any] | None:
    """The spec of a preset by its full name, None if none is shipped. It is cached, so callers must not change it."""
    suffix = name.removeprefix(PREFIX)
    file = _FOLDER / f"{suffix}.yaml"
    if suffix == name or not file.is_file():
        return None
    return _with_parts(yaml.safe_load(file.read_text()))


def shipped_names() -> list[str]:
    """The full names of all presets."""
    return sorted(f"{PREFIX}{file.stem}" for file in _FOLDER.glob("*.yaml"))


@cache
def _part(name: str) -> dict[str, Any]:
    return yaml.safe_load((_FOLDER / "parts" / f"{name}.yaml").read_text())


def _with_parts(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_parts(item) for item in value]
    if not isinstance(value, dict):
        return value
    further = {key: _with_parts(item) for key, item in value.items() if key != "parts"}
    return merge.all([*map(_part, value["parts"]), further]) if "parts" in value else further
