"""Regenerates the generated files of the repository, or checks that they are up to date.

They are schemas, the types of arguments, the examples' rendered output, OME's keys, and the parts of docs between
``<!-- generated: COMMAND -->`` and ``<!-- end -->``, which show a command's output.

python -m tools.generate           write them
python -m tools.generate --check   fail with a diff if one is out of date

Both fail if a default image has changed and its program's table of releases has not.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from modelservices.__main__ import main as components
from modelservices.commands.schema import STACK, schema
from tools import component_types
from tools.api_fields import TARGET, api_fields, crd_fields, openapi
from tools.default_images import images_without_data
from tools.failure_table import with_failures
from tools.field_tables import with_fields
from tools.finding_codes import with_codes
from tools.kserve_reference import with_tables
from tools.kubernetes_types import modules as kubernetes_modules
from tools.ome_reference import KEYS, keys_module, with_reference
from tools.pictures import PICTURES

REPOSITORY = Path(__file__).parent.parent
PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
PICTURE = re.compile(r"(<!-- generated: picture ?(\w*) -->\n).*?(<!-- end -->)", re.DOTALL)
LANGUAGES = {"graph": "mermaid", "render": "yaml"}
"""Maps a command to the language of its output."""


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file of the repository and its up-to-date text."""
    document = openapi()
    yield TARGET, _json({**api_fields(document), **crd_fields()})
    yield from kubernetes_modules(document)
    yield from component_types.generated()
    yield Path("schemas/manifest.json"), _json(schema(None))
    yield Path("schemas/stack.json"), _json(schema(STACK))
    for folder in sorted(Path("examples/rendered").iterdir()):
        yield folder / "rendered.yaml", _printed(["render", str(folder / "input.yaml")])
    chart = Path("examples/chart")
    yield chart / "model-service.yaml", _printed(["convert", str(chart / "values.yaml"), "--namespace", "llm"])
    yield Path(KEYS), keys_module()
    readme = Path("README.md")
    yield readme, PICTURE.sub(lambda match: f"{match[1]}{PICTURES[match[2]]()}{match[3]}", readme.read_text())
    for page in sorted(Path("docs").glob("*.md")):
        yield page, with_failures(with_codes(with_fields(with_tables(with_reference(with_parts(page.read_text()))))))


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def with_parts(page: str) -> str:
    """A page of the docs with its generated parts regenerated."""
    return PART.sub(_part, page)


def _part(match: re.Match[str]) -> str:
    begin, command, end = match.groups()
    arguments = shlex.split(command)
    return f"{begin}```{LANGUAGES[arguments[0]]}\n{_printed(arguments)}```\n{end}"


def _printed(arguments: list[str]) -> str:
    """A command's output, as a user would see it. Exits with the problems if the command fails."""
    output, problems = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(problems):
        code = components(arguments)
    if code:
        sys.exit(f"{' '.join(arguments)}: {problems.getvalue()}")
    return output.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.generate", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail where a file is out of date")
    check = parser.parse_args().check
    os.chdir(REPOSITORY)
    stale = 0
    for path, text in generated():
        before = path.read_text() if path.exists() else ""
        if before == text:
            continue
        stale += 1
        if check:
            sys.stdout.writelines(
                difflib.unified_diff(before.splitlines(True), text.splitlines(True), str(path), "generated")
            )
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"written: {path}")
    if check and stale:
        print(f"{stale} files are out of date: run `make generate` and look at the diff")
    missing = list(images_without_data())
    print(*missing, sep="\n", end="\n" if missing else "")
    return 1 if missing or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
