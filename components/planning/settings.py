"""Platform settings of a stack: one typed model, a key for each family, the operators' defaults."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, create_model

from ..families.registry import FAMILIES
from ..kubernetes.finishing import DrainSettings
from ..kubernetes.images import Images
from ..kubernetes.model import Spec, defaults
from ..kubernetes.quantities import amount
from ..kubernetes.scalars import Boolean, Name, Quantity

if TYPE_CHECKING:
    from ..ome_keys.settings import KeySettings


def _family_fields() -> dict[str, Any]:
    return {
        family.settings: (
            family.settings_model(),
            Field(defaults(family.settings_model()), description=f"Settings of {family.title}."),
        )
        for family in FAMILIES
    }


MAX_FILE_SIZE = "4Mi"
"""Reading a file of this size takes some seconds."""

Action = Literal["read", "apply", "refuse"]


class PassedKind(Spec):
    apiVersion: Name
    """API version of the objects, as they write it."""
    kind: Name
    """Their kind."""


class Settings(create_model("FamilySettings", __base__=Spec, **_family_fields())):
    """``modelservices:settings`` in ``Pulumi.<stack>.yaml``, or the file of ``--settings``.

    The families' keys come from their registry.
    """

    if TYPE_CHECKING:
        ome: KeySettings  # OME's keys act on services of every family, so others read their settings, too

    images: Images = defaults(Images)
    """Where images come from: a mirror for sites without the internet, and digests."""
    drain: DrainSettings = defaults(DrainSettings)
    """How servers end while they are still sent requests."""
    restartOnChange: Boolean = False
    """Restart servers when a Secret or ConfigMap of the stack changes that their pods read at start."""
    beside: dict[str, Action] = {}
    """What is done with objects beside the services, by kind (`NetworkPolicy`, or with its group
    `Gateway.networking.istio.io`, or all kinds of a group, `*.networking.istio.io`): `read` them as what the cluster
    has, which is what happens to a kind that is not named, `apply` them as they stand, or `refuse` them. A kind's own
    name takes precedence over a pattern."""
    passthrough: list[PassedKind] = []
    """Kinds that a CRD defines and that are registered as they stand in the manifests."""
    requireNodes: Boolean = False
    """Stop before a workload starts pods whose node selector no node matches; a warning otherwise."""
    allowReplace: Boolean = False
    """Accept a change that replaces a workload under its fixed name, which is an outage."""
    systemNamespaces: list[Name] = []
    """Namespaces of the system (`kube-…`, `openshift-…`) that manifests may write into all the same."""
    pulumiAnnotations: list[Name] = []
    """Annotations for Pulumi's provider (`pulumi.com/skipAwait`, …) that manifests may have; others are left out."""
    referenceGrants: list[Name] = []
    """Namespaces that agree to be reached by routes of other ones, `*` for any text: ReferenceGrants are made there."""

    maxFileSize: Quantity = MAX_FILE_SIZE
    """How large a file of manifests may be; a larger one is refused."""


def max_file_size(settings: Settings) -> int:
    """How many bytes a file of manifests may have."""
    return int(amount(settings.maxFileSize))
