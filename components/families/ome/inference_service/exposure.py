"""How a service is reached from outside: by which object, and under which host names.

Decisions: M2, M16 (docs/decisions).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import names
from ..settings import Ingress
from .component import Component
from .context import Context
from .labels import VISIBILITY, Identity

_OVERRIDES = {
    "ome.io/ingress-domain-template": "domainTemplate",
    "ome.io/ingress-domain": "ingressDomain",
    "ome.io/ingress-url-scheme": "urlScheme",
    "ome.io/ingress-path-template": "pathTemplate",
    "ome.io/ingress-disable-istio-virtualhost": "disableIstioVirtualHost",
    "ome.io/ingress-disable-creation": "disableIngressCreation",
}
_ADDITIONAL = "ome.io/ingress-additional-domains"
_VALUE = re.compile(r"\{\{-?\s*\.(\w+)\s*-?\}\}")


def effective(config: Ingress, annotations: Mapping[str, Any]) -> Ingress:
    """The platform's ingress settings with what a service's annotations change."""
    changes = {field: annotations[key] for key, field in _OVERRIDES.items() if key in annotations}
    for field in ("disableIstioVirtualHost", "disableIngressCreation"):
        if field in changes:
            changes[field] = changes[field] == "true"
    if _ADDITIONAL in annotations:
        domains = [domain.strip() for domain in str(annotations[_ADDITIONAL]).split(",")]
        changes["additionalIngressDomains"] = [domain for domain in domains if domain]
    return config.model_copy(update=changes)


@dataclass(frozen=True)
class Exposure:
    """What the builders need: ``components`` by role, ``entry`` the one that requests reach first."""

    identity: Identity
    config: Ingress
    components: Mapping[str, Component]
    entry: Component
    more_domains: bool

    @property
    def internal(self) -> bool:
        return self.identity.service.metadata.labels.get(VISIBILITY) == "cluster-local"

    def host(self, name: str, domain: str | None = None) -> str:
        values = {
            "Name": names.shortened(name),
            "Namespace": self.identity.service.namespace,
            "IngressDomain": domain or self.config.ingressDomain,
        }
        return _VALUE.sub(lambda match: values.get(match[1], match[0]), self.config.domainTemplate)

    def more_hosts(self) -> list[str]:
        """The service in the further domains. OME's controllers leave them out."""
        if not self.more_domains:
            return []
        return [self.host(self.identity.service.name, domain) for domain in self.config.additionalIngressDomains]


def exposure_of(context: Context) -> Exposure:
    """The service's, by the platform's settings and its annotations."""
    config = effective(context.settings.ingress, context.service.metadata.annotations)
    return Exposure(context.identity, config, context.components, context.entry, context.settings.additionalHosts)
