"""Inputs of any size: one for each list, mapping or text of a manifest that many rules process."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_LLMKUBE = "apiVersion: inference.llmkube.dev/v1alpha1\nkind: InferenceService\nmetadata: {name: s, namespace: n}\n"
_MODEL = (
    "---\napiVersion: inference.llmkube.dev/v1alpha1\nkind: Model\nmetadata: {name: m, namespace: n}\n"
    "spec: {source: 'https://h/m.gguf'}\n"
)
_KSERVE = "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nmetadata: {name: s, namespace: n}\n"
_OTTERSCALE = "apiVersion: model.otterscale.io/v1alpha1\nkind: ModelService\nmetadata: {name: s, namespace: n}\n"
_BENCHMARK = (
    "apiVersion: ome.io/v1beta1\nkind: BenchmarkJob\nmetadata: {name: s, namespace: n}\nspec:\n"
    "  endpoint: {endpoint: {url: 'http://x', apiFormat: openai, modelName: m}}\n  task: text-to-text\n"
    "  outputLocation: {storageUri: 'pvc://a/b'}\n"
)
_OME_MODEL = (
    "apiVersion: ome.io/v1beta1\nkind: ClusterBaseModel\nmetadata: {name: m}\nspec: {modelFormat: {name: safetensors}, "
    "modelFramework: {name: transformers}, storage: {storageUri: 'hf://a/b'}, modelParameterSize: 1B}\n---\n"
)


def _many(line: str, count: int) -> str:
    """Repeats a text, with ``@`` replaced by its number."""
    return "".join(f"{line.replace('@', str(number))}\n" for number in range(count))


def _llmkube(field: str, line: str) -> Callable[[int], str]:
    return lambda count: f"{_LLMKUBE}spec:\n  modelRef: m\n  {field}:\n{_many(f'  {line}', count)}{_MODEL}"


def _pod(field: str, line: str) -> Callable[[int], str]:
    """An LLMInferenceService with a long list in its pod."""
    head = f"{_KSERVE}spec:\n  model: {{uri: 'hf://a/b'}}\n  worker:\n    containers: [{{name: main}}]\n  template:\n"
    return lambda count: f"{head}    {field}:\n{_many(f'    {line}', count)}"


def _container(field: str, line: str) -> Callable[[int], str]:
    head = f"{_KSERVE}spec:\n  model: {{uri: 'hf://a/b'}}\n  template:\n    containers:\n    - name: main\n"
    return lambda count: f"{head}      {field}:\n{_many(f'      {line}', count)}"


def _adapters(line: str) -> Callable[[int], str]:
    head = f"{_KSERVE}spec:\n  router: {{route: {{}}, gateway: {{}}, scheduler: {{}}}}\n  model:\n    uri: 'hf://a/b'\n"
    return lambda count: f"{head}    lora:\n      adapters:\n{_many(f'      {line}', count)}"


def _route(line: str, *, rules: str = "") -> Callable[[int], str]:
    head = f"{_KSERVE}spec:\n  model: {{uri: 'hf://a/b'}}\n  router:\n    gateway: {{}}\n    route:\n      http:\n"
    return lambda count: f"{head}        spec:\n          rules:\n{rules}{_many(f'          {line}', count)}"


def _plugins(count: int) -> str:
    head = (
        f"{_KSERVE}spec:\n  model: {{uri: 'hf://a/b'}}\n  router:\n    route: {{}}\n    gateway: {{}}\n    scheduler:\n"
    )
    inline = "      config:\n        inline:\n          kind: EndpointPickerConfig\n          plugins:\n"
    plugins = _many("          - {type: queue-scorer, name: p@}", count)
    profile = "          schedulingProfiles:\n          - name: default\n            plugins:\n"
    return f"{head}{inline}{plugins}{profile}{_many('            - {pluginRef: p@}', count)}"


def _labels(line: str) -> Callable[[int], str]:
    head = _LLMKUBE.replace("{name: s, namespace: n}", "\n  name: s\n  namespace: n\n  labels:")
    return lambda count: f"{head}{_many(f'    {line}', count)}spec: {{modelRef: m}}\n{_MODEL}"


def _documents(text: str, before: str = "") -> Callable[[int], str]:
    return lambda count: before + _many(f"{text}---", count)


def _products(count: int) -> str:
    """A route whose gateways, hosts, rules and matches multiply."""
    route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: n}\nspec:\n"
    parents, hosts = _many("  - {name: g@}", count), _many("  - h@.example.com", count)
    rules = _many("  - {matches: [{path: {value: /a@}}, {path: {value: /b@}}]}", count)
    return (
        f"{route}  parentRefs:\n{parents}  hostnames:\n{hosts}  rules:\n{rules}---\n{_KSERVE}spec: model: "
        f"{{uri: 'hf://a/b'}}}}\n"
    )


INPUTS: Mapping[str, Callable[[int], str]] = {
    "adapters": _adapters("- {name: a@, uri: 'hf://a/b@'}"),
    "adapters of one folder": _adapters("- {name: 'a/@', uri: 's3://a/b'}"),
    "adapters on claims": _adapters("- {name: a@, uri: 'pvc://c@/b'}"),
    "arguments": _llmkube("extraArgs", "- --a@"),
    "arguments of a pod": _container("args", "- --a@"),
    "arguments of OtterScale": lambda count: (
        f"{_OTTERSCALE}spec:\n  model: {{name: m, image: 'a/b:1'}}\n  decode: {{replicas: 1}}\n  engine:\n    args:\n"
        f"{_many('    - --a@', count)}"
    ),
    "arguments that are known": _llmkube("extraArgs", "- --ctx-size\n  - '@'"),
    "base configs": lambda count: (
        f"{_KSERVE}spec:\n  model: {{uri: 'hf://a/b'}}\n  baseRefs:\n{_many('  - {name: b@}', count)}"
    ),
    "concurrencies": lambda count: f"{_BENCHMARK}  numConcurrency:\n{_many('  - 1@', count)}",
    "concurrencies, the same": lambda count: f"{_BENCHMARK}  numConcurrency:\n{_many('  - 1', count)}",
    "containers": _pod("containers", "- {name: c@, image: a}"),
    "containers with errors": _pod("containers", "- {name: C@, image: a}"),
    "documents of one name": _documents(f"{_LLMKUBE}spec: {{modelRef: m}}\n"),
    "documents of unknown kinds": _documents("apiVersion: a/v@\nkind: B@\nmetadata: {name: a}\n"),
    "documents with errors": _documents(f"{_LLMKUBE.replace('name: s', 'name: s@')}spec: 5\n"),
    "existing objects": _documents("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a@, namespace: n}\n"),
    "gateways, hosts and rules": _products,
    "init containers": _pod("initContainers", "- {name: c@, image: a}"),
    "labels": _labels("a@: b"),
    "labels of OME": _labels("ome.io/a@: b"),
    "matches": _route("  - {path: {value: /a@}}", rules="          - matches:\n"),
    "models": _documents(_MODEL[4:].replace("name: m", "name: m@")),
    "mounts": _container("volumeMounts", "- {name: v, mountPath: /a@}"),
    "parameters": lambda count: f"{_BENCHMARK}  additionalRequestParams:\n{_many('    a@: b', count)}",
    "plugins": _plugins,
    "pools": _documents(
        "apiVersion: inference.networking.k8s.io/v1\nkind: InferencePool\nmetadata: {name: p@, namespace: n}\nspec: "
        "{selector: {matchLabels: {a: b}}, targetPorts: [{number: 8000}], endpointPickerRef: {name: e, port: "
        "{number: 9002}}}\n"
    ),
    "rules": _route("- matches: [{path: {value: /a@}}]"),
    "runtimes": _documents(
        "apiVersion: ome.io/v1beta1\nkind: ClusterServingRuntime\nmetadata: {name: r@}\nspec: {supportedModelFormats: "
        "[{name: safetensors, modelFormat: {name: safetensors}, modelFramework: {name: transformers}, autoSelect: "
        "true}], engineConfig: {runner: {name: ome-container, image: a}}}\n",
        before=f"{_OME_MODEL}apiVersion: ome.io/v1beta1\nkind: InferenceService\nmetadata: {{name: s, namespace: n}}\n"
        "spec: {model: {name: m}, engine: {}}\n---\n",
    ),
    "services": _documents(
        f"{_LLMKUBE.replace('name: s', 'name: s@')}spec: {{modelRef: m}}\n", before=f"{_MODEL}---\n"
    ),
    "services of KServe": _documents(f"{_KSERVE.replace('name: s', 'name: s@')}spec: {{model: {{uri: 'hf://a/b'}}}}\n"),
    "services of OME": _documents(
        "apiVersion: ome.io/v1beta1\nkind: InferenceService\nmetadata: {name: s@, namespace: n}\nspec: {model: {name: "
        "m}, engine: {runner: {name: ome-container, image: a}}}\n",
        before=_OME_MODEL,
    ),
    "services without models": _documents(f"{_LLMKUBE.replace('name: s', 'name: s@')}spec: {{modelRef: x@}}\n"),
    "services without their models": lambda count: _many(
        f"{_LLMKUBE.replace('name: s', 'name: s@')}spec: {{modelRef: x@}}\n{_MODEL.replace('m,', 'm@,')}---", count
    ),
    "templates": _container("args", "- '{{ .ObjectMeta.Name }}'"),
    "templates that are not known": _container("args", "- '{{ .X@ }}'"),
    "tolerations": _llmkube("tolerations", "- {key: k@, operator: Exists}"),
    "traffic": lambda count: f"{_BENCHMARK}  trafficScenarios:\n{_many('  - D(@,1)', count)}",
    "unknown fields": lambda count: f"{_LLMKUBE}spec:\n  modelRef: m\n{_many('  replicaz@: 1', count)}",
    "variables": _llmkube("env", "- {name: A@, value: b}"),
    "variables of a pod": _container("env", "- {name: A@, value: b}"),
    "variables of keys that a Secret lacks": lambda count: (
        _llmkube("env", "- {name: A@, valueFrom: {secretKeyRef: {name: s, key: k@}}}")(count)
        + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\nstringData: {a: '${secret:a}'}\n"
    ),
    "variables that refer to each other": _llmkube("env", "- {name: A@, value: $(A1@)}"),
    "volumes": _llmkube("extraVolumes", "- {name: v@, emptyDir: {}}"),
    "volumes of a pod": _pod("volumes", "- {name: v@, emptyDir: {}}"),
}

_ARGUMENT = f"{_LLMKUBE}spec: {{modelRef: m, extraArgs: ['{{}}']}}\n{_MODEL}"
TEXTS: Mapping[str, str] = {
    name: _ARGUMENT.replace("{}", unit * (900_000 // len(unit))).replace("{{", "{").replace("}}", "}")
    for name, unit in {
        **{
            unit: unit
            for unit in ("a", " ", "${", "$(", "--a ", "[", '{"a":', "a.", "a/", "a:", "''", "a=", "?a=", "a,")
        },
        **{
            unit: unit
            for unit in ("a://b:c@", "https://a:b", "authorization: ", "-----BEGIN ", "eyJ", "eyJaaaaaaaaaa.", "QUJD")
        },
        **{
            unit: unit
            for unit in ("sk-", "hf_", "export A=", "sh -c ", "<a", "{{ ", "{{ .Spec.X }}", "a@", "::", "##[", "é")
        },
    }.items()
}
"""Arguments of 900 KB, by the text that they repeat."""

LARGE: Mapping[str, str] = {
    "aliases": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{this}: &{this} [{', '.join([f'*{that}'] * 9)}]\n" for that, this in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "aliases of a long text": f"a: &a {'x' * 800_000}\nb: [{', '.join(['*a'] * 20_000)}]\n",
    "aliases of keys": f"a: &a {{{_many('k@: 1, ', 20_000)}}}\nb:\n{_many('- <<: *a', 30_000)}",
    "comments": f"{_LLMKUBE}spec: {{modelRef: m}}\n{_MODEL}{_many('# @', 100_000)}",
    "empty documents": "---\n" * 200_000,
    "key": f"{_LLMKUBE}spec: {{modelRef: m, {'a' * 100}: 1, ? {'b' * 900_000} : 1}}\n",
    "kind": _LLMKUBE.replace("InferenceService", "I" * 900_000),
    "repeated keys": f"{_LLMKUBE}{_many('spec: {}', 100_000)}",
    "merge keys of merge keys": "a: &a0 {k: 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 20_000)),
    "name": f"{_LLMKUBE.replace('name: s', 'name: ' + 's' * 900_000)}spec: {{modelRef: m}}\n",
    "nesting": f"{_LLMKUBE}spec: {'{a: ' * 200_000}",
    "number": f"{_LLMKUBE}spec: {{modelRef: m, replicas: {'9' * 900_000}}}\n",
    "small documents": _many("a: @\n---", 80_000),
}
"""Inputs that are rejected, or whose size doesn't vary."""
