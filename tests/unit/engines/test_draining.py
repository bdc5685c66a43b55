"""How servers wait before they get SIGTERM. That llama.cpp's server finishes its answers is shown on the real node."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from modelservices.engines.draining import wait

LLAMA = {"image": "ghcr.io/ggml-org/llama.cpp:server-b10068", "args": ["--model", "/m", "--metrics"]}
VLLM = {"image": "vllm/vllm-openai:v0.25.1", "command": ["vllm", "serve", "/m"]}


def url(container: dict[str, Any]) -> str:
    """The address that is asked for running requests; empty if the container only sleeps."""
    command = wait(container, 15)
    if command == ["/bin/sleep", "15"]:
        return ""
    assert command[:2] == ["/bin/sh", "-c"] and command[2].startswith("sleep 15; ")
    return next(word for word in command[2].split() if "://" in word)


@pytest.mark.parametrize(
    ("container", "address"),
    [
        (LLAMA, "http://localhost:8080/metrics"),
        ({**LLAMA, "args": [*LLAMA["args"], "--port", "9000"]}, "http://localhost:9000/metrics"),
        ({**VLLM, "args": ["--ssl-certfile=/tls.crt"]}, "https://localhost:8000/metrics"),
        ({**LLAMA, "args": ["--model", "/m"]}, ""),
        ({**LLAMA, "args": [*LLAMA["args"], "--api-key", "x"]}, ""),
        ({**LLAMA, "env": [{"name": "LLAMA_API_KEY", "value": ""}]}, "http://localhost:8080/metrics"),
        ({**LLAMA, "args": [*LLAMA["args"], "--api-prefix", "/x"]}, ""),
        ({**VLLM, "args": ["--shutdown-timeout", "40"]}, ""),
        ({**VLLM, "args": ["--port", "$(PORT)"]}, ""),
        ({"image": "lmsysorg/sglang:v0.5.15", "command": ["python3", "-m", "sglang.launch_server"]}, ""),
        ({"image": "example/server:1"}, ""),
    ],
)
def test_servers_that_drop_running_requests_are_asked_for_them(container: dict[str, Any], address: str) -> None:
    assert url(container) == address


@pytest.mark.parametrize(
    ("container", "busy", "idle"),
    [
        (LLAMA, "llamacpp:requests_processing 12", "llamacpp:requests_processing 0"),
        (VLLM, 'vllm:num_requests_running{model_name="a 1"} 10.0', 'vllm:num_requests_running{model_name="a 1"} 0.0'),
    ],
)
def test_it_waits_until_no_request_runs(container: dict[str, Any], busy: str, idle: str, tmp_path: Path) -> None:
    log, curl = tmp_path / "log", tmp_path / "curl"
    curl.write_text(f"#!/bin/sh\necho >> {log}\n[ $(wc -l < {log}) -lt 3 ] && echo '{busy}' || echo '{idle}'\n")
    curl.chmod(0o755)

    subprocess.run(wait(container, 0), env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=True, timeout=60)

    assert log.read_text() == "\n" * 3
