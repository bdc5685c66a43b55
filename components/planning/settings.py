"""Platform settings of a stack: one typed model with a key for each family and the operators' defaults."""

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
    """API version of the objects, as their manifests state it."""
    kind: Name
    """Their kind."""


class Settings(create_model("FamilySettings", __base__=Spec, **_family_fields())):
    """``modelservices:settings`` in ``Pulumi.<stack>.yaml``, or the file of ``--settings``.

    The families' keys come from their registry.
    """

    if TYPE_CHECKING:
        ome: KeySettings  # OME's keys act on services of all families, so other code reads their settings

    images: Images = defaults(Images)
    """Where images come from: a mirror for sites without the internet, and digests."""
    drain: DrainSettings = defaults(DrainSettings)
    """How servers shut down while they still receive requests."""
    restartOnChange: Boolean = False
    """Restart servers when a Secret or ConfigMap of the stack changes that their pods read at start."""
    beside: dict[str, Action] = {}
    """What is done with objects beside the services, by kind (`NetworkPolicy`, or with its group
    `Gateway.networking.istio.io`, or all kinds of a group, `*.networking.istio.io`): `read` them as existing objects of
    the cluster (the default), `apply` them as they are, or `refuse` them. A kind's own name takes precedence over a
    pattern."""
    passthrough: list[PassedKind] = []
    """CRD kinds whose objects are registered as they are in the manifests."""
    requireNodes: Boolean = False
    """Stop before a workload starts pods whose node selector no node matches; a warning otherwise."""
    allowReplace: Boolean = False
    """Accept a change that replaces a workload under its fixed name, which is an outage."""
    systemNamespaces: list[Name] = []
    """System namespaces (`kube-…`, `openshift-…`) that manifests may write into."""
    pulumiAnnotations: list[Name] = []
    """Annotations for Pulumi's provider (`pulumi.com/skipAwait`, …) that manifests may have; others are left out."""
    referenceGrants: list[Name] = []
    """Namespaces that accept routes from other namespaces (`*` for any text): ReferenceGrants are created there."""

    maxFileSize: Quantity = MAX_FILE_SIZE
    """Maximum size of a file of manifests; a larger file is refused."""


def max_file_size(settings: Settings) -> int:
    """Maximum size of a file of manifests, in bytes."""
    return int(amount(settings.maxFileSize))
