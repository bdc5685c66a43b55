"""The keys that identify an object and may not change between its versions.

`validate --before` compares two versions of files. A stack keeps the keys in its state and compares with the last
deployment before anything changes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..findings import Finding
from ..kubernetes.scalars import Plain
from ..kubernetes.values import mapping
from ..manifests.documents import Document

OUTPUT = "identity"
"""The stack output that holds the record."""

Record = dict[str, dict[str, str]]
"""``Kind.group namespace/name`` to the object's identifying keys and their values."""


def change_findings(before: Iterable[Document], after: Iterable[Document], namespace: str) -> Iterator[Finding]:
    """Findings, in the files of ``after``, about objects in both. ``namespace`` applies to objects without one."""
    # Imported when first needed, like the vocabulary: few objects have such keys, and loading takes a while.
    from ..ome_keys.validation import check_change

    old = {_place(document.data, namespace): document for document in before}
    for document in after:
        earlier = old.get(_place(document.data, namespace))
        if earlier:
            for problem in check_change(earlier.data, document.data):
                yield Finding.of(problem, document.file, document.object, document.line)


def _place(data: Mapping[str, Any], namespace: str) -> tuple[str, ...]:
    """Group, kind, namespace and name of an object, whatever values its document has there."""
    metadata = mapping(data.get("metadata"))
    group = str(data.get("apiVersion", "")).partition("/")[0]
    return group, str(data.get("kind", "")), str(metadata.get("namespace") or namespace), str(metadata.get("name", ""))


def record(documents: Iterable[Document]) -> Record:
    """The identity of every object that has such keys."""
    identities = ((_name(document.data), _identity(document.data)) for document in documents)
    return {name: identity for name, identity in sorted(identities) if identity}


def changed_identity(deployed: Mapping[str, Mapping[str, str]], documents: Iterable[Document]) -> list[Finding]:
    """Findings about objects whose identity differs from the deployed one."""
    return list(change_findings(_documents(deployed), documents, namespace=""))


def _name(data: Mapping[str, Any]) -> str:
    metadata = data["metadata"]
    group = data["apiVersion"].partition("/")[0]
    return f"{data['kind']}.{group} {metadata.get('namespace', '')}/{metadata['name']}"


def _identity(data: Mapping[str, Any]) -> dict[str, str]:
    places = {place: data["metadata"].get(f"{place}s") or {} for place in ("label", "annotation")}
    if not any(places.values()):
        return {}  # most objects have none, and the vocabulary takes a while to load
    from ..ome_keys.vocabulary import vocabulary

    entries = [entry for entry in vocabulary().entries.values() if entry.is_identity_of(data["kind"])]
    return {entry.key: str(places[entry.place][entry.key]) for entry in entries if entry.key in places[entry.place]}


def _documents(deployed: Mapping[str, Mapping[str, str]]) -> Iterator[Document]:
    """Documents that have the recorded identities."""
    if not deployed:
        return
    from ..ome_keys.vocabulary import vocabulary

    entries = vocabulary().entries
    for index, (text, identity) in enumerate(deployed.items()):
        (kind, _, group), (namespace, _, name) = _split(text)
        known = {key: Plain(value) for key, value in identity.items() if key in entries}
        metadata: dict[str, Any] = {"namespace": namespace, "name": name}
        for place in ("label", "annotation"):
            metadata[f"{place}s"] = {key: value for key, value in known.items() if entries[key].place == place}
        yield Document("", index + 1, 0, {"apiVersion": group, "kind": kind, "metadata": metadata})


def _split(text: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    head, _, where = text.partition(" ")
    return head.partition("."), where.partition("/")
