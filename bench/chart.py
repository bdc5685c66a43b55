"""A Helm chart of exactly the objects that we render. It computes nothing, so no chart could do less."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml

from bench.services import KINDS, NAMESPACE
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings
from modelservices.planning.yaml_files import stream

_NAME = "svc-name"
_HEAD = {"apiVersion": "v2", "name": "bench", "version": "0.1.0"}


def write_chart(folder: Path) -> None:
    """Writes a template for each kind of service, parameterized by name; shared objects are in it once."""
    templates = folder / "templates"
    templates.mkdir(parents=True)
    (folder / "Chart.yaml").write_text(yaml.safe_dump(_HEAD))
    shared: dict[str, str] = {}
    parts = ["{{- range .Values.services }}"]
    for kind in KINDS:
        objects = _plan(kind).all_objects()
        own = [obj for obj in objects if _NAME in obj["metadata"]["name"]]
        shared |= {stream([obj]): "" for obj in objects if obj not in own}
        parts += [f'{{{{- if eq .kind "{kind}" }}}}', stream(own).replace(_NAME, "{{ .name }}"), "{{- end }}"]
    (templates / "services.yaml").write_text("\n".join([*parts, "{{- end }}", *shared]))


def write_values(count: int, file: Path) -> None:
    """Writes the services of ``bench.services.manifests`` as values of the chart."""
    kinds = list(KINDS)
    services = [{"name": f"svc-{index:04}", "kind": kinds[index % len(kinds)]} for index in range(count)]
    file.write_text(yaml.dump({"services": services}, Dumper=yaml.CSafeDumper))


def _plan(kind: str) -> StackPlan:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "service.yaml").write_text(yaml.safe_dump_all(KINDS[kind](_NAME)))
        return plan_paths([folder], Settings(), namespace=NAMESPACE).raise_for_errors()
