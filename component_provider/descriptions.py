"""Descriptions of inherited properties, which the SDK's schema inference does not find by itself."""

import inspect

from pulumi.provider.experimental.analyzer import Analyzer

from modelservices.registration.arguments import ServiceArgs
from modelservices.registration.component import ServiceComponent

BASES = (ServiceArgs, ServiceComponent)
"""The classes that components and their arguments inherit properties from. (A TypedDict does not know its bases.)"""


class DescribingAnalyzer(Analyzer):
    """Takes a property's description from the class that declares it, on one line."""

    def get_docstring(self, typ: type, name: str) -> str | None:
        """The text below the property in the source of ``typ``, else of a base; None where there is none."""
        for declaring in (typ, *BASES):
            found = super().get_docstring(declaring, name)
            if found:
                return " ".join(inspect.cleandoc(found).split())
        return None
