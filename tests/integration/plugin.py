"""This repository's plugin, and copies of the examples that use it."""

import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from tools import cache, toolchain

REPOSITORY = Path(__file__).parents[2]
PLUGIN = REPOSITORY / "component_provider"
EXECUTABLE = PLUGIN / "pulumi-resource-modelservices"


def pulumi(*arguments: str) -> str:
    """The output of a command that needs no stack."""
    environment = os.environ | toolchain.engine_environment()
    done = subprocess.run(["pulumi", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@lru_cache(maxsize=1)
def schema_text() -> str:
    """The schema as the engine gets it from the plugin."""
    return pulumi("package", "get-schema", str(EXECUTABLE))


def copy_of(example: str, folder: Path) -> Path:
    """A copy of an example outside of the source tree; its stack files and what npm makes stay there."""
    ignored = shutil.ignore_patterns("node_modules", "sdks", "README.md")
    shutil.copytree(REPOSITORY / "examples" / example, folder, ignore=ignored)
    project = folder / "Pulumi.yaml"
    project.write_text(project.read_text().replace("../../component_provider", str(PLUGIN)))
    return folder


def install_packages(folder: Path) -> None:
    """What `pulumi install` does for a TypeScript program: the plugin's SDK, and the packages of package-lock.json.

    Both are kept in the user's cache, made once for each schema and lock file.
    """
    lock = (folder / "package-lock.json").read_text()
    final = cache.folder() / f"typescript-{cache.key(schema_text(), lock)}"
    with cache.fill_once(final) as unfinished:
        if unfinished is not None:
            _install(folder, unfinished)
    for name in ("node_modules", "sdks"):
        (folder / name).symlink_to(final / name)


def _install(origin: Path, folder: Path) -> None:
    sdk = folder / "sdks" / "modelservices"
    generator = toolchain.ensure("pulumi-sdk")["pulumi-sdk"]
    subprocess.run([generator, "nodejs", sdk], input=schema_text(), text=True, check=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(origin / name, folder)
    # Some versions of npm run install scripts and some don't: the SDK's own, which compiles it, is called below.
    _npm(folder, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    _npm(sdk, "run", "postinstall")


def _npm(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
