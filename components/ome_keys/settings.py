"""The part of OME's settings that its documented keys need, for services of every family."""

from typing import Literal

from ..kubernetes.model import Spec
from ..kubernetes.scalars import Boolean, Strings, Text


class ClusterProfile(Spec):
    """What the label infrastructure.ome.io/profile stands for."""

    nodeSelector: Strings = {}
    """Labels of the nodes."""


class KeySettings(Spec):
    profile: Literal["document", "upstream"] = "document"
    """document: the documented keys act. upstream: only what OME's controllers read acts."""
    customKeys: dict[Text, Text] = {}
    """A team's keys in OME's domains, each with what it means: they are not reported as unknown."""
    podMonitors: Boolean = False
    """Make a PodMonitor for services with monitoring.ome.io/scrape."""
    profiles: dict[Text, ClusterProfile] = {}
    """Hardware profiles by name."""
