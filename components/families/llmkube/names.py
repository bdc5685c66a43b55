"""Names and label keys of the family, each defined only here."""

import re

MODEL_LABEL = "inference.llmkube.dev/model"
SERVICE_LABEL = "inference.llmkube.dev/service"
RUNTIME_LABEL = "inference.llmkube.dev/runtime"

INFERENCE_SERVICE_LABEL = "inference.llmkube.dev/inferenceservice"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"

SHARED_CLAIM = "llmkube-model-cache"
PORT = "http"

_OTHER = re.compile(r"[^A-Za-z0-9._-]+")


def prefetch_job(model: str) -> str:
    return f"{model}-prefetch"


def service_name(name: str) -> str:
    """Name of the Service: the workload's, with '-' for '.', which a Service's name can't have."""
    return name.replace(".", "-")


def claim_of(name: str) -> str:
    """Name of a service's own cache claim."""
    return f"{name}-model-cache"


def priority_class(priority: str) -> str:
    return f"llmkube-{priority}"


def file_name(*models: str) -> str:
    """Name of a model's file in the cache, from the first name with usable characters: ``Qwen 3/8B`` becomes
    ``Qwen-3-8B.gguf``."""
    names = (re.sub("-{2,}", "-", _OTHER.sub("-", model)).strip("-._") for model in models)
    return f"{next(filter(None, names), 'model')}.gguf"


def host(name: str, namespace: str) -> str:
    """DNS name of a service in the cluster."""
    return f"{service_name(name)}.{namespace}.svc.cluster.local"


def endpoint(name: str, namespace: str, port: int, path: str) -> str:
    """URL of a service within the cluster."""
    slash = "/" if path and not path.startswith("/") else ""
    return f"http://{host(name, namespace)}:{port}{slash}{path}"
