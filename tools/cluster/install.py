"""Installs the basic objects of every local cluster and the requested CRDs into a new API server."""

import json
from pathlib import Path

from tools import cache
from tools.cluster import objects
from tools.cluster.api import Api
from tools.cluster.waiting import Progress, wait_for
from tools.node.layout import Layout

_CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_RECORDS = "/api/v1/namespaces/default/configmaps"
_RECORD = "local-control-plane-crds"
_DISCOVERY = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}


def install_basics(api: Api, volumes: int, node: Layout | None) -> None:
    """Simulated nodes, storage and the runtime class. With a real node, pods and volumes go to it."""
    folder = str(node.volumes) if node else objects.SIMULATED
    simulated = objects.nodes(cordoned=node is not None)
    api.apply_all([*simulated, *objects.storage(volumes, folder), objects.runtime_class()])
    api.apply_all(objects.node_statuses())  # a subresource of nodes, which exist by now


def install_crds(api: Api, files: list[Path], progress: Progress) -> None:
    """Installs CRDs from files named after them and waits until they are served; unchanged CRDs are skipped."""
    documents = [(file.stem, file.read_text()) for file in files]
    known, served = _installed(api), _served(api)
    versions = {name: cache.key(document) for name, document in documents}
    missing = [item for item in documents if item[0] not in served or known.get(item[0]) != versions[item[0]]]
    api.apply_all((f"{_CRD_PATH}/{name}", document) for name, document in missing)
    wait_for("the CRDs", lambda: _some(versions.keys() - _served(api)), progress)
    if missing:
        record = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": _RECORD}, "data": known | versions}
        api.apply(f"{_RECORDS}/{_RECORD}", json.dumps(record))


def _some(names: set[str]) -> str:
    return f"{len(names)} of them, {', '.join(sorted(names)[:3])} …" if names else ""


def _installed(api: Api) -> dict[str, str]:
    """The hash of each CRD that this launcher has installed, which the cluster itself stores."""
    records = api.get(f"{_RECORDS}?fieldSelector=metadata.name={_RECORD}")["items"]
    return records[0].get("data", {}) if records else {}


def _served(api: Api) -> set[str]:
    answer = api.get("/apis", _DISCOVERY)
    return {
        f"{resource['resource']}.{group['metadata']['name']}"
        for group in answer["items"]
        for version in group["versions"]
        for resource in version.get("resources", [])
    }
