"""An operator that runs beside a stack: as long as a custom resource exists, it puts back what differs in the objects
that it made from it.

Like the controllers of KServe, OtterScale and OME it sets its finalizer again when somebody removes it, and deletes its
cluster-scoped objects with the custom resource. It puts back owner references too, which LLMKube's and OtterScale's
controllers set only on objects that they create.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient

from tests.integration.live import edit, edit_live, read, read_live
from tests.integration.operators import MANAGER, Object, Operator, create
from tests.integration.waiting import eventually

CONTROLLERS = {
    "inference.llmkube.dev": "llmkube-controller-manager",
    "model.otterscale.io": "model-operator-controller-manager",
    "serving.kserve.io": "llmisvc-controller-manager",
    "ome.io": "ome-controller-manager",
}
"""The Deployments of the operators' installations."""
FINALIZERS = {
    "ome.io": "inferenceservice.finalizers",
    "model.otterscale.io": "model.otterscale.io/epp-cluster-rbac",
    "serving.kserve.io": "serving.kserve.io/llmisvc-finalizer",
}
NAMESPACE = "operators"
_PAUSE_SECONDS = 0.5


class RunningOperator:
    """Reconciles the objects of several namespaces, each of which has one custom resource."""

    def __init__(self, *operators: Operator) -> None:
        self.operators = operators
        self.api: DynamicClient = operators[0].api
        self.group = operators[0].resources[0]["apiVersion"].partition("/")[0]
        self.passes = 0

    @property
    def controller(self) -> str:
        """As messages name it."""
        return f"Deployment {NAMESPACE}/{CONTROLLERS[self.group]}"

    @contextlib.contextmanager
    def running(self) -> Iterator[Callable[[], None]]:
        """Runs while the context lasts; afterwards its Deployment has no pods. Yields a function that waits until it
        has reconciled everything once more."""
        self._scale(1)
        stop = threading.Event()
        thread = threading.Thread(target=self._reconcile_until, args=(stop,))
        thread.start()
        try:
            yield self._once_more
        finally:
            stop.set()
            thread.join()
            self._scale(0)

    def _once_more(self) -> None:
        begun = self.passes + 2  # the pass that runs now may have begun before
        eventually(lambda: self.passes >= begun, "the operator's next pass")

    def _scale(self, replicas: int) -> None:
        name = CONTROLLERS[self.group]
        labels = {"control-plane": "controller-manager", "operator": name}
        container = {"name": "manager", "image": f"registry.example.com/{name}:1"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
        create(self.api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        metadata = {"name": name, "namespace": NAMESPACE}
        if not create(self.api, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}):
            edit(self.api, "apps/v1", "Deployment", name, NAMESPACE, {"spec": {"replicas": replicas}}, "kubectl-scale")

        def has_scaled() -> bool:
            status = read(self.api, "apps/v1", "Deployment", name, NAMESPACE).get("status", {})
            return status.get("replicas", 0) == status.get("readyReplicas", 0) == replicas

        eventually(has_scaled, f"{replicas} pods of {name}")

    def _reconcile_until(self, stop: threading.Event) -> None:
        while not stop.is_set():
            for operator in self.operators:
                with contextlib.suppress(ApiException):  # somebody else has written meanwhile: the next pass sees it
                    self._reconcile(operator)
            self.passes += 1
            time.sleep(_PAUSE_SECONDS)

    def _reconcile(self, operator: Operator) -> None:
        (custom,) = operator.resources
        there = read_live(self.api, custom)
        if there is None:
            return
        finalizer = FINALIZERS.get(self.group)
        finalizers = there["metadata"].get("finalizers") or []
        if there["metadata"].get("deletionTimestamp"):
            if finalizer in finalizers:
                self._clean_up(operator)
                _set_finalizers(self.api, there, [name for name in finalizers if name != finalizer])
            return
        if finalizer and finalizer not in finalizers:
            _set_finalizers(self.api, there, [*finalizers, finalizer])
        for obj in operator.made:
            self._put_back(obj, custom)

    def _clean_up(self, operator: Operator) -> None:
        for obj in operator.made:
            if "namespace" not in obj["metadata"] and read_live(self.api, obj):
                resource = self.api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
                resource.delete(name=obj["metadata"]["name"])

    def _put_back(self, obj: Object, custom: Object) -> None:
        there = read_live(self.api, obj)
        # Read after the object: nobody has orphaned the object yet if the custom resource is not being deleted, and the
        # API server refuses the write below if somebody orphans it from now on.
        owner = read_live(self.api, custom)
        if owner is None or owner["metadata"].get("deletionTimestamp"):
            return
        if there is None:
            create(self.api, obj)
            return
        resource = self.api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
        # The API server stores nothing if nothing differs.
        resource.replace(
            body=_reconciled(there, obj), namespace=obj["metadata"].get("namespace"), field_manager=MANAGER
        )


def _reconciled(there: Object, made: Object) -> Object:
    """A live object with the fields that the operator states; other fields and the replicas stay."""
    metadata = {**there["metadata"], **{k: v for k, v in made["metadata"].items() if k == "ownerReferences"}}
    metadata["labels"] = {**(metadata.get("labels") or {}), **made["metadata"].get("labels", {})}
    fields: dict[str, Any] = {"metadata": metadata}
    for name, value in made.items():
        if name not in ("apiVersion", "kind", "metadata", "status"):
            merges = isinstance(value, dict) and isinstance(there.get(name), dict)
            fields[name] = {**there[name], **value} if merges else value
    if "replicas" in (there.get("spec") or {}):
        fields["spec"]["replicas"] = there["spec"]["replicas"]
    return {**there, **fields}


def _set_finalizers(api: DynamicClient, custom: Object, finalizers: list[str]) -> None:
    version = custom["metadata"]["resourceVersion"]
    edit_live(api, custom, {"metadata": {"finalizers": finalizers or None, "resourceVersion": version}}, MANAGER)
