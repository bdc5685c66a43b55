"""Which messages of Pulumi's SDK reach the engine."""

import logging

import pulumi
import pytest

from modelservices import InferenceServiceComponent
from modelservices.registration.sdk import DEBUG, leave_out_debug_messages
from modelservices.testing import render


def chat() -> None:
    leave_out_debug_messages()
    pulumi.log.info("a message of the program's own")
    spec = {"modelRef": "chat", "resources": {"cpu": "2"}}
    InferenceServiceComponent("chat", {"spec": spec, "model": {"source": "https://models.example.com/chat.gguf"}})


def registrations(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [message for message in caplog.messages if "registration successful: ty=kubernetes:" in message]


@pytest.fixture(autouse=True)
def every_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


def test_the_engine_gets_no_debug_messages_and_all_others(caplog: pytest.LogCaptureFixture):
    render(chat)
    assert registrations(caplog) == []
    assert "a message of the program's own" in caplog.messages


def test_they_are_sent_when_asked_for(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(DEBUG, "true")
    recording = render(chat)
    assert len(registrations(caplog)) == len([r for r in recording.registrations if r.type.startswith("kubernetes:")])
