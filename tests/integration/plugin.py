"""This repository's Pulumi plugin, and copies of the examples that use it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from tests.integration.engine import Project
from tools import cache, toolchain

REPOSITORY = Path(__file__).parents[2]
PLUGIN = REPOSITORY / "component_provider"
EXECUTABLE = PLUGIN / "pulumi-resource-modelservices"
NODEJS = Path(sys.prefix) / "bin"
"""Node.js is a package of this virtual environment (requirements-dev.txt)."""


def pulumi(*arguments: str) -> str:
    """The output of a `pulumi` command that needs no stack."""
    environment = os.environ | toolchain.engine_environment()
    done = subprocess.run(["pulumi", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@lru_cache(maxsize=1)
def schema_text() -> str:
    """The schema that the engine gets from the plugin."""
    return pulumi("package", "get-schema", str(EXECUTABLE))


def copy_of(example: str, folder: Path) -> Path:
    """A copy of an example outside the source tree, for its stack files and npm's output."""
    ignored = shutil.ignore_patterns("node_modules", "sdks", "README.md")
    shutil.copytree(REPOSITORY / "examples" / example, folder, ignore=ignored)
    project = folder / "Pulumi.yaml"
    project.write_text(project.read_text().replace("../../component_provider", str(PLUGIN)))
    return folder


def run_built(project: Project, language: str, binary: Path) -> None:
    """Makes the language host start a built program; otherwise it compiles the program at each command.

    Current hosts take this option from Pulumi.yaml, the toolchain's hosts take a flag.
    """
    file = project.folder / "Pulumi.yaml"
    runtime = {"name": language, "options": {"binary": str(binary)}}
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"runtime": runtime}))
    name = f"pulumi-language-{language}"
    script = project.folder / "host" / name
    script.parent.mkdir()
    host = shutil.which(name, path=project.environment["PATH"])
    script.write_text(f'#!/bin/sh\nexec "{host}" "-binary={binary}" "$@"\n')
    script.chmod(0o755)
    project.environment["PATH"] = os.pathsep.join([str(script.parent), project.environment["PATH"]])


def install_packages(folder: Path) -> None:
    """Installs what `pulumi install` would for a TypeScript program: the plugin's SDK and the packages of
    package-lock.json.

    Both are in the user's cache, created once for each schema and lock file.
    """
    lock = (folder / "package-lock.json").read_text()
    final = cache.folder() / f"typescript-{cache.key(schema_text(), lock)}"
    with cache.fill_once(final) as unfinished:
        if unfinished is not None:
            _install(folder, unfinished)
    for name in ("node_modules", "sdks"):
        (folder / name).symlink_to(final / name)


def compile_typescript(folder: Path) -> str:
    """The compiler's errors for a TypeScript program; empty for a correct one."""
    command = [NODEJS / "node", folder / "node_modules" / "typescript" / "bin" / "tsc", "--noEmit", "--pretty", "false"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout


def install_go_sdk(folder: Path) -> None:
    """Installs what `pulumi install` would for a Go program: the plugin's SDK, created once for each schema."""
    final = cache.folder() / f"go-{cache.key(schema_text(), GO_MODULE)}"
    with cache.fill_once(final) as unfinished:
        if unfinished is not None:
            _generate("go", unfinished)
            (unfinished / "modelservices" / "go.mod").write_text(GO_MODULE)
    (folder / "sdks").symlink_to(final)


def compile_go(folder: Path, *arguments: str) -> str:
    """The errors of `go build`; empty for correct programs."""
    environment = os.environ | COMPILED_ONCE
    command = ["go", "build", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def install_java_sdk(folder: Path) -> Path:
    """Installs what `pulumi install` would for a Java program: the plugin's SDK and the libraries of pom.xml.

    Both are created once for each schema and pom.xml, with the SDK's classes; returns their folder.
    """
    final = cache.folder() / f"java-{cache.key(schema_text(), (folder / 'pom.xml').read_text(), *_LIBRARIES)}"
    with cache.fill_once(final) as unfinished:
        if unfinished is not None:
            _download_libraries(folder, unfinished / "libraries")
            schema = unfinished / "schema.json"
            schema.write_text(schema_text())
            pulumi("package", "gen-sdk", "--language", "java", "--local", "--out", str(unfinished), str(schema))
            (unfinished / "java").rename(unfinished / "modelservices")
            assert _javac((unfinished / "modelservices").rglob("*.java"), unfinished) == ""
    (folder / "sdks").symlink_to(final)
    return final


def compile_java(folder: Path, sdk: Path) -> str:
    """The compiler's errors for a Java program; empty for a correct one."""
    return _javac((folder / "src").rglob("*.java"), sdk, folder / "classes")


def pack_java(folder: Path) -> Path:
    """An archive that starts Maven's compiled classes, with the SDK's libraries."""
    libraries = sorted((folder / "sdks" / "libraries").iterdir())
    places = " ".join(["target/classes/", *(f"sdks/libraries/{library.name}" for library in libraries)])
    lines = ["Manifest-Version: 1.0", "Main-Class: program.App", f"Class-Path: {places}"]
    # A manifest line has at most 72 bytes; continuation lines start with a space.
    manifest = "".join(re.sub(r"(.{70})", "\\1\r\n ", line) + "\r\n" for line in lines)
    archive = folder / "program.jar"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", manifest)
    return archive


def _javac(sources: Iterable[Path], sdk: Path, target: Path | None = None) -> str:
    classes = sdk / "classes"
    classpath = os.pathsep.join([str(classes), str(sdk / "libraries" / "*")])
    options = ["-nowarn", "-Xlint:none", "-proc:none", "-cp", classpath, "-d", str(target or classes)]
    environment = os.environ | SHORT_RUNS
    command = ["javac", *options, *sources]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def _download_libraries(folder: Path, target: Path) -> None:
    goal = [*_LIBRARIES, f"-DoutputDirectory={target}"]
    done = subprocess.run(["mvn", "-B", "-q", *goal], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"Maven can't get the libraries of examples/java-program: {done.stdout.strip().splitlines()[:1]}")


_LIBRARIES = ("dependency:copy-dependencies", "-DincludeScope=runtime")
SHORT_RUNS = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Short runs cost less without the optimizing compiler."""
COMPILED_ONCE = {"GOFLAGS": "-trimpath"}
"""Without paths in its output, Go reuses the SDK that another test compiled, which saves minutes."""
GO_MODULE = """module example.com/pulumi-modelservices/sdk/go/modelservices

go 1.24.0

require github.com/pulumi/pulumi/sdk/v3 v3.276.0
"""
"""What `pulumi package add` writes beside the generated SDK."""


def _generate(language: str, folder: Path) -> None:
    generator = toolchain.ensure("pulumi-sdk")["pulumi-sdk"]
    subprocess.run([generator, language, folder], input=schema_text(), text=True, check=True)


def _install(origin: Path, folder: Path) -> None:
    sdk = folder / "sdks" / "modelservices"
    _generate("nodejs", sdk)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(origin / name, folder)
    # Some versions of npm don't run install scripts, so the SDK's own script, which compiles it, is called explicitly.
    _npm(folder, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    _npm(sdk, "run", "postinstall")


def _npm(folder: Path, *arguments: str) -> None:
    # npm looks for node on PATH when it runs a package's script.
    environment = os.environ | {"PATH": os.pathsep.join([str(NODEJS), os.environ["PATH"]])}
    command = [NODEJS / "npm", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
