"""The merging of label layers. Does not prove any family's table of layers: see the families' tests."""

from modelservices.findings import Problem
from modelservices.kubernetes.propagation import Layer, Origin, collisions, origins, propagate

OWNED = Layer("this program", {"app": "x"}, frozenset(["object", "pods"]), owned=True)
TOP = Layer(
    "metadata.labels",
    {"kueue.x-k8s.io/queue-name": "q", "team": "a"},
    frozenset(["object", "pods"]),
    ("kueue.x-k8s.io",),
)
SPEC = Layer("spec.labels", {"team": "b", "kueue.x-k8s.io/queue-name": "r"}, frozenset(["pods"]))


def test_later_layers_win_where_they_reach():
    layers = [OWNED, TOP, SPEC]
    assert propagate(layers, "object") == {"app": "x", "kueue.x-k8s.io/queue-name": "q"}
    assert propagate(layers, "pods") == {"app": "x", "kueue.x-k8s.io/queue-name": "r", "team": "b"}


def test_origins_name_every_layer_and_the_winner():
    assert origins([OWNED, TOP, SPEC], "pods", "kueue.x-k8s.io/queue-name") == [
        Origin("metadata.labels", "q", False),
        Origin("spec.labels", "r", True),
    ]
    assert origins([TOP], "pods", "team") == []


def test_an_owned_key_may_not_be_set():
    user = Layer("spec.labels", {"app": "y", "other": "z"}, frozenset(["pods"]))
    message = "is set to 'x' by this program, and selectors rely on that value; remove it"
    assert collisions([OWNED, user], "pods") == [Problem('spec.labels["app"]', message, code="owned-key", key="app")]


def test_an_owned_key_with_its_own_value_is_no_collision():
    assert collisions([OWNED, Layer("spec.labels", {"app": "x"}, frozenset(["pods"]))], "pods") == []
