"""The string types that the CRDs of this API share."""

from typing import Annotated

from pydantic import Field

from ...kubernetes.exact import ExactText, matching

_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"

Group = Annotated[
    ExactText, Field(max_length=253), *matching(f"({_DNS})?", "empty or a lower-case API group such as example.com")
]
KindName = Annotated[
    ExactText,
    Field(min_length=1, max_length=63),
    *matching(r"[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?", "a kind such as Service"),
]
ObjectName = Annotated[ExactText, Field(min_length=1, max_length=253)]
NamespaceName = Annotated[
    ExactText,
    Field(min_length=1, max_length=63),
    *matching(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", "a namespace: lower-case letters, digits and '-'"),
]
ControllerName = Annotated[
    ExactText,
    Field(min_length=1, max_length=253),
    *matching(_DNS + r"/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", "a domain and a path such as example.net/import-controller"),
]
LabelValue = Annotated[
    ExactText,
    Field(max_length=63),
    *matching(
        r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
        "a label value: letters, digits, '-', '_' or '.', with a letter or digit at both ends",
    ),
]
ConditionType = Annotated[
    ExactText,
    Field(max_length=316),
    *matching(rf"({_DNS}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])", "a condition type such as Accepted"),
]
ConditionReason = Annotated[
    ExactText,
    Field(min_length=1, max_length=1024),
    *matching(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", "a reason in CamelCase"),
]
