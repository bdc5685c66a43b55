"""The plugin's server: lists the components and constructs them for programs in other languages."""

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
"""The components' classes; the type of each is ``modelservices:index:<class>``."""
SCHEMA = Path(__file__).with_name("schema.json")
"""Generated from the models of the components' arguments: `make generate`."""


def serve(arguments: Sequence[str]) -> None:
    """Answer the engine's calls until it ends this process."""
    server.ProviderServicer = Servicer  # server.main has no parameter for it
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
    """The gRPC service: receives a call for each component, in one or several engine runs."""

    def __init__(self, *arguments: Any, engine_address: str) -> None:
        super().__init__(*arguments, engine_address=engine_address)
        self._runs: defaultdict[str, Registered] = defaultdict(Registered)

    async def Construct(self, request: Any, context: Any) -> Any:
        try:
            return await super().Construct(request, context)
        except pulumi.RunError as error:
            # If raised, the user would see the name of its Python class.
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))

    def _construct_options(self, request: Any) -> pulumi.ResourceOptions:
        # The connection to the engine exists by now, the component doesn't yet. Each call has a separate connection;
        # the stack's shared objects come with the first component that needs them.
        continue_run(self._runs[request.monitorEndpoint])
        leave_out_debug_messages()
        options = super()._construct_options(request)
        for package, provider in (options.providers or {}).items() if isinstance(options.providers, dict) else ():
            # The SDK knows these providers only by URN; their names distinguish a program's clusters.
            provider._name = request.providers[package].rpartition("::")[0].rpartition("::")[2]
        return options
