"""JSON within a text, read with the nesting limit of all input."""

import json
from typing import Any

MAX_DEPTH = 100


def from_json(text: str | bytes) -> Any:
    """Parses a JSON text. Raises ValueError if it is invalid or nested too deeply."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"is nested more than {MAX_DEPTH} levels deep") from None
    waiting = [(value, 1)] if isinstance(value, dict | list) else []
    while waiting:
        item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"is nested more than {MAX_DEPTH} levels deep")
        inner = item.values() if isinstance(item, dict) else item
        waiting.extend((one, depth + 1) for one in inner if isinstance(one, dict | list))
    return value
