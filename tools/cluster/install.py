"""Puts into a new API server what every local cluster has, and the CRDs that were asked for."""

import re
from pathlib import Path

from tools.cluster import objects
from tools.cluster.api import Api, wait_until

_CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_DISCOVERY = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}


def install_basics(api: Api, volumes: int) -> None:
    """Simulated nodes, storage and the runtime class."""
    api.apply_all([*objects.nodes(), *objects.storage(volumes), objects.runtime_class()])
    api.apply_all(objects.node_statuses())  # a subresource of what must be there by now


def install_crds(api: Api, files: list[Path]) -> None:
    """All CRDs of some YAML files, usable when this returns."""
    _apply_crds(api, _documents(files))


def install_missing_crds(api: Api, files: list[Path]) -> None:
    """Those CRDs of some YAML files that are not served yet: quick when nothing is to be done."""
    served = _served(api)
    _apply_crds(api, [(name, document) for name, document in _documents(files) if name not in served])


def _documents(files: list[Path]) -> list[tuple[str, str]]:
    return [document for file in files for document in crd_documents(file.read_text())]


def _apply_crds(api: Api, documents: list[tuple[str, str]]) -> None:
    api.apply_all((f"{_CRD_PATH}/{name}", document) for name, document in documents)
    wanted = {name for name, _ in documents}
    wait_until("CRDs become established", lambda: wanted <= _served(api), 60)


def crd_documents(text: str) -> list[tuple[str, str]]:
    """(name, document) of each CRD in a YAML stream; the API server reads YAML, so only the name is looked up."""
    documents = [part for part in re.split(r"^---\s*$", text, flags=re.MULTILINE) if "\nkind: Custom" in f"\n{part}"]
    return [(_name(document), document) for document in documents]


def _name(document: str) -> str:
    found = re.search(r"^metadata:\n(?:[ ].*\n)*?  name: (\S+)$", document, re.MULTILINE)
    if not found:
        raise ValueError(f"a CRD without a name: {document[:200]}")
    return found.group(1).strip("\"'")


def _served(api: Api) -> set[str]:
    """The names of the CRDs whose resources are served by now."""
    answer = api.get("/apis", _DISCOVERY)
    return {
        f"{resource['resource']}.{group['metadata']['name']}"
        for group in answer["items"]
        for version in group["versions"]
        for resource in version.get("resources", [])
    }
