"""OME settings for its documented keys, for services of every family."""

from typing import Literal

from ..kubernetes.model import Spec
from ..kubernetes.scalars import Boolean, Strings, Text


class ClusterProfile(Spec):
    """Hardware profile that infrastructure.ome.io/profile names."""

    nodeSelector: Strings = {}
    """Labels of the nodes."""


class KeySettings(Spec):
    profile: Literal["document", "upstream"] = "document"
    """document: the documented keys take effect. upstream: only what OME's controllers read takes effect."""
    customKeys: dict[Text, Text] = {}
    """A team's own keys in OME's domains, each with its meaning. They are not reported as unknown."""
    podMonitors: Boolean = False
    """Make a PodMonitor for services with monitoring.ome.io/scrape."""
    profiles: dict[Text, ClusterProfile] = {}
    """Hardware profiles by name."""
