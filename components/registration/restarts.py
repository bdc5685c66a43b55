"""Restarts pods when a Secret or ConfigMap of the stack changes that they read at start.

Kubernetes updates neither environment variables nor what a program has read from a file. So the pod template gets an
annotation with a digest of what it reads. A changed value changes the template, and the preview announces the rollout.
"""

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_edits import with_template_annotations
from ..kubernetes.references import Reference, references
from ..kubernetes.secret_manifest import SecretManifest
from ..planning.plan import StackPlan

ANNOTATION = "modelservices/reads"
_PULL_SECRET = "kubernetes.io/dockerconfigjson"
_SECRET_DIGITS = 4
"""Few enough not to reveal a value: 1 in 65,536 others has the same digits, and as rarely a change goes unnoticed."""
_DIGITS = 12


def restarting(plan: StackPlan, value_of: Callable[[str], str], kept: Collection[Key]) -> StackPlan:
    """The plan with digests in the pod templates of servers. ``value_of`` gives the value of a config secret.

    Workloads that are ``kept`` as they were taken over get no digest, as that would restart them.
    """
    digests = {
        Reference("Secret", secret.namespace, secret.name): _of_secret(secret, value_of)
        for secret in plan.secrets
        if secret.type != _PULL_SECRET  # the kubelet reads these at each pull
    }
    for obj in plan.all_objects():
        if obj["kind"] == "ConfigMap":
            digests[Reference(*key(obj)[1:])] = _digest([obj.get("data"), obj.get("binaryData")], _DIGITS)

    def annotated(obj: Object) -> Object:
        read = {each.name: digests[each] for each in sorted(references(obj)) if each in digests}
        if not read or key(obj) in kept:
            return obj
        return with_template_annotations(
            obj, {ANNOTATION: ",".join(f"{name}={digest}" for name, digest in read.items())}
        )

    return replace(plan, services=tuple(service.with_objects(annotated) for service in plan.services))


def _of_secret(secret: SecretManifest, value_of: Callable[[str], str]) -> str:
    values = {field: value_of(reference) for field, reference in secret.references().items()}
    return _digest([secret.namespace, secret.name, values], _SECRET_DIGITS)


def _digest(value: Any, digits: int) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:digits]
