"""Who gets which label and annotation: owned ones, each layer, what is refused, and where a value came from.

Any metadata at every layer is compared with a second statement of the user's document in test_document.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.kserve.labels import MODEL_ROUTING, TARGETS
from modelservices.kubernetes.propagation import origins, withheld
from tests.unit.records import layers

from .services import (
    DATA_PARALLEL,
    SCHEDULER,
    config,
    findings,
    main,
    manifest,
    messages,
    objects,
    of,
    refusals,
    rendered,
)

QUEUE = {"kueue.x-k8s.io/queue-name": "gpu"}
SCRAPE = {"prometheus.io/scrape": "true"}


def labels(obj: dict[str, Any]) -> dict[str, str]:
    return obj["metadata"].get("labels", {})


def annotations(obj: dict[str, Any]) -> dict[str, str]:
    return obj["metadata"].get("annotations", {})


def template(obj: dict[str, Any], name: str = "template") -> dict[str, Any]:
    spec = obj["spec"]
    return spec[name] if name == "template" else spec["leaderWorkerTemplate"][name]


def owned(component: str, role: str = "", name: str = "chat") -> dict[str, str]:
    base = {
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": "llminferenceservice",
    }
    return {**base, "kserve.io/component": "workload", "llm-d.ai/role": role} if role else base


def test_owned_labels_of_a_single_node_service() -> None:
    made = of()["decode-deployment"]
    wanted = owned("llminferenceservice-workload", "both")
    assert labels(made) == labels(template(made)) == made["spec"]["selector"]["matchLabels"] == wanted


def test_owned_labels_of_prefill_and_decode() -> None:
    made = of({"prefill": {}})
    for role, component in (
        ("decode", "llminferenceservice-workload"),
        ("prefill", "llminferenceservice-workload-prefill"),
    ):
        obj = made[f"{role}-deployment"]
        assert labels(obj) == labels(template(obj)) == obj["spec"]["selector"]["matchLabels"] == owned(component, role)


@pytest.mark.parametrize(("prefix", "suffix", "role"), [("", "", "both"), ("prefill", "-prefill", "prefill")])
def test_owned_labels_of_groups(prefix: str, suffix: str, role: str) -> None:
    spec = {"prefill": DATA_PARALLEL} if prefix else DATA_PARALLEL
    made = of(spec)[f"{prefix or 'decode'}-group"]
    worker = owned(f"llminferenceservice-workload-worker{suffix}")
    assert labels(made) == labels(template(made, "workerTemplate")) == worker
    assert labels(template(made, "leaderTemplate")) == owned(f"llminferenceservice-workload-leader{suffix}", role)


def test_other_objects_have_owned_labels_only() -> None:
    spec = {"router": {"route": {}, "scheduler": {"tokenizer": {}}}, "prefill": {}}
    made = of(spec, {"ingress": {"enableLLMInferenceServiceTLS": True}}, labels=QUEUE, annotations=SCRAPE)
    scheduler = owned("llminferenceservice-router-scheduler")
    picker = [obj for role, obj in made.items() if role.startswith("epp/")]
    assert len(picker) == 7
    assert all(labels(obj) == scheduler for obj in picker)
    parts = ("service", "self-signed-certs", "decode-role", "decode-role-binding", "decode-service-account")
    assert all(labels(made[role]) == owned("llminferenceservice-workload") for role in parts)
    assert labels(made["route"]) == owned("llminferenceservice-router")
    assert labels(made["tokenizer-service"]) == labels(made["tokenizer-deployment"]) == owned("tokenizer")
    assert not any(
        annotations(obj) for role, obj in made.items() if not role.endswith("e-deployment") and "fill" not in role
    )


def test_accounts_of_groups_have_no_component() -> None:
    account = of(DATA_PARALLEL)["decode-service-account"]
    assert labels(account) == {"app.kubernetes.io/name": "chat", "app.kubernetes.io/part-of": "llminferenceservice"}


def test_top_level_metadata_reaches_workloads_and_pods_by_prefix() -> None:
    made = of(
        {"prefill": DATA_PARALLEL, **SCHEDULER},
        labels={**QUEUE, "team": "a", **SCRAPE},
        annotations={**SCRAPE, "kueue.x-k8s.io/a": "b", "k8s.v1.cni.cncf.io/networks": "rdma", "note": "x"},
    )
    passing = {**SCRAPE, "kueue.x-k8s.io/a": "b", "k8s.v1.cni.cncf.io/networks": "rdma"}
    group = made["prefill-group"]
    for holder in (
        made["decode-deployment"],
        template(made["decode-deployment"]),
        group,
        template(group, "leaderTemplate"),
        template(group, "workerTemplate"),
    ):
        assert annotations(holder) == passing
        assert labels(holder).items() >= QUEUE.items()
        assert not {"team", *SCRAPE} & labels(holder).keys()
    for holder in (made["epp/deployment"], template(made["epp/deployment"])):
        assert not {*QUEUE, *SCRAPE} & {*labels(holder), *annotations(holder)}


def test_prefixes_can_be_added() -> None:
    own = {"propagation": {"labelPrefixes": ["team."], "annotationPrefixes": ["note"]}}
    made = of(settings=own, labels={"team.example.com/x": "y", **QUEUE}, annotations={"note": "z", **SCRAPE})
    obj = made["decode-deployment"]
    assert labels(template(obj)).items() >= {"team.example.com/x": "y", **QUEUE}.items()
    assert annotations(template(obj)) == {"note": "z", **SCRAPE}
    assert "team.example.com/x" not in obj["spec"]["selector"]["matchLabels"]


def test_spec_level_metadata_reaches_pods_only() -> None:
    made = of({"labels": {"team": "a"}, "annotations": {"note": "b"}, "prefill": {"labels": {"team": "c", "own": "d"}}})
    decode, prefill = made["decode-deployment"], made["prefill-deployment"]
    assert labels(template(decode))["team"] == "a"
    assert labels(template(prefill)).items() >= {"team": "c", "own": "d"}.items()
    assert annotations(template(decode)) == annotations(template(prefill)) == {"note": "b"}
    for obj in (decode, prefill):
        assert not {"team", "own"} & {*labels(obj), *obj["spec"]["selector"]["matchLabels"]}
        assert not annotations(obj)


def test_spec_level_wins_on_the_pod_and_top_level_stays_on_the_object() -> None:
    made = of({"labels": {**QUEUE, "kueue.x-k8s.io/queue-name": "mine"}}, labels=QUEUE)["decode-deployment"]
    assert labels(made)["kueue.x-k8s.io/queue-name"] == "gpu"
    assert labels(template(made))["kueue.x-k8s.io/queue-name"] == "mine"


def test_an_empty_value_propagates_and_overrides() -> None:
    made = of({"labels": {"kueue.x-k8s.io/queue-name": ""}}, labels=QUEUE)["decode-deployment"]
    assert labels(template(made))["kueue.x-k8s.io/queue-name"] == ""


def test_scheduler_metadata_reaches_its_pods_only() -> None:
    spec = {"router": {"scheduler": {"labels": {"a": "b"}, "annotations": {MODEL_ROUTING: "x", **SCRAPE}}}}
    made = of(spec)["epp/deployment"]
    assert labels(template(made)) == {**owned("llminferenceservice-router-scheduler"), "a": "b"}
    assert annotations(template(made)) == {"app.kubernetes.io/version": "0.10.0", MODEL_ROUTING: "x", **SCRAPE}
    assert "a" not in labels(made) and "a" not in made["spec"]["selector"]["matchLabels"] and not annotations(made)


def test_the_model_routing_annotation_is_for_the_route_only() -> None:
    spec = {"annotations": {MODEL_ROUTING: "true", "a": "b"}, "prefill": {"annotations": {MODEL_ROUTING: "true"}}}
    made = of(spec)
    assert annotations(template(made["decode-deployment"])) == {"a": "b"}
    assert annotations(template(made["prefill-deployment"])) == {"a": "b"}


@pytest.mark.parametrize("key", ["app.kubernetes.io/name", "app.kubernetes.io/part-of", "app.kubernetes.io/component"])
@pytest.mark.parametrize(
    ("path", "spec"),
    [
        ("spec", lambda found: {"labels": found}),
        ("spec.prefill", lambda found: {"prefill": {"labels": found}}),
        ("spec.router.scheduler", lambda found: {"router": {"scheduler": {"labels": found}}}),
    ],
)
def test_owned_labels_are_refused(path: str, spec: Any, key: str) -> None:
    """Decision K4."""
    assert refusals(manifest(spec({key: "mine"}))) == [(f'{path}.labels["{key}"]', "error", "owned-key")]


def test_an_owned_label_with_its_own_value_is_no_problem() -> None:
    assert findings(manifest({"labels": {"app.kubernetes.io/name": "chat"}})) == []


@pytest.mark.parametrize("key", ["kserve.io/component", "llm-d.ai/role"])
def test_labels_that_would_join_a_pool_are_refused_on_scheduler_and_workers_too(key: str) -> None:
    assert [path for path, _, _ in findings(manifest({"router": {"scheduler": {"labels": {key: "workload"}}}}))] == [
        f'spec.router.scheduler.labels["{key}"]'
    ]
    assert [path for path, _, _ in findings(manifest({"labels": {key: "workload"}, **DATA_PARALLEL}))] == [
        f'spec.labels["{key}"]'
    ]


def test_an_owned_label_of_a_config_is_refused_by_its_source() -> None:
    base = config({"labels": {"llm-d.ai/role": "mine"}})
    (message,) = messages(manifest({"baseRefs": [{"name": "base"}]}), base)
    assert message.startswith('spec.labels["llm-d.ai/role"]: is set to')
    assert message.endswith("(from LLMInferenceServiceConfig models/base)")


def test_a_scheduler_of_ones_own_pool_gets_no_labels_and_so_no_problem() -> None:
    spec = {"router": {"scheduler": {"pool": {"ref": {"name": "mine"}}, "labels": {"app.kubernetes.io/name": "x"}}}}
    assert findings(manifest(spec)) == []


def test_labels_that_the_api_server_refuses() -> None:
    spec = {"labels": {"a b": "x", "ok": "no spaces"}, "prefill": {"labels": {"x": "y" * 64}}}
    wrong = ["spec.labels", "spec.labels", "spec.prefill.labels"]
    assert sorted(path for path, _, _ in refusals(manifest(spec, labels={"k": "-"}))) == ["metadata.labels", *wrong]
    assert sorted(path for path, _, _ in refusals(manifest(spec))) == wrong


def test_a_rendering_says_where_its_labels_come_from() -> None:
    base = config({"labels": {"team": "base"}})
    spec = {"baseRefs": [{"name": "base"}], "labels": {"team": "own"}, **SCHEDULER}
    service = rendered(manifest(spec, labels=QUEUE, annotations={"note": "x"}), base)
    found = layers(service)["decode-deployment"]
    assert found.places() == {"": "decode", "spec.template": "decode pod"}
    assert origins(found.labels, "decode pod", "team") == [
        ("LLMInferenceServiceConfig models/base spec.labels", "base", False),
        ("spec.labels", "own", True),
    ]
    assert origins(found.labels, "decode", "kueue.x-k8s.io/queue-name") == [("metadata.labels", "gpu", True)]
    assert origins(found.labels, "decode pod", "llm-d.ai/role") == [("this program", "both", True)]
    assert withheld(found.annotations, "decode", "note") == ["metadata.annotations"]
    assert set(layers(service)) == {"decode-deployment"}
    assert layers(service.parts["epp"])["deployment"].places() == {"": "scheduler", "spec.template": "scheduler pod"}


def test_a_group_says_it_for_leader_and_workers() -> None:
    found = layers(rendered(manifest(DATA_PARALLEL)))["decode-group"]
    assert found.places() == {
        "": "decode group",
        "spec.leaderWorkerTemplate.leaderTemplate": "decode leader pod",
        "spec.leaderWorkerTemplate.workerTemplate": "decode worker pod",
    }


def test_every_target_has_labels() -> None:
    assert {owned.serving for owned in TARGETS.values()} == {True, False}
    assert len(TARGETS) == 21


def test_a_queue_label_on_pods_only_does_not_shorten_the_group() -> None:
    name = "a" * 40
    assert objects(manifest({**DATA_PARALLEL, "labels": QUEUE}, name=name))["decode-group"]["metadata"]["name"] == (
        f"{name}-kserve-mn"
    )
    queued = objects(manifest(DATA_PARALLEL, name=name, labels=QUEUE))["decode-group"]["metadata"]["name"]
    assert len(queued) <= 39


def test_pod_specs_are_no_source() -> None:
    made = of({"template": main()})
    assert set(labels(template(made["decode-deployment"]))) == set(owned("", "x"))
