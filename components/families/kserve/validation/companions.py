"""Command lines of the programs beside the model server: the endpoint picker's and the routing sidecar's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....engines.command_line import user_problems
from ....engines.command_reader import commands, is_shell, script_of
from ....engines.companions import ENDPOINT_PICKER, ROUTING_SIDECAR
from ....engines.server import takes
from ....engines.tool import Tool
from ....findings import Problem
from ....kubernetes.model import dump
from .. import scheduler_config
from ..context import Service, Workload
from ..listening import serving_port
from ..pods import container
from ..scheduler_arguments import (
    CAMEL_CASE,
    KEBAB_CASE,
    kebab_case,
    lost_flags,
    main_words,
    release,
    template,
    without_flags,
)
from ..service_account import SIDECAR, has_sidecar


def picker_problems(service: Service, path: str) -> Iterator[Problem]:
    """``path`` is that of the arguments of the picker's container."""
    main = container(dump(template(service))) or {}
    command, args = main.get("command", []), main.get("args", [])
    if is_shell([*command, *args]):
        yield from _shell_problems(main, service, path)
        return
    yield from _lost_flag_problems(service, path)
    if command and not str(command[-1]).startswith("-") and args and not str(args[0]).startswith(("-", "$")):
        message = (
            f"the first argument is {str(args[0]).split()[0]}, where the endpoint picker stops reading flags; move "
            "the whole command line to command, and keep only options in args"
        )
        yield Problem(path, message)
        return
    flags = scheduler_config.flags_moved(release(service) or (0, 0, 0), with_file=False)
    words = without_flags(main_words(service), flags)[0]
    yield from _flag_problems(words, ENDPOINT_PICKER, main.get("image"), path)


def sidecar_problems(each: Workload) -> Iterator[Problem]:
    if has_sidecar(each) and each.spec.template:
        sidecar = container(dump(each.spec.template), SIDECAR, "initContainers") or {}
        words = [*sidecar.get("command", []), *sidecar.get("args", [])]
        path = f"{each.path}.template.initContainers[{SIDECAR}].args"
        yield from _flag_problems(words, ROUTING_SIDECAR, sidecar.get("image"), path)


def _flag_problems(words: Sequence[Any], tool: Tool, image: Any, path: str) -> Iterator[Problem]:
    known = tool.release_of(image) if tool.is_in(image) else None
    for said in user_problems(words, tool, known) if known else ():
        yield Problem(path, said.message, "warning", said.code)


def _shell_problems(main: Mapping[str, Any], service: Service, path: str) -> Iterator[Problem]:
    """A shell's line is handed on as it is, without what is written for other command lines."""
    words = [word for command in commands(script_of(main)) for word in command]
    old = [word.partition("=")[0] for word in words if CAMEL_CASE.fullmatch(word)]
    if old and (release(service) or (0, 0, 0)) >= KEBAB_CASE:
        written = ", ".join(map(str, map(kebab_case, old)))
        message = f"the shell script uses {', '.join(old)}, which this release does not know; write {written}"
        yield Problem(path, message, code="unknown-flag")
    if takes(main) == "nothing" and "config" not in " ".join(words):
        message = (
            "the shell script does not pass on its arguments, so the picker gets no configuration; "
            'end it with "$@", or start the picker without a shell'
        )
        yield Problem(path, message, "warning", "no-config")


def _lost_flag_problems(service: Service, path: str) -> Iterator[Problem]:
    for flag, value in lost_flags(service).items():
        if flag != scheduler_config.SCRAPE_PORT:
            why = "this release takes it only in its configuration file; set it there, in the parameters of "
            why += "metrics-data-source"
        elif value != str(serving_port(service, service.decode)):
            why = "this release reads metrics at the pool's port"
        else:
            continue
        yield Problem(path, f"--{flag}={value} is left out, because {why}", "warning", "dropped-flag")
