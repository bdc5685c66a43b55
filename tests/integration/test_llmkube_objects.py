"""A real API server accepts, field by field, what each LLMKube reference case renders.

Not proven here: that the pods run.
"""

from __future__ import annotations

from kubernetes.dynamic import DynamicClient

from tests.conformance import test_llmkube as conformance
from tests.integration.strictness import Asked, asked


def test_the_server_takes_the_objects(api: DynamicClient) -> None:
    plans = [(case.name, conformance.plan_of(case)) for case in conformance.CASES]
    cases = [(name, plan, [*plan.all_objects(), *plan.chart]) for name, plan in plans]
    assert asked(api, cases) == Asked(objects=257, refused_here=16, refused=[])
