"""Command lines of the programs beside the model server: the endpoint picker's and the routing sidecar's."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....engines.command_line import user_problems
from ....engines.companions import ENDPOINT_PICKER, ROUTING_SIDECAR
from ....engines.shell import is_shell, script_place
from ....engines.tool import Tool
from ....findings import Problem
from ....kubernetes.model import dump
from .. import names, scheduler_config
from ..context import Service, Workload
from ..listening import serving_port, value_of
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
        yield from _shell_problems([*command, *args], service, path)
        return
    yield from _lost_flag_problems(service, path)
    yield from _pool_problems(service, path)
    if command and not str(command[-1]).startswith("-") and args and not str(args[0]).startswith(("-", "$")):
        message = f"begin with {str(args[0]).split()[0]}, where the endpoint picker stops reading its flags: write a "
        yield Problem(path, f"{message}whole command line under command, and under args only options")
        return
    flags = scheduler_config.flags_moved(release(service) or (0, 0, 0), with_file=False)
    words = without_flags([word for part in main_words(service).values() for word in part], flags)[0]
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


def _shell_problems(words: Sequence[Any], service: Service, path: str) -> Iterator[Problem]:
    """A shell's line is handed on as it is, without what is written for other command lines."""
    place = script_place(words)
    text = words[place].split() if place is not None else []
    old = [word.partition("=")[0] for word in text if CAMEL_CASE.fullmatch(word)]
    if old and (release(service) or (0, 0, 0)) >= KEBAB_CASE:
        written = ", ".join(map(str, map(kebab_case, old)))
        message = f"have {', '.join(old)} in a shell's line, which this release does not know: write {written}"
        yield Problem(path, message, code="unknown-flag")
    if not any(word.strip("\"'") in ("$@", "$*") for word in text) and "config" not in " ".join(text):
        message = (
            "run a shell, whose line does not hand on the arguments after it, so the picker gets no configuration: "
            'end the line with "$@", or start the picker without a shell'
        )
        yield Problem(path, message, "warning", "no-config")


def _lost_flag_problems(service: Service, path: str) -> Iterator[Problem]:
    for flag, value in lost_flags(service).items():
        if flag != scheduler_config.SCRAPE_PORT:
            why = "this release takes it in its configuration only, which is a file here: set it there, in the "
            why += "parameters of metrics-data-source"
        elif value != str(serving_port(service, service.decode)):
            why = "this release asks for metrics at the port of the pool"
        else:
            continue
        yield Problem(path, f"--{flag}={value} is left out: {why}", "warning", "dropped-flag")


def _pool_problems(service: Service, path: str) -> Iterator[Problem]:
    """The pool of another service, which this picker has no rights for and nobody asks it about."""
    main = main_words(service)
    pool = names.inference_pool(service.name)
    for flag, own in (("--pool-name", pool), ("--pool-namespace", service.namespace)):
        given = value_of(main, flag) or own
        if given != own and "$" not in given and "{{" not in given:
            message = f"have {flag} {given}, but the pool of this service is {service.namespace}/{pool}: remove {flag}"
            yield Problem(path, message, "warning", "other-pool")
