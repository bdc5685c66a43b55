"""Reading YAML files. Does not prove what a kind's model makes of the values: see test_scalars.py and test_model.py."""

from pathlib import Path

import pytest

from modelservices.findings import Finding
from modelservices.kubernetes.scalars import Plain
from modelservices.manifests.documents import load, parse
from modelservices.manifests.reports import text_line

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n}\n"


def data_of(text: str) -> dict:
    documents, findings = parse(text, "f.yaml")
    assert findings == []
    return documents[0].data


def messages(text: str) -> list[str]:
    return [text_line(finding) for finding in parse(text, "f.yaml")[1]]


@pytest.mark.parametrize(
    "text", ["yes", "on", "010", "1.10", "1e3", "2026-03-25", "2026-03-25T13:37:11Z", "0x1F", "12:30"]
)
def test_unquoted_scalars_keep_their_text(text: str):
    value = data_of(f"a: {text}")["a"]
    assert (value, type(value)) == (text, Plain)


@pytest.mark.parametrize("text", ['"5"', "'5'", "|-\n  5", ">-\n  5"])
def test_quoted_scalars_are_plain_strings(text: str):
    value = data_of(f"a: {text}")["a"]
    assert (value, type(value)) == ("5", str)


def test_keys_are_text_whatever_they_look_like():
    assert list(data_of("on: 1\n8080: 2\ntrue: 3")) == ["on", "8080", "true"]


@pytest.mark.parametrize("null", ["", "~", "null", "Null", "NULL"])
def test_null_means_absent(null: str):
    assert data_of(f"a: {null}\nb: x") == {"b": "x"}


def test_the_quoted_word_null_is_text():
    assert data_of('a: "null"') == {"a": "null"}


def test_anchors_aliases_and_merge_keys():
    text = "base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\nboth:\n  <<: [*b, {z: 4, x: 9}]\n"
    data = data_of(text)
    assert data["mine"] == {"x": "1", "y": "3"}
    assert data["both"] == {"x": "1", "y": "2", "z": "4"}


def test_several_documents_crlf_and_byte_order_mark(tmp_path: Path):
    file = tmp_path / "a.yaml"
    file.write_bytes(
        b"\xef\xbb\xbf" + f"---\n{OBJECT}---\n# nothing here\n---\n{OBJECT}".replace("\n", "\r\n").encode()
    )
    documents, findings = load([file])
    assert findings == []
    assert [(d.index, d.object) for d in documents] == [(1, "ConfigMap n/a"), (3, "ConfigMap n/a")]


def test_a_list_counts_as_its_items():
    documents, findings = parse(
        "kind: List\napiVersion: v1\nitems:\n- {kind: A, metadata: {name: x}}\n- {kind: B}\n", "f"
    )
    assert findings == []
    assert [document.data["kind"] for document in documents] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3: document 1: the key 'a' is repeated (first in line 1); remove one"),
        ("a:\n\t- 1\n", "f.yaml:2: document 1: column 1 has a tab in the indentation; YAML allows only spaces there"),
        (f"{OBJECT}---\n- 1\n", "f.yaml:5: document 2: must be an object with apiVersion and kind, got a list"),
        ("# only a comment\n", "f.yaml: is empty; add a document, or remove the file"),
        ("", "f.yaml: is empty; add a document, or remove the file"),
        ("a: &x [*x]", "f.yaml:1: document 1: an anchor contains itself"),
        ("a: !vault x", "f.yaml:1: document 1: the tag !vault has no meaning in a manifest"),
        ("<<: 5\na: 1", "f.yaml:1: document 1: a merge key (<<) takes a mapping or a list of mappings"),
        ("[a]: 1", "f.yaml:1: document 1: a key must be plain text"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, message: str):
    assert messages(text) == [message]


@pytest.mark.parametrize("text", ["a: {{ .Values.x }}", "{{ if x }}\na: 1\n{{ end }}"])
def test_a_template_that_was_not_rendered_is_called_so(text: str):
    assert "template" in messages(text)[0]


def test_an_alias_bomb_is_refused_quickly():
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "has more than 40000 values, with those of aliases" in messages("\n".join(lines))[0]


def test_broken_syntax_spares_the_documents_before_it():
    documents, findings = parse(f"{OBJECT}---\na: [\n", "f.yaml")
    assert [document.object for document in documents] == ["ConfigMap n/a"]
    assert [(finding.object, finding.code) for finding in findings] == [("document 2", "yaml")]


def test_every_problem_of_every_file_at_once(tmp_path: Path):
    (tmp_path / "a.yaml").write_text("a: 1\na: 2\n")
    (tmp_path / "b.yml").write_text("")
    (tmp_path / "c.json").write_text('{"a": ')
    (tmp_path / "d.yaml").write_bytes(b"a: \xff\n")
    (tmp_path / "ignored.txt").write_text("not YAML")
    _, findings = load([tmp_path, tmp_path / "missing"])
    assert [(Path(f.file).name, f.code) for f in findings] == [
        ("a.yaml", "duplicate-key"),
        ("b.yml", "empty"),
        ("c.json", "yaml"),
        ("d.yaml", "encoding"),
        ("missing", "not-found"),
    ]


def test_the_same_file_twice(tmp_path: Path):
    file = tmp_path / "a.yaml"
    file.write_text(OBJECT)
    (tmp_path / "z.yaml").symlink_to(file)
    documents, findings = load([file, tmp_path])
    assert len(documents) == 1
    assert findings == [
        Finding(str(file), "", "", "is listed twice: list it once", code="same-file"),
        Finding(str(tmp_path / "z.yaml"), "", "", f"is the same file as {file}: list it once", code="same-file"),
    ]


def test_a_folder_without_manifests(tmp_path: Path):
    assert [finding.code for finding in load([tmp_path])[1]] == ["empty"]


def test_the_items_of_a_list_that_are_no_objects():
    documents, findings = parse("kind: List\nitems:\n- kind: A\n- 5\n- null\n", "f")
    assert [document.data for document in documents] == [{"kind": "A"}]
    assert [(f.path, f.line, f.message) for f in findings] == [
        ("items[1]", 4, "must be an object with apiVersion and kind, got 5"),
        ("items[2]", 5, "must be an object with apiVersion and kind, got null"),
    ]


def test_a_list_within_a_list_counts_as_its_items_too():
    inner = "{apiVersion: v1, kind: List, items: [{kind: A}, {kind: B}]}"
    documents, findings = parse(f"apiVersion: v1\nkind: List\nitems:\n- {inner}\n- kind: C\n", "f.yaml")
    assert ([(d.data, d.line) for d in documents], findings) == (
        [({"kind": "A"}, 4), ({"kind": "B"}, 4), ({"kind": "C"}, 5)],
        [],
    )


@pytest.mark.parametrize(("items", "got"), [("hello", "a text"), ("{a: b}", "a mapping"), ("5", "5")])
def test_a_list_whose_items_are_none(items: str, got: str):
    assert messages(f"apiVersion: v1\nkind: List\nitems: {items}\n") == [
        f"f.yaml:1: document 1: items: must be a list of objects, got {got}"
    ]


def test_an_empty_list_is_an_empty_file():
    assert messages("apiVersion: v1\nkind: List\n") == ["f.yaml: is empty; add a document, or remove the file"]


def test_a_list_whose_items_come_by_a_merge_key():
    documents, findings = parse("kind: List\n<<: {items: [{kind: A}]}\n", "f")
    assert [(document.data, document.line) for document in documents] == [({"kind": "A"}, 1)]
    assert findings == []


def test_a_character_that_yaml_does_not_take():
    (finding,) = parse('a: b\nc: "d\0"\n', "f")[1]
    assert (finding.line, finding.message) == (2, "has the character U+0000, which YAML does not allow; remove it")


def test_nesting_has_one_sentence():
    for depth in (101, 20_000):
        (finding,) = parse(f"a: {'[' * depth}{']' * depth}", "f")[1]
        assert finding.message == "is nested more than 100 levels deep"


MANY = "has more than 40000 values, with those of aliases"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b\n---\n" * 10_001, "f: has more than 10000 documents; split the file"),
        (f"kind: A\na: [{'1, ' * 40_000}]", f"f: document 1: {MANY}"),
        (f"a: &x '{'y' * 90_000}'\nb: [{'*x, ' * 20}]", "f: document 1: aliases add more than 1000000 characters"),
        (f"kind: List\nitems: [{{a: [{'1, ' * 40_000}]}}]", f"f: document 1: items[0]: {MANY}"),
    ],
)  # fmt: skip
def test_sizes_have_limits(text: str, message: str):
    findings = parse(text, "f")[1]
    assert [str(finding) for finding in findings] == [message]


def test_a_list_may_be_larger_than_an_object():
    documents, findings = parse(f"kind: List\nitems: [{'{kind: A, a: 1}, ' * 15_000}]", "f")
    assert (len(documents), findings) == (15_000, [])


def test_keys_that_are_there_twice_many_times():
    findings = parse("a: 1\n" * 1000, "f")[1]
    assert len(findings) == 201 and "has more repeated keys than these 200" in findings[-1].message
