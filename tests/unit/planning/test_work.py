"""How often a plan works out the same, counted. Not shown here: how long it takes (``make bench`` does)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from bench.services import write_manifests
from modelservices.families.llmkube.deployment import server
from modelservices.kubernetes.args import Dialect
from modelservices.kubernetes.endpoint_picker.config import config_text
from modelservices.kubernetes.objects import key
from modelservices.manifests.documents import Document, load
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

SERVICES = 8
SETTINGS = Settings()


def documents(folder: Path) -> list[Document]:
    write_manifests(SERVICES, folder)
    return load([folder])[0]


def llmkube(folder: Path) -> list[Document]:
    return [document for document in documents(folder) if document.data["kind"] != "ModelService"]


def counted(function: Callable[..., Any], given: list[Document]) -> tuple[int, StackPlan]:
    """How often planning calls a function, once all models have been made, and the plan."""
    make_plan(given, SETTINGS)
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is function.__code__

    sys.setprofile(count)
    try:
        plan = make_plan(given, SETTINGS)
    finally:
        sys.setprofile(None)
    return calls, plan.raise_for_errors()


def test_an_object_is_identified_once(tmp_path: Path) -> None:
    calls, plan = counted(key, documents(tmp_path))
    objects = sum(len(list(service.all_objects())) for service in plan.services)
    assert (objects, calls) == (42, 42)


def test_a_command_line_is_taken_apart_once_where_it_is_made_and_once_by_the_rules(tmp_path: Path) -> None:
    """The rules are three: what a server needs, what it refuses, and how it drains. Some read the user's words once
    more."""
    calls, plan = counted(Dialect.flags, llmkube(tmp_path))
    assert (len(plan.services), calls) == (6, 6 * 5)


def test_a_container_is_rendered_once(tmp_path: Path) -> None:
    calls, plan = counted(server, documents(tmp_path))
    assert calls == sum(service.kind == "InferenceService" for service in plan.services) == 6


def test_the_configuration_of_a_picker_is_written_once(tmp_path: Path) -> None:
    calls, plan = counted(config_text, documents(tmp_path))
    assert calls == sum(service.kind == "ModelService" for service in plan.services) == 2
