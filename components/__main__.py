"""``modelservices`` (``python -m modelservices``): render, check and look at model services without the engine."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from modelservices.findings import InvalidManifests

COMMANDS = {
    "init": "make a Pulumi project with one chat model on CPU, to start with",
    "render": "print the Kubernetes objects as YAML",
    "graph": "print a picture of what refers to what",
    "dashboard": "a Grafana dashboard and Prometheus rules for the services",
    "explain": "print where a label or annotation comes from",
    "validate": "check manifests and print every finding",
    "status": "a table of the services, from the live cluster",
    "smoke": "ask each service for a few tokens, through the live cluster's API server",
    "recover": "after a killed update: find what the stack made and has lost sight of, and delete it",
    "replacements": "what the next update would delete and make again, by the engine's preview",
    "adopt": "take over what an operator made, without restarting its pods",
    "convert": "make a ModelService of the values of the Helm chart llm-d-modelservice",
    "schema": "JSON Schema of the manifests, for editors",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code. Bad input ends in findings on stderr and 1, never in a traceback."""
    parser = argparse.ArgumentParser(prog="modelservices", description=__doc__)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    words = sys.argv[1:] if argv is None else argv
    named = [word for word in words[:1] if word in COMMANDS]
    for name in named or COMMANDS:  # the other commands' parsers and modules are not needed
        subparser = subparsers.add_parser(name, help=COMMANDS[name], description=COMMANDS[name])
        _module(name).add_arguments(subparser)
    arguments = parser.parse_args(words)
    try:
        return _module(arguments.command).run(arguments)
    except InvalidManifests as error:
        from modelservices.manifests.reports import report

        sys.stderr.write(report(error.findings))
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def _module(command: str):
    return importlib.import_module(f"modelservices.commands.{command}")  # `python -m components` runs this module


def program() -> None:
    """The console script."""
    sys.exit(main())


if __name__ == "__main__":
    program()
