"""Reads YAML files into documents, and reports every problem of every file in one go.

An unquoted scalar keeps its text (:class:`~..kubernetes.scalars.Plain`): its field decides the type. Null means absent,
as it does for the API server.
"""

import math
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.reader import ReaderError

from ..findings import MOST_OF_ONE, Finding, InvalidManifests, errors
from ..kubernetes.scalars import Plain, shape
from ..kubernetes.source import Document as Document
from .beside import no_manifest
from .files import MAX_SIZE, missing, text_of
from .folders import manifest_files
from .kustomize import NAMES as KUSTOMIZATIONS
from .kustomize import is_kustomization
from .kustomize_copy import EVERYTHING, Access, Beyond, built

_NULLS = frozenset(["", "~", "null", "Null", "NULL"])
_STRING_TAGS = frozenset(["tag:yaml.org,2002:str", "!"])
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null", "timestamp"))
_MAX_VALUES = 40_000
"""Limit for one object: more than any that an API server stores."""
_MAX_LISTED = 200_000
"""Limit for a list of objects."""
_MAX_COPIED = 1_000_000
"""Limit for characters that aliases add."""
_MAX_DEPTH = 100
_TOO_MANY = "has more than {} values, with those of aliases"
_OBJECT = "an object with apiVersion and kind"
_TOO_DEEP = f"is nested more than {_MAX_DEPTH} levels deep"
_LONG_NUMBER = re.compile(r"[0-9]{301}")
"""Longer than any useful number. Python does not parse numbers with more than 4,300 digits."""
_MAX_DOCUMENTS = 10_000
"""Limit for one file."""
_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_TAGS = {
    yaml.ScalarNode: yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG,
    yaml.SequenceNode: yaml.resolver.BaseResolver.DEFAULT_SEQUENCE_TAG,
    yaml.MappingNode: yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG,
}


class Loader(_BASE):
    """Gives every scalar as its text. Tags follow from the node's kind, because PyYAML's resolver is slow."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        return _TAGS[kind]

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


class _Malformed(Exception):
    """Something in a document that can't be read, with its line (from 0) and a message."""

    def __init__(self, line: int, message: str) -> None:
        self.line, self.message = line, message
        super().__init__(message)


def load(
    paths: Iterable[str | Path],
    limit: int = MAX_SIZE,
    access: Access = EVERYTHING,
) -> tuple[list[Document], list[Finding]]:
    """The documents of files and folders (searched for ``*.yaml``, ``*.yml`` and ``*.json``), and their problems.

    A folder's files are sorted by name; a folder with a kustomization is built instead. A file that can't be read, or
    has more than ``limit`` bytes, is a finding; the others still load. ``access`` says what may be opened. A file of
    another tool is left out of a folder with a warning.
    """
    documents: list[Document] = []
    findings: list[Finding] = []
    seen: dict[str, str] = {}
    for file, named in _files(paths, findings):
        real = os.path.realpath(file)
        if real in seen:
            again = "is listed twice" if seen[real] == str(file) else f"is the same file as {seen[real]}"
            findings.append(Finding(str(file), "", "", f"{again}: list it once", code="same-file"))
            continue
        seen[real] = str(file)
        forbidden = access.refused(file)
        if forbidden:
            findings += forbidden
            continue
        read, wrong = _built(file, limit, access.beyond) if file.is_dir() else _read(file, limit)
        if not named:
            read, wrong = _of_manifests(read, wrong)
        documents += read
        findings += wrong
    return documents, findings


def _files(paths: Iterable[str | Path], findings: list[Finding]) -> Iterator[tuple[Path, bool]]:
    """Files, and folders to build, each with whether its own path was given."""
    for path in map(_with_kustomization, map(Path, paths)):
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError) as error:
            findings.append(missing(path, error))
            continue
        if is_folder and not is_kustomization(path):
            yield from ((file, False) for file in manifest_files(path, findings.append))
        else:
            yield path, True


def _with_kustomization(path: Path) -> Path:
    """The folder of a kustomization file, which is what it builds; any other path unchanged."""
    return path.parent if path.name in KUSTOMIZATIONS and path.is_file() else path


def _of_manifests(read: list[Document], wrong: list[Finding]) -> tuple[list[Document], list[Finding]]:
    """The manifests among the documents of a file in a folder. Documents of other tools become warnings."""
    left_out = [document for document in read if _is_another_tool_s(document)]
    message = "is not a manifest, because it has neither apiVersion nor kind, so it is left out"
    warnings = [Finding(d.file, d.object, "", message, "warning", "no-manifest", line=d.line) for d in left_out]
    said = [replace(finding, severity="warning") if finding.code == "empty" else finding for finding in wrong]
    return [document for document in read if document not in left_out], [*said, *([] if wrong else warnings)]


def _is_another_tool_s(document: Document) -> bool:
    problem = no_manifest(document.data)
    return problem is not None and problem.code == "no-manifest"


def _read(file: Path, limit: int) -> tuple[list[Document], list[Finding]]:
    text = text_of(file, limit)
    return ([], [text]) if isinstance(text, Finding) else parse(text, str(file))


def _built(folder: Path, limit: int, beyond: Beyond | None) -> tuple[list[Document], list[Finding]]:
    """The documents that Kustomize prints for a folder, without line numbers, as these are not those of a file."""
    text = built(folder, limit, beyond)
    if isinstance(text, list):
        return [], text
    documents, findings = parse(text, str(folder))
    return [replace(document, line=0) for document in documents], [replace(finding, line=None) for finding in findings]


def parse(text: str, file: str) -> tuple[list[Document], list[Finding]]:
    """The documents of one YAML text. A list (``kind: List``) is replaced by its items."""
    documents: list[Document] = []
    findings: list[Finding] = []
    index = 0
    loader = Loader(text)
    try:
        while loader.check_node():
            node = cast(yaml.Node, loader.get_node())
            index += 1
            if index > _MAX_DOCUMENTS:
                message = f"has more than {_MAX_DOCUMENTS} documents; split the file"
                findings.append(Finding(file, "", "", message, code="too-large", line=node.start_mark.line + 1))
                break
            documents += _read_node(node, file, index, findings, len(text))
    except yaml.MarkedYAMLError as error:
        findings.append(_syntax_finding(error, text, file, index + 1))
    except ReaderError as error:
        findings.append(_character_finding(error, text, file))
    except RecursionError:
        findings.append(Finding(file, f"document {index + 1}", "", _TOO_DEEP, code="yaml"))
    finally:
        loader.dispose()
    if not documents and not findings:
        findings.append(Finding(file, "", "", "is empty; add a document, or remove the file", code="empty"))
    return documents, findings


def only_mapping(file: str, documents: list[Document], findings: list[Finding]) -> dict[str, Any]:
    """The one mapping of a file without manifests (settings, a stack's config); empty for an empty file.

    Raises InvalidManifests.
    """
    problems = [
        replace(f, message=f.message.replace(_OBJECT, "a mapping")) for f in errors(findings) if f.code != "empty"
    ]
    if not problems and len(documents) > 1:
        problems = [
            Finding(file, "", "", f"has {len(documents)} documents, but only one is read; join them", code="yaml")
        ]
    if problems:
        raise InvalidManifests(problems)
    return documents[0].data if documents else {}


def _read_node(node: yaml.Node, file: str, index: int, findings: list[Finding], characters: int) -> Iterator[Document]:
    """The objects of one document. ``characters`` is the length of the whole text."""
    where = f"document {index}"
    limit = _MAX_LISTED if _is_list(node) else _MAX_VALUES
    reader = _Reader(file, index, findings, limit=limit, characters=characters)
    try:
        data = reader.value(node)
    except _Malformed as error:
        findings.append(Finding(file, where, "", error.message, code="yaml", line=error.line + 1))
        return
    for path, value, line in _objects(node, data):
        if not isinstance(value, dict) or path.endswith("items"):
            wanted = "a list of objects" if path.endswith("items") else _OBJECT
            message = f"must be {wanted}, got {shape(value)}"
            findings.append(Finding(file, where, path, message, code="yaml", line=line))
        elif reader.nodes > _MAX_VALUES and _count(value) > _MAX_VALUES:
            findings.append(Finding(file, where, path, _TOO_MANY.format(_MAX_VALUES), code="yaml", line=line))
        else:
            yield Document(file, index, line, value)


def _objects(node: yaml.Node, data: Any) -> Iterator[tuple[str, Any, int]]:
    """Path, value and line of each object of a document: itself, or the items of a list; nothing if it is empty."""
    line = node.start_mark.line + 1
    lines = _item_lines(node) if _is_list(node) else []
    for path, value in _listed(data, "") if data is not None else ():
        first = re.match(r"items\[(\d+)\]", path)
        yield path, value, lines[int(first[1])] if first and lines else line


def _listed(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """An object, or the objects of a list and of nested lists, each with its path."""
    kind = str(value.get("kind")) if isinstance(value, dict) else ""
    items = value.get("items") if kind.endswith("List") else None
    where = f"{path}.items" if path else "items"
    if isinstance(items, list):
        for index, item in enumerate(items):
            yield from _listed(item, f"{where}[{index}]")
    elif kind == "List":
        yield from [(where, items)] if items is not None else []
    else:
        yield path, value


def _is_list(node: yaml.Node) -> bool:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return any(key.value == "kind" and str(value.value).endswith("List") for key, value in pairs)


def _count(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, inner))


def _item_lines(node: yaml.Node) -> list[int]:
    """The line of each item of a list of objects; empty if a merge key provides them."""
    lists = [value for key, value in node.value if key.value == "items" and isinstance(value, yaml.SequenceNode)]
    return [item.start_mark.line + 1 for item in lists[-1].value] if lists else []


def _character_finding(error: ReaderError, text: str, file: str) -> Finding:
    line = text.count("\n", 0, error.position) + 1
    character = error.character if isinstance(error.character, int) else ord(error.character)
    message = f"has the character U+{character:04X}, which YAML does not allow; remove it"
    return Finding(file, "", "", message, code="yaml", line=line)


def _syntax_finding(error: yaml.MarkedYAMLError, text: str, file: str, index: int) -> Finding:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else None
    return Finding(file, f"document {index}", "", _syntax(error, mark, text), code="yaml", line=line)


def _syntax(error: yaml.MarkedYAMLError, mark: yaml.Mark | None, text: str) -> str:
    if mark is None:
        return f"is not valid YAML: {error.problem}"
    if "nesting depth" in str(error.problem):
        return _TOO_DEEP
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    where = f"column {mark.column + 1}"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return f"{where} has a tab in the indentation; YAML allows only spaces there"
    if line.lstrip().startswith(("{{", "{%")):
        return f"{where} has a template expression that was not rendered; render the template first"
    return f"{where}: {' '.join(str(part) for part in (error.context, error.problem) if part)}"


def _odd_key(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode) and node.flow_style:
        return "a template expression ({{ … }}) that was not rendered: render the template first, or quote the text"
    return "a key must be plain text"


def _is_infinite(text: str) -> bool:
    """Whether a text is a finite number that Python and JSON readers read as infinite."""
    try:
        return text[:1] in "+-.0123456789" and text[-1:].isdigit() and math.isinf(float(text))
    except ValueError:
        return False


class _Reader:
    """Turns the node graph of one document into dicts, lists and strings; duplicate keys become findings."""

    def __init__(self, file: str, index: int, findings: list[Finding], *, limit: int, characters: int) -> None:
        self.file, self.index, self.findings = file, index, findings
        self.nodes = self.twice = 0
        self.limit = limit
        self.characters = characters + _MAX_COPIED
        self.open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        self.nodes += 1
        if self.nodes > self.limit:
            raise _Malformed(node.start_mark.line, _TOO_MANY.format(self.limit))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if len(self.open) >= _MAX_DEPTH:
            raise _Malformed(node.start_mark.line, _TOO_DEEP)
        if id(node) in self.open:
            raise _Malformed(node.start_mark.line, "an anchor contains itself")
        self.open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node)
            return [self.value(item) for item in node.value]
        finally:
            self.open.discard(id(node))

    def _scalar(self, node: yaml.ScalarNode) -> str | None:
        self.characters -= len(node.value)
        if self.characters < 0:
            raise _Malformed(node.start_mark.line, f"aliases add more than {_MAX_COPIED} characters")
        if _LONG_NUMBER.search(node.value):
            raise _Malformed(node.start_mark.line, "has a number with more than 300 digits, which no API takes")
        if not node.style and _is_infinite(node.value):
            raise _Malformed(node.start_mark.line, f"{node.value[:60]} is too large a number; quote it if it is text")
        if node.style:
            return node.value
        if node.tag in _STRING_TAGS:
            return None if node.value in _NULLS else Plain(node.value)
        if node.tag in _PLAIN_TAGS:
            return Plain(node.value)
        raise _Malformed(node.start_mark.line, f"the tag {node.tag} has no meaning in a manifest")

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _Malformed(key_node.start_mark.line, _odd_key(key_node))
            key = key_node.value
            if key == "<<" and not key_node.style:
                merged = {**self._merge(value_node), **merged}
                continue
            if key in lines:
                self._duplicate(key, key_node.start_mark.line, lines[key])
            lines[key] = key_node.start_mark.line
            value = self.value(value_node)
            if value is not None:
                result[key] = value
        return {**merged, **result} if merged else result

    def _merge(self, node: yaml.Node) -> dict[str, Any]:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for source in sources:
            if not isinstance(source, yaml.MappingNode):
                raise _Malformed(source.start_mark.line, "a merge key (<<) takes a mapping or a list of mappings")
            merged = {**self.value(source), **merged}
        return merged

    def _duplicate(self, key: str, line: int, first: int) -> None:
        self.twice += 1
        if self.twice > MOST_OF_ONE:
            raise _Malformed(line, f"has more repeated keys than these {MOST_OF_ONE}")
        message = f"the key {key!r} is repeated (first in line {first + 1}); remove one"
        self.findings.append(
            Finding(self.file, f"document {self.index}", "", message, code="duplicate-key", line=line + 1)
        )
