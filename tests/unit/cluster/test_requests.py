"""How many requests a look at the cluster takes, with an API server that answers from a table: what it answers is as
the real one writes it, how long it takes is not shown."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from bench.services import write_each
from modelservices.cluster.connection import Cluster, Refused
from modelservices.cluster.forecast import forecast
from modelservices.cluster.ownership import PREFIX
from modelservices.cluster.preflight import Rules, preflight, wanted
from modelservices.kubernetes.objects import Key, Object, key
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

MANAGER = f"{PREFIX}acme/models/dev"


class Counting(Cluster):
    """A cluster that has ``objects``, and counts requests by method and path."""

    def __init__(self, objects: Iterable[Object], *, may_list: bool = True) -> None:
        super().__init__(None)
        self.there = {key(obj): obj for obj in objects}
        self.may_list = may_list
        self.requests: Counter[str] = Counter()

    def _send(self, method: str, path: str, headers: Mapping[str, str], body: Any = None) -> Mapping[str, Any]:
        self.requests[f"{method} {path.partition('?')[0]}"] += 1
        if method == "PATCH":
            return next(obj for found, obj in self.there.items() if path.partition("?")[0].endswith(f"/{found.name}"))
        version, namespace, plural, name = self._parts(path)
        if not plural:
            kinds = {found.kind for found in self.there if found.api_version == version}
            return {"resources": [{"kind": kind, "name": kind.lower()} for kind in kinds]}
        found = [
            obj
            for found, obj in self.there.items()
            if (found.api_version, found.namespace, found.kind.lower()) == (version, namespace, plural)
        ]
        if not name and not self.may_list:
            raise Refused(403, "forbidden", path)
        if not name:
            return {"items": found}
        return next(obj for obj in found if obj["metadata"]["name"] == name)

    @staticmethod
    def _parts(path: str) -> tuple[str, str, str, str]:
        parts = path.strip("/").split("/")
        version = parts[1] if parts[0] == "api" else "/".join(parts[1:3])
        rest = parts[2:] if parts[0] == "api" else parts[3:]
        namespace, rest = (rest[1], rest[2:]) if rest[:1] == ["namespaces"] else ("", rest)
        plural, name = [*rest, "", ""][:2]
        return version, namespace, plural, name


def plan_of(tmp_path: Any, count: int) -> StackPlan:
    write_each(count, tmp_path)
    return plan_paths([tmp_path], Settings()).raise_for_errors()


def applied(obj: Object) -> Object:
    """An object as the API server has it after it was applied."""
    entry = {"manager": MANAGER, "operation": "Apply", "fieldsV1": {}}
    return {**obj, "metadata": {**obj["metadata"], "managedFields": [entry]}}


def look(plan: StackPlan, cluster: Counting) -> list[str]:
    verdict = preflight(wanted(plan.services, plan.objects), cluster, Rules(MANAGER, "dev"))
    assert (verdict.missing, verdict.stopping) == ([], [])
    return [str(change.identity) for change in forecast(plan.all_objects(), cluster, MANAGER)]


def test_a_stack_that_is_up_is_looked_at_by_kind_and_namespace(tmp_path: Any):
    few, many = (plan_of(tmp_path / str(count), count) for count in (8, 40))
    requests = []
    for plan in (few, many):
        cluster = Counting(applied(obj) for obj in plan.all_objects())
        assert look(plan, cluster) == []
        requests.append(cluster.requests)
    assert requests[0] == requests[1]
    kinds = {found[:3] for found in map(key, many.all_objects())}
    versions = {version for version, _, _ in kinds}
    assert requests[1].total() <= len(versions) + 2 * len(kinds)
    assert max(requests[1].values()) <= 2


def test_work_grows_with_the_number_of_objects(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    calls: Counter[int] = Counter()
    for count in (8, 40):
        plan = plan_of(tmp_path / str(count), count)
        cluster = Counting(applied(obj) for obj in plan.all_objects())

        def counted(obj: Object, count: int = count) -> Key:
            calls[count] += 1
            return key(obj)

        monkeypatch.setattr("modelservices.cluster.preflight.key", counted)
        preflight(wanted(plan.services, plan.objects), cluster, Rules(MANAGER, "dev"))
    assert calls[40] <= 5 * calls[8]


def test_only_a_workload_that_changes_is_asked_for(tmp_path: Any):
    plan = plan_of(tmp_path, 8)
    objects = [applied(obj) for obj in plan.all_objects()]
    cluster = Counting(objects)
    changed = next(obj for obj in objects if key(obj).kind == "Deployment")
    cluster.there[key(changed)] = {**changed, "spec": {**changed["spec"], "replicas": 7}}
    assert look(plan, cluster) == []  # the table answers with what is there
    asked = [request for request in cluster.requests if request.startswith("PATCH")]
    assert asked == [f"PATCH /apis/apps/v1/namespaces/bench/deployment/{changed['metadata']['name']}"]


def test_who_may_not_list_is_answered_object_by_object(tmp_path: Any):
    plan = plan_of(tmp_path, 8)
    cluster = Counting([applied(obj) for obj in plan.all_objects()], may_list=False)
    assert look(plan, cluster) == []
    assert cluster.requests["GET /apis/apps/v1/namespaces/bench/deployment/svc-0000"] == 2
