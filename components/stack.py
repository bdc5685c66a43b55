"""The Pulumi program of a stack: reads its config, plans, looks at the cluster, registers, exports."""

import importlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi

from .cluster.ownership import manager, owner_object
from .cluster.preflight import wanted
from .families.registry import COMPONENTS
from .findings import Finding, InvalidManifests, errors
from .kubernetes.objects import Key, Object, key
from .kubernetes.rendered import RenderedComponent
from .kubernetes.values import mapping
from .manifests.lines import located
from .manifests.reports import text_line
from .planning.adopted import load_adopted
from .planning.identity import OUTPUT, changed_identity, record
from .planning.plan import StackPlan
from .planning.yaml_files import write
from .registration.apply import provider_version, register
from .registration.component import ServiceComponent, pulumi_name, shared_name
from .registration.preflight import forecast_stack, look_at_stack, without_present_chart
from .registration.registered import registered_objects
from .registration.restarts import restarting
from .registration.sdk import config_of, deployed_outputs, leave_out_debug_messages
from .registration.secrets import missing_secrets, register_secret, without_values
from .stack_config import NAMESPACE, Directory, StackConfig, adopted_path, plan_stack, read_config

PROVIDER_DEFAULTS = {"enableConfigMapMutable": "true", "enableSecretMutable": "true"}
"""Update a changed ConfigMap or Secret in place. By default the provider recreates it, under running pods."""


def run(root: Path | None = None) -> None:
    """Plan the current stack and register it. Raises RunError with every problem before anything is registered.

    ``root`` is the folder to which the config's paths are relative: the program's, by default the working directory.
    """
    leave_out_debug_messages()
    try:
        config = _config()
        plan = _plan(config, root or Path.cwd())
    except InvalidManifests as error:
        raise pulumi.RunError(_report(error.findings)) from None
    _say(plan.findings)
    if isinstance(config.target, Directory):
        _export_identity(plan)
        _write(plan, Path(config.target.directory))
        pulumi.export("services", {_name(service): {"kind": service.kind} for service in plan.services})
        return
    if config.settings.restartOnChange:
        plan = _restarting(plan, config, root or Path.cwd())
    plan = _preflight(plan, config)
    _export_identity(plan)
    opts = pulumi.ResourceOptions(provider=_provider())
    components = register_plan(plan, create_namespaces=config.createNamespaces, opts=opts)
    pulumi.export("services", {name: _summary(component) for name, component in components.items()})


def _config() -> StackConfig:
    values = {name: _parsed(text) for name, (text, is_secret) in config_of(NAMESPACE).items() if not is_secret}
    return read_config(values, f"Pulumi.{pulumi.get_stack()}.yaml")


def _parsed(text: str) -> Any:
    """A config value. Pulumi passes structured values as JSON text, and plain values unchanged."""
    try:
        return json.loads(text) if text[:1] in "[{" else text
    except ValueError:
        return text


def _plan(config: StackConfig, root: Path) -> StackPlan:
    namespace = pulumi.Config("kubernetes").get("namespace") or "default"
    plan = plan_stack(config, pulumi.get_stack(), root, namespace).raise_for_errors()
    changed = changed_identity(_deployed_output(OUTPUT), plan.documents)
    findings = (*plan.findings, *missing_secrets(plan.secrets), *changed)
    return replace(plan, findings=findings).raise_for_errors()


def _restarting(plan: StackPlan, config: StackConfig, root: Path) -> StackPlan:
    """The plan with digests of what pods read. Workloads that were taken over keep their pods unchanged."""
    adopted = load_adopted(adopted_path(config, pulumi.get_stack(), root))
    secrets = pulumi.Config(NAMESPACE)
    return restarting(plan, secrets.require, {workload.identity for workload in adopted.workloads})


def _deployed_output(name: str) -> Mapping[str, Any]:
    """A mapping among the stack's outputs, as the last update left it; empty if there is none.

    If the state can't be read, a warning says that nothing is compared with it.
    """
    try:
        return mapping(deployed_outputs().get(name))
    except Exception as error:
        pulumi.log.warn(f"the stack's state can't be read, so {name} is not compared with it: {error}")
        return {}


def _export_identity(plan: StackPlan) -> None:
    """Export the identities before anything is registered, to record those of a failed update as well."""
    identity = record(plan.documents)
    if identity:
        pulumi.export(OUTPUT, identity)


def _report(findings: Iterable[Finding]) -> str:
    wrong = errors(findings)
    count = "1 problem" if len(wrong) == 1 else f"{len(wrong)} problems"
    return "\n".join([f"{count}; nothing was changed:", *(f"  {text_line(finding)}" for finding in located(wrong))])


def _say(findings: Iterable[Finding]) -> None:
    """Log warnings and infos in one message per severity, because each message is a request to the engine."""
    for severity, log in (("warning", pulumi.log.warn), ("info", pulumi.log.info)):
        lines = [str(finding) for finding in findings if finding.severity == severity]
        if lines:
            log("\n".join(lines))


def _preflight(plan: StackPlan, config: StackConfig) -> StackPlan:
    """Look at the cluster before anything is registered. Returns the plan without objects that others installed."""
    adopt = frozenset(config.adopt) if isinstance(config.adopt, list) else config.adopt
    planned = wanted(plan.services, [*plan.objects, *map(without_values, plan.secrets)], _identities(plan, config))
    verdict = look_at_stack(planned, adopt=adopt, allow_replace=config.settings.allowReplace)
    removed = removed_services(_deployed_output("services"), plan)
    forecast_stack(plan.all_objects(), list(removed), require_nodes=config.settings.requireNodes)
    return replace(plan, services=without_present_chart(plan.services, verdict.present))


def removed_services(deployed: Mapping[str, Any], plan: StackPlan) -> Iterator[str]:
    """A line for each service in the last update's output that the manifests no longer have."""
    planned = {(_name(service), service.kind) for service in plan.services}
    for name, service in deployed.items():
        kind = mapping(service).get("kind")
        if kind and (name, kind) not in planned:
            pods = int(mapping(service).get("desiredReplicas") or 0)
            stop = f", and its {pods} {'pod stops' if pods == 1 else 'pods stop'}" if pods else ""
            yield f"{kind} {name}: removed{stop}"


def _identities(plan: StackPlan, config: StackConfig) -> list[Key]:
    """Objects besides the rendered ones that belong to this stack alone."""
    mark = manager(pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack())
    kept = [key(owner_object(obj, mark)) for obj in plan.chart]
    namespaces = [Key("v1", "Namespace", "", name) for name in plan.namespaces()] if config.createNamespaces else []
    return [*kept, *namespaces]


def _write(plan: StackPlan, folder: Path) -> None:
    if plan.secrets:
        names = ", ".join(f"{secret.namespace}/{secret.name}" for secret in plan.secrets)
        pulumi.log.warn(f"Secrets are not written to a directory: {names}")
    for secret in plan.certificates():
        pulumi.log.warn(f"{secret} is not written to a directory: its certificate is made when it is registered")
    if pulumi.runtime.is_dry_run():
        return
    try:
        write(plan.writable(chart=True), folder)
    except OSError as error:
        raise pulumi.RunError(f"the YAML can't be written: {error}") from None


def _provider() -> pulumi.ProviderResource:
    settings = {
        name: pulumi.Output.secret(text) if is_secret else text
        for name, (text, is_secret) in config_of("kubernetes").items()
    }
    opts = pulumi.ResourceOptions(version=provider_version())
    return pulumi.ProviderResource("kubernetes", "kubernetes", {**PROVIDER_DEFAULTS, **settings}, opts)


def register_plan(
    plan: StackPlan, *, create_namespaces: bool = False, opts: pulumi.ResourceOptions | None = None
) -> dict[str, ServiceComponent]:
    """Register a plan, services before those that wait for them. Returns components by ``namespace/name``."""
    if create_namespaces:
        for namespace in plan.namespaces():
            obj: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            register(shared_name(obj), obj, registered_objects(), opts)
    for secret in plan.secrets:
        register_secret(secret, opts)
    in_turn = sorted(plan.services, key=lambda service: bool(service.after))
    components: dict[str, ServiceComponent] = {}
    for service in in_turn:  # called from here: Pulumi keeps each resource's whole call stack in the state
        components[_name(service)] = _component_class(service)(_name(service), service, opts)
    for obj in plan.objects:
        register(pulumi_name(obj), obj, registered_objects(), opts)
    return components


def _component_class(service: RenderedComponent) -> type[ServiceComponent]:
    module = importlib.import_module(f".{COMPONENTS[service.component]}", __package__)
    return getattr(module, service.component)


def _name(service: RenderedComponent) -> str:
    return f"{service.namespace}/{service.name}"


def _summary(component: ServiceComponent) -> Mapping[str, Any]:
    outputs = ("phase", "endpoint", "readyReplicas", "desiredReplicas", "conditions", "details")
    return {"kind": component.rendered.kind, **{name: getattr(component, name) for name in outputs}}
