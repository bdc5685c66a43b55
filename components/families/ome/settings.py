"""Platform settings of the OME family.

``deploy`` to ``multinodeProber`` are the keys of OME's ConfigMap ``inferenceservice-config``, ``benchmarkjob`` the one
of ``benchmarkjob-config``: each as a mapping, or as the JSON text that the ConfigMap has. Where the ConfigMaps are
among the manifests, what they say takes precedence.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from ...findings import Problem
from ...kubernetes.existing import Existing
from ...kubernetes.json_text import from_json as from_json_text
from ...kubernetes.model import Spec, defaults, read
from ...kubernetes.scalars import Boolean, Int32, PassedText, Quantity, Text
from ...kubernetes.source import Source, at
from ...kubernetes.startup import StartupSettings
from ...ome_keys.settings import KeySettings
from .fields import Count


def from_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return from_json_text(value)
    except ValueError as error:
        raise ValueError(f"must be a mapping or its JSON text: {error}") from None


Json = BeforeValidator(from_json)


class Deploy(Spec):
    defaultDeploymentMode: Text = "RawDeployment"
    """Deployment mode of services without the annotation ome.io/deploymentMode."""


class Ingress(Spec):
    additionalIngressDomains: list[Text] = []
    """Additional domains of every service."""
    disableIngressCreation: Boolean = True
    """Make a Service named like the InferenceService instead of an ingress."""
    disableIstioVirtualHost: Boolean = True
    """Make no VirtualService."""
    domainTemplate: Text = "{{ .Name }}.{{ .Namespace }}.{{ .IngressDomain }}"
    """Template of host names, with .Name, .Namespace and .IngressDomain."""
    enableGatewayAPI: Boolean = False
    """Make an HTTPRoute instead of an Ingress."""
    ingressClassName: Text | None = None
    """Class of Ingresses."""
    ingressDomain: Text = "example.com"
    """Domain of the services."""
    ingressGateway: Text = "knative-serving/knative-ingress-gateway"
    """Istio gateway for requests from outside."""
    ingressService: Text = "istio-ingressgateway.istio-system.svc.cluster.local"
    """Service of that gateway."""
    knativeLocalGatewayService: Text = ""
    """Service of Knative's gateway; localGatewayService by default."""
    localGateway: Text = "knative-serving/knative-local-gateway"
    """Istio gateway for requests from the cluster."""
    localGatewayService: Text = "knative-local-gateway.istio-system.svc.cluster.local"
    """Service of that gateway."""
    omeIngressGateway: Text = ""
    """Gateway of the HTTPRoutes, as namespace/name."""
    pathTemplate: Text = ""
    """Path of a service below ingressDomain; has no effect here."""
    urlScheme: Text = "http"
    """Scheme of the services' addresses; has no effect here."""


class MetricsAggregator(Spec):
    enableMetricAggregation: Boolean = False
    """Whether metrics are aggregated, for services without the annotation."""
    enablePrometheusScraping: Boolean = False
    """Whether metrics are scraped, for services without the annotation."""


class ModelInit(Spec):
    """The container that decrypts a model (annotation ome.io/inject-model-init)."""

    image: PassedText = ""
    """Image of the agent."""
    memoryRequest: Quantity = "1Gi"
    """Memory request."""
    memoryLimit: Quantity = "1Gi"
    """Memory limit."""
    cpuRequest: Quantity = "1"
    """CPU request."""
    cpuLimit: Quantity = "1"
    """CPU limit."""
    compartmentId: PassedText = ""
    """OCI compartment of the keys."""
    authType: Text = "InstancePrincipal"
    """Authentication method of the agent."""
    vaultId: PassedText = ""
    """OCI vault of the keys."""
    region: PassedText = ""
    """OCI region."""


class MultiNodeProber(Spec):
    """The Deployment that watches a Ray cluster of several nodes."""

    image: PassedText = ""
    """Image of the prober; without it no prober is created."""
    memoryRequest: Quantity = "100Mi"
    """Memory request."""
    memoryLimit: Quantity = "100Mi"
    """Memory limit."""
    cpuRequest: Quantity = "100m"
    """CPU request."""
    cpuLimit: Quantity = "100m"
    """CPU limit."""
    startupFailureThreshold: Int32 = 150
    """Number of failed startup probes after which the start has failed."""
    startupPeriodSeconds: Int32 = 30
    """Seconds between startup probes."""
    startupTimeoutSeconds: Int32 = 60
    """Seconds until a startup probe times out."""
    startupInitialDelaySeconds: Int32 = 200
    """Seconds until the first startup probe."""
    unavailableThresholdSeconds: Int32 = 1800
    """How long a cluster may be unavailable; not used here."""


class BenchmarkPod(Spec):
    image: PassedText = ""
    """Image of genai-bench."""
    cpuRequest: Quantity = "2"
    """CPU request."""
    cpuLimit: Quantity = "2"
    """CPU limit."""
    memoryRequest: Quantity = "2Gi"
    """Memory request."""
    memoryLimit: Quantity = "2Gi"
    """Memory limit."""


def resources(config: ModelInit | MultiNodeProber | BenchmarkPod) -> dict[str, Any]:
    return {
        "limits": {"cpu": config.cpuLimit, "memory": config.memoryLimit},
        "requests": {"cpu": config.cpuRequest, "memory": config.memoryRequest},
    }


class Benchmark(Spec):
    podConfig: BenchmarkPod = defaults(BenchmarkPod)
    """Pod of benchmark jobs."""
    ttlSecondsAfterFinished: Count | None = None
    """Seconds after which a finished job is deleted; kept by default, so that its results can be looked at."""
    outputStorageUri: Text = ""
    """Default location of results, for jobs without outputLocation and storage keys."""
    slackSeconds: Count = 1800
    """Seconds added to the total time of the iterations to get the job's deadline."""


class Training(Spec):
    backend: Literal["JobSet", "Job", "TrainJob"] = "JobSet"
    """What a TrainingJob becomes: a JobSet, an Indexed Job, or Kubeflow's TrainJob."""
    image: PassedText = ""
    """Default image of trainers."""
    sshSecret: Text = ""
    """Secret with the SSH keys with which an MPI launcher reaches its workers."""
    maxRestarts: Count = 3
    """Maximum number of restarts of a failed JobSet (or of failed pods of a Job)."""
    ttlSecondsAfterFinished: Count | None = None
    """Seconds after which a finished job is deleted; kept by default."""
    queueLabel: Text = "kueue.x-k8s.io/queue-name"
    """Label that gets the queue that infrastructure.ome.io/cluster names."""


class OMESettings(KeySettings):
    ignoreUnknown: Boolean = False
    """Warn about unknown fields instead of rejecting them."""
    version: Text = "v0.8.0"
    """Release whose conventions the rendered objects follow: the label ome.io/version."""
    standardLabels: Boolean = False
    """Put the documented labels (ome.io/part-of, serving.ome.io/component, …) on all objects of a service."""
    modelNodeSelector: Boolean = True
    """Select nodes that OME's model agent has labelled as having the model. Turn it off if no agent runs."""
    additionalHosts: Boolean = False
    """Serve the additional ingress domains, which OME's controllers leave out."""
    startup: StartupSettings = defaults(StartupSettings)
    """How long pods may take to start."""
    deploy: Annotated[Deploy, Json] = defaults(Deploy)
    """Default deployment mode."""
    ingress: Annotated[Ingress, Json] = defaults(Ingress)
    """Ingress of services."""
    metricsAggregator: Annotated[MetricsAggregator, Json] = defaults(MetricsAggregator)
    """Defaults for metrics."""
    modelInit: Annotated[ModelInit, Json] = defaults(ModelInit)
    """The model-init container."""
    multinodeProber: Annotated[MultiNodeProber, Json] = defaults(MultiNodeProber)
    """The prober of Ray clusters."""
    benchmarkjob: Annotated[Benchmark, Json] = defaults(Benchmark)
    """Benchmark jobs."""
    trainingjob: Annotated[Training, Json] = defaults(Training)
    """Training jobs."""


CONFIG_MAPS = frozenset(["inferenceservice-config", "benchmarkjob-config"])
_KEYS = ("deploy", "ingress", "metricsAggregator", "modelInit", "multinodeProber", "benchmarkjob")


def config_maps(sources: Iterable[Source]) -> Iterator[tuple[Source, Existing]]:
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, Existing) and manifest.kind == "ConfigMap" and manifest.name in CONFIG_MAPS:
            yield source, manifest


def configured(settings: OMESettings, sources: Iterable[Source]) -> tuple[OMESettings, list[tuple[Source, Problem]]]:
    """The settings with the ConfigMaps applied, and the problems of the ConfigMaps.

    Unknown keys are ignored, because a ConfigMap may have keys of other releases.
    """
    problems: list[tuple[Source, Problem]] = []
    for source, config_map in config_maps(sources):
        data, wrong_json = _parsed(config_map.body("data"))
        model, more = read(OMESettings, data, ignore_unknown=True)
        wrong_json += more
        wrong = [replace(problem, path=f"data.{problem.path}") for problem in wrong_json if problem.severity == "error"]
        problems += at(source, wrong)
        if model is not None:
            updates: dict[str, Any] = {key: getattr(model, key) for key in data}
            settings = settings.model_copy(update=updates)
    return settings, problems


def _parsed(data: Any) -> tuple[dict[str, Any], list[Problem]]:
    parsed: dict[str, Any] = {}
    problems: list[Problem] = []
    for key in _KEYS:
        try:
            parsed |= {key: from_json(data[key])} if isinstance(data, dict) and key in data else {}
        except ValueError as error:
            problems.append(Problem(key, str(error), code="bad-value"))
    return parsed, problems
