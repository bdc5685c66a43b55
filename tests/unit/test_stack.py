"""What a stack's program says of its last update. What the engine keeps of it is shown in tests/integration."""

from pathlib import Path

from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from modelservices.stack import removed_services
from tests.integration.manifests import model, service


def test_services_that_the_manifests_have_no_more_are_named_with_their_pods(tmp_path: Path) -> None:
    (tmp_path / "services.yaml").write_text(model() + service("stays"))
    plan = plan_paths([tmp_path], Settings(), namespace="n").raise_for_errors()
    deployed = {
        "n/stays": {"kind": "InferenceService", "desiredReplicas": 1.0},
        "n/gone": {"kind": "InferenceService", "desiredReplicas": 2.0},
        "n/stopped": {"kind": "ModelService", "desiredReplicas": 0.0},
        "n/written": "no mapping",
    }
    assert list(removed_services(deployed, plan)) == [
        "InferenceService n/gone: removed, and its 2 pods stop",
        "ModelService n/stopped: removed",
    ]
