"""CRDs as the control plane takes them: those that are needed, without their descriptions."""

import re
from pathlib import Path

import pytest
import yaml

from tools import crds
from tools.versions import ManifestSource

STREAM = """# a comment
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  labels:
    name: not-this-one
  name: scaledobjects.keda.sh
spec:
  names:
    plural: scaledobjects
    kind: ScaledObject
  versions:
  - schema:
      openAPIV3Schema:
        description: |-
          Two lines,

          and a third.
        properties:
          cooldown:
            description: 'One line: quoted,
              and its end.'
            type: integer
          description:
            description: A field that has this name.
            type: string
          flow:
            properties:
              description: {type: string}
        type: object
---
kind: CustomResourceDefinition
apiVersion: apiextensions.k8s.io/v1
metadata:
  name: "gateways.networking.istio.io"
spec:
  names:
    kind: Gateway
---
apiVersion: v1
kind: Namespace
metadata:
  name: other
"""


def test_crds_of_a_stream_by_name() -> None:
    assert [name for name, _ in crds.crd_documents(STREAM)] == ["scaledobjects.keda.sh", "gateways.networking.istio.io"]


def test_fields_lose_their_descriptions_and_nothing_else() -> None:
    (_, document), _ = crds.crd_documents(STREAM)
    (version,) = yaml.safe_load(crds.without_descriptions(document))["spec"]["versions"]

    assert version["schema"]["openAPIV3Schema"] == {
        "properties": {
            "cooldown": {"type": "integer"},
            "description": {"type": "string"},
            "flow": {"properties": {"description": {"type": "string"}}},
        },
        "type": "object",
    }


def test_only_the_kinds_that_are_named_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crds.go_command, "module_folder", lambda *_: tmp_path)
    (tmp_path / "all.yaml").write_text(STREAM)
    source = ManifestSource("keda", "example.com/keda", "v1.0.0", "h1:=", "all.yaml", ("ScaledObject",))

    crds.copy_crds(source, tmp_path / "copied")

    assert [file.name for file in (tmp_path / "copied").iterdir()] == ["scaledobjects.keda.sh.yaml"]


def test_a_crd_without_a_name_is_refused() -> None:
    nameless = re.sub(r"^  name: .*\n", "", STREAM, flags=re.MULTILINE)
    with pytest.raises(ValueError, match="a CRD without name or kind"):
        crds.crd_documents(nameless)
