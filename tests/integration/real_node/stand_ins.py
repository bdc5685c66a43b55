"""Images that replace GPU images: they answer on the engine's port with llama.cpp's server."""

from pathlib import Path

from tools import toolchain
from tools.node import images
from tools.node.images import Image
from tools.node.layout import Layout

PROGRAMS = Path(__file__).parent / "programs"
_SERVE = ("/usr/bin/vllm", "serve")


def add(layout: Layout) -> None:
    """Adds them to the node's registry. The endpoint picker is the Gateway API project's own."""
    folder = layout.files / "v2"
    vllm = {"usr/bin/vllm": PROGRAMS / "vllm", "app/pd-sidecar": PROGRAMS / "vllm"}
    for registry, repository in (
        ("docker.io", "vllm/vllm-openai"),
        ("ghcr.io", "llm-d/llm-d-cuda"),
        ("ghcr.io", "llm-d/llm-d-routing-sidecar"),
        ("ghcr.io", "llm-d/llm-d-router-disagg-sidecar"),
    ):
        images.add(folder, Image(registry, repository, _SERVE, "2000:2000"), vllm)
    images.add(folder, Image("docker.io", "kserve/storage-initializer", ("/usr/bin/true",)))
    images.add(
        folder, Image("ghcr.io", "kitops-ml/kitops", ("/usr/bin/kit",), "1001:0"), {"usr/bin/kit": PROGRAMS / "kit"}
    )
    picker = {"app/epp": toolchain.ensure("endpoint-picker")["endpoint-picker"]}
    images.add(folder, Image("ghcr.io", "llm-d/llm-d-inference-scheduler", ("/app/epp",), "65532:65532"), picker)
