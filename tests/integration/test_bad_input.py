"""Bad input on the real engine: one error lists all problems of all files, and nothing is registered.

Unit tests cover the individual problems and their wording. No cluster is needed to report them.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine import Result
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack

SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: "%s"}
"""

FILES = {
    "fields.yaml": model() + service("a", replica=2) + service("b", replicas=11) + service("c", resources={"gpu": "x"}),
    "good.yaml": service("e"),
    "twice.yaml": service("e"),
    "models.yaml": service("d", model="bgee"),
    "literal.yaml": SECRET % "hf_literal",
    "empty.yaml": "",
    "tabs.yaml": "apiVersion: v1\n\tkind: Secret\n",
    "keys.yaml": "kind: Model\nkind: Model\n",
    "kind.yaml": "apiVersion: apps/v1\nkind: StatefulSett\nmetadata: {name: x}\n",
}
PROBLEMS = {
    "fields.yaml: InferenceService models/a: spec.replica: is not a known field",
    "fields.yaml: InferenceService models/b: spec.replicas: must be between 0 and 10, got 11",
    "fields.yaml: InferenceService models/c: spec.resources.gpu:",
    "twice.yaml: InferenceService models/e: metadata.name: is defined twice, first in",
    "models.yaml: InferenceService models/d: spec.modelRef: Model bgee is not among the manifests",
    "literal.yaml: Secret models/token: stringData.token: is a literal secret",
    "tabs.yaml:",
    "keys.yaml:",
    "kind.yaml: StatefulSett x: kind: StatefulSett (apps/v1) is not accepted",
}
CONFIG_PROBLEMS = {
    "config: manifest: is not a known field; did you mean manifests?",
    "config: createNamespaces:",
    "config: settings.llmkube.modelCacheSize:",
    "config: settings.llmkub: is not a known field; did you mean llmkube?",
}


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(tmp_path / "project", None, "models")


def refused(stack: Stack) -> Result:
    """Checks that an update fails, changes nothing and shows no traceback."""
    result = stack.up(fails=True)
    assert "Traceback" not in result.text
    assert "nothing was changed" in result.text
    assert stack.registered() == []
    return result


def test_manifests(stack: Stack) -> None:
    for file, text in FILES.items():
        stack.write(text, file)

    result = refused(stack)

    assert "hf_literal" not in result.text
    assert lacking(PROBLEMS, result) == set()
    assert stack.preview(fails=True).messages[0].splitlines()[1:] == result.messages[0].splitlines()[1:]


@pytest.mark.parametrize(
    ("config", "problems"),
    [
        (
            {
                "manifest": ["x"],
                "createNamespaces": "perhaps",
                "settings": {"llmkub": {}, "llmkube": {"modelCacheSize": "much"}},
            },
            CONFIG_PROBLEMS,
        ),
        ({"manifests": ["nowhere"]}, {"nowhere: "}),
    ],
    ids=["unknown keys and wrong types", "a missing folder"],
)
def test_config(stack: Stack, config: Mapping[str, Any], problems: set[str]) -> None:
    stack.write(model() + service())
    stack.config(config)

    assert lacking(problems, refused(stack)) == set()


def test_config_secret_that_is_not_set(stack: Stack) -> None:
    stack.write(model() + service() + SECRET % "${secret:token}")

    result = refused(stack)

    line = "Secret models/token: token: the config secret token is not set; run `pulumi config set --secret"
    assert f"{line} modelservices:token`" in result.text


def lacking(problems: set[str], result: Result) -> set[str]:
    """The problems that the engine did not print; other tests check line numbers."""
    text = re.sub(r"\.yaml:\d+:", ".yaml:", result.text)
    return {problem for problem in problems if problem not in text}
