"""What a container runs, as Kubernetes and a shell read it."""

import re
from pathlib import Path
from typing import Any

import pytest

from modelservices.engines import command_reader
from modelservices.engines.command_reader import commands, container_commands, split
from modelservices.engines.server import command_words, takes
from modelservices.families.kserve import serve


@pytest.mark.parametrize(
    ("script", "read"),
    [
        (
            "vllm serve $(MODEL) --port 80 2>&1 | tee log",
            [["vllm", "serve", "$(MODEL)", "--port", "80"], ["tee", "log"]],
        ),
        ("a 'b c' \"d $X ${Y:-5}\" # it's \nb", [["a", "b c", "d $X 5"], ["b"]]),
        ("a \\\n  --b \\\n  c", [["a", "--b", "c"]]),
        ("exec sh -c 'vllm serve m --port 9 \"$1\"' -- q", [["vllm", "serve", "m", "--port", "9", "q"]]),
        ("cat <<EOF >x\nit's --port 1\nEOF\nvllm serve m", [["cat"], ["vllm", "serve", "m"]]),
        ("PORT=80; vllm --port $PORT", [["vllm", "--port", "80"]]),
        ("PORT=80\nif x; then PORT=90; fi\nvllm --port $PORT", [["if", "x"], ["fi"], ["vllm", "--port", "$PORT"]]),
        ("PORT=$(pick 'a) b')\nvllm --port $PORT", [["vllm", "--port", "$PORT"]]),
        ("more=(1 '2 3'); vllm \"${more[@]}\"", [["vllm", "1", "2 3"]]),
        ("eval \"vllm '--a b' c\"", [["vllm", "--a b", "c"]]),
        ("vllm $(( 1 + (2) )) `x y` ${A%%.*}", [["vllm", "$(( 1 + (2) ))", "`x y`", "${A%%.*}"]]),
        ("a; b 'never closed", [["a"]]),
    ],
)
def test_scripts(script: str, read: list[list[str]]) -> None:
    assert commands(script) == read


def test_a_text_is_split_as_a_shell_does() -> None:
    assert split('--a \'{"x": 1}\' b;c\nd "e f" # g') == ["--a", '{"x": 1}', "b;c", "d", "e f", "#", "g"]
    assert split("it's") == ["it's"]
    assert split(1) == [1]


def shell(script: str, *args: str, **env: str | None) -> dict[str, Any]:
    variables = [{"name": name, "value": value} if value is not None else {"name": name} for name, value in env.items()]
    return {"command": ["/bin/bash", "-c", script, "--"], "args": list(args), "env": variables}


@pytest.mark.parametrize(
    ("container", "words"),
    [
        (shell('vllm serve $(M) "$@"', "1 2", M="m"), ["vllm", "serve", "m", "1 2"]),
        (shell('vllm serve $A "$A" $B', A="x y", B=None), ["vllm", "serve", "x", "y", "x y", "$B"]),
        (shell('eval "vllm serve ${MORE} $*"', "--a '1 2'", MORE="'--b c'"), ["vllm", "serve", "--b c", "--a", "1 2"]),
        (shell("# vllm serve --port 1\nvllm serve", "--lost"), ["vllm", "serve"]),
        ({"command": ["vllm"], "args": ["$(A)", "$$(A)"], "env": [{"name": "A", "value": "1"}]}, ["vllm", "1", "$(A)"]),
        ({"args": ["--port 9000"]}, ["--port 9000"]),
    ],
)
def test_containers(container: dict[str, Any], words: list[str]) -> None:
    assert command_words(container) == words


def test_a_variable_has_the_values_of_those_before_it() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)2 $(C)"}, {"name": "C", "value": "3"}]
    assert container_commands({"command": ["x", "$(B)"], "env": env}) == [["x", "12 $(C)"]]


@pytest.mark.parametrize(
    ("script", "form"),
    [
        ('exec vllm serve "$@"', "words"),
        ('eval "vllm serve $*"', "shell text"),
        ('eval "vllm serve $@"', "shell text"),
        ('# "$@"\nvllm serve', "nothing"),
        ("vllm serve", "nothing"),
    ],
)
def test_where_further_arguments_go(script: str, form: str) -> None:
    assert takes(shell(script)) == form
    assert takes({"command": ["vllm", "serve"]}) == "words"


def test_additional_arguments_of_kserve_are_shell_text() -> None:
    more = {"name": "VLLM_ADDITIONAL_ARGS", "value": "--chat-template 'You may ask for --ssl-certfile x or --port 9'"}
    given = serve.flags({"command": [serve.START, "single"], "args": ["--seed 1"], "env": [more]})
    assert given == {"--chat-template": "You may ask for --ssl-certfile x or --port 9", "--seed": "1"}


def test_no_other_module_takes_a_shell_s_words_apart() -> None:
    package = Path(command_reader.__file__).parents[1]
    pattern = re.compile(r"shlex\.(?:split|shlex)\(|_SHELLS\b")
    found = {path.name for path in package.rglob("*.py") if pattern.search(path.read_text("utf-8"))}
    assert found == {"command_reader.py"}
