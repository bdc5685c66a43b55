"""What the start scripts find out of a node's RoCE adapters. Not proved here: that NCCL and UCX connect by them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .services import container, findings, main, manifest, objects, of, pod

ROCE = [{"name": "KSERVE_INFER_ROCE", "value": "true"}]
NAMES = ("NCCL_IB_HCA", "NVSHMEM_HCA_LIST", "UCX_NET_DEVICES")
INDICES = ("NCCL_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX", "UCX_IB_GID_INDEX")


def adapter(folder: Path, name: str, *gids: tuple[str, str], state: str = "4: ACTIVE") -> None:
    port = folder / name / "ports/1"
    (port / "gid_attrs/types").mkdir(parents=True)
    (port / "gids").mkdir()
    (port / "state").write_text(state)
    for index, (kind, gid) in enumerate(gids):
        (port / "gid_attrs/types" / str(index)).write_text(kind)
        (port / "gids" / str(index)).write_text(gid)


IPV4, IPV6 = "0000:0000:0000:0000:0000:ffff:0a00:0001", "fe80:0000:0000:0000:0000:0000:0000:0001"
V1, V2 = "IB/RoCE v1", "RoCE v2"


@pytest.fixture
def node(tmp_path: Path) -> Path:
    folder = tmp_path / "infiniband"
    adapter(folder, "mlx5_0", (V1, IPV4), (V2, IPV6), (V1, IPV4), (V2, IPV4))
    adapter(folder, "mlx5_1", (V1, IPV4), (V2, IPV6), (V1, IPV4), (V2, IPV4))
    adapter(folder, "mlx5_2", (V2, IPV4))
    adapter(folder, "mlx5_3", (V2, IPV4), state="1: DOWN")
    adapter(folder, "mlx5_4", (V1, IPV4))
    return folder


def exported(node: Path, **env: str) -> dict[str, str]:
    """The variables that vLLM is started with."""
    script = container(pod(of({"template": main(env=ROCE)})["decode-deployment"]))["command"][2]
    script = script.replace("/sys/class/infiniband", str(node)).partition("# VLLM_ADDITIONAL_ARGS")[0]
    variables = {"PATH": os.environ["PATH"], "KSERVE_INFER_ROCE": "true", **env}
    told = subprocess.run(["bash", "-c", f"{script}\nenv"], env=variables, capture_output=True, text=True, check=True)
    lines = (line.partition("=") for line in told.stdout.splitlines())
    return {name: value for name, _, value in lines if name in (*NAMES, *INDICES)}


def test_adapters_that_are_up_and_the_index_that_most_of_them_have(node: Path) -> None:
    ports = "mlx5_0:1,mlx5_1:1,mlx5_2:1"
    names = dict(zip(NAMES, ["mlx5_0,mlx5_1,mlx5_2", ports, ports], strict=True))
    assert exported(node) == {**names, **dict.fromkeys(INDICES, "3")}


def test_what_the_container_sets_stays(node: Path) -> None:
    found = exported(node, NCCL_IB_HCA="mlx5_1", NCCL_IB_GID_INDEX="1", UCX_IB_GID_INDEX="5")
    assert found["NCCL_IB_HCA"] == "mlx5_1"
    assert [found[name] for name in INDICES] == ["1", "1", "5"]


def test_another_kind_of_address(node: Path) -> None:
    found = exported(node, KSERVE_INFER_IB_GID_INDEX_GREP=V1)
    assert found["NCCL_IB_HCA"] == "mlx5_0,mlx5_1,mlx5_4"
    assert found["NCCL_IB_GID_INDEX"] == "0"


def test_a_node_without_adapters_and_a_variable_that_is_off(node: Path, tmp_path: Path) -> None:
    assert exported(tmp_path / "nothing") == {}
    assert exported(node, KSERVE_INFER_ROCE="false") == {}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"env": ROCE}, []),
        ({"env": ROCE, "command": ["vllm", "serve", "/mnt/models", "--served-model-name", "org/model"]}, ["no-effect"]),
        ({"env": ROCE, "command": ["bash", "-c", 'echo "$KSERVE_INFER_ROCE"; exec vllm serve /mnt/models']}, []),
    ],
)
def test_a_command_that_does_not_read_the_variable(item: dict[str, Any], expected: list[str]) -> None:
    path = "spec.template.containers[main].env"
    found = findings(manifest({"template": main(**item)}))
    assert [code for where, _, code in found if where == path] == expected


def test_a_variable_of_a_config_map_is_read_too() -> None:
    data = {"KSERVE_INFER_ROCE": "true"}
    adapters = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "roce", "namespace": "models"},
        "data": data,
    }
    service = manifest({"template": main(envFrom=[{"configMapRef": {"name": "roce"}}])})
    scripts = [
        container(pod(objects(*each)["decode-deployment"]))["command"][2] for each in ([service], [service, adapters])
    ]
    assert ["NCCL_IB_HCA" in script for script in scripts] == [False, True]
