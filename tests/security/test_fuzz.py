"""No input causes a traceback, prints a secret, or runs too long: random mutations of reference inputs, settings and
stack files. `make fuzz` does the same for any time and keeps failing inputs.

Not proven here: inputs that differ from the reference inputs by more than a few changes.
"""

from __future__ import annotations

import os
import resource
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .fuzzing import seeds
from .fuzzing.invariants import COMMANDS, check, working_in
from .fuzzing.mutations import changed_bytes, changed_text, changed_values

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
"""Number of inputs for each test; 0 means the suite's default, a few inputs that are always the same."""
MEGABYTES = 300

fuzzed = settings(
    max_examples=EXAMPLES or 120,
    derandomize=not EXAMPLES,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def any_change(texts: tuple[str, ...]) -> st.SearchStrategy[bytes]:
    documents = [seeds.documents(text) for text in texts]
    return st.one_of(changed_values(documents), changed_text(texts), changed_values(documents), changed_bytes(texts))


@pytest.fixture(scope="module", autouse=True)
def memory() -> Iterator[None]:
    """Limits memory growth. Linux counts in kilobytes; elsewhere, and for the many inputs of `make fuzz`, there is no
    limit."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if sys.platform == "linux" and not EXAMPLES:
        assert grown < MEGABYTES, f"took {grown:.0f} MB more"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what stack files refer to."""
    found = tmp_path_factory.mktemp("fuzz")
    (found / "stacks").symlink_to(seeds.ROOT / "stacks")
    (found / "manifests").mkdir()
    (found / "manifests/service.yaml").write_text(SERVICE)
    (found / "input.yaml").write_text(SERVICE)
    return found


def kept(kind: str, content: bytes, error: BaseException) -> None:
    """Saves a failing input. For inputs with the same cause the last one stays: hypothesis ends with the smallest."""
    if not EXAMPLES:
        return
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = f"found-{type(error).__name__}-{Path(frame.filename).stem}-{frame.name}.yaml".lower()
    path = seeds.CORPUS / kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def checked(kind: str, content: bytes, command: tuple[str, ...], folder: Path) -> None:
    """Checks an input of one kind, at the usual place of such an input."""
    manifest, file = folder / "input.yaml", folder / f"{kind}.yaml"
    try:
        if kind == "manifests":
            file.write_bytes(content)
            check(command, str(file), files=[str(file)])
        elif kind == "settings":
            file.write_bytes(content)
            check(command, str(manifest), "--settings", str(file), files=[str(file), str(manifest)])
        else:
            (folder / "Pulumi.odd.yaml").write_bytes(content)
            with working_in(folder):
                check(command, "--stack", "odd", files=[])
    except BaseException as error:
        kept(kind, content, error)
        raise


SERVICE = "\n---\n".join(
    (seeds.ROOT / name).read_text()
    for name in (
        "examples/rendered/chat-cpu/input.yaml",
        "examples/rendered/kserve-single-node/input.yaml",
        "examples/rendered/prefill-decode/input.yaml",
        "examples/ome/manifests/platform.yaml",
        "examples/ome/manifests/inference-service.yaml",
    )
)
"""Services of several families, to which settings apply."""


@fuzzed
@given(content=any_change(seeds.manifests()), command=st.sampled_from(COMMANDS))
def test_manifests(folder: Path, content: bytes, command: tuple[str, ...]) -> None:
    checked("manifests", content, command, folder)


@fuzzed
@given(content=any_change(seeds.settings()), command=st.sampled_from(COMMANDS))
def test_settings(folder: Path, content: bytes, command: tuple[str, ...]) -> None:
    checked("settings", content, command, folder)


@fuzzed
@given(content=any_change(seeds.stacks()), command=st.sampled_from(COMMANDS))
def test_stacks(folder: Path, content: bytes, command: tuple[str, ...]) -> None:
    checked("stacks", content, command, folder)


CORPUS = [(kind, path) for kind in seeds.KINDS for path in seeds.corpus(kind)]


@pytest.mark.parametrize(("kind", "path"), CORPUS, ids=[f"{kind}/{path.name}" for kind, path in CORPUS])
def test_corpus(kind: str, path: Path, folder: Path) -> None:
    """Inputs that failed before."""
    for command in COMMANDS:
        checked(kind, path.read_bytes(), command, folder)
