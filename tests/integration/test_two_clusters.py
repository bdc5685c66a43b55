"""A program with a provider for each of two clusters: each gets the shared objects of its services, once for each name.

Not proven here: a cluster that the program itself creates.
"""

from pathlib import Path

from kubernetes import config
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import read
from tests.integration.stacks import OwnProgram
from tests.integration.test_two_stacks import SCHEDULING
from tools.control_plane import ControlPlane

PROGRAM = """
import pulumi
import pulumi_kubernetes
from modelservices import InferenceServiceComponent

model = {"source": "https://models.example.com/m.gguf", "format": "gguf"}
spec = {"modelRef": "gguf", "replicas": 0, "priority": "normal"}
args = {"namespace": "NAMESPACE", "name": "chat", "model": model, "spec": spec}
for cluster, kubeconfig in CLUSTERS.items():
    provider = pulumi_kubernetes.Provider(cluster, kubeconfig=kubeconfig)
    for name in NAMES:
        InferenceServiceComponent(f"{name}-{cluster}", args, pulumi.ResourceOptions(provider=provider))
"""
SHARED = (("v1", "PersistentVolumeClaim", "llmkube-model-cache"), (SCHEDULING, "PriorityClass", "llmkube-normal"))


def test_two_clusters(cluster: SharedCluster, api: DynamicClient, namespace: str, tmp_path: Path) -> None:
    with ControlPlane.start(tmp_path / "plane", crds=(), volumes=1) as plane:
        client = config.new_client_from_config(str(plane.kubeconfig))
        other = DynamicClient(client, cache_file=str(tmp_path / "discovery.json"))
        other.resources.get(api_version="v1", kind="Namespace").create(body={"metadata": {"name": namespace}})
        project = OwnProgram(tmp_path / "program", cluster, namespace)
        text = PROGRAM.replace("NAMESPACE", namespace)
        text = text.replace("CLUSTERS", repr({"east": str(cluster.kubeconfig), "west": str(plane.kubeconfig)}))

        project.write(text.replace("NAMES", "['first', 'second']"))
        refused = project.up(fails=True)
        assert (
            f"Deployment {namespace}/chat is made twice (provider east), by InferenceServiceComponent first-east and "
            "by InferenceServiceComponent second-east"
        ) in refused.text

        project.write(text.replace("NAMES", "['first']"))
        project.up()
        for there in (api, other):
            assert read(there, "apps/v1", "Deployment", "chat", namespace) is not None
            for api_version, kind, name in SHARED:
                where = namespace if kind == "PersistentVolumeClaim" else None
                assert read(there, api_version, kind, name, where) is not None, name
        project.up("--expect-no-changes")
        project.destroy()
        assert read(other, *SHARED[1]) is None
        assert read(other, *SHARED[0], namespace) is not None
