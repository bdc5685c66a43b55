"""How a workload is scaled: bounds, and either the Workload Variant Autoscaler or KEDA triggers."""

from typing import Annotated

from pydantic import Field

from ...kubernetes.model import Spec
from ...kubernetes.scalars import FreeForm, Int32, Name, PassedText, Strings, Text
from .model_spec import Positive

NotNegative = Annotated[Int32, Field(ge=0)]


class HPASpec(Spec):
    behavior: FreeForm = None
    """Behaviour of the HorizontalPodAutoscaler in both directions."""


class AuthenticationRef(Spec):
    name: PassedText
    """Name of the TriggerAuthentication."""
    kind: Text | None = None
    """TriggerAuthentication or ClusterTriggerAuthentication."""


class Trigger(Spec):
    type: Name
    """KEDA scaler: prometheus, cron, …"""
    name: Text | None = None
    """Name of the trigger."""
    metadata: Strings = {}
    """Parameters of the scaler."""
    authenticationRef: AuthenticationRef | None = None
    """Authentication of the scaler."""
    metricType: Text | None = None
    """AverageValue, Value or Utilization."""
    useCachedMetrics: FreeForm = None
    """Whether metrics are cached between polls."""


class KEDABase(Spec):
    """Fields that both uses of KEDA share."""

    pollingInterval: Positive | None = None
    """Seconds between checks."""
    cooldownPeriod: NotNegative | None = None
    """Seconds after the last activity before KEDA scales to 0 or to `idleReplicaCount`."""
    initialCooldownPeriod: NotNegative | None = None
    """Seconds after the ScaledObject is created before the cooldown period begins."""
    idleReplicaCount: NotNegative | None = None
    """Replicas while no trigger is active; less than minReplicas."""
    fallback: FreeForm = None
    """Replicas while metrics are missing."""
    advanced: FreeForm = None
    """Advanced KEDA options."""


class WVAKEDASpec(KEDABase):
    pass


class KEDASpec(KEDABase):
    triggers: Annotated[list[Trigger], Field(min_length=1)]
    """Triggers that scale the workload."""


class WVASpec(Spec):
    variantCost: Annotated[Text, Field(pattern=r"^\d+(\.\d+)?$")] = "10.0"
    """Cost of a replica, in comparison with other variants of the model."""
    hpa: HPASpec | None = None
    """Scale through a HorizontalPodAutoscaler."""
    keda: WVAKEDASpec | None = None
    """Scale through a KEDA ScaledObject."""


class ScalingSpec(Spec):
    minReplicas: Positive | None = None
    """Minimum number of replicas, 1 by default."""
    maxReplicas: Positive | None = None
    """Maximum number of replicas."""
    wva: WVASpec | None = None
    """Scaling by the Workload Variant Autoscaler."""
    keda: KEDASpec | None = None
    """Scaling by your KEDA triggers."""
