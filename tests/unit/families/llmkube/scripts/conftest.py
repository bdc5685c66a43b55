"""Every test of a script runs in every shell that is here, with the real curl and a local server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..model_server import Site, serve
from .pod import MODEL, Pod

SHELLS = [shell for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"]) if shutil.which(shell[0])]


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    if not shutil.which("curl"):
        pytest.skip("needs curl")
    return request.param


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(Site(files={"/m.gguf": MODEL})) as running:
        yield running


@pytest.fixture
def pod(tmp_path: Path, shell: list[str]) -> Pod:
    return Pod(tmp_path, shell)
