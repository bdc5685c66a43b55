"""The ConfigMap that tells tools which model a service serves.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/modelconfig/modelconfig_reconciler.go at v0.1.5.
"""

import json
from typing import Any

from ....kubernetes.objects import Object
from .. import names
from ..fields import StorageSpec
from .context import Context
from .labels import SERVICE_LABEL


def model_config(context: Context) -> Object | None:
    """None for a service without a model."""
    if context.service.spec.model is None:
        return None
    entry = {"modelName": context.model_name, "modelSpec": _facts(context)}
    metadata = {
        "name": names.model_config(context.service.name),
        "namespace": context.service.namespace,
        "labels": {SERVICE_LABEL: context.service.name},
    }
    data = {"models.json": json.dumps([entry], separators=(",", ":"))}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _facts(context: Context) -> dict[str, Any]:
    if context.model is None:
        return {}
    spec = context.model.spec
    storage = spec.storage or StorageSpec()
    facts = {
        "storageUri": storage.storageUri,
        "path": storage.path,
        "schemaPath": storage.schemaPath,
        "parameters": storage.parameters or None,
        "storageKey": storage.key,
        "modelFormatName": spec.modelFormat.name if spec.modelFormat else None,
        "modelFormatVersion": spec.modelFormat.version if spec.modelFormat else None,
        "modelType": spec.modelType,
        "modelFrameworkName": spec.modelFramework.name if spec.modelFramework else None,
        "modelFrameworkVersion": spec.modelFramework.version if spec.modelFramework else None,
    }
    return {name: value for name, value in facts.items() if value is not None}
