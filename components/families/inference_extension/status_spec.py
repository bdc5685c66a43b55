"""The status of the kinds, as controllers write it. It is checked when a manifest carries one, and never rendered."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ...findings import Problem
from ...kubernetes.exact import DateTime, ExactInteger, ExactText, exact_text
from ...kubernetes.model import Spec
from ...kubernetes.values import repeated
from .fields import ConditionReason, ConditionType, ControllerName, Group, KindName, NamespaceName, ObjectName


class Condition(Spec):
    lastTransitionTime: DateTime
    """When the status last changed."""
    message: Annotated[ExactText, Field(max_length=32768)]
    """Explanation for people."""
    observedGeneration: Annotated[ExactInteger, Field(ge=0)] | None = None
    """Generation of the object that the condition speaks of."""
    reason: ConditionReason
    """Why, as one word."""
    status: Annotated[Literal["True", "False", "Unknown"], BeforeValidator(exact_text)]
    """Whether the condition holds."""
    type: ConditionType
    """Accepted, ResolvedRefs, Exported or another one."""


Conditions = Annotated[list[Condition], Field(max_length=8)]


class ParentRef(Spec):
    group: Group = "gateway.networking.k8s.io"
    """API group of the parent."""
    kind: KindName = "Gateway"
    """Kind of the parent."""
    name: ObjectName
    """Name of the parent."""
    namespace: NamespaceName | None = None
    """Namespace of the parent, the object's own by default."""


class PoolParent(Spec):
    """What the controller of one parent says about a v1alpha2 pool."""

    conditions: Conditions = []
    """Conditions, one of each type."""
    parentRef: ParentRef
    """The parent."""


class Parent(PoolParent):
    """The same in the newer kinds."""

    controllerName: ControllerName | None = None
    """Who wrote the entry."""


class ObjectiveStatus(Spec):
    conditions: Conditions = []
    """Conditions, one of each type."""


class AlphaPoolStatus(Spec):
    parent: Annotated[list[PoolParent], Field(max_length=32)] = []
    """What each parent's controller says."""


class PoolStatus(Spec):
    parents: Annotated[list[Parent], Field(max_length=32)] = []
    """What each parent's controller says."""


class ExportingCluster(Spec):
    name: ObjectName
    """Name of the cluster."""


class ImportController(Spec):
    conditions: Conditions = []
    """Conditions, one of each type."""
    exportingClusters: list[ExportingCluster] = []
    """Clusters that export the pool."""
    name: ControllerName
    """Name of the multi-cluster controller."""
    parents: list[Parent] = []
    """What each parent's controller says."""


class ImportStatus(Spec):
    controllers: Annotated[list[ImportController], Field(max_length=8)]
    """What each multi-cluster controller says."""


def _repeated(keys: Iterable[str], path: str, field: str) -> Iterator[Problem]:
    """A problem for each entry of a list whose ``field`` an earlier entry has already."""
    for index, key, _ in repeated(keys):
        yield Problem(f"{path}[{index}]", f"has the {field} {key} of an earlier entry", code="duplicate-key")


def repeated_conditions(conditions: Sequence[Condition], path: str) -> Iterator[Problem]:
    yield from _repeated((condition.type for condition in conditions), f"{path}.conditions", "type")


def repeated_in_parents(parents: Sequence[PoolParent], path: str) -> Iterator[Problem]:
    for index, parent in enumerate(parents):
        yield from repeated_conditions(parent.conditions, f"{path}[{index}]")


def repeated_in_controllers(controllers: Sequence[ImportController], path: str) -> Iterator[Problem]:
    yield from _repeated((controller.name for controller in controllers), path, "name")
    for index, controller in enumerate(controllers):
        yield from repeated_conditions(controller.conditions, f"{path}[{index}]")
        yield from repeated_in_parents(controller.parents, f"{path}[{index}].parents")
