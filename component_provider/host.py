"""The plugin's server: which components there are, and how one is constructed for a program in another language."""

import json
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pulumi
from pulumi.provider import ConstructResult, server
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.experimental.schema import generate_schema

import modelservices
from modelservices.families.registry import COMPONENTS as MODULES
from modelservices.registration.outputs import whole_numbers
from modelservices.registration.registered import Registered, continue_run

from .descriptions import DescribingAnalyzer

NAME = "modelservices"
COMPONENTS: list[type[pulumi.ComponentResource]] = [getattr(modelservices, name) for name in sorted(MODULES)]


def serve(arguments: Sequence[str]) -> None:
    """Answer the engine until it ends this process."""
    server.ProviderServicer = Servicer  # server.main takes no other one
    server.main(Components(), list(arguments))


class Components(ComponentProvider):
    """Constructs the components by their type tokens."""

    def __init__(self) -> None:
        super().__init__(COMPONENTS, NAME, version=_version())
        self.schema = _schema()

    def construct(
        self, name: str, resource_type: str, inputs: pulumi.Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        try:
            return super().construct(name, resource_type, whole_numbers(inputs), options)
        except server.ComponentInitError as error:
            if isinstance(error.inner, pulumi.RunError):
                raise error.inner from None
            raise


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
        options = super()._construct_options(request)
        for package, provider in (options.providers or {}).items() if isinstance(options.providers, dict) else ():
            # The SDK knows these providers by their URN only; their names tell the clusters of a program apart.
            provider._name = request.providers[package].rpartition("::")[0].rpartition("::")[2]
        return options


def _schema() -> str:
    """The schema as the SDK infers it, with the descriptions that its own analyzer does not see."""
    found = DescribingAnalyzer(NAME).analyze(COMPONENTS)
    schema = generate_schema(
        NAME, _version(), None, found["component_definitions"], found["type_definitions"], list(found["dependencies"])
    )
    return json.dumps(schema.to_json())


def _version() -> str:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    return project["project"]["version"]
