"""What may not change from one version of the manifests to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..findings import Finding
from ..manifests.documents import Document
from ..ome_keys.validation import check_change


def change_findings(before: Iterable[Document], after: Iterable[Document], namespace: str) -> Iterator[Finding]:
    """Findings, in the files of ``after``, about objects that are in both. ``namespace`` is for those without one."""
    old = {_identity(document.data, namespace): document for document in before}
    for document in after:
        earlier = old.get(_identity(document.data, namespace))
        if earlier:
            for problem in check_change(earlier.data, document.data):
                yield Finding.of(problem, document.file, document.object, document.line)


def _identity(data: dict[str, Any], namespace: str) -> tuple[str, ...]:
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    group = str(data.get("apiVersion", "")).partition("/")[0]
    where = metadata.get("namespace") or namespace
    return group, str(data.get("kind", "")), str(where), str(metadata.get("name", ""))
