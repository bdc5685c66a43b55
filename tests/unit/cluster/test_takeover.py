"""Taking over on a cluster that answers from a table. What a real API server does with it is in tests/integration."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster, Lookup
from modelservices.cluster.managed_fields import handed_over, states_fields
from modelservices.cluster.takeover import Row, Survey, makers_of, needed_by, prepare
from modelservices.commands import adopt
from modelservices.kubernetes.list_keys import duplicates, without_duplicates
from modelservices.kubernetes.objects import Key, Object, key
from modelservices.planning.adopted import adopted_workload, keep_pods

MARK = "modelservices:o/p/dev"
OWNER = {"apiVersion": "inference.llmkube.dev/v1alpha1", "kind": "InferenceService", "name": "chat", "uid": "1"}
DEPLOYMENTS = "/apis/apps/v1/deployments"


def workload(**container: Any) -> Object:
    template = {"metadata": {"labels": {"app": "chat"}}, "spec": {"containers": [{"name": "server", **container}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "chat"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "chat", "namespace": "n"}, "spec": spec}


def live(obj: Object, *, manager: str = "manager", owned: bool = True) -> Object:
    fields = {
        "resourceVersion": "7",
        "uid": "u",
        "managedFields": [{"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}}],
        **({"ownerReferences": [OWNER]} if owned else {}),
    }
    return {**obj, "metadata": {**obj["metadata"], **fields}}


@dataclass
class Table:
    live: dict[Key, Object]
    controllers: list[Object] = field(default_factory=list)
    patches: list[tuple[Key, Any]] = field(default_factory=list)
    refused: dict[Key, str] = field(default_factory=dict)

    def objects(self, identities: Iterable[Key]) -> Lookup:
        wanted = [*identities]
        there = {identity: self.live[identity] for identity in wanted if identity in self.live}
        return Lookup(there, {identity: self.refused[identity] for identity in wanted if identity in self.refused})

    metadata = objects

    def resources(self, api_version: str) -> Mapping[str, str]:
        return {found.kind: found.kind.lower() for found in self.live if found.api_version == api_version}

    def get(self, path: str) -> Mapping[str, Any]:
        return {"items": self.controllers if path == DEPLOYMENTS else []}

    def patch(self, identity: Key, body: Any, content_type: str) -> None:
        self.patches.append((identity, body))


def survey(*objects: Object, controllers: Iterable[Object] = ()) -> tuple[Survey, Table]:
    table = Table({key(obj): obj for obj in objects}, list(controllers))
    return Survey(cast(Cluster, table), MARK, {}), table


def row(rendered: Object, *objects: Object, controllers: Iterable[Object] = ()) -> Row:
    return survey(*objects, controllers=controllers)[0].rows([rendered])[0]


def controller(replicas: int) -> Object:
    pod = {"spec": {"containers": [{"name": "manager", "image": "ghcr.io/defilantech/llmkube-controller:0.9"}]}}
    metadata = {"name": "llmkube-controller-manager", "namespace": "llmkube-system"}
    return {"metadata": metadata, "spec": {"replicas": replicas, "template": pod}}


def test_an_operators_workload_keeps_its_live_template():
    found = row(workload(image="ours"), live(workload(image="theirs")))
    assert (found.whose, found.owner, found.problems) == ("operator", "InferenceService chat (manager)", ())
    assert found.entry is not None
    assert found.entry.spec["template"]["spec"]["containers"] == [{"name": "server", "image": "theirs"}]
    assert (found.differs, str(found.pods), found.restarts) == ((), "2 pods", False)


def custom(**spec: Any) -> Object:
    metadata = {"name": "chat", "namespace": "n"}
    return {"apiVersion": OWNER["apiVersion"], "kind": "InferenceService", "metadata": metadata, "spec": spec}


def test_a_change_of_the_manifest_is_named_and_made_when_asked_for():
    """The custom resource still says what the live pods run: the manifest's new image is a restart that is due."""
    there, rendered = live(workload(image="a:1")), workload(image="a:2")
    table = Table({key(there): there, key(custom()): custom(image="a:1", replicas=2)})
    (found,) = Survey(cast(Cluster, table), MARK, {}, None, [custom(image="a:2")]).rows([rendered])
    assert (found.edited, found.differs, found.restarts) == (("spec.image",), (), False)
    looker = Survey(cast(Cluster, table), MARK, {}, None, [custom(image="a:2")], with_changes=True)
    (found,) = looker.rows([rendered])
    assert found.edited == ("spec.image",)
    assert (found.differs, found.restarts) == (("spec.template.spec.containers[server].image",), True)
    assert found.entry is not None
    assert keep_pods(rendered, found.entry)["spec"]["template"] == rendered["spec"]["template"]
    looker = Survey(cast(Cluster, table), MARK, {}, None, [custom(image="a:1")])
    (found,) = looker.rows([rendered])
    assert (found.edited, found.differs, found.restarts) == ((), (), False)


def test_a_change_that_kept_pods_hide_is_in_their_entry():
    there = live(workload(image="a:1"))
    table = Table({key(there): there, key(custom()): custom(image="a:1")})
    (found,) = Survey(cast(Cluster, table), MARK, {}, None, [custom(image="a:2")]).rows([workload(image="a:2")])
    assert found.entry is not None and found.entry.due == ["spec.image"]


LLM = {"apiVersion": "serving.kserve.io/v1alpha2", "kind": "LLMInferenceService", "name": "chat", "uid": "1"}


def llm(
    kind: str = LLM["kind"], name: str = "chat", namespace: str = "n", version: str = "v1alpha2", **spec: Any
) -> Object:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": f"serving.kserve.io/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def config(namespace: str, name: str = "base", **spec: Any) -> Object:
    return llm("LLMInferenceServiceConfig", name, namespace, **spec)


def edited(manifests: list[Object], *there: Object, builds_on: Sequence[Object] = ()) -> tuple[str, ...]:
    """What adopt names for a workload of an LLMInferenceService, with these custom resources in the cluster."""
    obj = live(workload(image="a:1"))
    obj["metadata"]["ownerReferences"] = [LLM]
    table = Table({key(each): each for each in (obj, *there)})
    return _edited(table, manifests, builds_on)[0].edited


def _edited(table: Table, manifests: list[Object], builds_on: Sequence[Object]) -> tuple[Row, Survey]:
    used = {key(llm()).reference: [*map(key, builds_on)]}
    survey = Survey(cast(Cluster, table), MARK, {}, None, manifests, builds_on=used)
    (found,) = survey.rows([workload(image="a:2")])
    assert found.entry is not None and tuple(found.entry.due) == found.edited
    return found, survey


def test_a_config_that_changed_is_named_by_the_services_that_build_on_it():
    service, there, changed = llm(), config("n", labels={"a": "1"}), config("n", labels={"a": "2"})
    named = ("LLMInferenceServiceConfig base: spec.labels.a",)
    assert edited([service, changed], service, there, builds_on=[changed]) == named
    assert edited([service, there], service, there, builds_on=[there]) == ()
    # One that nobody has created yet differs from nothing.
    assert edited([service, changed], service, builds_on=[changed]) == ()


def test_configs_that_the_service_does_not_build_on_are_passed_over():
    """For example those in KServe's namespace of which the service's own namespace has one of the same name."""
    service, own = llm(baseRefs=[{"name": "base"}]), config("n", labels={"a": "1"})
    there = (service, own, config("kserve", labels={"a": "1"}))
    assert edited([service, own, config("kserve", labels={"a": "2"})], *there, builds_on=[own]) == ()


def test_custom_resources_that_can_not_be_read_are_named():
    obj, service, base = live(workload(image="a:1")), llm(), config("n")
    obj["metadata"]["ownerReferences"] = [LLM]
    older = {**service, "apiVersion": "serving.kserve.io/v1alpha1"}
    table = Table({key(obj): obj, key(service): service}, refused={key(older): "no webhook", key(base): "no right"})
    (found, survey) = _edited(table, [older, base], [base])
    assert (found.edited, survey.unread) == ((), {key(base): "no right"})
    table = Table({key(obj): obj}, refused={key(older): "no webhook", key(service): "no right"})
    (_, survey) = _edited(table, [older, base], [base])
    assert survey.unread == {key(older): "no webhook"}
    assert list(adopt.unread_lines(survey.unread)) == [
        "LLMInferenceService n/chat: can't be read (no webhook), so what the manifests change in it is neither named "
        "here nor made by --with-changes: it reaches the pods only with the service's next change"
    ]


def test_a_manifest_of_the_older_version_is_compared_with_what_the_api_server_converts():
    newer = llm(router={"pool": {"endpointPickerRef": {"name": "p"}}})
    older = llm(version="v1alpha1", router={"pool": {"extensionRef": {"name": "p"}}})
    changed = llm(version="v1alpha1", router={"pool": {"extensionRef": {"name": "q"}}})
    assert edited([older], newer, older) == ()
    assert edited([changed], newer, older) == ("spec.router.pool.extensionRef.name",)
    # The cluster no longer serves the older version: the fields of both versions are compared.
    assert edited([older], newer) == ()
    assert edited([llm(version="v1alpha1", replicas=2, **older["spec"])], llm(replicas=1)) == ("spec.replicas",)


def test_an_older_manifest_is_compared_although_the_webhook_that_converts_stopped_with_its_operator():
    served = llm(name="another", version="v1alpha1")
    older = config("n", labels={"a": "2"}) | {"apiVersion": served["apiVersion"]}
    assert edited([llm(version="v1alpha1", replicas=2)], llm(replicas=1), served) == ("spec.replicas",)
    named = edited([llm(), older], llm(), config("n", labels={"a": "1"}), served, builds_on=[older])
    assert named == ("LLMInferenceServiceConfig base: spec.labels.a",)


def scaled(replicas: int | None, size: int | None = None, image: str = "a:1") -> Object:
    obj = workload(image=image)
    template = obj["spec"].pop("template")
    groups = {"leaderWorkerTemplate": {"workerTemplate": template, "size": size}} if size else {"template": template}
    spec = {**obj["spec"], **groups, "replicas": replicas}
    kind = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet"} if size else {}
    return {**obj, **kind, "spec": {name: value for name, value in spec.items() if value is not None}}


@pytest.mark.parametrize(
    ("rendered", "there", "pods"),
    [
        (scaled(2), scaled(2), "2 pods stay"),
        (scaled(3), scaled(2), "2 pods stay, 3 afterwards"),
        (scaled(0), scaled(2), "2 pods stay, 0 afterwards"),
        (scaled(2), scaled(0), "none, 2 afterwards"),
        (scaled(0), scaled(0), "-"),
        (scaled(None), scaled(5), "5 pods stay"),
        (scaled(1), scaled(None), "1 pod stays"),
        (scaled(3, 2), scaled(2, 2), "4 pods stay, 6 afterwards"),
        (scaled(2, 2), scaled(2, 2), "4 pods stay"),
    ],
)
def test_the_pods_of_a_workload_and_those_after_the_update(rendered: Object, there: Object, pods: str):
    found = row(rendered, live(there))
    (line,) = adopt.table([found]).splitlines()[1:]
    assert re.split(r"  +", line)[3] == pods


def test_pods_that_a_change_restarts_have_its_number():
    there = live(scaled(2))
    cluster = Table({key(there): there, key(custom()): custom(image="a:1")})
    looker = Survey(cast(Cluster, cluster), MARK, {}, None, [custom(image="a:2")], with_changes=True)
    (line,) = adopt.table(looker.rows([scaled(3, image="a:2")])).splitlines()[1:]
    assert re.split(r"  +", line)[3:] == ["2 pods restart, 3 afterwards", "take over, with the manifest's change"]


def test_finalizers_of_custom_resources_are_noted():
    there, owner = live(workload()), custom()
    owner["metadata"]["finalizers"] = ["a/b"]
    looker, _ = survey(there, owner)
    looker.rows([workload()])
    assert looker.finalizers == {key(owner): ("a/b",)}


def test_a_controller_that_runs_keeps_its_objects():
    found = row(workload(), live(workload()), controllers=[controller(1)])
    assert found.problems == (
        "InferenceService chat is still reconciled by Deployment llmkube-system/llmkube-controller-manager, which "
        "would put it back: scale that to zero first, or delete the resource with `kubectl delete --cascade=orphan`",
    )
    assert row(workload(), live(workload()), controllers=[controller(0)]).problems == ()


def test_a_literal_secret_in_a_live_template_is_refused():
    found = row(workload(), live(workload(env=[{"name": "HF_TOKEN", "value": "a-secret"}])))
    assert found.problems == (
        "spec.template.spec.containers[0].env[0].value: HF_TOKEN holds a literal secret; put it in a Secret, and "
        "refer to it with valueFrom.secretKeyRef (name, key)",
    )


def test_an_object_that_its_operator_has_back_is_taken_over_again():
    there = live(workload())
    there["metadata"]["managedFields"].append({"manager": MARK, "operation": "Apply", "fieldsV1": {"f:spec": {}}})
    looker, table = survey(there)
    (found,) = looker.rows([workload()])
    assert (found.whose, found.entry is not None) == ("operator", True)
    prepare(found, cast(Cluster, table), MARK)
    ((_, body),) = table.patches
    assert [entry["manager"] for entry in body["metadata"]["managedFields"]] == [MARK]


def test_another_stacks_object_is_left_to_it_unless_it_is_named():
    there = live(workload(), manager="modelservices:o/p/prod", owned=False)
    assert row(workload(), there).problems == (
        "belongs to stack o/p/prod; remove it there first, then pass `--from o/p/prod`",
    )
    table = Table({key(there): there})
    assert Survey(cast(Cluster, table), MARK, {}, "modelservices:o/p/prod").rows([workload()])[0].problems == ()


def test_preparing_changes_owner_and_managers_and_nothing_else():
    looker, table = survey(live(workload()))
    (found,) = looker.rows([workload()])
    prepare(found, cast(Cluster, table), MARK)
    ((identity, body),) = table.patches
    assert identity == key(workload())
    assert body["metadata"].keys() == {"resourceVersion", "managedFields", "ownerReferences"}
    assert (body["metadata"]["resourceVersion"], body["metadata"]["ownerReferences"]) == ("7", None)
    (own,) = body["metadata"]["managedFields"]
    assert (own["manager"], own["operation"], own["fieldsV1"]) == (MARK, "Apply", {"f:spec": {"f:replicas": {}}})


def test_what_kept_pods_need_stays_too():
    template = {"spec": {"containers": [], "volumes": [{"name": "tls", "secret": {"secretName": "certs"}}]}}
    there = {**workload(), "spec": {**workload()["spec"], "template": template}}
    certs = live({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "certs", "namespace": "n"}})
    looker, table = survey(live(there), certs)
    found = {found.identity.kind: found for found in looker.rows([workload()])}
    assert list(needed_by(adopted_workload(workload(), there))) == [key(certs)]
    assert found["Secret"].whose == "needed"
    prepare(found["Secret"], cast(Cluster, table), MARK)
    assert table.patches == [(key(certs), {"metadata": {"resourceVersion": "7", "ownerReferences": None}})]


def test_the_stack_gets_the_operators_fields_and_no_others():
    entries = [
        {"manager": "manager", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:spec": {"f:a": {}, "f:replicas": {}}}},
        {
            "manager": "manager",
            "fieldsV1": {"f:spec": {"f:a": {"f:b": {}}}, "f:metadata": {"f:ownerReferences": {}}},
        },
        {"manager": "kubectl-annotate", "fieldsV1": {"f:metadata": {"f:annotations": {"f:example.com/team": {}}}}},
        {"manager": "kube-controller-manager", "fieldsV1": {"f:metadata": {"f:annotations": {}}}},
        {"manager": "manager", "subresource": "status", "fieldsV1": {"f:status": {}}},
    ]
    own, *kept = handed_over(
        entries,
        MARK,
        "apps/v1",
        is_taken=lambda entry: states_fields(entry) and entry["manager"] == "manager",
        without=[("f:spec", "f:replicas")],
    )
    assert own["fieldsV1"] == {"f:spec": {"f:a": {"f:b": {}}}}
    assert own["time"] == "2026-01-01T00:00:00Z"
    assert kept == entries[2:]


def metadata(*managers: str, owner: str = "", setter: str = "") -> Object:
    """Each manager states an annotation; ``setter`` also made a custom resource of group ``owner`` the owner."""
    entries: list[Object] = [
        {"manager": name, "fieldsV1": {"f:metadata": {"f:annotations": {f"f:{name}": {}}}}} for name in managers
    ]
    if setter:
        references = {"f:ownerReferences": {'k:{"uid":"1"}': {}}}
        entries.append({"manager": setter, "fieldsV1": {"f:metadata": references}})
    owners = [{"apiVersion": f"{owner}/v1", "kind": "X", "name": "x", "uid": "1"}] if owner else []
    return {"managedFields": entries, "ownerReferences": owners}


def test_makers_are_the_operators_own_managers():
    others = ("kubectl-annotate", "velero", "argocd-controller")
    for group, name in (
        ("inference.llmkube.dev", "llmkube-controller"),
        ("inference.llmkube.dev", "manager"),
        ("model.otterscale.io", "manager"),
        ("serving.kserve.io", "llmisvc"),
        ("ome.io", "manager"),
    ):
        assert makers_of(metadata(name, *others, owner=group)) == {name}
        assert makers_of(metadata(name, *others)) == {name}  # its custom resource was deleted, the object orphaned
    assert makers_of(metadata(*others, owner="ome.io", setter="renamed")) == {"renamed"}
    assert makers_of(metadata(*others)) == frozenset()
    made = {"manager": "helm", "fieldsV1": {"f:spec": {"f:selector": {}}}}
    assert makers_of({"managedFields": [*metadata(*others)["managedFields"], made]}) == {"helm"}


def test_what_others_have_set_is_named():
    there = live(workload())
    annotation = "service.beta.kubernetes.io/aws-load-balancer-internal"
    theirs: list[Object] = [
        {
            "manager": "kubectl-annotate",
            "fieldsV1": {"f:metadata": {"f:annotations": {".": {}, f"f:{annotation}": {}}}},
        },
        {"manager": "lb", "fieldsV1": {"f:metadata": {"f:finalizers": {".": {}, 'v:"a/b"': {}}}}},
        {"manager": "k9s", "fieldsV1": {"f:spec": {"f:strategy": {"f:type": {}}}}},
    ]
    there["metadata"]["managedFields"] += theirs
    found = row(workload(), there)
    assert found.owner == "InferenceService chat (manager)"
    assert found.of_others == {
        "kubectl-annotate": [f"metadata.annotations[{annotation}]"],
        "lb": ["metadata.finalizers[a/b]"],
        "k9s": ["spec.strategy.type"],
    }


def test_duplicates_are_named_as_managed_fields_name_them():
    env = [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"}]
    pod = {"containers": [{"name": "s", "env": env}]}
    assert list(duplicates(pod)) == [("f:containers", 'k:{"name":"s"}', "f:env", 'k:{"name":"A"}')]
    assert without_duplicates(pod) == {"containers": [{"name": "s", "env": [{"name": "B"}]}]}


def test_a_list_of_nothing_but_duplicates_is_left_out_as_a_whole():
    """An empty list, or the ownership of the list, would remove what is in it."""
    pod = {"containers": [{"name": "s", "env": [{"name": "A"}, {"name": "A"}], "ports": []}]}
    assert list(duplicates(pod)) == [("f:containers", 'k:{"name":"s"}', "f:env")]
    assert without_duplicates(pod) == {"containers": [{"name": "s", "ports": []}]}
