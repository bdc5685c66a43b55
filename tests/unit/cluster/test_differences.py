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
