"""A store that already contains all CRDs, made once and copied into each new run folder.

Installing all CRDs takes an API server more than ten seconds, reading them at its start less than one.
"""

import shutil
from pathlib import Path

from tools import cache
from tools.cluster import core, install
from tools.cluster.waiting import Progress


def seed(run_dir: Path, binaries: dict[str, Path], crd_files: list[Path], progress: Progress) -> None:
    """Gives a new run folder its store; an existing store stays."""
    if not (run_dir / "etcd").exists():
        shutil.copytree(_filled_store(binaries, crd_files, progress), run_dir / "etcd")


def _filled_store(binaries: dict[str, Path], crd_files: list[Path], progress: Progress) -> Path:
    facts = [str(binaries[name]) for name in ("etcd", "kube-apiserver")]
    facts += [file.read_text() for file in crd_files]
    final = cache.folder() / f"store-{cache.key(*facts)}"
    if final.is_dir():
        return final / "etcd"
    with cache.fill_once(final) as folder:
        if folder is not None:
            progress("preparing a store with all CRDs, once …")
            _fill(folder, binaries, crd_files, progress)
    return final / "etcd"


def _fill(folder: Path, binaries: dict[str, Path], crd_files: list[Path], progress: Progress) -> None:
    run_dir = folder / "run"
    run_dir.mkdir()
    try:
        core.start_server(core.prepare(run_dir, binaries), progress)
        install.install_crds(core.api(run_dir), crd_files, progress)
    finally:
        core.stop(run_dir)
    (run_dir / "etcd").rename(folder / "etcd")
    shutil.rmtree(run_dir)
