"""Names that OME's rules derive, each defined only here.

Decisions: M13 (docs/decisions).
"""

import re

from ...ome_keys.names import digest, leader_worker_set_limit, shortened

_NODE_LABEL = 49


def component(service: str, role: str) -> str:
    return f"{service}-{role}"


def leader_worker_set(component_name: str, *, queued: bool) -> str:
    """``lws-<tail>``, short enough for the names and labels that its controller (and Kueue's) derive."""
    limit = leader_worker_set_limit(queued=queued)
    name = f"lws-{component_name[-50:]}"
    return name if len(name) <= limit else f"lws-{shortened(component_name, limit - 4)}"


def model_config(service: str) -> str:
    return f"modelconfig-{service[-20:]}"


def ray_cluster(component_name: str, index: int) -> str:
    return f"{component_name}-{index}"


def prober(component_name: str, index: int) -> str:
    return f"{component_name}-{index}-mnp"


def node_label(model: str, namespace: str = "") -> str:
    """Label of nodes that have a model; ``namespace`` is empty for a cluster-wide model."""
    if not namespace:
        return f"models.ome.io/clusterbasemodel.{_node_part(model, _NODE_LABEL - len('clusterbasemodel.'))}"
    room = _NODE_LABEL - len(".basemodel.")
    if len(namespace) + len(model) > room:
        namespace = _node_part(namespace, 8)
    return f"models.ome.io/{namespace}.basemodel.{_node_part(model, room - len(namespace))}"


def _node_part(text: str, room: int) -> str:
    """The text, or ``<8 hex>-<tail>`` where it is longer than the room."""
    if len(text) <= room:
        return text
    tail = room - 9
    return f"{digest(text)}-{text[-tail:]}" if tail > 0 else digest(text)[:room]


def volume(text: str) -> str:
    """A volume name (a DNS label) from any text."""
    return shortened(re.sub(r"[^a-z0-9-]", "-", text.lower()).strip("-") or "volume")
