"""The optional PodMonitor: one for the pods of all services."""

from ...kubernetes.rendered import RenderedObject
from . import names
from .settings import LLMKubeSettings

JOB = "llmkube-inference"
_POD_LABEL = "__meta_kubernetes_pod_label_"

LABELS = {
    "service": f"{_POD_LABEL}inference_llmkube_dev_service",
    "namespace": "__meta_kubernetes_namespace",
    "model": f"{_POD_LABEL}inference_llmkube_dev_model",
    "runtime": f"{_POD_LABEL}inference_llmkube_dev_runtime",
}
"""Labels of every series, and Prometheus' source of their values."""


def pod_monitor(settings: LLMKubeSettings) -> RenderedObject | None:
    """The monitor, if the settings request one."""
    monitor = settings.podMonitor
    if not monitor.enabled:
        return None
    relabelings = [{"targetLabel": "job", "replacement": JOB, "action": "replace"}]
    relabelings += [
        {"sourceLabels": [source], "targetLabel": label, "action": "replace"} for label, source in LABELS.items()
    ]
    endpoint = {"port": names.PORT, "path": "/metrics", "interval": monitor.interval, "relabelings": relabelings}
    labels = {"labels": dict(monitor.additionalLabels)} if monitor.additionalLabels else {}
    body = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": {"name": monitor.name, "namespace": monitor.namespace, **labels},
        "spec": {
            "selector": {"matchExpressions": [{"key": names.SERVICE_LABEL, "operator": "Exists"}]},
            "namespaceSelector": {"any": True},
            "podMetricsEndpoints": [endpoint],
        },
    }
    return RenderedObject("pod-monitor", body, lifetime="shared")
