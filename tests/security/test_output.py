"""Output is only text: no manifest can control the terminal, a CI runner or a diagram renderer.

Not proven here: that CI runners have no further commands, and that the diagram languages' own tools agree.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from modelservices.__main__ import main
from modelservices.commands import status
from modelservices.commands.live import aligned
from modelservices.findings import Finding, escaped
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.kubernetes.status import Condition, ServiceStatus
from modelservices.planning.graph import graph, mermaid

ATTACKS = Path(__file__).parent / "attacks"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\n::error::a", "\\n::error::a"),
        ("\r\n ::stop-commands::tok", "\\r\\n ::stop-commands::tok"),
        ("::set-output name=a::b", ":\\:set-output name=a::b"),
        ("  ::error::a", "  :\\:error::a"),
        ("see ##[error]a", "see #\\#[error]a"),
        ("###[group]", "##\\#[group]"),
        ("##vso[task.setvariable variable=a]b", "#\\#vso[task.setvariable variable=a]b"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\u202eb\u2028c\x85d\x00", "a\\u202eb\\u2028c\\x85d\\x00"),
        ("naïve – ok, 模型 #1, a::b, ## c", "naïve – ok, 模型 #1, a::b, ## c"),
    ],
)
def test_text_is_inert(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_finding_is_one_line() -> None:
    finding = Finding("::error::a.yaml", "Foo x\ny", "spec", "is\r\nwrong")
    assert str(finding) == ":\\:error::a.yaml: Foo x\\ny: spec: is\\r\\nwrong"


@pytest.mark.parametrize("command", ["render", "validate"])
def test_gha_inject(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(ATTACKS / "gha-inject.yaml")]) == 1
    printed = capsys.readouterr()
    (line,) = (printed.out + printed.err).splitlines()
    assert line.startswith(f"{ATTACKS / 'gha-inject.yaml'}:2: \\n::error file=stacks/prod/x.yaml::approved")


def test_gha_inject_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--format", "json", str(ATTACKS / "gha-inject.yaml")]) == 1
    printed = capsys.readouterr().out
    assert not re.search(r"^\s*::", printed, re.MULTILINE)
    assert json.loads(printed)[0]["object"].startswith("\n::error ")


def test_json_is_inert_and_says_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text('{apiVersion: v1, kind: "##[error]x", metadata: {name: a}}')
    assert main(["validate", "--format", "json", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "##" not in printed
    assert json.loads(printed)[0]["object"] == "##[error]x default/a"


def test_graph_inject_as_mermaid(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", str(ATTACKS / "graph-inject.yaml")]) == 0
    lines = capsys.readouterr().out.splitlines()
    shape = r"flowchart LR|  n\d+\[\"[^\"\[\]<>`\\]+<br>[^\"\[\]<>`\\]+\"\]|  n\d+ -->\|\w+\| n\d+|  class(Def)? .*"
    assert [line for line in lines if not re.fullmatch(shape, line)] == []
    assert "Secret<br>x#34;#93;#92;n  click n0 href #34;javascript:alert(1)" in lines[3]


def test_no_directive_of_mermaid_in_a_name() -> None:
    """`%%{init: …}%%` sets the diagram's configuration, including scripts, anywhere in the text."""
    directive = '%%{init: {"securityLevel": "loose"}}%%'
    picture = mermaid(graph([{"apiVersion": "v1", "kind": directive, "metadata": {"name": directive}}]))
    assert "%" not in picture
    assert "#37;#37;{init: {#34;securityLevel" in picture


def test_graph_inject_as_dot(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "--format", "dot", str(ATTACKS / "graph-inject.yaml")]) == 0
    lines = capsys.readouterr().out.splitlines()[1:-1]
    text = r'"(?:[^"\\]|\\.)*"'
    shape = (
        rf"  rankdir=LR|  node \[shape=box\]|  n\d+ \[label={text}(, style=dashed)?\]|  n\d+ -> n\d+ \[label={text}\]"
    )
    assert [line for line in lines if not re.fullmatch(shape, line)] == []


def test_the_status_table() -> None:
    """A host name or a reason with a line break doesn't start a new line."""
    condition = Condition("Ready", "False", "Odd\n::stop-commands::tok", "")
    found = ServiceStatus(phase="Failed", endpoint="http://a\n::error::b", conditions=(condition,))
    service = RenderedComponent("C", "LLMInferenceService", "n", "s")
    row = "n/s  LLMInferenceService  Failed  0/0  http://a\\n::error::b  Odd\\n::stop-commands::tok"
    assert aligned([status._row(service, found)]) == row
