"""A team's custom resources, and the stack that takes over what a real operator makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration import ome_operator
from tests.integration.adopted_families import FAMILIES
from tests.integration.live import edit_live, everything, read_live
from tests.integration.operators import DEFINITIONS, Object, create
from tests.integration.stacks import Stack
from tests.integration.take_over import addresses_of, listed, stated
from tests.integration.test_adoption import are_ready, pods
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

_FOREIGN = {"metadata": {"annotations": {"backup.example.com/plan": "nightly"}}}
_STORED = {"serving.kserve.io/v1alpha1": "serving.kserve.io/v1alpha2"}
"""What can still be read when the controller that converts is stopped."""
_PATCH = re.compile(r"`kubectl patch (?P<kind>[^. ]+)\.\S+ -n \S+ (?P<name>\S+) --type merge -p ")


class Team:
    """Reference cases in one namespace, and their manifests in a stack: as in Git, or as `kubectl get -o yaml` writes
    them."""

    def __init__(
        self,
        family: str,
        cases: Iterable[str],
        stack: Stack,
        api: DynamicClient,
        settings: Mapping[str, Any],
        *,
        dumped: bool,
    ) -> None:
        self.family = FAMILIES[family]
        self.stack, self.api, self.namespace = stack, api, stack.namespace
        self.documents = [document for case in cases for document in self._manifests(case)]
        self.dumped = dumped
        adopted = stack.folder / "adopted.yaml"
        stack.config({"settings": {family: {**self.family.settings, **settings}}, "adopted": str(adopted)})
        if family == "ome":
            self._add_models()

    def _add_models(self) -> None:
        """The models and runtimes of the reference, in the cluster and among the manifests."""
        ome_operator.mark_nodes(self.api, self.namespace)
        environment = ome_operator.environment(self.namespace)
        for document in environment:
            create(self.api, document)
        self.stack.write(yaml.safe_dump_all(environment), "runtimes.yaml")

    def _manifests(self, case: str) -> list[Object]:
        """A reference case's, or those of a file of this folder."""
        if not case.endswith(".yaml"):
            return self.family.manifests(case, self.namespace)
        documents = list(yaml.safe_load_all((Path(__file__).parent / case).read_text()))
        for document in documents:
            document["metadata"]["namespace"] = self.namespace
        return documents

    @property
    def services(self) -> list[Object]:
        return [document for document in self.documents if document["kind"] == self.family.kind]

    def apply(self) -> None:
        """Creates the custom resources like `kubectl apply`, and writes the stack's manifests."""
        for document in self.documents:
            resource = self.api.resources.get(api_version=document["apiVersion"], kind=document["kind"])
            resource.create(body=document, namespace=self.namespace, field_manager="kubectl-client-side-apply")
        eventually(self.is_reconciled, f"the services of {self.namespace}")
        live = [read_live(self.api, document) for document in self.documents]
        self.stack.write(listed(live) if self.dumped else yaml.safe_dump_all(self.documents))
        stored = [one | {"apiVersion": _STORED.get(one["apiVersion"], one["apiVersion"])} for one in self.documents]
        self.documents = stored

    def is_reconciled(self) -> bool:
        waited = [one for one in self.documents if one["kind"] in (self.family.kind, "BenchmarkJob")]
        return all(_is_ready(read_live(self.api, one)) for one in waited) and are_ready(self.api, self.namespace)

    def serving(self) -> dict[str, Any]:
        """What clients and pods of the team rely on."""
        addresses = {
            f"Service {self.namespace}/{name}": one for name, one in addresses_of(self.api, self.namespace).items()
        }
        kept = {f"Pod {self.namespace}/{name}": uid for name, uid in pods(self.api, self.namespace).items()}
        return addresses | kept | {f"Secret {self.namespace}/{name}": data for name, data in self.secrets().items()}

    def secrets(self) -> dict[str, dict[str, str]]:
        """What the Secrets say, such as the certificates that the operator has made."""
        found = self.api.resources.get(api_version="v1", kind="Secret").get(namespace=self.namespace).items
        return {item.metadata.name: item.to_dict().get("data") or {} for item in found}

    def state(self) -> dict[str, Any]:
        """What every object of the namespace says, without its status and what Kubernetes counts."""
        return {
            f"{obj['kind']} {obj['metadata']['name']}": stated(obj)
            for obj in everything(self.api, self.namespace)
            if obj["kind"] not in ("EndpointSlice", "Endpoints", "Event")
        }

    def made(self) -> list[Object]:
        """The objects that a custom resource owns."""
        groups = DEFINITIONS.keys()
        return [
            obj
            for obj in everything(self.api, self.namespace)
            for owner in obj["metadata"].get("ownerReferences") or []
            if owner["apiVersion"].partition("/")[0] in groups
        ]

    def backed_up(self, objects: Iterable[Object]) -> list[Object]:
        """The objects after a backup tool has annotated them, which a running OME would undo."""
        for obj in objects:
            edit_live(self.api, obj, _FOREIGN, "backup")
        return [read_live(self.api, obj) for obj in objects]

    def registered(self) -> list[Object]:
        """The stack's objects in the cluster."""
        rendered = yaml.safe_load_all(command(self.stack, "render").stdout)
        return [live for obj in rendered if (live := read_live(self.api, obj))]

    def adopt(self, *arguments: str) -> str:
        """The output of `modelservices adopt`, which succeeds."""
        done = command(self.stack, "adopt", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def take_over(self) -> None:
        """The guide's commands, and a preview without changes at the end."""
        self.adopt("--yes")
        self.stack.up()
        self.stack.preview("--refresh", "--expect-no-changes")

    def remove_finalizers(self, said: str) -> None:
        """Runs the `kubectl patch` commands that `adopt` has printed."""
        for found in _PATCH.finditer(said):
            custom = next(one for one in self.documents if _named(one) == (found["kind"], found["name"]))
            edit_live(self.api, custom, {"metadata": {"finalizers": None}}, "kubectl-patch")
        for custom in self.documents:  # those that own nothing, as docs/kserve.md says
            if custom["kind"] == "LLMInferenceServiceConfig":
                edit_live(self.api, custom, {"metadata": {"finalizers": None}}, "kubectl-patch")

    def multiply(self, count: int) -> None:
        """Gives the team several services like its first one, with other names."""
        first = self.services[0]
        beside = [document for document in self.documents if document["kind"] != self.family.kind]
        names = [f"service-{number}" for number in range(count)]
        self.documents = [*beside, *({**first, "metadata": {**first["metadata"], "name": name}} for name in names)]

    def delete_custom_resources(self) -> None:
        """Deletes them all, and waits until they are gone."""
        for custom in self.documents:
            self.delete(custom, "Background")
        self.wait_until_deleted(self.documents)

    def delete(self, custom: Object, cascade: str) -> None:
        """Deletes a custom resource like `kubectl delete --cascade=… --wait=false`."""
        resource = self.api.resources.get(api_version=custom["apiVersion"], kind=custom["kind"])
        body = {"propagationPolicy": cascade}
        resource.delete(name=custom["metadata"]["name"], namespace=self.namespace, body=body)

    def wait_until_deleted(self, objects: Iterable[Object]) -> None:
        eventually(lambda: not any(read_live(self.api, obj) for obj in objects), "the custom resources gone")


def lost(api: DynamicClient, before: Iterable[Object]) -> list[str]:
    """The objects that are gone, new, or without annotations that they had."""
    return [_name(obj) for obj in before if not _is_kept(obj, read_live(api, obj))]


def _is_kept(before: Object, now: Object | None) -> bool:
    old, new = before["metadata"], (now or {}).get("metadata", {})
    theirs = (old.get("annotations") or {}).items() & _FOREIGN["metadata"]["annotations"].items()
    return old["uid"] == new.get("uid") and theirs <= (new.get("annotations") or {}).items()


def _name(obj: Object) -> str:
    return f"{obj['kind']} {obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"


def _named(custom: Object) -> tuple[str, str]:
    return custom["kind"].lower(), custom["metadata"]["name"]


def _is_ready(custom: Object | None) -> bool:
    """As its operator says; a BenchmarkJob has ended. KServe's services also wait for a gateway's controller, which
    is not here."""
    status = (custom or {}).get("status") or {}
    ready = [
        one
        for one in status.get("conditions", [])
        if one["type"] in ("Ready", "WorkloadsReady") and one["status"] == "True"
    ]
    return status.get("phase") == "Ready" or status.get("state") == "Completed" or bool(ready)
