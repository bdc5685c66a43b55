"""What an object needs before it can work. Does not prove that registration waits for it: see test_component.py."""

from modelservices.kubernetes.objects import Key
from modelservices.kubernetes.pod_templates import pod_templates
from modelservices.kubernetes.references import Reference, named_pools, references
from modelservices.kubernetes.scalars import Opaque


def workload(pod: dict) -> dict:
    spec = {"template": {"spec": {"containers": [{"name": "c"}], **pod}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "n"}, "spec": spec}


def test_a_pod_needs_what_it_mounts_reads_and_runs_as():
    container = {
        "name": "c",
        "env": [
            {"name": "A", "valueFrom": {"secretKeyRef": {"name": "token", "key": "k"}}},
            {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "tuning", "key": "k"}}},
            {"name": "C", "value": "x"},
        ],
    }
    pod = {
        "containers": [container],
        "initContainers": [
            {"name": "i", "envFrom": [{"secretRef": {"name": "store"}}, {"configMapRef": {"name": "all"}}]}
        ],
        "volumes": [
            {"name": "a", "persistentVolumeClaim": {"claimName": "cache"}},
            {"name": "b", "configMap": {"name": "config"}},
            {"name": "c", "secret": {"secretName": "certs"}},
            {"name": "d", "emptyDir": {}},
        ],
        "imagePullSecrets": [{"name": "pull"}],
        "serviceAccountName": "runner",
        "priorityClassName": "high",
    }
    assert references(workload(pod)) == {
        Reference("Secret", "n", "token"), Reference("Secret", "n", "store"), Reference("Secret", "n", "certs"),
        Reference("Secret", "n", "pull"), Reference("ConfigMap", "n", "tuning"), Reference("ConfigMap", "n", "all"),
        Reference("ConfigMap", "n", "config"), Reference("PersistentVolumeClaim", "n", "cache"),
        Reference("ServiceAccount", "n", "runner"), Reference("PriorityClass", "", "high"),
    }  # fmt: skip


def test_every_template_of_a_group_counts():
    template = {"spec": {"containers": [{"name": "c"}], "serviceAccountName": "a"}}
    other = {"spec": {"containers": [{"name": "c"}], "serviceAccountName": "b"}}
    spec = {"leaderWorkerTemplate": {"leaderTemplate": template, "workerTemplate": other}}
    obj = {"apiVersion": "x/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "l", "namespace": "n"}, "spec": spec}
    assert references(obj) == {Reference("ServiceAccount", "n", "a"), Reference("ServiceAccount", "n", "b")}


def test_a_binding_needs_its_role_and_a_token_its_account():
    meta = {"name": "b", "namespace": "n"}
    binding = {"apiVersion": "r/v1", "kind": "RoleBinding", "metadata": meta, "roleRef": {"kind": "Role", "name": "r"}}
    assert references(binding) == {Reference("Role", "n", "r")}
    cluster = {
        "apiVersion": "r/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "b"},
        "roleRef": {"kind": "ClusterRole", "name": "c"},
    }
    assert references(cluster) == {Reference("ClusterRole", "", "c")}
    annotations = {"kubernetes.io/service-account.name": "a"}
    token = {"apiVersion": "v1", "kind": "Secret", "metadata": {**meta, "annotations": annotations}}
    assert references(token) == {Reference("ServiceAccount", "n", "a")}


def test_names_that_are_not_known_yet_are_left_out():
    assert references(workload({"serviceAccountName": Opaque("later")})) == set()


def test_services_routes_and_autoscalers_need_nothing():
    for kind in ("Service", "HorizontalPodAutoscaler", "HTTPRoute"):
        obj = {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": {"name": "x", "namespace": "n"},
            "spec": {"selector": {"a": "b"}},
        }
        assert references(obj) == set()


def test_pod_templates_with_their_paths():
    pod = {"containers": [{"name": "main"}]}
    group = {"leaderTemplate": {"spec": pod}, "workerTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}
    obj = {"kind": "LeaderWorkerSet", "metadata": {"name": "g"}, "spec": {"leaderWorkerTemplate": group}}
    jobs = {"kind": "JobSet", "metadata": {"name": "j"}, "spec": {"replicatedJobs": [{"template": {"spec": pod}}]}}

    assert dict(pod_templates(obj)) == {
        "spec.leaderWorkerTemplate.leaderTemplate": group["leaderTemplate"],
        "spec.leaderWorkerTemplate.workerTemplate": group["workerTemplate"],
    }
    assert [path for path, _ in pod_templates(jobs)] == ["spec.replicatedJobs[0].template"]
    assert [path for path, _ in pod_templates({"kind": "Pod", "metadata": {"name": "p"}, "spec": pod})] == [""]
    assert list(pod_templates({"kind": "Service", "metadata": {"name": "s"}, "spec": {}})) == []


def test_pools_that_programs_in_pods_watch_are_named():
    def named(*arguments: str) -> list[Key]:
        return list(named_pools(workload({"containers": [{"name": "c", "args": list(arguments)}]})))

    old, new = "inference.networking.x-k8s.io/v1alpha2", "inference.networking.k8s.io/v1"
    group = "--pool-group=inference.networking.x-k8s.io"
    assert named(group, "--inference-pool=team-a/chat-pool") == [Key(old, "InferencePool", "team-a", "chat-pool")]
    assert named("--pool-name", "chat-pool", "--pool-namespace", "n2") == [Key(new, "InferencePool", "n2", "chat-pool")]
    assert named(f"exec epp --pool-name 'x' {group} --port 1") == [Key(old, "InferencePool", "n", "x")]
    assert named("--pool-name-of-another=x", "--port=1") == []
