"""The headless Service by which the pods of an Indexed Job find each other."""

from ....kubernetes.metadata import metadata
from ....kubernetes.objects import Object
from .context import Training
from .pod_template import PORT


def headless_service(training: Training) -> Object:
    spec = {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"batch.kubernetes.io/job-name": training.manifest.name},
        "ports": [{"name": "rendezvous", "port": PORT, "protocol": "TCP", "targetPort": PORT}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(training.manifest.name, training.manifest.namespace, training.labels()),
        "spec": spec,
    }
