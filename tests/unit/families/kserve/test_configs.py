"""Presets, base configs and the service as one spec. Not proved: that presets say what KServe's do (conformance)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from modelservices.families.kserve.configs import preset_suffixes
from modelservices.families.kserve.presets import PREFIX, shipped
from modelservices.families.kserve.spec import ServiceSpec
from modelservices.kubernetes.model import read

from .services import (
    DATA_PARALLEL,
    MODEL,
    config,
    container,
    env,
    findings,
    flags,
    main,
    manifest,
    messages,
    objects,
    of,
    plan,
    pod,
    rendered,
    server,
    service,
    shipped_names,
)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({}, ["template"]),
        ({"worker": {}, "parallelism": {"data": 2}}, ["worker-data-parallel"]),
        ({"worker": {}, "parallelism": {"dataLocal": 2}}, ["worker-data-parallel"]),
        ({"worker": {}, "parallelism": {"pipeline": 2}}, ["worker-pipeline-parallel"]),
        ({"worker": {}, "parallelism": {"tensor": 2}}, []),
        ({"prefill": {}}, ["prefill-template", "decode-template"]),
        (
            {"prefill": {"worker": {}, "parallelism": {"data": 2}}, "worker": {}, "parallelism": {"pipeline": 2}},
            ["prefill-worker-data-parallel", "decode-worker-pipeline-parallel"],
        ),
        ({"tracing": {}}, ["tracing", "template"]),
        ({"router": {"route": {}}}, ["router-route", "template"]),
        ({"router": {"route": {"http": {"spec": {}}}}}, ["router-route", "template"]),
        ({"router": {"route": {"http": {"refs": [{"name": "mine"}]}}}}, ["template"]),
        ({"router": {"gateway": {}}}, ["template"]),
        ({"router": {"scheduler": {}}}, ["scheduler", "template"]),
        ({"router": {"scheduler": {"pool": {"ref": {"name": "mine"}}}}}, ["template"]),
        ({"router": {"scheduler": {"tokenizer": {}}}}, ["scheduler", "tokenizer", "template"]),
        (
            {"router": {"scheduler": {"config": {"inline": {"plugins": [{"type": "token-producer"}]}}}}},
            ["scheduler", "tokenizer", "template"],
        ),
        (
            {"router": {"scheduler": {"config": {"inline": {"plugins": [{"type": "predicted-latency-producer"}]}}}}},
            ["scheduler", "scheduler-latency-predictor", "template"],
        ),
        ({"router": "odd", "worker": 1, "prefill": 2}, ["prefill-template"]),
        ({"router": {"scheduler": {"config": {"inline": {"plugins": {"a": 1}}}}}}, ["scheduler", "template"]),
    ],
)
def test_which_presets_a_service_needs(spec: dict[str, Any], wanted: list[str]) -> None:
    assert preset_suffixes(spec, lambda name, key: None) == wanted


def test_the_shipped_presets() -> None:
    assert shipped_names() == [
        f"{PREFIX}{suffix}"
        for suffix in (
            "decode-template",
            "decode-worker-data-parallel",
            "prefill-template",
            "prefill-worker-data-parallel",
            "router-route",
            "scheduler",
            "template",
            "tokenizer",
            "tracing",
            "worker-data-parallel",
        )
    ]
    assert shipped(f"{PREFIX}worker-pipeline-parallel") is None
    assert shipped("template") is None


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_preset_is_part_of_a_spec(name: str) -> None:
    """Texts hold templates, so a value may only turn out right when it is filled in."""
    _, problems = read(ServiceSpec, shipped(name))
    assert [problem for problem in problems if problem.code != "bad-value"] == []
    assert "parts:" not in yaml.safe_dump(shipped(name))


def test_the_service_wins_over_its_configs_and_these_over_presets() -> None:
    first = config({"template": main(image="first:1", env=[{"name": "A", "value": "1"}])}, "first")
    second = config({"template": main(image="second:1", env=[{"name": "B", "value": "2"}])}, "second")
    own = manifest({"baseRefs": [{"name": "first"}, {"name": "second"}], "template": main(args=["--own"])})
    made = container(pod(objects(own, first, second)["decode-deployment"]))
    assert made["image"] == "second:1"
    assert {"A": "1", "B": "2", "HOME": "/home"}.items() <= env(made).items()
    assert made["args"] == ["--own"]


def test_a_config_is_looked_up_in_the_namespace_first_then_in_kserve() -> None:
    own = manifest({"baseRefs": [{"name": "base"}]})
    near = config({"template": main(image="near:1")})
    far = config({"template": main(image="far:1")}, namespace="kserve")
    elsewhere = config({"template": main(image="elsewhere:1")}, namespace="other")
    assert container(pod(objects(own, far, elsewhere)["decode-deployment"]))["image"] == "far:1"
    assert container(pod(objects(own, far, near)["decode-deployment"]))["image"] == "near:1"
    assert findings(own, elsewhere) == [("spec.baseRefs[0].name", "error", "config-not-found")]


def test_the_model_may_come_from_a_config() -> None:
    own = manifest({"baseRefs": [{"name": "base"}]})
    del own["spec"]["model"]
    made = objects(own, config({"model": dict(MODEL)}))
    assert "--served-model-name org/model publishers/models/models/org/model" in flags(
        container(pod(made["decode-deployment"]))
    )


def test_the_models_name_is_the_services_by_default() -> None:
    own = manifest()
    own["spec"]["model"] = {"uri": "hf://org/model"}
    made = container(pod(objects(own)["decode-deployment"]))
    assert flags(made)[0] == "--served-model-name chat publishers/models/models/chat"


def test_a_preset_is_replaced_by_a_config_of_its_name() -> None:
    preset = config({"template": main(image="mine:1", command=["run"])}, f"{PREFIX}template", "kserve")
    made = container(pod(objects(manifest(), preset)["decode-deployment"]))
    assert (made["image"], made["command"]) == ("mine:1", ["run"])
    assert "livenessProbe" not in made


def test_a_preset_is_changed_by_the_settings() -> None:
    change = {"template": main(resources={"limits": {"nvidia.com/gpu": "1"}})}
    made = server(settings={"presets": {f"{PREFIX}template": change}})
    assert made["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert made["livenessProbe"]["httpGet"]["path"] == "/health"


OWN_SERVER = {"template": main(image="own:1", command=["serve"])}
PICKER = ["ClusterRoleBinding", "InferencePool", "Role", "RoleBinding", "ServiceAccount"]
RULES = {"rules": [{"backendRefs": [{"name": "mine", "port": 80}]}]}


@pytest.mark.parametrize(
    ("router", "of_base", "of_preset"),
    [
        ({"route": {}}, ["HTTPRoute"], []),
        ({"route": {"http": {"spec": RULES}}}, ["HTTPRoute"], ["HTTPRoute"]),
        ({"gateway": {"refs": [{"name": "g"}]}}, [], []),
        ({"scheduler": {}}, PICKER, []),
        ({"scheduler": {"template": main(image="own:1")}}, PICKER, PICKER),
    ],
)
def test_a_router_of_a_base_config_gets_its_preset_and_one_of_a_preset_gets_none(
    router: dict[str, Any], of_base: list[str], of_preset: list[str]
) -> None:
    based = (manifest({"baseRefs": [{"name": "base"}]}), config({"router": router}))
    replaced = (manifest(), config({**OWN_SERVER, "router": router}, f"{PREFIX}template"))
    for wanted, manifests in ((of_base, based), (of_preset, replaced)):
        kinds = {obj["kind"] for obj in rendered(*manifests).all_objects()} - {"Deployment", "Service"}
        assert sorted(kinds) == wanted


def test_a_part_of_the_router_that_no_preset_completes_is_reported() -> None:
    config_of_preset = config({**OWN_SERVER, "router": {"route": {}, "scheduler": {}}}, f"{PREFIX}template")
    assert [finding.path for finding in plan(manifest(), config_of_preset).findings if finding.code == "no-effect"] == [
        "spec.router.route",
        "spec.router.scheduler",
    ]


def test_a_service_says_which_configs_it_builds_on() -> None:
    named, unused = config({}, "base", "kserve"), config({}, f"{PREFIX}prefill-template")
    preset, shadowed = (config(OWN_SERVER, f"{PREFIX}template", namespace) for namespace in ("models", "kserve"))
    made = rendered(manifest({"baseRefs": [{"name": "base"}]}), named, unused, preset, shadowed)
    assert {*map(str, made.builds_on)} == {
        "LLMInferenceServiceConfig kserve/base",
        f"LLMInferenceServiceConfig models/{PREFIX}template",
    }


def test_a_preset_that_is_not_shipped_is_asked_for() -> None:
    pipeline = {"worker": main(), "parallelism": {"pipeline": 2}}
    (message,) = messages(manifest(pipeline))
    assert message == (
        "spec.parallelism: needs the preset kserve-config-llm-worker-pipeline-parallel, which is not shipped; add "
        "an LLMInferenceServiceConfig of that name in namespace models or kserve to the manifests"
    )
    change = {"template": main(image="l:1", command=["a"]), "worker": main(image="w:1", command=["b"])}
    made = of(pipeline, {"presets": {f"{PREFIX}worker-pipeline-parallel": change}})
    assert container(pod(made["decode-group"], "workerTemplate"))["image"] == "w:1"


def test_images_are_settings() -> None:
    made = of(
        {"prefill": {}, "router": {"scheduler": {"tokenizer": {}}}},
        {"images": {"vllm": "v:1", "endpointPicker": "e:1", "routingSidecar": "s:1", "tokenizer": "t:1"}},
    )
    assert container(pod(made["prefill-deployment"]))["image"] == "v:1"
    assert container(pod(made["epp/deployment"]))["image"] == "e:1"
    assert container(pod(made["decode-deployment"]), "llm-d-routing-sidecar")["image"] == "s:1"
    assert container(pod(made["tokenizer-deployment"]))["image"] == "t:1"


def test_templates_are_filled_in_from_the_merged_spec() -> None:
    """Decision K5: KServe fills them in from the service's own spec."""
    base = config({"parallelism": {"tensor": 4}, "template": main(args=["--tp={{ .Spec.Parallelism.Tensor }}"])})
    made = container(pod(objects(manifest({"baseRefs": [{"name": "base"}]}), base)["decode-deployment"]))
    assert made["args"] == ["--tp=4"]
    assert "--tensor-parallel-size 4" in flags(made)


def test_a_template_that_can_not_be_filled_in_is_an_error_of_the_service() -> None:
    base = config({"template": main(args=["{{ .Spec.Parallelism.Tensor }}"])})
    (message,) = messages(manifest({"baseRefs": [{"name": "base"}]}), base)
    assert message.startswith("spec.template.containers[0].args[0]: {{ .Spec.Parallelism.Tensor }} has no value here")


def test_a_config_is_checked_by_itself() -> None:
    wrong = config({"replica": 1, "template": main(image=["odd"]), "replicas": "{{ .Spec.Model.Name }}"})
    assert findings(manifest(), wrong) == [
        ("spec.replica", "error", "unknown-field"),
        ("spec.template.containers[0].image", "error", "bad-value"),
    ]


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ({"parallelism": {"data": 3}}, "spec.parallelism.dataLocal"),
        (main(args=["--max-modl-len=1"]), "spec.template.containers[0].args[0]"),
        (
            main(volumeMounts=[{"name": "none", "mountPath": "/x"}]),
            "spec.template.containers[main].volumeMounts[/x].name",
        ),
        ({"kvCacheOffloading": {"cpu": "0"}}, "spec.kvCacheOffloading.cpu"),
        ({"labels": {"bad key": "x"}}, "spec.labels"),
    ],
)
def test_what_a_config_is_to_blame_for_names_it(base: dict[str, Any], path: str) -> None:
    """Only fields of the merged spec show these; the service's manifest has none of them."""
    base = {"template": base} if "containers" in base else base
    own = manifest({"baseRefs": [{"name": "base"}]})
    found = plan(own, config(base)).findings
    assert found[0].path == path
    assert all(finding.message.endswith("(from LLMInferenceServiceConfig models/base)") for finding in found)


def test_what_the_service_says_itself_is_its_own_fault() -> None:
    own = manifest({"baseRefs": [{"name": "base"}], "parallelism": {"data": 3}})
    found = plan(own, config({"parallelism": {"data": 4}, "replicas": 2})).findings
    assert found and not any("from" in finding.message for finding in found)


def test_items_that_are_there_twice_are_said_at_the_config() -> None:
    twice = {"template": {"volumes": [{"name": "a", "emptyDir": {}}] * 2}}
    (found,) = plan(manifest(), config(twice)).findings
    assert (found.object, found.path) == ("LLMInferenceServiceConfig models/base", "spec.template.volumes[1].name")


def test_unknown_fields_can_be_ignored() -> None:
    spec = {"modell": {}, "template": {"containers": [{"name": "main", "imgae": "x"}]}}
    assert findings(manifest(spec)) == [
        ("spec.modell", "error", "unknown-field"),
        ("spec.template.containers[0].imgae", "error", "unknown-field"),
    ]
    assert "did you mean image?" in messages(manifest(spec))[1]


def test_metadata_of_a_config_goes_nowhere() -> None:
    base = config({"replicas": 1})
    base["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "q"}
    made = objects(manifest({"baseRefs": [{"name": "base"}]}), base)
    assert "kueue" not in str(made)


def test_each_source_of_a_spec_is_known_by_name() -> None:
    base = config({"labels": {"a": "b"}})
    found = service(manifest({"baseRefs": [{"name": "base"}], **DATA_PARALLEL}), base)
    assert [source.name for source in found.sources] == [
        "preset kserve-config-llm-worker-data-parallel",
        "LLMInferenceServiceConfig models/base",
        "",
    ]


def test_a_preset_without_the_server() -> None:
    preset = config({"template": {"containers": [{"name": "other", "image": "a:1"}]}}, f"{PREFIX}template")
    assert ("spec.template.containers", "error", "required") in findings(manifest({}), preset)


def test_the_preset_for_decode_pods_may_be_the_base_of_a_service_without_prefill() -> None:
    made = of({"baseRefs": [{"name": f"{PREFIX}decode-template"}]})["decode-deployment"]
    sidecar = next(item for item in pod(made)["initContainers"] if item["name"] == "llm-d-routing-sidecar")
    assert "--vllm-port=8001" in sidecar["command"]
    assert "--port 8001" in container(pod(made))["command"][2]
    assert container(pod(made))["readinessProbe"]["httpGet"]["port"] == 8001


def test_a_misspelt_preset_gets_a_suggestion() -> None:
    (message,) = messages(manifest({"baseRefs": [{"name": "kserve-config-llm-tmplate"}]}))
    assert message.endswith("did you mean the preset kserve-config-llm-template?")
