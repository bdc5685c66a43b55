"""A real API server in strict mode accepts everything that OME's cases render, and rejects the pods that we reject.

The other families' tests cover their cases. Kinds of controllers whose CRDs are missing here (Knative, KubeRay,
TrainJob, Volcano) are skipped: their schemas are not proven.
"""

from pathlib import Path
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ResourceNotFoundError

from modelservices.kubernetes.objects import Object
from modelservices.planning.plan import StackPlan
from tests.conformance.ome_cases import FAMILY, planned
from tests.conformance.reference import cases
from tests.integration.strictness import Asked, asked, refusal
from tests.unit.kubernetes.test_pod_checks import REFUSED

CASES = [case / "input.yaml" for folder in ("propagation", "benchmark") for case in cases(FAMILY, folder)]
CASES += cases(FAMILY, "admission")


@pytest.mark.parametrize(("profile", "objects", "refused_here"), [("document", 215, 20), ("upstream", 229, 19)])
def test_the_server_takes_what_is_rendered(
    profile: str, objects: int, refused_here: int, api: DynamicClient, tmp_path: Path
) -> None:
    plans = [(case.stem, planned(tmp_path, case, profile)) for case in CASES]
    cases = [(name, plan, known(api, plan)) for name, plan in plans]
    assert asked(api, cases) == Asked(objects, refused_here, refused=[])


@pytest.mark.parametrize(("pod", "main", "said"), REFUSED, ids=[said.partition(": ")[0] for _, _, said in REFUSED])
def test_the_server_refuses_what_is_refused_here(
    pod: dict[str, Any], main: dict[str, Any], said: str, api: DynamicClient
) -> None:
    template = {
        "metadata": {"labels": LABELS},
        "spec": {"containers": [{"name": "main", "image": "i:1", **main}], **pod},
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "refused"},
        "spec": {"selector": {"matchLabels": LABELS}, "template": template},
    }
    assert (refusal(api, deployment) == "") == (said in TAKEN), said


LABELS = {"app": "refused"}
TAKEN = {
    "p.volumes[0]: has no source": "the server makes it an emptyDir, which is not what the author forgot",
    "p.terminationGracePeriodSeconds: must be 0 or more": "the server makes it one second",
}
"""Maps errors that the server doesn't report to the reason why we do."""


def known(api: DynamicClient, plan: StackPlan) -> list[Object]:
    """The objects of the kinds that this API server has."""
    return [obj for obj in [*plan.all_objects(), *plan.chart] if _is_known(api, obj)]


def _is_known(api: DynamicClient, obj: Object) -> bool:
    try:
        return bool(api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"]))
    except ResourceNotFoundError:
        return False
