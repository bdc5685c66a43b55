"""The script that unpacks a model, run by /bin/sh with a stub in place of ``kit``.

Not proved: that the real kit takes these arguments, and that the kit image has a shell.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from modelservices.families.otterscale.unpack import script

from .services import objects, pod

SHELLS = [shell for shell in (("/bin/sh",), ("bash", "--posix"), ("busybox", "sh")) if shutil.which(shell[0])]
"""Those of the shells that this machine has; /bin/sh every one has."""

_STUB = """#!/bin/sh
printf '%s\\n' "$@" > "$RECORD"
printf 'home=%s\\n' "$KITOPS_HOME" >> "$RECORD"
exit "${KIT_EXIT:-0}"
"""


class Kit:
    """A folder with the stub, and what the stub was called with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = folder / "record"
        stub = folder / "kit"
        stub.write_text(_STUB)
        stub.chmod(0o755)

    def run(self, *shell: str, arguments: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run(
            [*(shell or ("/bin/sh",)), "-c", script(), *arguments],
            env={"PATH": path, "RECORD": str(self.record), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def called_with(self) -> list[str]:
        return self.record.read_text().splitlines() if self.record.exists() else []


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell[0])
def test_it_unpacks_the_image_into_the_mount_path(kit: Kit, tmp_path: Path, shell: tuple[str, ...]) -> None:
    home = tmp_path / "home"
    done = kit.run(*shell, OCI_MODEL_IMAGE="reg/m:1", MODEL_MOUNT_PATH="/models dir", KITOPS_HOME=str(home))
    assert (done.returncode, done.stderr) == (0, "")
    assert kit.called_with == [
        *("unpack", "reg/m:1", "--overwrite", "--dir", "/models dir"),
        f"home={home}",
    ]
    assert home.is_dir()


def test_tls_is_left_out_where_a_setting_says_so(kit: Kit) -> None:
    """The container's own arguments are those that kit gets."""
    (container,) = [
        item
        for item in pod(objects(settings={"plainHTTP": True})["decode-deployment"])["initContainers"]
        if item["name"] == "model-unpack"
    ]
    assert container["args"][0] == script()
    kit.run(arguments=tuple(container["args"][1:]), OCI_MODEL_IMAGE="reg/m:1", MODEL_MOUNT_PATH="/models")
    assert kit.called_with[:3] == ["unpack", "reg/m:1", "--plain-http"]


@pytest.mark.parametrize("home", [{}, {"KITOPS_HOME": ""}])
def test_the_cache_falls_back_to_the_scratch_volume(kit: Kit, home: dict[str, str]) -> None:
    assert kit.run(OCI_MODEL_IMAGE="reg/m:1", MODEL_MOUNT_PATH="/models", **home).returncode == 0
    assert kit.called_with[-1] == "home=/tmp/model-oci"


def test_a_failing_kit_fails_the_container(kit: Kit, tmp_path: Path) -> None:
    done = kit.run(OCI_MODEL_IMAGE="reg/m:1", MODEL_MOUNT_PATH="/models", KITOPS_HOME=str(tmp_path), KIT_EXIT="7")
    assert done.returncode == 7


def test_without_kit_the_container_fails(tmp_path: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "OCI_MODEL_IMAGE": "m", "MODEL_MOUNT_PATH": "/m", "KITOPS_HOME": str(tmp_path)}
    assert subprocess.run(["/bin/sh", "-c", script()], env=env, capture_output=True, check=False).returncode == 127


@pytest.mark.parametrize("missing", ["OCI_MODEL_IMAGE", "MODEL_MOUNT_PATH"])
def test_an_unset_variable_fails_before_kit_is_called(kit: Kit, tmp_path: Path, missing: str) -> None:
    env = {"OCI_MODEL_IMAGE": "reg/m:1", "MODEL_MOUNT_PATH": "/models", "KITOPS_HOME": str(tmp_path)}
    del env[missing]
    done = kit.run(**env)
    assert done.returncode != 0 and missing in done.stderr
    assert kit.called_with == []


def test_a_cache_that_cannot_be_made_fails_before_kit_is_called(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = kit.run(OCI_MODEL_IMAGE="m", MODEL_MOUNT_PATH="/m", KITOPS_HOME=str(tmp_path / "file" / "home"))
    assert done.returncode != 0
    assert kit.called_with == []


def test_the_script_asks_for_nothing_that_plain_shells_lack() -> None:
    assert "pipefail" not in script()
    assert "#" not in script()
