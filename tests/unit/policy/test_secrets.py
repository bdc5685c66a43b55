"""The rule on literal secrets in registered objects. What counts as a secret is tested with the check itself."""

from modelservices.policy.rules.secrets import LITERAL_SECRET
from tests.unit.policy.helpers import MAIN, container, obj, said, workload

TOKEN = "hf_" + "aB3" * 11


def test_a_secret_in_a_variable() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "HF_TOKEN", "value": "abc"}]
    assert said(LITERAL_SECRET, workload(container(env=env))) == [
        f"Deployment n/web: {MAIN}.env[1].value: HF_TOKEN holds a literal secret; put it in a Secret, and refer to "
        "it with valueFrom.secretKeyRef (name, key)"
    ]


def test_a_reference_is_none() -> None:
    env = [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}}]
    assert said(LITERAL_SECRET, workload(container(env=env, args=["--api-key", "$(HF_TOKEN)"]))) == []


def test_a_secret_in_the_command_line() -> None:
    (sentence,) = said(LITERAL_SECRET, workload(container(args=["--port", "80", "--api-key", "abc"])))
    assert sentence.startswith(f"Deployment n/web: {MAIN}.args[2]: --api-key holds a literal secret; ")


def test_a_token_in_a_file_or_an_annotation() -> None:
    files = {**obj("ConfigMap"), "data": {"app.yaml": f"token: {TOKEN}"}}
    files["metadata"] = {**files["metadata"], "annotations": {"note": TOKEN}}
    sentences = said(LITERAL_SECRET, files)
    advice = "is a secret; put it in a Secret, and refer to the Secret or mount it"
    assert sentences == [
        f"ConfigMap n/web: metadata.annotations.note: {advice}",
        f'ConfigMap n/web: data["app.yaml"]: {advice}',
    ]


def test_what_the_platform_lists_is_none() -> None:
    env = [{"name": "PULL_KEY", "value": "abc123"}]
    assert len(said(LITERAL_SECRET, workload(container(env=env)))) == 1
    assert said(LITERAL_SECRET, workload(container(env=env)), {"notSecrets": ["PULL_KEY"]}) == []


def test_a_manifest_can_not_exempt_what_it_becomes() -> None:
    thing = workload(container(env=[{"name": "PULL_KEY", "value": "abc123"}]))
    thing["metadata"]["annotations"] = {"modelservices/not-secret": "PULL_KEY"}
    assert len(said(LITERAL_SECRET, thing)) == 1
