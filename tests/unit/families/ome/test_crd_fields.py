"""Every field of OME's custom resource definitions is accepted, and acts: it changes what is rendered, or is a finding.

A field from which nothing may come stands in ``WITHOUT_EFFECT`` with the reason. Not proved here: that the effect is
the right one, and what stands below the fields of Kubernetes' own pods.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from .helpers import MODEL, RUNNER, RUNTIME, manifest, planned, service

ROWS = [
    [*line.split("\t"), ""][:4]
    for line in Path(__file__).with_name("crd_fields.tsv").read_text().splitlines()
    if not line.startswith("#")
]

WITHOUT_EFFECT = {
    r"BaseModel\.spec\.(additionalMetadata|apiCapabilities|displayName|maxTokens|modelC[a-z]+)": (
        "tells people and clients about the model"
    ),
    r"BaseModel\.spec\.(modelFormat|modelFramework)\.operator": "the runtime's operator compares",
    r"BaseModel\.spec\.(compartmentID|servingMode|version)": "read by OME's model agent and console, in the cluster",
    r"BaseModel\.spec\.storage\.(downloadPolicy|key|nodeAffinity|nodeSelector|parameters|schemaPath)": (
        "how OME's model agent fetches the weights: it reads the BaseModel in the cluster"
    ),
    r"(BaseModel|ServingRuntime)\..*\.weight$": "counts where several runtimes fit a model",
    r"ServingRuntime\.spec\.supportedModelFormats\[\]\.(modelType|operator|name|version)$": "OME's old names",
    r"ServingRuntime\.spec\.protocolVersions": "not read by OME either",
    r"ServingRuntime\.spec\.acceleratorRequirements\.(?!acceleratorClasses)": "AcceleratorClasses are not read here",
    r"BenchmarkJob\.spec\.outputLocation\.(downloadPolicy|key|nodeAffinity|nodeSelector|path|schemaPath)": (
        "says where a model is, not where results go"
    ),
    r"InferenceService\.spec\.(model|runtime)\.apiGroup": "always ome.io",
    r".*\.kedaConfig\.enableKeda": "not read by OME either",
    r".*predictor\.model\.runtimeVersion": "not read by OME either",
}

SAMPLES: dict[str, Any] = {
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
    "containers": [{"name": "side", "image": "side:1"}],
    "dnsConfig": {"nameservers": ["1.1.1.1"]},
    "dnsPolicy": "Default",
    "env": [{"name": "E", "value": "1"}],
    "envFrom": [{"secretRef": {"name": "s"}}],
    "ephemeralContainers": [{"name": "debug", "image": "debug:1"}],
    "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["a"]}],
    "imagePullSecrets": [{"name": "a"}],
    "initContainers": [{"name": "first", "image": "first:1"}],
    "max": "7B",
    "min": "70B",
    "modelParameterSize": "8B",
    "nodeAffinity": {},
    "os": {"name": "linux"},
    "preemptionPolicy": "Never",
    "readinessGates": [{"conditionType": "a.b/c"}],
    "resourceClaims": [{"name": "c", "resourceClaimName": "x"}],
    "resources": {"limits": {"cpu": "3"}},
    "restartPolicy": "Never",
    "rollingUpdate": {"maxSurge": 2},
    "runner": {**RUNNER, "args": ["--other"]},
    "schedulingGates": [{"name": "a.b/c"}],
    "securityContext": {"runAsUser": 1000},
    "storageUri": "pvc://claim/folder",
    "tolerations": [{"operator": "Exists"}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    "url": "http://other:1",
    "volumeMounts": [{"name": "benchmark-output-storage", "mountPath": "/v"}],
    "volumes": [{"name": "v", "emptyDir": {}}],
}
BY_TYPE: dict[str, Any] = {
    "string": "text",
    "integer": 7,
    "boolean": True,
    "int-or-string": 2,
    "map": {"a": "b"},
    "any": {"a": 1},
}

NODES = {"leader": {"runner": RUNNER}, "worker": {"size": 1, "runner": RUNNER}}
ROLES = {
    "engine": {"runner": RUNNER},
    "decoder": {"runner": RUNNER},
    "router": {"runner": {**RUNNER, "name": "router"}},
}
SERVED: dict[str, Any] = {"model": {"name": "llama"}, "runtime": {"name": "vllm"}}
BENCHMARK: dict[str, Any] = {
    "task": "text-to-text",
    "maxTimePerIteration": 10,
    "maxRequestsPerIteration": 100,
    "outputLocation": {"storageUri": "pvc://out/results"},
    "endpoint": {"endpoint": {"url": "http://x:8080", "apiFormat": "openai", "modelName": "org/m"}},
    "podOverride": {"image": "bench:1"},
}
KEDA = {"ome.io/autoscalerClass": "keda"}
SERVERLESS = {"ome.io/deploymentMode": "Serverless"}


def base(kind: str, path: str) -> tuple[list[dict[str, Any]], int]:
    """Manifests in which the field may act, and which of them gets it."""
    if kind == "BenchmarkJob":
        spec = copy.deepcopy(BENCHMARK)
        if "endpoint.inferenceService" in path:
            spec["endpoint"] = {"inferenceService": {"name": "chat", "namespace": "llm"}}
        if "serviceMetadata" in path:
            spec["serviceMetadata"] = {"engine": "SGLang", "version": "1", "gpuType": "H100", "gpuCount": 1}
        return [manifest("BenchmarkJob", spec, name="perf"), service(SERVED | {"engine": {}}), MODEL, RUNTIME], 0
    runtime, model = copy.deepcopy(RUNTIME), copy.deepcopy(MODEL)
    annotations = {}
    spec: dict[str, Any] = {**SERVED, "engine": {}, "decoder": {}, "router": {}}
    if re.search(r"\.(kedaConfig|scaleTarget|scaleMetric)", path):
        annotations = KEDA if "kedaConfig" in path else {}
    if re.search(r"(engine|predictor).*\.(containerConcurrency|timeoutSeconds)", path):
        annotations, spec = SERVERLESS, {**SERVED, "engine": {}}
    if re.search(r"\.(supportedModelFormats|modelSizeRange|acceleratorRequirements)", path) or kind == "BaseModel":
        spec = {"model": {"name": "llama"}, "engine": {"minReplicas": 1}}
    choosing(path, kind, spec, model, runtime)
    if kind == "InferenceService":
        spec |= {role: copy.deepcopy(ROLES[role]) for role in ROLES if role in spec}
        for role in ("engine", "decoder"):
            if re.search(rf"spec\.{role}\.(leader|worker)", path):
                spec[role] = copy.deepcopy(NODES)
        if "predictor" in path:
            spec = {"predictor": {"model": {"baseModel": "llama", "runtime": "vllm", "name": "ome-container"}}}
            spec["predictor"] |= {"workerSpec": {"size": 1}} if "workerSpec" in path else {}
    else:
        for role in ("engine", "decoder"):
            if re.search(rf"spec\.{role}Config\.(leader|worker)", path):
                runtime["spec"][f"{role}Config"] = copy.deepcopy(NODES)
        if re.fullmatch(r"spec\.(?!.*Config|supported|modelSize|accelerator|protocol|disabled).*", path):
            runtime["spec"].pop("engineConfig") if kind == "ServingRuntime" and "workers" not in path else None
            runtime["spec"] |= {"containers": [RUNNER]} if kind == "ServingRuntime" else {}
    subject = service(spec, annotations=annotations or None)
    other = {**RUNTIME, "metadata": {"name": "a"}}
    manifests = [subject, model, runtime, *([other] if path.endswith("priority") else [])]
    return manifests, {"InferenceService": 0, "BaseModel": 1, "ServingRuntime": 2}[kind]


def choosing(path: str, kind: str, spec: dict[str, Any], model: dict[str, Any], runtime: dict[str, Any]) -> None:
    """What must be there for a field to decide whether the runtime is chosen."""
    offer = runtime["spec"]["supportedModelFormats"][0]
    if kind == "BaseModel" and "diffusionPipeline" in path:
        parts = ("scheduler", "textEncoder", "tokenizer", "transformer", "vae")
        wanted = {part: {"library": "l", "type": "t"} for part in parts}
        offer["diffusionPipeline"] = {"className": "c", "additionalComponents": {"a": "c"}, **wanted}
    if kind == "BaseModel" and path.endswith("modelParameterSize"):
        runtime["spec"]["modelSizeRange"] = {"min": "1B", "max": "2B"}
    if "modelSizeRange" in path:
        model["spec"]["modelParameterSize"] = "8B"
    if "acceleratorRequirements" in path:
        spec["acceleratorSelector"] = {"acceleratorClass": "text"}
    if kind == "ServingRuntime" and path.endswith("authModes"):
        role = path.split(".")[1]
        runtime["spec"][role] = {**runtime["spec"][role], "kedaConfig": {"authenticationRef": {"name": "a"}}}


def sample(path: str, kind: str, choices: str, given: Any) -> Any:
    """A value for a field that is another one than the given one."""
    name = re.split(r"[.]", path)[-1]
    if choices:
        return next(choice for choice in reversed(choices.split()) if choice != given)
    found: Any = SAMPLES.get(name, BY_TYPE.get(kind))
    if kind.startswith("array of") and name not in SAMPLES:
        found = [BY_TYPE[kind.removeprefix("array of ")]]
    return found if found != given else f"{found}-2" if isinstance(found, str) else found + 1


def put(spec: Any, path: str, kind: str, choices: str) -> None:
    """Set a field below a spec (``engine.leader.size``, ``supportedModelFormats[].name``)."""
    *parents, last = path.split(".")
    for parent in parents:
        name = parent.removesuffix("[]")
        below = spec.setdefault(name, [{}] if parent.endswith("[]") else {})
        spec = below[0] if parent.endswith("[]") else below
    spec[last] = sample(path, kind, choices, spec.get(last))


def results(manifests: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    plan = planned(*manifests)
    return plan.all_objects(), [(f.object, f.path, f.severity, f.code, f.message) for f in plan.findings]


def is_group(kind: str) -> bool:
    """An object or list of objects whose fields have rows of their own."""
    return kind in ("object", "array of object")


@pytest.mark.parametrize("kind", sorted({row[0] for row in ROWS}))
def test_every_field_is_accepted_and_acts(kind: str) -> None:
    refused, idle, bases = [], [], {}
    for _, path, of, choices in (row for row in ROWS if row[0] == kind):
        below = f"{kind}.{path}"
        if is_group(of) and path.rpartition(".")[2] not in SAMPLES:
            continue
        manifests, index = base(kind, path)
        key = repr(manifests)
        before = bases.get(key) or bases.setdefault(key, results(manifests))
        changed = copy.deepcopy(manifests)
        put(changed[index]["spec"], path.removeprefix("spec."), of, choices)
        after = results(changed)
        refused += [
            f"{below}: {message}"
            for _, where, _, code, message in after[1]
            if code == "unknown-field" and where == path
        ]
        if after == before and not any(re.match(pattern, below) for pattern in WITHOUT_EFFECT):
            idle.append(below)
    assert refused == []
    assert idle == []


def test_reasons_are_those_of_fields_that_exist() -> None:
    paths = [f"{kind}.{path}" for kind, path, *_ in ROWS]
    assert [pattern for pattern in WITHOUT_EFFECT if not any(re.match(pattern, path) for path in paths)] == []
