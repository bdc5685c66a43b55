"""Mutations of an input: of its bytes, of the lines of its YAML text, of its values.

Strategies for hypothesis, which chooses mutations and shrinks a failing input.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import yaml
from hypothesis import strategies as st

SECRET = "hf_" + "fZ9" * 11
"""Looks like a token; no command may print it."""

ODD_TEXTS = (
    *(
        "",
        " ",
        "~",
        "null",
        "true",
        "off",
        "-1",
        "0",
        "010",
        "0x10",
        "1e3",
        "1e400",
        "1e400000",
        "99999999999999999999",
    ),
    *(
        "1.5",
        ".5",
        "5.",
        "-",
        "--",
        "=",
        ",",
        ":",
        "::",
        "*",
        "&",
        "?",
        "|",
        "%",
        "%s",
        "{",
        "}",
        "[",
        "]",
        "()",
        "\\",
        "/",
    ),
    *("..", "../..", "/", "//", "a/b", "a/b/c/d", "a.b.c", ".a", "a.", "-a", "A", "a_b", "@", "#", "a b", "a=b", "a:b"),
    *("1Gi", "1gi", "500m", "-1Gi", "1e30", "10s", "1h", "1y", "100%", "2026-01-31", "12:30:45", "1:20", "NaN", ".inf"),
    *(
        "http://",
        "http://[",
        "http://[::1",
        "http://a:b",
        "http://a:99999",
        "https://a?b#c",
        "hf://",
        "s3://",
        "pvc://",
    ),
    *("hf://a", "oci://", "gs://b", "pvc://a/..", "file:///", "azure://x", "://", "a://b://c", "http://é"),
    *(
        "{{",
        "}}",
        "{{ }}",
        "{{ .Spec }}",
        "{{ .ObjectMeta.Name }}",
        "{{ ChildName .Name `-x` }}",
        "{{ .GlobalConfig.x }}",
    ),
    *("${", "${a}", "${secret:a}", "$(", "$(A)", "$(A)$(B)", "<patch-me>", "CHANGEME", "`", "'", '"', "''", '"a'),
    *(
        "--flag",
        "--flag=",
        "--model",
        "--port=x",
        "--tensor-parallel-size",
        "-tp",
        "--kv-transfer-config={",
        "sh -c 'x",
    ),
    *('{"a": 1}', '{"a": [', "[1, 2]", "- a", "a: b", "a: *b", "&a [*a]", "!!python/object:os.x {}", "{a: 2026-01-01}"),
    *(
        "\n",
        "a\nb",
        "\t",
        "\r\n",
        "\x00",
        "\x07",
        "\x1b[2J",
        "\x7f",
        "\x85",
        "\u2028",
        "\u202e",
        "\ufeff",
        "é",
        "名",
        "😀",
    ),
    *("a" * 64, "a" * 254, "a" * 5000, "é" * 300, "1" * 299, "1" * 400, "a." * 200, "{{ " * 200, "$(" * 200, "-" * 300),
    *("::error::x", "##[error]x", "D(1,1,1)", "D(100)", "N(480,240)/(300,150)", "a;b", "a|b", "v1", "Deployment"),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**200, 0.5, -0.0, 1e308, 1e-320, float("inf"), float("nan")),
    *([], {}, [[]], [None], [{}], [[[[]]]], {"": ""}, {"a": None}, {"a": {"b": []}}, [1, "a", {}], ["a"] * 3),
    *(
        {"name": "a"},
        {"name": 1},
        {"name": "a", "value": {}},
        {"matchLabels": {}},
        {"valueFrom": {}},
        {"resources": {}},
    ),
    *({1: 2}, {True: 1}, {None: 1}, {0.5: 1}, {"a.b/c": 1}, {"<<": 1}, {"a" * 300: 1}, {"a\nb": 1}, {"=": 1}),
)
ODD_BYTES = (
    *(b"\xff", b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xc2\x85", b"\r", b"\r\n", b"\t", b"\x1b"),
    *(b"\n---\n", b"\n...\n", b"\n", b": ", b"- ", b"{", b"}", b"[", b"]", b"'", b'"', b"&a ", b"*a", b"!!set ", b"? "),
    *(
        b"|\n",
        b">\n",
        b"#",
        b"%YAML 1.1\n",
        b"%TAG ! x\n",
        b"<<: ",
        b"!!binary ",
        b"!x ",
        b"!<",
        b"\\",
        b"\\u0000",
        b"~",
    ),
    *(
        b"{{ ",
        b" }}",
        b"${secret:",
        b"$(",
        b"99999999999999999999",
        b"1e999",
        b"  ",
        b"    ",
        b",",
        b"@",
        b"`",
        b"=",
        b"::",
    ),
)
ODD_LINES = (
    *(
        "---",
        "...",
        "- ",
        "? ",
        ": ",
        "a: b",
        "- a",
        "'",
        '"',
        "|",
        ">",
        "&a",
        "*a",
        "<<: *a",
        "<<: [a, {b: c}]",
        "{",
        "}",
    ),
    *(
        "a: &a {b: c}",
        "<<: {a: b}",
        "<<: {spec: {}}",
        "!!binary |",
        "a: !!binary aGk=",
        "a: !!set {b}",
        "a: !!omap [b: c]",
    ),
    *(
        "a: !!python/object/apply:os.getcwd []",
        "a: !custom b",
        "a: !!timestamp 2026-01-01",
        "a: !!float x",
        "a: !!int 1_0",
    ),
    *(
        "%YAML 1.1",
        "%TAG ! tag:x,2026:",
        "%X",
        "\ta: b",
        "{{- if .Values.a }}",
        "{% if %}",
        "[]: 1",
        "{}: 1",
        "null: 1",
    ),
    *("1: 1", "true: 1", "2026-01-01: 1", "? [a, b]\n: c", "kind: List\nitems:", "apiVersion: v1", "kind: x", "=: 1"),
)

odd_values = st.one_of(st.sampled_from(ODD_TEXTS), st.sampled_from(ODD_VALUES), st.text(max_size=8), st.integers())

Path = tuple[str | int, ...]


@st.composite
def changed_bytes(draw: st.DrawFn, seeds: Sequence[str]) -> bytes:
    """A seed with some bytes changed, removed or duplicated."""
    content = draw(st.sampled_from(seeds)).encode()
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(content)))
        end = begin + draw(st.sampled_from([0, 0, 1, 2, 20, 200]))
        middle = draw(st.one_of(st.sampled_from(ODD_BYTES), st.binary(max_size=4), st.just(content[begin:end] * 2)))
        content = content[:begin] + middle + content[end:]
    return content


@st.composite
def changed_text(draw: st.DrawFn, seeds: Sequence[str]) -> bytes:
    """A seed with some lines changed, removed, moved, reindented, or taken from another seed."""
    lines = draw(st.sampled_from(seeds)).splitlines()
    other = draw(st.sampled_from(seeds)).splitlines()
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        line = lines[at] if lines else ""
        indent = line[: len(line) - len(line.lstrip())]
        key = line.partition(":")[0]
        new = draw(
            st.one_of(
                st.sampled_from([[], [line, line], [f"  {line}"], [line[1:]], [line.swapcase()], [key], [f"{key}:"]]),
                st.sampled_from(ODD_LINES).map(lambda odd: [line, f"{indent}{odd}"]),  # noqa: B023
                st.sampled_from(ODD_TEXTS).map(lambda odd: [f"{key}: {odd}"]),  # noqa: B023
                st.sampled_from(other or [""]).map(lambda odd: [line, odd]),  # noqa: B023
                st.sampled_from(lines or [""]).map(lambda odd: [line, odd]),  # noqa: B023
            )
        )
        lines[at : at + 1] = new
    return "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


@st.composite
def changed_values(draw: st.DrawFn, seeds: Sequence[Sequence[Any]]) -> bytes:
    """A seed's documents with some values changed, removed, repeated, moved, or of another type."""
    root = copy.deepcopy(list(draw(st.sampled_from(seeds))))
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(root))
        if not places:
            break
        path = draw(st.sampled_from(places))
        change = draw(st.sampled_from(_CHANGES))
        change(draw, _holder(root, path), path[-1], seeds)
    return as_yaml(root)


def as_yaml(documents: Sequence[Any]) -> bytes:
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump_all(documents, Dumper=dumper, allow_unicode=True, sort_keys=False)
    return text.encode("utf-8", "surrogatepass")


def _places(value: Any, path: Path = ()) -> Iterator[Path]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inner:
        yield (*path, step)
        yield from _places(item, (*path, step))


def _holder(root: Any, path: Path) -> Any:
    for step in path[:-1]:
        root = root[step]
    return root


Change = Callable[[st.DrawFn, Any, Any, Sequence[Sequence[Any]]], None]


def _replace(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    holder[step] = copy.deepcopy(draw(odd_values))


def _remove(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    del holder[step]


def _rename(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    """Gives a value another key, or replaces a list item by another item."""
    if isinstance(holder, dict):
        holder[draw(st.sampled_from(ODD_TEXTS))] = holder.pop(step)
    else:
        holder[step] = copy.deepcopy(holder[draw(st.integers(0, len(holder) - 1))])


def _add(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    odd = copy.deepcopy(draw(odd_values))
    if isinstance(holder, dict):
        holder[draw(st.sampled_from(ODD_TEXTS))] = odd
    else:
        holder.insert(step, odd)


def _repeat(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    """Repeats a list item; wraps another value in a list or mapping, or turns it into text."""
    if isinstance(holder, list):
        holder[step:step] = [copy.deepcopy(holder[step]) for _ in range(draw(st.sampled_from([1, 2, 20])))]
    else:
        holder[step] = draw(st.sampled_from([[holder[step]], {"name": holder[step]}, str(holder[step])]))


def _transplant(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    """Copies a value from another seed."""
    other = list(draw(st.sampled_from(seeds)))
    places = list(_places(other))
    if not places:
        return
    path = draw(st.sampled_from(places))
    value = copy.deepcopy(_holder(other, path)[path[-1]])
    if isinstance(holder, dict) and isinstance(path[-1], str) and draw(st.booleans()):
        holder[path[-1]] = value
    else:
        holder[step] = value


def _plant(draw: st.DrawFn, holder: Any, step: Any, seeds: Sequence[Sequence[Any]]) -> None:
    text = holder[step] if isinstance(holder[step], str) else ""
    holder[step] = draw(st.sampled_from([SECRET, f"{text} {SECRET}", f"--api-key={SECRET}", f"https://a:{SECRET}@b/c"]))


_CHANGES: tuple[Change, ...] = (
    *(_replace, _replace, _replace, _remove, _rename, _add, _repeat, _transplant, _transplant, _plant),
)
