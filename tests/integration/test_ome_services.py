"""OME on a cluster that knows every kind that OME's services may become, Knative's, KubeRay's and Kubeflow's too.

Only LeaderWorkerSets and JobSets have their controllers. Not proven here: what Knative, KubeRay, Kueue, Volcano and
KEDA make of their objects (this module says that a Knative Service is ready, where one is awaited).
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from components.families.ome.vocabulary import vocabulary
from components.findings import errors
from tests.conformance import ome_cases
from tests.conformance.reference import cases, plan_case
from tests.integration.test_llmkube_objects import refusal
from tests.unit.families.ome import test_nothing_is_ignored as own
from tests.unit.families.ome.elsewhere import helpers as elsewhere
from tools.control_plane import FURTHER_CRDS, ControlPlane


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A cluster of this module's own: the kinds are in nobody else's way."""
    with ControlPlane.start(tmp_path_factory.mktemp("plane"), with_controllers=("lws", "jobset")) as started:
        ControlPlane.start(started.run_dir, crds=FURTHER_CRDS)
        yield started


@pytest.fixture(scope="module")
def api(plane: ControlPlane) -> DynamicClient:
    client = config.new_client_from_config(str(plane.kubeconfig))
    return DynamicClient(client, cache_file=str(plane.run_dir / "discovery.json"))


@pytest.mark.parametrize("profile", ["document", "upstream"])
@pytest.mark.parametrize("case", cases("ome", "propagation") + cases("ome", "benchmark"), ids=lambda case: case.name)
def test_the_server_takes_what_we_render(case: Path, profile: str, api: DynamicClient, tmp_path: Path) -> None:
    plan = ome_cases.planned(tmp_path, case / "input.yaml", profile)
    if errors(plan.findings):
        return  # refused by us, before anything is rendered
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


@pytest.mark.parametrize("case", cases("ome", "admission"), ids=lambda case: case.stem)
def test_the_server_takes_what_we_admit(case: Path, api: DynamicClient) -> None:
    plan = plan_case([case, ome_cases.ENVIRONMENT])
    if errors(plan.findings):
        return
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


DECISIVE = {"ome.io/deploymentMode", "serving.ome.io/runtime", "training.ome.io/framework"}
"""Keys whose examples would change what is made, or name what is not there."""


@pytest.mark.parametrize("kind", own.KINDS)
def test_all_keys_at_once(kind: str, api: DynamicClient) -> None:
    document, more = own.KINDS[kind]
    for key in vocabulary().entries:
        document = document if key in DECISIVE else own.with_key(document, key)
    plan = own.planned(own.MODEL, own.RUNTIME, document, settings={**own.SETTINGS, **more}).raise_for_errors()
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


@pytest.mark.parametrize("keda", ["true", "false"])
@pytest.mark.parametrize("service", elsewhere.SERVICES)
def test_all_keys_at_once_on_other_families(service: str, keda: str, api: DynamicClient) -> None:
    keys = {key: entry.examples[0] for key, entry in vocabulary().entries.items() if key not in DECISIVE}
    manifest = elsewhere.with_keys(elsewhere.SERVICES[service], {**keys, "autoscaling.ome.io/enable-keda": keda})
    plan = elsewhere.planned(manifest, settings={"ome": {"podMonitors": True}}).raise_for_errors()
    kinds = {obj["kind"] for obj in plan.all_objects()}
    assert {"NetworkPolicy", "PersistentVolumeClaim", "PodMonitor"} <= kinds
    assert ("ScaledObject" if keda == "true" else "HorizontalPodAutoscaler") in kinds
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []
