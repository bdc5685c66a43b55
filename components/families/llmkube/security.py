"""Security of the pods: LLMKube's defaults with the user's context over them.

Decisions: L14 (docs/decisions).
"""

from typing import Any

from ...kubernetes.gpu import RENDER_DEVICE
from ...kubernetes.model import dump
from ...kubernetes.security import merged
from .context import Context


def pod_security(service: Context) -> dict[str, Any]:
    """The pod's security context; the user's keys win."""
    user = service.spec.podSecurityContext
    return merged(_defaults(service), dump(user) if user else {})


def _defaults(service: Context) -> dict[str, Any]:
    """A stated context without fsGroup gets none: OpenShift assigns one in each namespace and refuses others."""
    settings = service.settings
    stated = service.spec.podSecurityContext is not None
    group = {"fsGroup": settings.defaultFSGroup} if settings.defaultFSGroup > 0 and not stated else {}
    renders = settings.driRenderGID > 0 and service.device == RENDER_DEVICE
    groups = {"supplementalGroups": [settings.driRenderGID]} if renders else {}
    return {"seccompProfile": {"type": "RuntimeDefault"}, **group, **groups}


def cache_owner(service: Context) -> tuple[int, int]:
    """User and group that get the cache's root, one of which the downloader has: the group of the pod's volumes,
    otherwise the user and group of its containers, otherwise the default group, which is curl's."""
    pod = pod_security(service)
    group = pod.get("fsGroup", service.settings.defaultFSGroup)
    return (0, group) if pod.get("fsGroup") else (pod.get("runAsUser", 0), pod.get("runAsGroup", group))
