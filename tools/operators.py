"""The operators' real controllers, for tests of take-overs: built like the other tools, with the CRDs of their release.

    python3 -m tools.operators [NAME…]   build all of them, or the named ones

They are pinned to the releases that this program follows. `docs/porting.md` says how to port the next one.
"""

import argparse
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools import cache, crds, go_build
from tools.go_command import ToolchainError
from tools.versions import KSERVE, LLMKUBE, OME, OTTERSCALE, OTTERSCALE_API, ManifestSource, Tool

Progress = Callable[[str], object]


@dataclass(frozen=True)
class Controller(Tool):
    """``definitions`` are the CRDs that it watches, ``installation`` what its installation has besides: a file, or the
    YAML files of a folder. In its ``flags``, `{port}` is where it tells its health, and `{webhooks}` where it converts
    custom resources."""

    definitions: tuple[ManifestSource, ...] = ()
    installation: tuple[ManifestSource, ...] = ()
    flags: tuple[str, ...] = ()
    namespace: str = ""
    """Where its installation's objects are that name none."""
    program: str = "manager"
    """Its file in the operator's image: the name under which it owns fields."""


@dataclass(frozen=True)
class Built:
    """Files of a controller that can be started."""

    binary: Path
    definitions: list[Path]
    installation: list[Path]


_LLMKUBE = (
    "llmkube",
    "github.com/defilantech/llmkube",
    f"v{LLMKUBE}",
    "h1:xTSvLjIjts5XAliLq7EGHXMC3XxEgNx3K1SpDKc0PGw=",
)
_KSERVE = ("kserve", "github.com/kserve/kserve", f"v{KSERVE}", "h1:Bs7HxmGV4KFqqptDcWseKv+mwD4YOYHJWcuVgPG2Gug=")
_KSERVE_CRDS = "config/crd/full/llmisvc/serving.kserve.io_"
_OME = ("ome", "github.com/sgl-project/ome", f"v{OME}", "h1:vDKtS2LqgHO1REfrkjpAvTPKMwVRMnUO6bmqU6owD8Q=")
_OME_KINDS = (
    "AcceleratorClass",
    "BaseModel",
    "BenchmarkJob",
    "ClusterBaseModel",
    "ClusterServingRuntime",
    "InferenceService",
    "ServingRuntime",
)

CONTROLLERS: dict[str, Controller] = {
    "llmkube": Controller(
        name="llmkube-controller",
        module="llmkube",
        package="github.com/defilantech/llmkube/cmd",
        version=LLMKUBE,
        definitions=(
            ManifestSource(
                *_LLMKUBE,
                "config/crd/bases",
                (
                    "FederatedCluster",
                    "GPUQuota",
                    "InferenceService",
                    "LoRAAdapter",
                    "Model",
                    "ModelPool",
                    "ModelRouter",
                ),
            ),
        ),
        installation=(ManifestSource(*_LLMKUBE, "config/manager/priority_classes.yaml"),),
        flags=("--leader-elect", "--health-probe-bind-address=127.0.0.1:{port}"),
    ),
    "otterscale": Controller(
        name="otterscale-controller",
        module="otterscale",
        package="github.com/otterscale/model-operator/cmd",
        version=OTTERSCALE,
        stamps=(("main.version", f"v{OTTERSCALE}"),),
        definitions=(
            ManifestSource(
                "otterscale",
                "github.com/otterscale/api",
                f"v{OTTERSCALE_API}",
                "h1:mzJLbwnYGLQgASSPqMW9IF2/GrgLNKIB0oT7i50q+Ao=",
                "config/crd/bases",
                ("ModelArtifact", "ModelService"),
            ),
        ),
        flags=("--leader-elect", "--health-probe-bind-address=127.0.0.1:{port}"),
    ),
    "kserve": Controller(
        name="kserve-controller",
        module="kserve",
        package="github.com/kserve/kserve/cmd/llmisvc",
        version=KSERVE,
        definitions=tuple(
            ManifestSource(*_KSERVE, f"{_KSERVE_CRDS}{plural}.yaml")
            for plural in ("llminferenceservices", "llminferenceserviceconfigs")
        ),
        installation=(
            ManifestSource(*_KSERVE, "config/configmap/inferenceservice.yaml"),
            ManifestSource(*_KSERVE, "config/llmisvcconfig"),
        ),
        namespace="kserve",
        flags=(
            "--leader-elect",
            "--health-probe-addr=127.0.0.1:{port}",
            "--metrics-addr=0",
            "--webhook-port={webhooks}",
        ),
    ),
    "ome": Controller(
        name="ome-controller",
        module="ome",
        package=".",
        version=OME,
        definitions=(ManifestSource(*_OME, "config/crd/full", _OME_KINDS),),
        installation=(
            ManifestSource(*_OME, "config/configmap/inferenceservice.yaml"),
            ManifestSource(*_OME, "config/configmap/benchmarkjob.yaml"),
        ),
        namespace="ome",
        flags=("--health-probe-bind-address=127.0.0.1:{port}",),
    ),
}
"""By the families' names."""


def ensure(family: str, progress: Progress = print) -> Built:
    """A controller with the manifests of its installation, built and copied if necessary."""
    controller = CONTROLLERS[family]
    binary = go_build.build(controller, progress) / controller.name
    manifests = _manifests(controller)
    return Built(binary, sorted(manifests.glob("crds/*.yaml")), sorted(manifests.glob("installation/*.yaml")))


def _manifests(controller: Controller) -> Path:
    sources = (controller.definitions, controller.installation)
    final = cache.folder() / f"{controller.name}-manifests-{cache.key(repr(sources))}"
    if not final.is_dir():
        with cache.fill_once(final) as folder:
            if folder is not None:
                for source in controller.definitions:
                    crds.copy_crds(source, folder / "crds")
                (folder / "installation").mkdir()
                for source in controller.installation:
                    for file in crds.files(source):
                        if file.name != "kustomization.yaml":
                            shutil.copyfile(file, folder / "installation" / file.name)
    return final


def main() -> int:
    """The command line: 0, or 1 with the reason on stderr."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.operators", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CONTROLLERS))
    names = parser.parse_args().names or list(CONTROLLERS)
    if unknown := [name for name in names if name not in CONTROLLERS]:
        parser.error(f"there is no operator {unknown[0]}; there are {', '.join(CONTROLLERS)}")
    try:
        for name in names:
            ensure(name, lambda line: print(line, file=sys.stderr, flush=True))
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
