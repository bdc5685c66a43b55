"""Random LLMInferenceServices: specs that the rules accept, and pieces to make others of."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_PART = r"[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?"
NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
KEYS = st.sampled_from(
    [
        "kueue.x-k8s.io/queue-name",
        "kueue.x-k8s.io/priority",
        "prometheus.io/scrape",
        "prometheus.iox/port",
        "k8s.v1.cni.cncf.io/networks",
        "team.example.com/owner",
        "internal.serving.kserve.io/origin",
        "my.prometheus.io/scrape",
        "plain",
    ]
)
VALUES = st.sampled_from(["", "a", "b", "true", "8000"])
KEYED = st.dictionaries(KEYS, VALUES, max_size=4)
SMALL = st.integers(1, 8)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping with any of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


def with_all(optional: dict[str, st.SearchStrategy[Any]], **fields: st.SearchStrategy[Any]) -> Any:
    return st.fixed_dictionaries(fields, optional=optional)


_MAIN = with_all(
    {
        "image": st.just("registry.example.com/vllm:v1"),
        "args": st.lists(st.sampled_from(["--max-model-len=4096", "--trust-remote-code"]), max_size=2),
        "env": st.lists(
            st.sampled_from([{"name": "A", "value": "1"}, {"name": "HOME", "value": "/data"}]),
            max_size=2,
            unique_by=lambda item: item["name"],
        ),
        "resources": some(
            limits=some(**{"nvidia.com/gpu": st.sampled_from(["1", "8"]), "memory": st.just("64Gi")}),
            requests=some(cpu=st.sampled_from(["4", "500m"]), memory=st.sampled_from(["32Gi", "1000Mi"])),
        ),
        "volumeMounts": st.just([{"name": "extra", "mountPath": "/extra"}]),
        "envFrom": st.just([{"prefix": "X_", "secretRef": {"name": "s"}}]),
        "ports": st.just([{"containerPort": 9100, "name": "extra"}]),
        "lifecycle": st.just({"preStop": {"sleep": {"seconds": 5}}}),
        "livenessProbe": st.just({"tcpSocket": {"port": 8000}, "periodSeconds": 30}),
        "securityContext": st.just({"runAsUser": 1000, "capabilities": {"add": ["SYS_NICE"]}}),
    },
    name=st.just("main"),
)
_POD = with_all(
    {
        "nodeSelector": st.just({"zone": "a"}),
        "tolerations": st.just([{"key": "gpu", "operator": "Exists"}]),
        "terminationGracePeriodSeconds": st.integers(5, 300),
        "serviceAccountName": st.sampled_from(["reader", "a.b"]),
        "affinity": st.just({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}),
        "dnsConfig": st.just({"options": [{"name": "ndots", "value": "1"}]}),
        "hostAliases": st.just([{"ip": "10.0.0.1", "hostnames": ["a"]}]),
        "imagePullSecrets": st.just([{"name": "pull"}]),
        "priorityClassName": st.just("high"),
        "runtimeClassName": st.just("nvidia"),
        "securityContext": st.just({"fsGroup": 1000, "runAsUser": 1000}),
        "topologySpreadConstraints": st.just(
            [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}]
        ),
    },
    containers=_MAIN.map(lambda item: [item]),
    volumes=st.just([{"name": "extra", "emptyDir": {}}]),
)
_DATA = st.sampled_from([{"data": 4, "dataLocal": 2}, {"data": 8, "dataLocal": 8}])
_ROLLOUT = st.sampled_from(
    [{"maxSurge": 0, "maxUnavailable": 1}, {"maxSurge": "25%", "maxUnavailable": 0}, {"maxUnavailable": "100%"}]
)
_KEDA = {"keda": {"triggers": [{"type": "cron", "metadata": {"start": "0 8 * * *"}}]}}
_SCALING = st.sampled_from(
    [
        {"maxReplicas": 3, "wva": {"hpa": {}}},
        {"minReplicas": 2, "maxReplicas": 3, "wva": {"keda": {}, "variantCost": "4.5"}},
        {"maxReplicas": 9, **_KEDA},
    ]
)
_TIERS = st.sampled_from(
    [
        [],
        [{"fileSystem": {"emptyDir": {"size": "20Gi"}}}],
        [{"fileSystem": {"pvc": {"ref": {"name": "kv", "path": "a"}}}}],
        [
            {
                "fileSystem": {
                    "pvc": {
                        "spec": {
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        }
                    }
                }
            }
        ],
    ]
)
_KV = with_all({"evictionPolicy": st.sampled_from(["lru", "arc"]), "secondary": _TIERS}, cpu=st.just("10Gi"))


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, Any]:
    """The fields of a WorkloadSpec."""
    found = draw(some(labels=KEYED, annotations=KEYED, template=_POD, kvCacheOffloading=_KV, rolloutStrategy=_ROLLOUT))
    if draw(st.booleans()):
        found["worker"] = draw(_POD)
        found["parallelism"] = {**draw(_DATA), **draw(some(tensor=SMALL, expert=st.booleans()))}
    else:
        found |= draw(some(parallelism=some(tensor=SMALL, pipeline=SMALL, expert=st.booleans())))
    return found | draw(st.one_of(some(replicas=st.integers(0, 4)), _SCALING.map(lambda scaling: {"scaling": scaling})))


_PLUGINS = [{"type": "queue-scorer"}, {"type": "max-score-picker"}]
_CONFIG = {"apiVersion": "inference.networking.x-k8s.io/v1alpha1", "kind": "EndpointPickerConfig", "plugins": _PLUGINS}
_SCHEDULER = some(
    labels=KEYED,
    annotations=KEYED,
    replicas=st.integers(0, 3),
    tokenizer=st.just({}),
    config=st.just({"inline": _CONFIG}),
    pool=st.sampled_from([{}, {"ref": {"name": "mine"}}, {"spec": {"targetPorts": [{"number": 8000}]}}]),
    template=_POD,
)
_ROUTER = some(
    gateway=st.sampled_from([{}, {"refs": [{"name": "gw", "namespace": "gateways"}]}]),
    route=st.sampled_from([{}, {"http": {"spec": {"hostnames": ["chat.example.com"]}}}]),
    scheduler=_SCHEDULER,
)
_MODELS = with_all(
    {
        "name": st.sampled_from(["org/model", "m"]),
        "lora": with_all(
            {"maxRank": SMALL},
            adapters=st.lists(
                st.builds(
                    lambda name, uri: {"name": name, "uri": uri},
                    st.sampled_from(["sql", "legal/v2", "A.b_c"]),
                    st.sampled_from(["hf://org/a", "s3://bucket/a", "pvc://models/a"]),
                ),
                max_size=3,
                unique_by=lambda item: item["name"],
            ),
        ),
    },
    uri=st.sampled_from(["hf://org/model", "s3://bucket/model", "pvc://models/model", "oci://registry/model:1"]),
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """A whole spec."""
    found = draw(workloads())
    found["model"] = draw(_MODELS)
    return found | draw(some(prefill=workloads(), router=_ROUTER, tracing=st.just({})))


SETTINGS = some(
    inferencePoolApis=st.sampled_from([["v1"], ["v1alpha2"], ["v1", "v1alpha2"]]),
    ingress=some(enableLLMInferenceServiceTLS=st.booleans(), disableHTTPRouteTimeout=st.booleans()),
    **{"autoscaling-wva-controller-config": st.just({"prometheus": {"url": "http://prometheus:9090"}})},
)
