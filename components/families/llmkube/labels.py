"""Labels and annotations from the rules and the user, and the objects that get them.

The selector has only the service's name, so that a change of model or runtime never changes it.

Decisions: kueue (docs/decisions).
"""

from ...kubernetes.labels import KUEUE
from ...kubernetes.propagation import Layer, Propagation
from . import names
from .context import Context

DEPLOYMENT, POD = "deployment", "pod"


def selector(service: Context) -> dict[str, str]:
    return {"app": service.name, names.SERVICE_LABEL: service.name}


def label_layers(service: Context) -> list[Layer]:
    """Kueue's labels, the user's pod labels and, over both, those on which selectors and monitoring rely."""
    owned = {
        **selector(service),
        names.MODEL_LABEL: service.spec.modelRef,
        names.RUNTIME_LABEL: service.spec.runtime,
    }
    return [
        Layer("metadata.labels", service.labels, frozenset([DEPLOYMENT, POD]), (KUEUE,)),
        Layer("spec.podLabels", service.spec.podLabels, frozenset([POD])),
        Layer("llmkube", owned, frozenset([DEPLOYMENT, POD]), owned=True),
    ]


def annotation_layers(service: Context) -> list[Layer]:
    """Requested annotations for disruption protection and scraping and, over them, the user's."""
    scrape = {
        "prometheus.io/scrape": "true",
        "prometheus.io/path": "/metrics",
        "prometheus.io/port": str(service.port),
    }
    disruption = service.spec.disruption
    generated = {
        **({names.DO_NOT_DISRUPT: "true"} if disruption and disruption.protectAlways else {}),
        **(scrape if service.settings.emitScrapeAnnotations else {}),
    }
    return [
        Layer("llmkube", generated, frozenset([POD])),
        Layer("spec.podAnnotations", service.spec.podAnnotations, frozenset([POD])),
    ]


def propagation(service: Context) -> Propagation:
    """Where the labels and annotations of the Deployment and its pods come from."""
    labels, annotations = tuple(label_layers(service)), tuple(annotation_layers(service))
    return Propagation(labels, annotations, DEPLOYMENT, {"spec.template": POD})
