"""``convert``: makes a ModelService from the values of the Helm chart llm-d-modelservice."""

import argparse
import sys

from ..families.registry import converter
from ..findings import Finding, InvalidManifests, errors
from ..kubernetes.yaml_text import documents
from ..manifests.beside import are_chart_values
from ..manifests.documents import Document, load
from ..manifests.reports import report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="values.yaml of the chart")
    parser.add_argument("--name", default="", help="name of the ModelService; made of the values by default")
    parser.add_argument("--namespace", default="", help="its namespace; that of the stack by default")
    parser.add_argument(
        "--model-image", default="", metavar="REF", help="the model, packed as an OCI ModelPack, for hf:// and pvc://"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the manifest, and on stderr what has no counterpart. Raises InvalidManifests for invalid values."""
    document = _values(arguments.file)
    module = converter()
    options = module.Options(arguments.name, arguments.namespace, arguments.model_image)
    manifest, problems = module.convert(document.data, options)
    findings = [Finding.of(problem, document.file, "values", document.line) for problem in problems]
    if manifest is None:
        raise InvalidManifests(findings)
    sys.stderr.write(report(findings))
    sys.stdout.write(documents([manifest]))
    return 0


def _values(file: str) -> Document:
    read, findings = load([file])
    if errors(findings):
        raise InvalidManifests(findings)
    if len(read) != 1 or not are_chart_values(read[0].data):
        message = "must be one values file of the chart llm-d-modelservice, with modelArtifacts and decode or prefill"
        raise InvalidManifests([*findings, Finding(file, "", "", message, code="not-chart-values")])
    return read[0]
