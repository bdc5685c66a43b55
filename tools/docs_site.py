"""An mkdocs hook: shows links from the docs to repository files outside the site as plain paths."""

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page's text; `[text](../examples/x)` becomes `text (examples/x)`."""
    return _OUTSIDE.sub(_path, markdown)


def _path(match: re.Match[str]) -> str:
    text, path = match.groups()
    return text if text in (path, f"`{path}`") else f"{text} (`{path.partition('#')[0]}`)"
