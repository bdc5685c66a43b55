"""The plugin's server: which components there are, and how one is constructed for a program in another language."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pulumi
from pulumi.provider import ConstructResult, Provider, server

import modelservices
from modelservices.families.registry import COMPONENTS as MODULES
from modelservices.registration.outputs import whole_numbers
from modelservices.registration.registered import Registered, continue_run
from modelservices.registration.sdk import leave_out_debug_messages

NAME = "modelservices"
COMPONENTS = frozenset(MODULES)
"""Classes of the components, each of the type ``modelservices:index:<class>``."""
SCHEMA = Path(__file__).with_name("schema.json")
"""Generated from the models of the components' arguments: `make generate`."""


def serve(arguments: Sequence[str]) -> None:
    """Answer the engine until it ends this process."""
    server.ProviderServicer = Servicer  # server.main takes no other one
    server.main(Components(), list(arguments))


class Components(Provider):
    """Constructs the components by their type tokens."""

    def __init__(self) -> None:
        text = SCHEMA.read_text()
        described = json.loads(text)
        super().__init__(described["version"], text)
        self._outputs = {token: tuple(body["properties"]) for token, body in described["resources"].items()}

    def construct(
        self, name: str, resource_type: str, inputs: pulumi.Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        if resource_type not in self._outputs:
            raise pulumi.RunError(f"there is no {resource_type}; there are {', '.join(sorted(COMPONENTS))}")
        component = getattr(modelservices, resource_type.rpartition(":")[2])(name, whole_numbers(inputs), options)
        state = {output: getattr(component, output, None) for output in self._outputs[resource_type]}
        return ConstructResult(component.urn, {key: value for key, value in state.items() if value is not None})


class Servicer(server.ProviderServicer):
    """The protocol's side: one call for each component, of one engine run or of several."""

    def __init__(self, *arguments: Any, engine_address: str) -> None:
        super().__init__(*arguments, engine_address=engine_address)
        self._runs: defaultdict[str, Registered] = defaultdict(Registered)

    async def Construct(self, request: Any, context: Any) -> Any:
        try:
            return await super().Construct(request, context)
        except pulumi.RunError as error:
            # Raised, it would reach the user with the name of its Python class.
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))

    def _construct_options(self, request: Any) -> pulumi.ResourceOptions:
        # The connection to the engine is there by now, the component is not yet: each call has one of its own, and what
        # belongs to the stack comes with the first component that needs it.
        continue_run(self._runs[request.monitorEndpoint])
        leave_out_debug_messages()
        options = super()._construct_options(request)
        for package, provider in (options.providers or {}).items() if isinstance(options.providers, dict) else ():
            # The SDK knows these providers by their URN only; their names tell the clusters of a program apart.
            provider._name = request.providers[package].rpartition("::")[0].rpartition("::")[2]
        return options
