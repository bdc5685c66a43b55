"""Validates rendered objects strictly against an API server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from kubernetes.client import ApiException
from kubernetes.dynamic import DynamicClient

from modelservices.findings import errors
from modelservices.kubernetes.objects import Object
from modelservices.planning.plan import StackPlan


class Asked(NamedTuple):
    """The number of objects sent to the server, the number of cases that render nothing because we reject the input,
    and the server's rejections."""

    objects: int
    refused_here: int
    refused: list[str]


def asked(api: DynamicClient, cases: Iterable[tuple[str, StackPlan, list[Object]]]) -> Asked:
    """The result for cases, each with a name, a plan, and those of its objects that this server knows."""
    seen, refused_here, refused = 0, 0, []
    for name, plan, objects in cases:
        if errors(plan.findings):
            refused_here += 1
            continue
        seen += len(objects)
        refused += [f"{name}: {text}" for obj in objects if (text := refusal(api, obj))]
    return Asked(seen, refused_here, refused)


def refusal(api: DynamicClient, obj: dict[str, Any]) -> str:
    """Why the server would reject the object, or an empty text; nothing is stored."""
    resource = api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
    where = {"namespace": "default"} if resource.namespaced else {}
    body = {**obj, "metadata": {**obj["metadata"], **where}}
    try:
        resource.server_side_apply(
            body=body,
            name=body["metadata"]["name"],
            field_manager="test",
            force_conflicts=True,  # another test may have a cluster-wide object with this name
            dry_run="All",
            field_validation="Strict",
            **where,
        )
    except ApiException as error:
        return f"{obj['kind']}: {error.body}"
    return ""
