"""A minimal Pulumi program: registers the objects of a JSON file, without rules or components."""

import json
from importlib.metadata import version
from pathlib import Path

import pulumi

VERSION = version("pulumi_kubernetes")


class KubernetesObject(pulumi.CustomResource):
    """An object with a computed type token, which is cheaper than the generated classes."""

    def __init__(self, name: str, obj: dict) -> None:
        api_version = obj["apiVersion"]
        token = f"kubernetes:{api_version if '/' in api_version else f'core/{api_version}'}:{obj['kind']}"
        super().__init__(token, name, obj, pulumi.ResourceOptions(version=VERSION))


for rendered in json.loads(Path(pulumi.Config("bench").require("objects")).read_text()):
    metadata = rendered["metadata"]
    KubernetesObject(f"{rendered['kind']}/{metadata.get('namespace', '')}/{metadata['name']}", rendered)
