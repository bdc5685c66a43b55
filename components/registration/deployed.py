"""What the stack's own state says of its last update."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi

_READ = "pulumi:pulumi:readStackOutputs"


def deployed_output(name: str) -> Mapping[str, Any]:
    """An output that is a mapping, as the last update left it; empty where there is none.

    A state that can't be read is a warning: what is compared with it is then not checked.
    """
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    try:
        answer: Mapping[str, Any] = pulumi.runtime.invoke(_READ, {"name": stack}).value or {}
    except Exception as error:
        pulumi.log.warn(f"the stack's state can't be read, so {name} is not compared with it: {error}")
        return {}
    value = (answer.get("outputs") or {}).get(name)
    return value if isinstance(value, Mapping) else {}
