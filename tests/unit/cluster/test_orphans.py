"""Which objects a stack has lost sight of, with a cluster that answers from a table.

That a real API server answers so, after real crashes, is shown in tests/integration/test_recover.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from modelservices.cluster.connection import Cluster, Refused
from modelservices.cluster.orphans import orphans
from modelservices.kubernetes.objects import Key

MARK = "modelservices:organization/modelservices/dev"
VERBS = ["get", "list", "delete"]
APPS = [{"name": "deployments", "kind": "Deployment", "verbs": VERBS}, {"name": "deployments/scale", "kind": "Scale"}]
CORE = [
    {"name": "services", "kind": "Service", "verbs": VERBS},
    {"name": "events", "kind": "Event", "verbs": VERBS},
    {"name": "bindings", "kind": "Binding", "verbs": ["create"]},
    {"name": "secrets", "kind": "Secret", "verbs": VERBS},
]
GROUPS = {"groups": [{"name": "apps", "preferredVersion": {"groupVersion": "apps/v1"}}]}


def item(name: str, *managers: str) -> dict[str, Any]:
    marks = [{"manager": manager} for manager in managers]
    return {"metadata": {"name": name, "namespace": "n", "uid": f"uid-{name}", "managedFields": marks}}


class Table:
    """A cluster by its paths; ``listed`` are the lists that were asked for."""

    def __init__(self, **lists: list[dict[str, Any]]) -> None:
        self.lists = lists
        self.listed: list[str] = []

    def get(self, path: str) -> Mapping[str, Any] | None:
        return {"/apis": GROUPS, "/api/v1": {"resources": CORE}, "/apis/apps/v1": {"resources": APPS}}.get(path)

    def get_metadata(self, path: str) -> Mapping[str, Any]:
        self.listed.append(path)
        plural = path.rpartition("/")[2]
        if plural == "secrets":
            raise Refused(403, "forbidden", f"GET {path}")
        return {"items": self.lists.get(plural, [])}


def found(table: Table, *known: Key) -> list[Key]:
    return [orphan.identity for orphan in orphans(cast(Cluster, table), MARK, known)]


def test_what_bears_the_mark_and_is_not_known() -> None:
    table = Table(
        deployments=[
            item("known", MARK),
            item("lost", "kubectl", MARK),
            item("foreign", "helm"),
            item("other", f"{MARK}2"),
        ],
        services=[item("lost", MARK)],
    )
    assert found(table, Key("apps/v1", "Deployment", "n", "known")) == [
        Key("apps/v1", "Deployment", "n", "lost"),
        Key("v1", "Service", "n", "lost"),
    ]


def test_a_known_object_is_the_same_in_another_version_of_its_api() -> None:
    table = Table(deployments=[item("known", MARK)])
    assert found(table, Key("apps/v1beta2", "Deployment", "n", "known")) == []


def test_one_request_for_each_kind_and_a_kind_that_may_not_be_listed_is_left_out() -> None:
    table = Table(deployments=[item(f"lost-{number}", MARK) for number in range(50)])
    assert len(found(table)) == 50
    assert table.listed == ["/api/v1/services", "/api/v1/secrets", "/apis/apps/v1/deployments"]
