"""The types of the components' arguments for programs in every language, generated from the models."""

import json
from collections.abc import Iterator
from pathlib import Path

import modelservices
from modelservices.families.registry import COMPONENTS
from modelservices.registration.component import ServiceComponent
from tools.component_types import python
from tools.component_types.schema import TARGET, schema
from tools.component_types.shapes import models


def generated() -> Iterator[tuple[Path, str]]:
    """The plugin's schema and the modules of ``components/args``: (path, text)."""
    classes: list[type[ServiceComponent]] = [getattr(modelservices, name) for name in sorted(COMPONENTS)]
    made_of = models(component.ARGUMENTS for component in classes)
    yield TARGET, json.dumps(schema(classes, made_of), indent=1) + "\n"
    yield from python.modules(made_of)
