"""The LeaderWorkerSet of a component that spans several nodes.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/lws/lws_reconciler.go at v0.1.5.
"""

from ....kubernetes.objects import Object
from ....ome_keys.scheduling import is_queued, scheduler_labels
from .. import names
from .component import Component, TemplateOf
from .labels import Identity, component_annotations, workload


def leader_worker_set(identity: Identity, component: Component, template: TemplateOf) -> Object:
    annotations = component_annotations(identity, component)
    queued = is_queued(scheduler_labels(annotations, identity.service.metadata.labels, identity.effective))
    spec = {
        "replicas": component.low,
        "startupPolicy": "LeaderCreated",
        "networkConfig": {"subdomainPolicy": "Shared"},
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 1},
        },
        "leaderWorkerTemplate": {
            "size": component.workers + 1,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": template("leader"),
            "workerTemplate": template("worker"),
        },
    }
    name = names.leader_worker_set(component.name, queued=queued)
    return workload(identity, component, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, "lws", spec)
