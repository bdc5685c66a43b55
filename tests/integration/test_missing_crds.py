"""A cluster without the CRDs: a preview names what is missing and continues, an update fails before any change.

The test has its own cluster, which also shows that a stack leaves nothing at cluster scope. Not proven here: that the
sources in the message have CRDs of the required version.
"""

from pathlib import Path

from kubernetes import config
from kubernetes.dynamic import DynamicClient

from tests.integration.live import cluster_scoped
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack
from tests.integration.waiting import eventually
from tools.control_plane import ControlPlane

POOL = """---
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: pool}
spec:
  targetPorts: [{number: 8000}]
  selector: {matchLabels: {app: web}}
  endpointPickerRef: {name: picker, port: {number: 9002}}
"""
POOL_LINE = (
    "the cluster does not know InferencePool (inference.networking.k8s.io/v1), needed by InferencePool default/pool; "
    "install the CRDs of Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)"
)
MONITOR_LINE = (
    "the cluster does not know PodMonitor (monitoring.coreos.com/v1), needed by InferenceService default/more, "
    "InferenceService default/web; install the CRDs of Prometheus Operator (prometheus-operator/prometheus-operator)"
)


def test_missing_crds(tmp_path: Path) -> None:
    with ControlPlane.start(tmp_path / "plane", crds=(), volumes=1) as plane:
        before = names(plane)
        stack = Stack(tmp_path / "project", plane, "default")
        stack.config({"settings": {"llmkube": {"podMonitor": {"enabled": True, "namespace": "default"}}}})
        stack.write(POOL + model() + service("web") + service("more"))

        preview = stack.preview()

        assert {POOL_LINE, MONITOR_LINE} <= set(preview.messages)
        refused = stack.up(fails=True)
        assert f"nothing was changed:\n      {POOL_LINE}\n      {MONITOR_LINE}\n" in refused.text
        assert "Traceback" not in refused.text
        assert stack.registered() == []

        stack.config({"settings": {}})
        ControlPlane.start(plane.run_dir, crds=("inference-extension",))
        installed = names(plane)
        stack.up()
        stack.preview("--refresh", "--expect-no-changes")
        stack.destroy()
        eventually(lambda: names(plane) == installed, "a cluster as it was")
        assert {kind for kind, _ in installed - before} == {"APIService", "CustomResourceDefinition"}


def names(plane: ControlPlane) -> set[tuple[str, str]]:
    """All cluster-scoped objects."""
    client = DynamicClient(
        config.new_client_from_config(str(plane.kubeconfig)), cache_file=str(plane.run_dir / "cache")
    )
    return {(item["kind"], item["metadata"]["name"]) for item in cluster_scoped(client)}
