"""The container that hands the cache's root to the download's group.

Not proved here: that uid 0 may change the owner, which depends on the storage.
"""

from __future__ import annotations

import pytest

from modelservices.families.llmkube.scripts import prepare

from .pod import Pod


def test_preparation_changes_the_root_of_the_cache_only(pod: Pod) -> None:
    # Functions, because busybox takes its own chown before one on the PATH.
    recording = "".join(f'{name}() {{ echo {name} "$@"; }}\n' for name in ("chown", "chmod"))
    done = pod.run(recording + prepare("0:102", "g+rwX"), {})
    models = f"{pod.folder}/models"
    assert (done.returncode, done.stdout.splitlines()) == (0, [f"chown 0:102 {models}", f"chmod g+rwX {models}"])


@pytest.mark.parametrize("fails", ["chown", "chmod"])
def test_preparation_that_fails_says_so(pod: Pod, fails: str) -> None:
    results = "".join(f"{name}() {{ return {int(name == fails)}; }}\n" for name in ("chown", "chmod"))
    done = pod.run(results + prepare("100:100", "770"), {})
    assert done.returncode == 1
    assert done.stderr.startswith("model-cache-prep: can't ")
