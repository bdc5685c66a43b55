"""Components on the mock engine: what is registered under which name, with which options, and which outputs.

Mocks run neither transforms nor aliases nor awaits: what the real engine does is in tests/integration.
"""

import pulumi
import pytest

from modelservices import EPPComponent, InferenceServiceComponent, InvalidArguments
from modelservices.kubernetes.rendered import RenderedComponent, owned_records
from modelservices.registration.component import ServiceComponent
from modelservices.testing import Recording, Registration, render

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"password": "hunter2"}}
MODEL = {"source": "https://models.example.com/m.gguf"}


def service(name: str = "chat", **spec: object) -> InferenceServiceComponent:
    return InferenceServiceComponent(
        name, {"namespace": "inference", "model": MODEL, "spec": {"modelRef": "m", **spec}}
    )


def names(recording: Recording) -> list[tuple[str, str]]:
    return sorted((r.type.removeprefix("kubernetes:"), r.name) for r in recording.registrations)


def registration(recording: Recording, name: str) -> Registration:
    (found,) = [r for r in recording.registrations if r.name == name]
    return found


def test_what_a_service_registers():
    assert names(render(service)) == [
        ("apps/v1:Deployment", "chat-deployment"),
        ("core/v1:PersistentVolumeClaim", "inference/llmkube-model-cache"),
        ("core/v1:Service", "chat-service"),
        ("modelservices:index:InferenceServiceComponent", "chat"),
        ("scheduling.k8s.io/v1:PriorityClass", "llmkube-normal"),
        ("scheduling.k8s.io/v1:PriorityClass", "llmkube-normal-owner-object"),
    ]


def test_shared_objects_are_registered_once_whoever_needs_them():
    recording = render(lambda: [service("a"), service("b")])
    assert [name for type, name in names(recording) if type.endswith(("PersistentVolumeClaim", "PriorityClass"))] == [
        "inference/llmkube-model-cache",
        "llmkube-normal",
        "llmkube-normal-owner-object",
    ]


IMAGE = "spec.template.spec.containers[0].image"
OPTIONS = {"custom_timeouts": pulumi.CustomTimeouts(create="2h"), "retain_on_delete": True}


def test_options_of_a_component_reach_the_objects_that_they_fit(monkeypatch: pytest.MonkeyPatch):
    """The mock engine does not show options: they are read where every resource of a stack passes."""
    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda message, *_: warned.append(message))
    found: dict[str, pulumi.ResourceOptions] = {}

    def look(args: pulumi.ResourceTransformationArgs) -> None:
        found[args.type_.rpartition(":")[2]] = args.opts

    def program() -> None:
        pulumi.runtime.register_stack_transformation(look)
        opts = pulumi.ResourceOptions(ignore_changes=[IMAGE, 'metadata.labels["no/such"]'], **OPTIONS)
        InferenceServiceComponent("chat", {"model": MODEL, "spec": {"modelRef": "m"}}, opts=opts)

    render(program)
    assert found["Deployment"].ignore_changes == [IMAGE]
    assert IMAGE not in (found["Service"].ignore_changes or [])
    for kind in ("Deployment", "Service"):
        assert found[kind].custom_timeouts is not None
        assert (found[kind].custom_timeouts.create, found[kind].retain_on_delete) == ("2h", True)
    assert not found["PersistentVolumeClaim"].custom_timeouts, "the namespace's claim is not the component's own"
    (message,) = warned
    assert message == (
        'chat: ignore_changes names metadata.labels["no/such"], which no object of the component has, so it has no '
        "effect; write a path of a Kubernetes object, such as spec.template.spec.containers[0].image, or use transforms"
    )


def test_options_of_a_component_reach_its_parts():
    found: dict[str, pulumi.ResourceOptions] = {}

    def look(args: pulumi.ResourceTransformationArgs) -> None:
        found[args.name] = args.opts

    def program() -> None:
        pulumi.runtime.register_stack_transformation(look)
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}
        part = RenderedComponent("EPPComponent", "EPP", "n", "x", records=owned_records({"config-map": made}))
        whole = RenderedComponent("PrefillDecodeComponent", "ModelService", "n", "x", parts={"epp": part})
        ServiceComponent("x", whole, pulumi.ResourceOptions(ignore_changes=["data.a", "data.*"]))

    render(program)
    assert found["x-epp-config-map"].ignore_changes == ["data.a", "data.*"]


def test_an_object_that_two_components_make_is_an_error_that_names_both():
    def program() -> None:
        for name in ("first", "second"):
            args = {"name": "chat", "namespace": "inference", "model": MODEL, "spec": {"modelRef": "m"}}
            InferenceServiceComponent(name, args)  # type: ignore[arg-type]

    with pytest.raises(pulumi.RunError) as caught:
        render(program)
    assert str(caught.value) == (
        "Deployment inference/chat is made twice, by InferenceServiceComponent first and by InferenceServiceComponent "
        "second: they would overwrite each other, so give one of them another name or namespace"
    )


def test_each_cluster_of_a_program_gets_what_services_share():
    def program() -> None:
        for cluster in ("east", "west"):
            args = {"name": "chat", "namespace": "inference", "model": MODEL, "spec": {"modelRef": "m"}}
            provider = pulumi.ProviderResource("kubernetes", cluster, {})
            opts = pulumi.ResourceOptions(providers=[provider])
            InferenceServiceComponent(f"chat-{cluster}", args, opts)  # type: ignore[arg-type]

    shared = [
        name for type, name in names(render(program)) if type.endswith(("PersistentVolumeClaim", "PriorityClass"))
    ]
    assert shared == [
        "inference/llmkube-model-cache-east",
        "inference/llmkube-model-cache-west",
        "llmkube-normal-east",
        "llmkube-normal-east-owner-object",
        "llmkube-normal-west",
        "llmkube-normal-west-owner-object",
    ]


def test_owner_objects_are_found_in_a_state_under_the_names_that_they_had():
    seen: dict[str, list[str]] = {}

    def spy(args: pulumi.ResourceTransformationArgs) -> None:
        seen[args.name] = [alias.name for alias in args.opts.aliases or [] if isinstance(alias, pulumi.Alias)]

    def program(*providers: str) -> None:
        pulumi.runtime.register_stack_transformation(spy)
        args = {"name": "chat", "namespace": "inference", "model": MODEL, "spec": {"modelRef": "m"}}
        InferenceServiceComponent("chat", args)  # type: ignore[arg-type]
        for name in providers:
            provider = pulumi.ProviderResource("kubernetes", name, {})
            opts = pulumi.ResourceOptions(providers=[provider])
            InferenceServiceComponent(f"chat-{name}", args, opts)  # type: ignore[arg-type]

    render(program)
    assert seen["llmkube-normal-owner-object"] == ["llmkube-normal-keeper"]
    assert seen["llmkube-normal"] == []

    render(lambda: program("east"))
    assert seen["llmkube-normal-east-owner-object"] == ["llmkube-normal-east-keeper"]


@pytest.mark.parametrize(("settings", "retained"), [({}, True), ({"llmkube": {"deleteCache": True}}, None)])
def test_downloaded_models_outlive_the_stack_unless_the_settings_say_otherwise(settings: dict, retained: bool | None):
    seen: dict[str, bool | None] = {}

    def spy(args: pulumi.ResourceTransformationArgs) -> None:
        seen[args.name] = args.opts.retain_on_delete

    def program() -> None:
        pulumi.runtime.register_stack_transformation(spy)
        args = {"namespace": "inference", "model": MODEL, "spec": {"modelRef": "m"}, "settings": settings}
        InferenceServiceComponent("chat", args)  # type: ignore[arg-type]

    render(program)
    assert seen["inference/llmkube-model-cache"] is retained
    assert seen["chat-deployment"] is None


def test_what_the_cluster_chose_replaces_no_imported_object():
    seen: dict[str, list[str]] = {}

    def spy(args: pulumi.ResourceTransformationArgs) -> None:
        seen[args.name] = list(args.opts.ignore_changes or [])

    def program() -> None:
        pulumi.runtime.register_stack_transformation(spy)
        service()

    render(program)
    assert seen["inference/llmkube-model-cache"] == ["spec.selector", "spec.storageClassName", "spec.volumeName"]
    assert seen["chat-service"] == ["spec.clusterIP", "spec.clusterIPs"]
    assert seen["chat-deployment"] == []


def test_two_programs_in_one_process_share_nothing():
    assert names(render(service)) == names(render(service))


def test_outputs_come_from_the_live_workload():
    def program() -> None:
        chat = service(replicas=2)
        pulumi.export("chat", {"phase": chat.phase, "ready": chat.readyReplicas, "endpoint": chat.endpoint})

    assert render(program).outputs["chat"] == {
        "phase": "Ready",
        "ready": 2,
        "endpoint": "http://chat.inference.svc.cluster.local:8080/v1/chat/completions",
    }


def test_an_output_that_is_only_passed_on_arrives_as_its_value():
    image = pulumi.Output.concat("registry.example.com/llama:", "b1")
    recording = render(lambda: service(image=image, env=[{"name": "A", "value": pulumi.Output.from_input("x")}]))
    (container,) = recording.object("Deployment", "chat")["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/llama:b1"
    assert {"name": "A", "value": "x"} in container["env"]


@pytest.mark.parametrize("field", ["replicas", "runtime", "contextSize", "priority"])
def test_an_output_that_decides_what_is_rendered_is_refused_by_its_path(field: str):
    with pytest.raises(InvalidArguments, match=rf"spec\.{field}: decides what is rendered"):
        render(lambda: service(**{field: pulumi.Output.from_input(1)}))


def test_a_secret_output_in_a_pod_spec_is_refused_with_advice():
    with pytest.raises(pulumi.RunError, match=r"env\[0\]\.value: is a secret Output.*secretKeyRef"):
        render(lambda: service(env=[{"name": "A", "value": pulumi.Output.secret("x")}]))


def test_bad_arguments_register_nothing():
    with pytest.raises(InvalidArguments) as caught:
        render(lambda: service(replicas=11, contextsize=5))
    where = "InferenceServiceComponent chat: InferenceService inference/chat"
    assert str(caught.value).splitlines() == [
        f"{where}: spec.contextsize: is not a known field of LLMKube 0.8.1 to 0.9.19; did you mean contextSize?",
        f"{where}: spec.replicas: must be between 0 and 10, got 11",
    ]


@pytest.mark.parametrize(
    ("spec", "more", "wanted"),
    [
        ({"env": [{"name": "HF_TOKEN", "value": "hunter2"}]}, {}, "spec.env[0].value: HF_TOKEN holds a literal secret"),
        ({"extraArgs": ["--api-key", "hunter2"]}, {}, "spec.extraArgs[0]: --api-key holds a literal secret"),
        ({"env": [{"name": "A", "value": "${secret:a}"}]}, {}, "spec.env[0].value: ${secret:…} is replaced only"),
        ({}, {"annotations": {"example.com/api-key": "hunter2"}}, 'metadata.annotations["example.com/api-key"]: '),
        ({}, {"model": {"source": "https://me:hunter2@host/m.gguf"}}, "spec.source: is a secret"),
        ({}, {"settings": {"kserve": {"images": {"vllm": "me:x@host"}}}}, None),
        ({}, {"settings": {"kserve": {"images": {"vllm": "http://me:hunter2@h/v"}}}}, "kserve.images.vllm: is a se"),
        ({}, {"settings": {"llmkube": {"caCertConfigMap": "${secret:a}"}}}, "llmkube.caCertConfigMap: ${secret:…} i"),
        ({}, {"manifests": [CONFIG_MAP]}, None),  # only read: nothing of it is registered
    ],
)  # fmt: skip
def test_no_argument_holds_a_literal_secret(spec: dict, more: dict, wanted: str | None):
    args = {"namespace": "inference", "model": MODEL, "spec": {"modelRef": "m", **spec}, **more}

    def program() -> None:
        InferenceServiceComponent("chat", args)  # type: ignore[arg-type]

    if wanted is None:
        assert render(program).objects()
        return
    with pytest.raises(InvalidArguments) as caught:
        render(program)
    assert wanted in str(caught.value) and "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"image": "https://me:hunter2@host/epp"}, "spec.image"),
        ({"flags": {"api-key": "hunter2"}}, "spec.flags.api-key"),
    ],
)
def test_a_picker_by_itself_holds_none_either(spec: dict, path: str):
    with pytest.raises(InvalidArguments, match="secret") as caught:
        render(lambda: EPPComponent("picker", {"poolName": "pool", "spec": spec}))  # type: ignore[arg-type]
    assert f"EPPComponent picker: {path}: " in str(caught.value) and "hunter2" not in str(caught.value)


def test_waiting_is_skipped_where_it_is_pointless():
    recording = render(service)
    skipped = {"pulumi.com/skipAwait": "true"}
    for name in ("inference/llmkube-model-cache", "chat-service"):
        assert registration(recording, name).inputs["metadata"]["annotations"].items() >= skipped.items()
    assert "pulumi.com/skipAwait" not in registration(recording, "chat-deployment").inputs["metadata"].get(
        "annotations", {}
    )


def test_recorded_objects_are_what_render_prints():
    recording = render(service)
    claim = recording.object("PersistentVolumeClaim", "llmkube-model-cache")
    assert not any(key.startswith("pulumi.com/") for key in claim["metadata"].get("annotations", {}))


def test_a_missing_object_is_named_beside_those_there_are():
    with pytest.raises(LookupError, match=r"no Ingress x was registered; there are: .*Deployment chat"):
        render(service).object("Ingress", "x")


def test_the_callers_options_reach_component_and_children():
    seen: list[str] = []

    def spy(args: pulumi.ResourceTransformationArgs) -> None:
        seen.append(args.type_)

    def program() -> None:
        rendered = RenderedComponent(
            "InferenceServiceComponent", "InferenceService", "n", "x", owned_records({"service": _service()})
        )
        ServiceComponent("n/x", rendered, pulumi.ResourceOptions(transformations=[spy]))

    render(program)
    assert seen == ["modelservices:index:InferenceServiceComponent", "kubernetes:core/v1:Service"]


def _service() -> dict:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x", "namespace": "n"}, "spec": {}}
