"""What holds for any service: a valid spec always renders, the same each time, to objects that fit together; garbage
only ever gives problems.

Not proved here: that the objects are the right ones (the reference cases) or that an API server takes them.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelservices.engines.llama_cpp import DIALECT
from modelservices.findings import errors
from modelservices.kubernetes.metadata import is_dns_label, is_label_key, is_label_value, is_subdomain
from modelservices.kubernetes.objects import key
from modelservices.kubernetes.references import references

from ....rendered_flags import unknown_flags
from .render import manifest, plan_of

FAST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

names = st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?(\.[a-z0-9]{1,5})?", fullmatch=True)
words = st.text("abcdefghij-0123456789 =/", min_size=1, max_size=12)
label_maps = st.dictionaries(st.sampled_from(["team", "app", "example.com/a"]), st.sampled_from(["x", "y.z", ""]))


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


gpus = optional(
    enabled=st.booleans(),
    count=st.integers(0, 8),
    layers=st.integers(-1, 80),
    vendor=st.sampled_from(["nvidia", "amd", "intel"]),
    runtime=st.sampled_from(["vulkan", "rocm"]),
    resourceName=st.just("acme.example/gpu"),
    sharding=optional(
        strategy=st.sampled_from(["layer", "tensor", "row", "pipeline", "none"]),
        layerSplit=st.lists(st.sampled_from(["0-9", "10-19", "5-1", "x"]), max_size=4),
    ),
)
sources = st.one_of(
    st.fixed_dictionaries(
        {"source": st.sampled_from(["https://models.example.com/m.gguf", "s3://bucket/m.gguf", "/srv/m"])}
    ),
    st.fixed_dictionaries(
        {"source": st.sampled_from(["org/name", "hf://org/name@v1"]), "files": st.just(["a.gguf", "b/c.json"])},
        optional={"mmproj": st.just("p.gguf")},
    ),
    st.just({"source": "pvc://weights/m.gguf"}),
)
models = st.builds(
    lambda source, rest: {**source, **rest},
    sources,
    optional(
        format=st.sampled_from(["gguf", "safetensors"]),
        refreshPolicy=st.sampled_from(["IfNotPresent", "OnChange"]),
        hardware=optional(gpu=gpus, accelerator=st.sampled_from(["cpu", "cuda", "metal"])),
    ),
)
services = optional(
    runtime=st.sampled_from(["llamacpp", "vllm", "tgi", "generic", "personaplex"]),
    image=st.just("registry.example.com/server:1"),
    replicas=st.integers(0, 10),
    containerPort=st.integers(1, 65535),
    endpoint=optional(port=st.integers(1, 65535), type=st.sampled_from(["ClusterIP", "LoadBalancer"])),
    contextSize=st.integers(128, 2097152),
    flashAttention=st.booleans(),
    parallelSlots=st.integers(1, 64),
    reasoningBudget=st.integers(0, 100),
    skipModelInit=st.booleans(),
    extraArgs=st.lists(
        st.sampled_from(["--ctx-size", "-c", "8192", "--host=x", "--metrics", "--parallel", "-np"]), max_size=5
    ),
    podLabels=label_maps,
    podAnnotations=label_maps,
    env=st.lists(
        st.fixed_dictionaries({"name": st.sampled_from(["A", "NO_TORCH_COMPILE"]), "value": words}), max_size=3
    ),
    resources=optional(gpu=st.integers(0, 8), cpu=st.sampled_from(["1", "1500m"]), memory=st.just("2048Mi")),
    autoscaling=st.fixed_dictionaries(
        {
            "maxReplicas": st.integers(5, 100),
            "metrics": st.just([{"type": "Pods", "name": "queue", "targetAverageValue": "2"}]),
        },
        optional={"minReplicas": st.integers(1, 5)},
    ),
    podSecurityContext=optional(fsGroup=st.integers(0, 2000), runAsUser=st.integers(0, 2000)),
    securityContext=optional(privileged=st.booleans(), capabilities=optional(add=st.just(["IPC_LOCK"]))),
    vllmConfig=optional(maxModelLen=st.integers(1, 9999), gpuMemoryUtilization=st.floats(0.1, 0.99)),
)
platforms = optional(
    modelCachePath=st.sampled_from(["", "/models"]),
    modelCacheMode=st.sampled_from(["shared", "perService"]),
    modelCacheAccessMode=st.sampled_from(["ReadWriteOnce", "ReadWriteMany"]),
    defaultFSGroup=st.integers(0, 2000),
    driRenderGID=st.integers(0, 2000),
    emitScrapeAnnotations=st.booleans(),
    caCertConfigMap=st.sampled_from(["", "ca"]),
)
CLAIM = manifest("PersistentVolumeClaim", "weights", spec={"accessModes": ["ReadOnlyMany"]})


def documents(name: str, spec: Any, model: Any) -> list[dict[str, Any]]:
    spec = {**spec, "modelRef": "m"}
    if spec.get("runtime") in ("generic", "personaplex"):
        spec.setdefault("image", "registry.example.com/server:1")
    return [manifest("Model", "m", spec=model), manifest("InferenceService", name, spec=spec), CLAIM]


@FAST
@given(names, services, models, platforms)
def test_any_valid_service_renders(name: str, spec: Any, model: Any, platform: Any) -> None:
    given_documents = documents(name, spec, model)
    platform = {**platform, "allowedHostPathRoots": ["/srv"]}
    plan = plan_of(given_documents, platform)
    assert not errors(plan.findings), [str(finding) for finding in plan.findings]
    objects = plan.all_objects()
    assert objects == plan_of(list(reversed(given_documents)), platform).all_objects()
    assert all(plain(item) for item in objects)
    for item in objects:
        assert is_subdomain(item["metadata"]["name"])
        assert all(is_label_key(k) and is_label_value(v) for k, v in item["metadata"].get("labels", {}).items())
    by_kind = {item["kind"]: item for item in objects}
    if "Deployment" in by_kind:
        check_deployment(by_kind["Deployment"], by_kind["Service"])
        check_flags(by_kind["Deployment"], spec)
        assert list(unknown_flags(objects, str(spec))) == []
        made = {(key(item).kind, key(item).name) for item in objects} | {("PersistentVolumeClaim", "weights")}
        claims = {r for r in references(by_kind["Deployment"]) if r.kind == "PersistentVolumeClaim"}
        assert all((claim.kind, claim.name) in made for claim in claims)


def check_deployment(deployment: Any, service: Any) -> None:
    template = deployment["spec"]["template"]
    labels = template["metadata"]["labels"]
    for selector in (deployment["spec"]["selector"]["matchLabels"], service["spec"]["selector"]):
        assert selector and selector.items() <= labels.items()
    assert is_dns_label(service["metadata"]["name"])
    spec = template["spec"]
    volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
    assert all(len(volume) == 2 for volume in volumes.values()), "one source for each volume"
    for container in [*spec.get("initContainers", []), *spec["containers"]]:
        variables = [variable["name"] for variable in container.get("env", [])]
        assert len(variables) == len(set(variables))
        assert {mount["name"] for mount in container.get("volumeMounts", [])} <= set(volumes)
        assert all(isinstance(word, str) for word in container.get("args", []))
    (container,) = spec["containers"]
    assert container["ports"][0]["containerPort"] == service["spec"]["ports"][0]["targetPort"]


def check_flags(deployment: Any, spec: Any) -> None:
    """A flag is there once, or as often as the user wrote it."""

    def flags(given: Any) -> list[str]:
        return [DIALECT.name(word) for word in given if DIALECT.name(word)]

    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    user, all_flags = flags(spec.get("extraArgs", [])), flags(container.get("args", []))
    assert all(all_flags.count(flag) <= max(1, user.count(flag)) for flag in all_flags)


def plain(value: Any) -> bool:
    """Whether a value is what YAML has, without nulls."""
    if isinstance(value, dict):
        return all(isinstance(name, str) and plain(item) for name, item in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return isinstance(value, str | int | bool)


garbage = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)
FIELDS = [
    "modelRef",
    "runtime",
    "env",
    "resources",
    "autoscaling",
    "probeOverrides",
    "vllmConfig",
    "extraArgs",
    "endpoint",
]
FIELDS += ["podLabels", "securityContext", "ropeScaling", "tolerations", "image", "replicas"]
MODEL_FIELDS = ["source", "files", "mmproj", "hardware", "sha256", "refreshPolicy", "sourceSecretRef"]


@FAST
@given(
    st.dictionaries(st.sampled_from(FIELDS), garbage, max_size=4),
    st.dictionaries(st.sampled_from(MODEL_FIELDS), garbage, max_size=3),
    garbage,
    st.booleans(),
)
def test_garbage_gives_problems_only(spec: Any, model: Any, status: Any, whole: bool) -> None:
    service = manifest("InferenceService", "chat", spec={"modelRef": "m", **spec} if whole else spec)
    described = manifest("Model", "m", spec={"source": "org/name", **model} if whole else model, status=status)
    for finding in plan_of([service, described]).findings:
        assert finding.message and "Traceback" not in finding.message


@FAST
@given(garbage, garbage, garbage)
def test_garbage_in_place_of_specs(spec: Any, model: Any, metadata: Any) -> None:
    service = {**manifest("InferenceService", "chat", spec=spec), "metadata": metadata}
    plan_of([service, manifest("Model", "m", spec=model)])


@FAST
@given(st.text(max_size=40))
def test_any_source_is_understood_or_refused(text: str) -> None:
    plan_of(documents("chat", {}, {"source": text}))
