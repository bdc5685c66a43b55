"""The tools and their versions: the only place in Python that states them.

The Go modules in `tools/go/<module>` pin the same versions for the Go command; a unit test compares the two.
"""

from dataclasses import dataclass

PULUMI = "3.276.0"
LANGUAGE_PYTHON = "3.79.0"  # the last one in the SDK's Go module; later ones are not published as a Go module
LANGUAGE_NODEJS = "3.68.0"  # likewise; programs with a current Node.js SDK run on it
LANGUAGE_GO = "3.66.0"  # likewise
LANGUAGE_JAVA = "1.12.0"
LANGUAGE_YAML = "1.25.0"
KUBERNETES_PROVIDER = "4.25.0"
KUBERNETES = "1.36.2"
ETCD = "3.6.6"
KWOK = "0.7.0"
LWS = "0.8.0"
JOBSET = "0.10.1"
HELM = "3.20.2"
KUSTOMIZE = "5.7.1"
ACTIONLINT = "1.7.12"
ENDPOINT_PICKER = "1.3.1"  # the release nearest to what the default image of OtterScale's endpoint picker is built on
CONTAINERD = "2.2.1"
RUNC = "1.4.0"
CNI_PLUGINS = "1.9.1"
COREDNS = "1.14.3"
LLAMA_CPP = "10068.0.0"  # the package of llama.cpp's source at b10068, the release of the default image
LLAMA_CPP_CHECKSUM = "705737cf5fa4780a07bd042c05a703e6adf1fe3cdd777251d8218b9908a6ec1c"
CMAKE = "4.4.5"
NINJA = "1.13.2"
LLMKUBE = "0.9.19"
OTTERSCALE = "0.9.0-alpha.2"
OTTERSCALE_API = "0.9.0"
KSERVE = "0.20.0"
OME = "0.1.5"

_PULUMI_STAMP = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
_KUBERNETES_STAMP = "k8s.io/component-base/version"


@dataclass(frozen=True)
class CopiedFile:
    """A file from the built package's Go module that the tool needs, in its source or beside its binary."""

    module: str
    path: str
    into_source: bool = False
    set_version: bool = False  # a Pulumi schema, into which upstream's release process writes the version


@dataclass(frozen=True)
class Tool:
    """A binary that is taken from PATH or built."""

    name: str
    module: str  # the folder under tools/go
    package: str
    version: str
    stamps: tuple[tuple[str, str], ...] = ()  # linker variables and their values
    files: tuple[CopiedFile, ...] = ()
    suite: str = ""  # tools of one suite come from PATH together or not at all; without a suite, always built
    comes_with: str = ""  # a suite that, when installed, provides this tool by itself
    minimum: str = ""  # older versions on PATH are ignored


@dataclass(frozen=True)
class NodeTool(Tool):
    """A program of a real node: always built, some with build tags or a C compiler."""

    tags: tuple[str, ...] = ()
    in_c: bool = False


_MAJOR, _MINOR, _ = KUBERNETES.split(".")
_KUBERNETES_STAMPS = (
    (f"{_KUBERNETES_STAMP}.gitVersion", f"v{KUBERNETES}"),
    (f"{_KUBERNETES_STAMP}.gitMajor", _MAJOR),
    (f"{_KUBERNETES_STAMP}.gitMinor", _MINOR),
)


def _kubernetes(name: str) -> Tool:
    return Tool(
        name=name,
        module="kubernetes",
        package=f"k8s.io/kubernetes/cmd/{name}",
        version=KUBERNETES,
        stamps=_KUBERNETES_STAMPS,
        suite="kubernetes",
        minimum="1.32",  # the CRDs' validation rules need a recent one
    )


def _kubernetes_node(name: str) -> Tool:
    """Uses a separate module, so that the control plane's build and its cache key don't change."""
    return NodeTool(name, "kubernetes-node", f"k8s.io/kubernetes/cmd/{name}", KUBERNETES, _KUBERNETES_STAMPS)


def _containerd(name: str) -> Tool:
    tags = ("no_btrfs", "no_devmapper", "no_tracing", "no_zfs")
    return NodeTool(name, "containerd", f"github.com/containerd/containerd/v2/cmd/{name}", CONTAINERD, tags=tags)


def _cni(kind: str, name: str) -> Tool:
    return NodeTool(name, "cni-plugins", f"github.com/containernetworking/plugins/plugins/{kind}/{name}", CNI_PLUGINS)


_SDK = "github.com/pulumi/pulumi/sdk/v3"
_PICKER = "sigs.k8s.io/gateway-api-inference-extension"
_PROVIDER = "github.com/pulumi/pulumi-kubernetes/provider/v4"

TOOLS: tuple[Tool, ...] = (
    Tool("certificates", "certificates", ".", "1"),
    Tool("etcd", "etcd", "go.etcd.io/etcd/server/v3", ETCD, suite="etcd", minimum="3.5"),
    _kubernetes("kube-apiserver"),
    _kubernetes("kube-controller-manager"),
    _kubernetes("kube-scheduler"),
    Tool("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok", KWOK, suite="kwok", minimum="0.6"),
    Tool(
        "pulumi",
        "pulumi",
        "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        PULUMI,
        stamps=((_PULUMI_STAMP, PULUMI),),
        suite="engine",
    ),
    Tool(
        "pulumi-language-python",
        "pulumi-language-python",
        f"{_SDK}/python/cmd/pulumi-language-python",
        LANGUAGE_PYTHON,
        stamps=((_PULUMI_STAMP, LANGUAGE_PYTHON),),
        files=(CopiedFile(_SDK, "python/cmd/pulumi-language-python-exec"),),
        suite="engine",
    ),
    Tool(
        "pulumi-resource-kubernetes",
        "pulumi-resource-kubernetes",
        ".",
        KUBERNETES_PROVIDER,
        stamps=((f"{_PROVIDER}/pkg/version.Version", KUBERNETES_PROVIDER),),
        files=(
            CopiedFile(_PROVIDER, "cmd/pulumi-resource-kubernetes/schema.json", into_source=True, set_version=True),
            CopiedFile(_PROVIDER, "cmd/pulumi-resource-kubernetes/terraform-mapping.json", into_source=True),
        ),
        comes_with="engine",
    ),
    Tool(
        "pulumi-language-yaml",
        "pulumi-language-yaml",
        "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
        LANGUAGE_YAML,
        stamps=(("github.com/pulumi/pulumi-yaml/pkg/version.Version", LANGUAGE_YAML),),
        comes_with="engine",
    ),
    Tool(
        "pulumi-language-nodejs",
        "pulumi-language-nodejs",
        f"{_SDK}/nodejs/cmd/pulumi-language-nodejs",
        LANGUAGE_NODEJS,
        stamps=((_PULUMI_STAMP, LANGUAGE_NODEJS),),
        comes_with="engine",
    ),
    Tool(
        "pulumi-language-go",
        "pulumi-language-go",
        f"{_SDK}/go/pulumi-language-go",
        LANGUAGE_GO,
        stamps=((_PULUMI_STAMP, LANGUAGE_GO),),
        comes_with="engine",
    ),
    Tool(
        "pulumi-language-java",
        "pulumi-language-java",
        "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java",
        LANGUAGE_JAVA,
        stamps=(("github.com/pulumi/pulumi-java/pkg/version.Version", LANGUAGE_JAVA),),
        comes_with="engine",
    ),
    Tool("pulumi-sdk", "pulumi-sdk", ".", PULUMI),
    Tool("lws", "lws", "sigs.k8s.io/lws/cmd", LWS),
    Tool("jobset", "jobset", "sigs.k8s.io/jobset", JOBSET),
    Tool("kustomize", "kustomize", "sigs.k8s.io/kustomize/kustomize/v5", KUSTOMIZE, suite="kustomize"),
    Tool("endpoint-picker", "endpoint-picker", f"{_PICKER}/cmd/epp", ENDPOINT_PICKER),
    Tool("actionlint", "actionlint", "github.com/rhysd/actionlint/cmd/actionlint", ACTIONLINT),
    Tool("helm", "helm", "helm.sh/helm/v3/cmd/helm", HELM, suite="helm"),
    _kubernetes_node("kubelet"),
    _kubernetes_node("kube-proxy"),
    _containerd("containerd"),
    _containerd("containerd-shim-runc-v2"),
    NodeTool("runc", "runc", "github.com/opencontainers/runc", RUNC, in_c=True),
    _cni("main", "ptp"),
    _cni("ipam", "host-local"),
    NodeTool("coredns", "coredns", ".", COREDNS),
)

CONTROL_PLANE = ("certificates", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
REAL_NODE = tuple(tool.name for tool in TOOLS if isinstance(tool, NodeTool))
ENGINE = (
    "pulumi",
    "pulumi-language-python",
    "pulumi-language-yaml",
    "pulumi-language-nodejs",
    "pulumi-language-go",
    "pulumi-language-java",
    "pulumi-resource-kubernetes",
)
DEFAULT_BUILD = (
    *CONTROL_PLANE,
    *(name for name in ENGINE if name != "pulumi-language-java"),
    "pulumi-sdk",
    "lws",
    "jobset",
    "kustomize",
    "endpoint-picker",
    "actionlint",
)
"""Not included: helm (only for a comparison), the Java host (only useful with Java) and a real node's programs."""


@dataclass(frozen=True)
class ManifestSource:
    """Manifests in a Go module: a file, or all YAML files of a folder.

    ``kinds`` selects CRDs by kind; the others would only slow down the API server.
    """

    name: str
    module: str
    version: str
    checksum: str  # as the Go command prints it
    path: str
    kinds: tuple[str, ...] = ()  # empty: all of them


_LWS_MODULE = ("sigs.k8s.io/lws", f"v{LWS}", "h1:DdhJ8QabwTfWgbgaHH2gdf8twliioHaoSfmDXRYEVU0=")
_JOBSET_MODULE = ("sigs.k8s.io/jobset", f"v{JOBSET}", "h1:u8QKifNsrWVrlRFe6w2ofYTqFT9ma2DRHxfeB2m9xyU=")

CRDS: tuple[ManifestSource, ...] = (
    ManifestSource(
        "gateway-api",
        "sigs.k8s.io/gateway-api",
        "v1.4.1",
        "h1:NPxFutNkKNa8UfLd2CMlEuhIPMQgDQ6DXNKG9sHbJU8=",
        "config/crd/standard",
    ),
    ManifestSource(
        "inference-extension",
        "sigs.k8s.io/gateway-api-inference-extension",
        "v1.2.0",
        "h1:7H+ijrUImnW2ubcTakNgV723xDIdQx1Umv4vDVB+tTk=",
        "config/crd/bases",
    ),
    ManifestSource("lws", *_LWS_MODULE, "config/crd/bases"),
    ManifestSource("jobset", *_JOBSET_MODULE, "config/components/crd/bases"),
    ManifestSource(
        "istio",
        "istio.io/api",
        "v1.32.0",
        "h1:37mJvg9I0biYZAEQF+MATs4FNeCpXEIVO3LFpVb6iNM=",
        "kubernetes/customresourcedefinitions.gen.yaml",
        ("DestinationRule", "Gateway", "VirtualService"),
    ),
    ManifestSource(
        "prometheus-operator",
        "github.com/prometheus-operator/prometheus-operator",
        "v0.85.0",
        "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
        "example/prometheus-operator-crd",
        ("PodMonitor", "PrometheusRule", "ServiceMonitor"),
    ),
    ManifestSource(
        "keda",
        "github.com/kedacore/keda/v2",
        "v2.21.0",
        "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=",
        "config/crd/bases",
        ("ClusterTriggerAuthentication", "ScaledObject", "TriggerAuthentication"),
    ),
    ManifestSource(
        "kueue",
        "sigs.k8s.io/kueue",
        "v0.17.0",
        "h1:7hzb38M4eKGzYW+CFv2s1L+swzzacUCHOCXxZmAV90I=",
        "config/components/crd/bases",
        ("ClusterQueue", "LocalQueue", "ResourceFlavor", "WorkloadPriorityClass"),
    ),
)

FURTHER_CRDS: tuple[ManifestSource, ...] = (
    ManifestSource(
        "knative",
        "knative.dev/serving",
        "v0.46.0",
        "h1:OF4Jt+6xY4nw0lFb9G3rEEJPZcNx1k2Kf1IhhJp/Rg4=",
        "config/core/300-resources/service.yaml",
    ),
    ManifestSource(
        "kuberay",
        "github.com/ray-project/kuberay/ray-operator",
        "v1.4.2",
        "h1:A4tGzbIky8sInAUxZBdBb+rrpZ7fbqoxdsOtm559Zqg=",
        "config/crd/bases/ray.io_rayclusters.yaml",
    ),
    ManifestSource(
        "trainer",
        "github.com/kubeflow/trainer/v2",
        "v2.0.1",
        "h1:4bMZdFIpQBHjcUene6P+MqbY5v7ccyLUIKkefOhUFG8=",
        "manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml",
    ),
)
"""Installed only on request."""

WEBHOOKS: tuple[ManifestSource, ...] = (
    ManifestSource("lws", *_LWS_MODULE, "config/webhook/manifests.yaml"),
    ManifestSource("jobset", *_JOBSET_MODULE, "config/components/webhook/manifests.yaml"),
)
