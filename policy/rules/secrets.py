"""No literal secret in registered objects: the check of the manifests, applied to everything that the cluster gets.

Exemptions in a manifest's annotation do not apply here: the platform has its list.
"""

from __future__ import annotations

from collections.abc import Iterator

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.scalars import Name
from modelservices.kubernetes.secrets import object_secrets

from ..rule import ObjectRule, Parameters


class LiteralSecret(Parameters):
    notSecrets: list[Name] = []
    """Names of variables, flags, headers and keys that look like secrets but aren't."""


def check(obj: Object, parameters: LiteralSecret) -> Iterator[Problem]:
    checked = {field: value for field, value in obj.items() if field != "status"}
    yield from object_secrets(checked, exempt=parameters.notSecrets)


LITERAL_SECRET = ObjectRule(
    "literal-secret", "No secret stands in an object's text.", "mandatory", LiteralSecret, check
)
