"""The pictures of README.md and the docs.

    python -m tools.pictures        the terminal of a real preview, into docs/pictures/preview.svg

`make generate` draws the diagrams. It doesn't draw the terminal, which takes a local control plane and the engine: this
program applies the stack that `modelservices init` makes, edits it, and draws the output of `pulumi preview`.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from modelservices.families.registry import FAMILIES
from tools.versions import CONTAINERD, COREDNS, KUBERNETES, RUNC

REPOSITORY = Path(__file__).parent.parent
TERMINAL = REPOSITORY / "docs/pictures/preview.svg"
_NAMES = {"llmkube": "LLMKube", "otterscale": "OtterScale", "kserve": "KServe", "ome": "OME"}
_EDIT = ("contextSize: 2048", "contextSize: 4096\n  replicas: 2")
_COLUMNS = 118


def way() -> str:
    """A Mermaid diagram of the way from a manifest to the cluster, with all families."""
    families = " · ".join(_NAMES.get(family.folder, "Inference Extension") for family in FAMILIES)
    return f"""```mermaid
flowchart LR
  manifests["manifests<br/><small>{families}</small>"] --> check
  check["checked<br/><small>all problems,<br/>file and line</small>"]
  config["Pulumi.dev.yaml<br/><small>settings, patches, tenants</small>"] --> check
  check --> render["rendered<br/><small>the same bytes each time</small>"]
  render --> preview["pulumi preview<br/><small>which pods restart,<br/>GPUs, policies</small>"]
  preview --> up["pulumi up"] --> cluster[("cluster<br/><small>no operator in it</small>")]
  cluster -. "status, smoke, drift" .-> preview
```
"""


def node() -> str:
    """A Mermaid diagram of a real node beside the local control plane."""
    return f"""```mermaid
flowchart LR
  up["make up NODE=real"] --> plane
  subgraph machine["your machine"]
    plane["control plane<br/><small>API server {KUBERNETES}, scheduler, controllers</small>"]
    subgraph node["the node: its own namespaces for processes, mounts and network"]
      kubelet["kubelet {KUBERNETES}<br/><small>containerd {CONTAINERD}, runc {RUNC}</small>"]
      kubelet --> pod["pod<br/><small>model-downloader, llama-server</small>"]
      files["images and a tiny model<br/><small>built from the machine's files</small>"] --> pod
      service["Services and names<br/><small>kube-proxy, CoreDNS {COREDNS}</small>"] --> pod
    end
    plane <-- "two sockets" --> kubelet
    plane -- "smoke" --> service
  end
```
"""


PICTURES = {"": way, "node": node}
"""Maps the name of each generated picture to the function that draws it."""


def terminal() -> str:
    """The output of `pulumi preview` after an edit of a running stack, as SVG."""
    from tools import program
    from tools.control_plane import ControlPlane

    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        models = folder / "models"
        subprocess.run([sys.executable, "-m", "modelservices", "init", str(models)], cwd=REPOSITORY, check=True)
        with ControlPlane.start(folder / "plane", progress=lambda line: print(line, file=sys.stderr)) as plane:
            environment = program.engine(plane.kubeconfig) | {
                "PULUMI_BACKEND_URL": f"file://{folder}",
                "PULUMI_CONFIG_PASSPHRASE": "",
            }
            _pulumi(["stack", "init", "dev"], models, environment)
            _pulumi(["up", "--yes", "--skip-preview"], models, environment)
            chat = models / "stacks/dev/chat.yaml"
            chat.write_text(chat.read_text().replace(*_EDIT))
            return _svg(_pulumi(["preview", "--suppress-outputs", "--color", "always"], models, environment))


def _pulumi(arguments: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["pulumi", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def _svg(printed: str) -> str:
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=_COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(f"$ pulumi preview\n{printed.strip()}"))
    return console.export_svg(title="pulumi preview", unique_id="preview")


def main() -> int:
    os.chdir(REPOSITORY)
    TERMINAL.parent.mkdir(exist_ok=True)
    TERMINAL.write_text(terminal())
    print(f"written: {TERMINAL}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
