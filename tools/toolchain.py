"""The tools for tests and examples, taken from PATH or built once into the user's cache.

    python3 -m tools.toolchain build [NAME…]   all of them, or the named ones
    python3 -m tools.toolchain path NAME       the path of a tool (built first if necessary)
    python3 -m tools.toolchain env             shell exports for running the engine
    python3 -m tools.toolchain list            all tools and where they come from

Uses the standard library only, because it runs before the virtual environment exists.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from tools import crds, engine, go_build, on_path
from tools.go_command import ToolchainError
from tools.versions import DEFAULT_BUILD, ENGINE, TOOLS, Tool

Progress = Callable[[str], object]


def ensure(*names: str, progress: Progress = print) -> dict[str, Path]:
    """Each tool's path, built if necessary. Plugins that an installed engine fetches by itself are left out."""
    return {tool.name: path for tool in map(tool_named, names) if (path := _ensure(tool, progress))}


def engine_environment(progress: Progress = print) -> dict[str, str]:
    """Environment variables for a program that runs `pulumi`; the caller sets backend and passphrase."""
    ensure("pulumi", "pulumi-language-python", "pulumi-resource-kubernetes", progress=progress)
    settings = {"PULUMI_SKIP_UPDATE_CHECK": "true"}
    if on_path.suite_is_there("engine"):
        return settings | {"PATH": os.environ.get("PATH", "")}
    return settings | engine.variables()


def crd_files(groups: Iterable[str] | None = None, progress: Progress = print) -> list[Path]:
    """The CRDs of the named groups, by default of all."""
    return crds.crd_files(crds.crd_groups() if groups is None else groups, progress)


def tool_named(name: str) -> Tool:
    """The row of a tool. Raises ToolchainError for an unknown name."""
    for tool in TOOLS:
        if tool.name == name:
            return tool
    raise ToolchainError(f"there is no tool {name}; there are {', '.join(tool.name for tool in TOOLS)}.")


def _ensure(tool: Tool, progress: Progress) -> Path | None:
    found = on_path.find(tool)
    if found or on_path.is_left_to_suite(tool):
        return found
    built = go_build.build(tool, progress)
    return engine.add(tool.name, built) if tool.name in ENGINE else built / tool.name


def _where(tool: Tool) -> str:
    found = on_path.find(tool)
    if found:
        return str(found)
    if on_path.is_left_to_suite(tool):
        return f"left to the installed {tool.comes_with}"
    return str(go_build.built_folder(tool)) if go_build.built_folder(tool).is_dir() else "not built yet"


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _build(names: list[str]) -> None:
    ensure(*(names or DEFAULT_BUILD), progress=_to_stderr)
    if not names:
        crd_files(progress=_to_stderr)


def _print_path(name: str) -> None:
    paths = ensure(name, progress=_to_stderr)
    print(paths.get(name, "left to the installed engine"))


def _print_environment() -> None:
    for variable, value in engine_environment(progress=_to_stderr).items():
        print(f"export {variable}={shlex.quote(value)}")


def _print_list() -> None:
    for tool in TOOLS:
        print(f"{tool.name:28}{tool.version:10}{_where(tool)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tools.toolchain", description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="all tools, or those named")
    build.add_argument("names", nargs="*", metavar="NAME")
    path = commands.add_parser("path", help="where a tool is, built first if need be")
    path.add_argument("name", metavar="NAME")
    commands.add_parser("env", help="shell exports for running the engine")
    commands.add_parser("list", help="what there is and where it would come from")
    return parser.parse_args()


def main() -> int:
    """The command line: 0, or 1 with the reason on stderr."""
    arguments = _arguments()
    actions: dict[str, Callable[[], None]] = {
        "build": lambda: _build(arguments.names),
        "path": lambda: _print_path(arguments.name),
        "env": _print_environment,
        "list": _print_list,
    }
    try:
        actions[arguments.command]()
    except ToolchainError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
