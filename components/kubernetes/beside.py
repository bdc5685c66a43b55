"""Kinds of other objects in manifest folders, and whether they are namespaced or cluster-scoped.

The tables contain Kubernetes' built-in kinds and those that platform teams keep next to their services.
``settings.beside`` decides what happens to such objects.
"""

from functools import cache
from typing import Literal

Scope = Literal["namespace", "cluster"]

_NAMESPACED = {
    "": "ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController "
    "ResourceQuota Service ServiceAccount",
    "aigateway.envoyproxy.io": "AIGatewayRoute AIServiceBackend BackendSecurityPolicy GatewayConfig MCPRoute",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "argoproj.io": "AppProject",
    "autoscaling": "HorizontalPodAutoscaler",
    "autoscaling.k8s.io": "VerticalPodAutoscaler",
    "batch": "CronJob Job",
    "bitnami.com": "SealedSecret",
    "cert-manager.io": "Certificate CertificateRequest Issuer",
    "certificates.k8s.io": "PodCertificateRequest",
    "cilium.io": "CiliumNetworkPolicy",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "extensions": "Ingress",
    "external-secrets.io": "ExternalSecret PushSecret SecretStore",
    "foreman.llmkube.dev": "Agent AgenticTask Workload",
    "gateway.envoyproxy.io": "Backend BackendTrafficPolicy ClientTrafficPolicy EnvoyExtensionPolicy EnvoyProxy "
    "SecurityPolicy",
    "gateway.networking.k8s.io": "BackendTLSPolicy GRPCRoute Gateway HTTPRoute ReferenceGrant TCPRoute TLSRoute",
    "grafana.integreatly.org": "GrafanaDashboard",
    "http.keda.sh": "HTTPScaledObject InterceptorRoute",
    "image.openshift.io": "ImageStream",
    "inference.networking.x-k8s.io": "InferenceModelRewrite",
    "image.toolkit.fluxcd.io": "ImagePolicy ImageRepository ImageUpdateAutomation",
    "jobset.x-k8s.io": "JobSet",
    "keda.sh": "ScaledJob ScaledObject TriggerAuthentication",
    "kgateway.dev": "Backend GatewayExtension GatewayParameters HTTPListenerPolicy TrafficPolicy",
    "kueue.x-k8s.io": "LocalQueue",
    "kuadrant.io": "AuthPolicy RateLimitPolicy TokenRateLimitPolicy",
    "kyverno.io": "Policy",
    "llm-d.ai": "InferenceModelRewrite",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet",
    "monitoring.coreos.com": "PodMonitor Probe PrometheusRule ServiceMonitor",
    "monitoring.googleapis.com": "PodMonitoring Rules",
    "networking.gke.io": "GCPBackendPolicy GCPHTTPFilter HealthCheckPolicy",
    "networking.istio.io": "DestinationRule EnvoyFilter Gateway ServiceEntry Sidecar VirtualService",
    "networking.k8s.io": "Ingress NetworkPolicy",
    "notification.toolkit.fluxcd.io": "Alert Provider Receiver",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "Role RoleBinding",
    "resource.k8s.io": "ResourceClaim ResourceClaimTemplate",
    "resource.nvidia.com": "ComputeDomain",
    "route.openshift.io": "Route",
    "scheduling.k8s.io": "PodGroup Workload",
    "secrets-store.csi.x-k8s.io": "SecretProviderClass",
    "security.istio.io": "AuthorizationPolicy PeerAuthentication RequestAuthentication",
    "snapshot.storage.k8s.io": "VolumeSnapshot",
    "source.toolkit.fluxcd.io": "Bucket GitRepository HelmChart HelmRepository OCIRepository",
    "storage.k8s.io": "CSIStorageCapacity",
    "telemetry.istio.io": "Telemetry",
    "traefik.io": "IngressRoute Middleware",
}
_CLUSTER = {
    "": "Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
    "ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "cert-manager.io": "ClusterIssuer",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "cilium.io": "CiliumClusterwideNetworkPolicy",
    "external-secrets.io": "ClusterExternalSecret ClusterSecretStore",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "foreman.llmkube.dev": "FleetNode",
    "gateway.networking.k8s.io": "GatewayClass",
    "karpenter.azure.com": "AKSNodeClass",
    "karpenter.k8s.aws": "EC2NodeClass",
    "karpenter.sh": "NodeClaim NodePool",
    "keda.sh": "ClusterTriggerAuthentication",
    "kueue.x-k8s.io": "Cohort ClusterQueue ResourceFlavor WorkloadPriorityClass",
    "kyverno.io": "ClusterPolicy",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "nfd.k8s-sigs.io": "NodeFeatureRule",
    "node.k8s.io": "RuntimeClass",
    "nvidia.com": "ClusterPolicy",
    "policy": "PodSecurityPolicy",
    "project.openshift.io": "Project",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourcePoolStatusRequest ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "security.openshift.io": "SecurityContextConstraints",
    "snapshot.storage.k8s.io": "VolumeSnapshotClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
}


@cache
def _scopes() -> dict[tuple[str, str], Scope]:
    tables: tuple[tuple[dict[str, str], Scope], ...] = ((_NAMESPACED, "namespace"), (_CLUSTER, "cluster"))
    return {
        (group, kind): scope
        for table, scope in tables
        for group, kinds in table.items()
        for kind in kinds.split()
    }  # fmt: skip


def group_of(api_version: str) -> str:
    """``apps`` for ``apps/v1``, an empty string for ``v1``."""
    return api_version.rpartition("/")[0]


def scope(api_version: str, kind: str) -> Scope | None:
    """Whether a kind is namespaced or cluster-scoped; None for an unknown kind."""
    return _scopes().get((group_of(api_version), kind))


def known_kinds() -> list[str]:
    """Every known kind with its group, such as ``NetworkPolicy.networking.k8s.io``, or alone if it is in the core
    group."""
    return sorted(qualified(group, kind) for group, kind in _scopes())


def qualified(group: str, kind: str) -> str:
    return f"{kind}.{group}" if group else kind
