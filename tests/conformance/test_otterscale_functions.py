"""The exported functions, constants and builders of the OtterScale document, called one by one.

Each row names an upstream function; the table below maps it to a call of ours with its arguments. Arguments that a
builder gets directly (labels, names, the picker's replicas) are passed to ours directly.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from modelservices.families.otterscale import deployment as serving
from modelservices.families.otterscale import (
    devices,
    http_route,
    labels,
    names,
    pod_monitor,
    render,
    unpack,
)
from modelservices.families.otterscale import inference_pool as pool
from modelservices.families.otterscale.settings import EndpointPickerSettings, OtterScaleSettings
from modelservices.families.otterscale.spec import ModelService, ModelServiceSpec, Parallelism, RoleSpec
from modelservices.kubernetes.core import ResourceRequirements
from modelservices.kubernetes.endpoint_picker import (
    cluster_role,
    config_map,
    deployment,
    destination_rule,
    inference_pool,
    plugins,
    role,
    service,
    service_account,
    service_monitor,
    token_secret,
)
from modelservices.kubernetes.endpoint_picker import labels as picker_labels
from modelservices.kubernetes.endpoint_picker.spec import EndpointPickerSpec
from modelservices.kubernetes.endpoint_picker.status import READY
from modelservices.kubernetes.metadata import metadata
from modelservices.kubernetes.propagation import propagate
from tests.conformance.otterscale_objects import differences, masked
from tests.conformance.reference import HERE, cases, load_yaml

DATA = HERE / "otterscale"
_LEAST = {"model": {"name": "m", "image": "i"}, "engine": {}, "accelerator": {"type": "cpu"}, "decode": {}}


def rows(file: str) -> list[list[str]]:
    return list(csv.reader((DATA / file).open(), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def of_service(function: Callable[[str], str]) -> Callable[[str], str]:
    """Our function takes the picker's name where upstream's takes the ModelService's."""
    return lambda name: function(names.picker_name(name))


def picker(spec: Mapping[str, Any]) -> EndpointPickerSpec:
    return EndpointPickerSpec(name="x-epp", poolName="x", prefill="prefill" in spec)


def data_hash(spec: Mapping[str, Any]) -> str:
    return config_map.config_hash(plugins.config_data(picker(spec)))


def default_images(spec: Mapping[str, Any], defaults: Mapping[str, str]) -> dict[str, str]:
    given = {"engine": "", "epp": "", "routingProxy": "", **defaults}
    settings = OtterScaleSettings.model_validate({"defaultImages": given})
    filled = render.with_default_images(ModelServiceSpec.model_validate({**_LEAST, **spec}), settings)
    parts = {
        "engine": filled.engine,
        "routingProxy": filled.routingProxy,
        "endpointPicker": filled.inferencePool and filled.inferencePool.endpointPicker,
    }
    return {name: part.image for name, part in parts.items() if part is not None}


def replicas(value: int | None) -> int:
    return RoleSpec.model_validate({} if value is None else {"replicas": value}).replicas


def role_labels(target: str) -> Callable[..., dict[str, str]]:
    """Upstream's arguments are (service, component, version, role); each function has only the ones that it uses."""
    return lambda name, component, version="", role="": propagate(
        labels.role_layers(name, component, role, version, {}), target
    )


def with_devices(resources: Mapping[str, Any], accelerator: str, count: int) -> dict[str, Any]:
    return devices.with_devices(ResourceRequirements.model_validate(resources), accelerator, count)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "SanitizeDNS1035Label": names.sanitize,
    "EPPName": names.picker_name,
    "EPPNameForService": names.picker_name,
    "EPPServiceMonitorName": names.picker_name,
    "EPPConfigMapName": of_service(config_map.config_map_name),
    "EPPSecretName": of_service(token_secret.token_secret_name),
    "EPPClusterRBACName": lambda namespace, name: cluster_role.cluster_rbac_name(namespace, names.picker_name(name)),
    "DecodeName": lambda service: names.role_name(service, "decode"),
    "PrefillName": lambda service: names.role_name(service, "prefill"),
    "InferencePoolName": names.pool_name,
    "HTTPRouteName": names.route_name,
    "PodMonitorName": names.role_name,
    "EPPLabels": lambda name, version: propagate(
        picker_labels.picker_layers(names.picker_name(name), version, {}), "objects"
    ),
    "EPPSelectorLabels": lambda name: propagate(
        picker_labels.picker_layers(names.picker_name(name), "v", {}), "selector"
    ),
    "HTTPRouteLabels": lambda name, version: propagate(labels.pool_layers(name, version), "pool"),
    "InferencePoolLabels": lambda name, version: propagate(labels.pool_layers(name, version), "pool"),
    "InferencePoolSelectorLabels": lambda name: propagate(labels.pool_layers(name, "v"), "pool-selector"),
    "LabelsForRole": role_labels("monitor"),
    "PodLabelsForRole": role_labels("pods"),
    "SelectorLabelsForRole": lambda name, component, role: role_labels("selector")(name, component, "v", role),
    "DefaultReplicas": replicas,
    "GPUCount": lambda sizes: devices.device_count(
        Parallelism.model_construct(**{"tensor": 1, "dataLocal": 1, **sizes})
    ),
    "GPUResourceName": lambda accelerator: devices.RESOURCES.get(accelerator, ""),
    "InjectGPUResources": with_devices,
    "PluginsConfigFile": lambda spec: plugins.config_file(picker(spec)),
    "ApplyImageDefaults": default_images,
    "ConfigMapHash.equal": lambda one, other: data_hash(one) == data_hash(other),
    "ConfigMapHash.length": lambda spec: len(data_hash(spec)),
    "ConfigMapHash.ofData": config_map.config_hash,
}


@pytest.mark.parametrize(("function", "arguments", "result"), rows("functions.tsv"))
def test_function(function: str, arguments: str, result: str) -> None:
    assert FUNCTIONS[function](*json.loads(arguments)) == json.loads(result)


CONSTANTS: dict[str, Any] = {
    "ModelTmpVolumeName": unpack.SCRATCH_VOLUME,
    "ModelTmpMountPath": unpack.SCRATCH_PATH,
    "ProviderIstio": EndpointPickerSettings().provider,
    "ProviderGKE": EndpointPickerSettings(provider="gke").provider,
    "ProviderNone": EndpointPickerSettings(provider="none").provider,
    "DefaultPluginsConfigFile": plugins.DEFAULT_FILE,
    "PDPluginsConfigFile": plugins.PREFILL_DECODE_FILE,
    "ConditionTypeReady": READY,
    "ComponentDecode": labels.COMPONENT_DECODE,
    "ComponentPrefill": labels.COMPONENT_PREFILL,
    "ComponentEPP": picker_labels.COMPONENT_PICKER,
    "ModelVolumeName": unpack.MODEL_VOLUME,
    "DockerConfigVolumeName": unpack.CREDENTIALS_VOLUME,
    "DockerConfigMountPath": unpack.CREDENTIALS_PATH,
    "LabelRole": labels.ROLE,
    "LabelInferenceServer": labels.SERVER,
    "LabelInferenceServing": labels.SERVING,
    "LabelModel": labels.MODEL,
    "LabelInferencePool": picker_labels.POOL,
    "LabelValueTrue": labels.TRUE,
    "RoleDecode": labels.DECODE,
    "RolePrefill": labels.PREFILL,
    "FinalizerClusterRBAC": names.CLUSTER_RBAC_FINALIZER,
    "DefaultEPPExtProcPort": inference_pool.EXT_PROC_PORT,
    "DefaultGatewayGroup": http_route.GATEWAY_GROUP,
    "DefaultGatewayKind": http_route.GATEWAY_KIND,
    "DefaultGatewayNamespace": http_route.GATEWAY_NAMESPACE,
    "HeaderOtterScaleModelName": http_route.MODEL_HEADER,
    "PoolGroupAPIGroup": inference_pool.GROUP,
}


@pytest.mark.parametrize(("constant", "value"), rows("constants.tsv"))
def test_constant(constant: str, value: str) -> None:
    assert CONSTANTS[constant] == json.loads(value)


class Call:
    """A direct call of a builder: the ModelService as written (without defaults or validation) and the arguments."""

    def __init__(self, folder: Path) -> None:
        call = load_yaml(folder / "call.yaml")[0]
        self.function: str = call["function"]
        self.args: dict[str, Any] = call["args"]
        self.settings = OtterScaleSettings.model_validate(
            {"kitImage": self.args.get("kitImage", ""), "epp": self.args.get("eppConfig", {})}
        )
        self.service = _as_written(call["modelService"])
        self.labels: dict[str, str] = self.args.get("metadataLabels", {})
        self.selector: dict[str, str] = self.args.get("selectorLabels", {})

    @property
    def spec(self) -> ModelServiceSpec:
        return self.service.spec

    @property
    def picker(self) -> EndpointPickerSpec:
        return render.picker_spec(self.service, self.spec, self.settings)


def _as_written(written: dict[str, Any]) -> ModelService:
    """The ModelService without our defaults for the model image and the failure mode, which builders don't have."""
    given = json.loads(json.dumps(written))
    has_image = "image" in given["spec"]["model"]
    given["spec"]["model"].setdefault("image", "none")
    if "inferencePool" in given["spec"]:
        given["spec"]["inferencePool"]["endpointPicker"].setdefault("failureMode", "FailClose")
    service = ModelService.model_validate(given)
    if has_image:
        return service
    model = service.spec.model.model_copy(update={"image": ""})
    return service.model_copy(update={"spec": service.spec.model_copy(update={"model": model})})


def _deployment(call: Call) -> dict[str, Any]:
    own = serving.Role(call.args["roleName"], call.args["deployName"], getattr(call.spec, call.args["role"]))
    given = serving.RoleLabels(call.labels, call.args.get("podLabels", {}), call.selector)
    plain = call.settings.model_copy(update={"servingProbes": False, "shmForTensorParallel": False})
    return serving.serving_deployment(call.spec, own, call.service.namespace, given, plain)


def _role(call: Call) -> list[dict[str, Any]]:
    spec = call.picker.model_copy(update={"replicas": call.args["replicas"]})
    return [role.role(spec, call.labels), role.role_binding(spec, call.labels)]


def _pool(call: Call, *, explicit: bool) -> dict[str, Any]:
    spec = call.picker if explicit else call.picker.model_copy(update={"port": inference_pool.EXT_PROC_PORT})
    selector = propagate(labels.pool_layers(call.service.name, ""), "pool-selector")
    reference = service.reference(spec)
    name, namespace = call.service.name, call.service.namespace
    return pool.inference_pool(name, namespace, call.labels, selector, call.spec.engine.port, reference)


def _route(call: Call) -> dict[str, Any]:
    name, namespace, given = call.service.name, call.service.namespace, call.spec.httpRoute
    if given is None:
        parent = http_route.default_parent(call.args["gatewayName"])
        return http_route.http_route(name, namespace, call.labels, call.args["poolName"], parent)
    parent = http_route.explicit_parent(given, namespace)
    return http_route.http_route(name, namespace, call.labels, names.pool_name(name), parent, given.hostnames)


def _pod_monitor(call: Call) -> dict[str, Any]:
    name = names.role_name(call.service.name, call.args["roleName"])
    given = call.spec.monitoring.podMonitor
    return pod_monitor.pod_monitor(name, call.service.namespace, call.labels, call.selector, given)


def _service_monitor(call: Call) -> dict[str, Any]:
    """Built regardless of the switches, with a token if metrics require one."""
    spec = call.picker.model_copy(update={"metricsReader": True})
    selector = propagate(picker_labels.picker_layers(spec.name, "", {}), "selector")
    return service_monitor.service_monitor(spec, call.labels, selector)


BUILDERS: dict[str, Callable[[Call], Any]] = {
    "BuildDeployment": _deployment,
    "BuildEPPClusterRBAC": lambda call: [
        cluster_role.cluster_role(call.picker, call.labels),
        cluster_role.cluster_role_binding(call.picker, call.labels),
    ],
    "BuildEPPConfigMap": lambda call: config_map.config_map(call.picker, call.labels),
    "BuildEPPDeployment": lambda call: deployment.deployment(
        call.picker, call.labels, call.selector, call.args["configHash"]
    ),
    "BuildEPPRBAC": _role,
    "BuildEPPSATokenSecret": lambda call: token_secret.token_secret(call.picker, call.labels),
    "BuildEPPService": lambda call: service.service(call.picker, call.labels, call.selector),
    "BuildEPPServiceAccount": lambda call: service_account.service_account(call.picker, call.labels),
    "BuildEPPServiceMonitor": _service_monitor,
    "BuildDestinationRule": lambda call: destination_rule.destination_rule(
        metadata(call.picker.name, call.picker.namespace, call.labels)
    ),
    "BuildDefaultInferencePool": lambda call: _pool(call, explicit=False),
    "BuildInferencePool": lambda call: _pool(call, explicit=True),
    "BuildDefaultHTTPRoute": _route,
    "BuildHTTPRoute": _route,
    "BuildPodMonitor": _pod_monitor,
}

DEPARTURES = (
    "spec.template.spec.enableServiceLinks: ours false, reference nothing",
    'args[6]: ours "--secure-proxy=false", reference nothing',
)
"""Departures L16 and O7 of departures.yaml, which also apply to the builders."""


@pytest.mark.parametrize("folder", cases("otterscale", "builders"), ids=lambda folder: folder.name)
def test_builder(folder: Path) -> None:
    call = Call(folder)
    built = BUILDERS[call.function](call)
    ours = built if isinstance(built, list) else [built]
    if "configHash" not in call.args:
        ours = masked(ours)
    found = differences(ours, load_yaml(folder / "expected.yaml"))
    assert [line for line in found if not line.endswith(DEPARTURES)] == []
