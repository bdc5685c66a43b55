"""In which fields two objects differ."""

from modelservices.cluster.differences import changed_paths, unmet_paths


def obj(**spec: object) -> dict:
    return {"metadata": {"name": "x", "resourceVersion": "1"}, "spec": spec, "status": {"a": 1}}


def test_what_the_server_writes_is_no_difference():
    after = {**obj(a=1), "metadata": {"name": "x", "resourceVersion": "2"}, "status": {}}
    assert changed_paths(obj(a=1), after) == []


def test_paths_name_the_items_of_lists():
    before = obj(containers=[{"name": "a", "image": "1"}, {"name": "b", "image": "1"}])
    after = obj(containers=[{"name": "b", "image": "2"}])
    assert changed_paths(before, after) == [
        "spec.containers[a]",
        "spec.containers[b].image",
    ]


def test_only_what_is_rendered_counts_against_a_live_object():
    rendered = obj(replicas=1, resources={"memory": "2048Mi"}, empty={})
    live = obj(replicas=2, resources={"memory": "2Gi"}, defaulted=True)
    assert unmet_paths(rendered, live) == ["spec.replicas"]


def test_lists_without_names_differ_by_their_length_or_their_items():
    assert changed_paths(obj(args=["a", "b"]), obj(args=["a", "c"])) == ["spec.args[1]"]
    assert changed_paths(obj(args=["a"]), obj(args=["a", "c"])) == ["spec.args"]


def test_values_of_the_definitions_types_are_those_of_the_manifests_text():
    """Manifests are read as text, and the API server answers with truth values and numbers."""
    manifest = {
        "metadata": {},
        "spec": {"suspend": "false", "share": "0.9", "port": "8080", "memory": "1Gi", "on": "yes"},
    }
    live = {"metadata": {}, "spec": {"suspend": False, "share": 0.90, "port": 8080, "memory": "1024Mi", "on": True}}
    assert unmet_paths(manifest, live) == ["spec.on"]
