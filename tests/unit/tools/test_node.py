"""A real node's pure parts. That its programs take these files and commands is for the integration tests."""

import asyncio
import json
import os
import re
import sys
import tarfile
from pathlib import Path

import pytest

from tools import real_stack
from tools.cluster import objects
from tools.cluster.api import Api
from tools.cluster.processes import ProcessError
from tools.node import cgroups, configuration, files, images, inside, needs, relays, without_seccomp
from tools.node.layout import ADDRESS, MEMORY, Layout


def test_a_deep_run_folder_has_short_sockets_of_its_own() -> None:
    layouts = [Layout(Path("/", *["folder"] * 30, name)) for name in "ab"]

    assert all(len(str(layout.egress_socket)) < 100 for layout in layouts)
    assert len({layout.sockets for layout in layouts}) == 2
    assert layouts[0].egress_socket == Path(f"/tmp/{layouts[0].name}/egress.sock")


def test_the_api_server_goes_to_nodes_by_the_socket() -> None:
    (way,) = json.loads(Layout(Path("/run/x")).egress_configuration())["egressSelections"]

    assert way["name"] == "cluster"
    assert way["connection"]["transport"]["uds"]["udsName"] == str(Layout(Path("/run/x")).egress_socket)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/v2/curlimages/curl/manifests/8.18.0?ns=docker.io", "docker.io/curlimages/curl:8.18.0.json"),
        ("/v2/pause/manifests/3?ns=registry.k8s.io", "registry.k8s.io/pause:3.json"),
        ("/v2/pause/manifests/sha256:ab", "blobs/sha256:ab"),
        ("/v2/a/b/c/blobs/sha256:ab?ns=ghcr.io", "blobs/sha256:ab"),
        ("/v2/", None),
        ("/tiny.gguf", None),
        ("/v2/a/../../blobs/sha256:ab", None),
    ],
)
def test_a_registry_has_manifests_by_registry_and_name_and_the_rest_by_digest(path: str, file: str | None) -> None:
    found = files.image_file(path)
    assert (found and found[0]) == file


def test_images_are_of_the_files_of_this_machine(tmp_path: Path) -> None:
    images.write(tmp_path / "v2", Path("/bin/sh"))

    manifest = json.loads((tmp_path / "v2/ghcr.io/ggml-org/llama.cpp.json").read_text())
    blobs = tmp_path / "v2/blobs"
    for described in (manifest["config"], *manifest["layers"]):
        assert (blobs / described["digest"]).stat().st_size == described["size"]
    config = json.loads((blobs / manifest["config"]["digest"]).read_text())
    assert config["config"]["Entrypoint"] == ["/app/llama-server"]
    assert config["rootfs"]["diff_ids"] == [layer["digest"] for layer in manifest["layers"]]
    with tarfile.open(blobs / manifest["layers"][0]["digest"]) as layer:
        entries = {entry.name: entry for entry in layer}
    assert {"app/llama-server", "usr/bin/sh", "usr/bin/sleep", "bin"} <= entries.keys()
    assert entries["app/llama-server"].size == Path("/bin/sh").stat().st_size
    assert entries["tmp"].mode == 0o1777


def test_the_profile_of_system_calls_is_taken_out_and_nothing_else(tmp_path: Path) -> None:
    description = tmp_path / "config.json"
    description.write_text(json.dumps({"linux": {"seccomp": {"defaultAction": "x"}, "a": 1}, "b": 2}))

    without_seccomp.edit(["--root", "/r", "create", "--bundle", str(tmp_path), "id"])

    assert json.loads(description.read_text()) == {"linux": {"a": 1}, "b": 2}


def test_the_node_has_more_memory_than_the_machine() -> None:
    shown = inside.meminfo()

    assert f"MemTotal: {MEMORY // 1024} kB\n" in shown
    assert len(shown.splitlines()) == len(Path("/proc/meminfo").read_text().splitlines())


def test_settings_name_the_files_of_the_node(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    certificate = tmp_path / "tls.crt"
    certificate.write_text("certificate")

    configuration.write(layout, Api(16000, "token", certificate), "native")

    assert 'snapshotter = "native"' in (layout.folder / "containerd.toml").read_text()
    assert "https://127.0.0.1:6443" in (layout.folder / "kubeconfig").read_text()
    runtime = (layout.programs / "runtime").read_text()
    assert f'"{sys.executable}" -IS "{Path(without_seccomp.__file__)}" "$@"' in runtime
    assert runtime.endswith(f'exec "{layout.programs}/runc" "$@"\n')
    assert os.access(layout.programs / "runtime", os.X_OK)


def test_without_root_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert needs.missing() == (
        "a real node needs root, for namespaces, mounts and control groups: run the command as root, or leave "
        "NODE=real out, and the nodes are simulated"
    )


def mount(monkeypatch: pytest.MonkeyPatch, folder: Path, **hierarchies: str) -> None:
    """Lets cgroup file systems be mounted below a folder: names with their kinds."""
    mounts = folder / "mounts"
    lines = [f"1 2 0:1 / {folder / name} rw - {kind} {kind} rw\n" for name, kind in hierarchies.items()]
    mounts.write_text("".join([*lines, "1 2 0:1 / /proc rw - proc proc rw\n"]))
    monkeypatch.setattr(cgroups, "_MOUNTS", mounts)


def group(folder: Path, controllers: str, enabled: str = "", **files: str) -> Path:
    """A group of version 2, and with it the node's own, as the kernel would make that."""
    for made in (folder, folder / "node"):
        made.mkdir(parents=True)
        (made / "cgroup.controllers").write_text(f"{controllers}\n")
        (made / "cgroup.subtree_control").write_text(f"{enabled}\n")
    for name, text in files.items():
        (folder / f"cgroup.{name}").write_text(text)
    return folder


def test_a_group_of_version_1_begins_with_the_processors_of_its_parent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = tmp_path / "cpuset"
    root.mkdir()
    (root / "cpuset.cpus").write_text("0-1\n")
    mount(monkeypatch, tmp_path, cpuset="cgroup")

    cgroups.make("node")

    assert (root / "node/kubepods/cpuset.cpus").read_text() == "0-1"


def test_groups_of_version_2_get_the_controllers_that_lack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = group(tmp_path / "all", "cpu memory pids rdma", "cpu memory", procs="1\n")
    mount(monkeypatch, tmp_path, all="cgroup2")

    assert cgroups.refusal() == ""  # the machine's first group may hold processes
    cgroups.make("node")

    for made in (root, root / "node"):
        assert (made / "cgroup.subtree_control").read_text() == "+pids"
    assert (root / "node/kubepods").is_dir()
    assert not (root / "node/cpuset.cpus").exists()


def test_version_2_beside_version_1_keeps_its_controllers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cpu").mkdir()
    root = group(tmp_path / "unified", "hugetlb", procs="1\n", type="domain\n")
    mount(monkeypatch, tmp_path, cpu="cgroup", unified="cgroup2")

    assert cgroups.refusal() == ""
    cgroups.make("node")

    assert (root / "cgroup.subtree_control").read_text() == "\n"
    assert (root / "node/kubepods").is_dir()


@pytest.mark.parametrize(
    ("enabled", "processes", "refused"), [("", "1\n", True), ("cpu pids", "1\n", False), ("", "", False)]
)
def test_a_container_whose_processes_are_in_its_first_group_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, enabled: str, processes: str, refused: bool
) -> None:
    group(tmp_path / "all", "cpu pids", enabled, procs=processes, type="domain\n")
    mount(monkeypatch, tmp_path, all="cgroup2")

    assert ("start the container with --cgroupns=host" in cgroups.refusal()) == refused


def test_a_controller_that_the_kernel_refuses_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = group(tmp_path / "all", "cpu")
    mount(monkeypatch, tmp_path, all="cgroup2")

    def refuse(*_: object) -> None:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(Path, "write_text", refuse)
    with pytest.raises(ProcessError, match=re.escape(f"cpu can't be enabled in {root}: Invalid argument")):
        cgroups.make("node")


def test_connections_go_through_both_sockets(tmp_path: Path) -> None:
    assert (
        asyncio.run(_through_the_proxy(tmp_path / "proxy.sock")) == b"HTTP/1.1 200 Connection established\r\n\r\nhello"
    )


async def _through_the_proxy(socket: Path) -> bytes:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    await relays.connect_proxy(socket)
    reader, writer = await asyncio.open_unix_connection(socket)
    port = server.sockets[0].getsockname()[1]
    writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return await reader.read()


def test_simulated_nodes_are_cordoned_beside_a_real_one() -> None:
    nodes = [json.loads(body) for _, body in objects.nodes(cordoned=True)]
    assert {node["spec"]["unschedulable"] for node in nodes} == {True}


def test_the_quickstart_gets_its_model_from_the_node_and_keeps_its_key(tmp_path: Path) -> None:
    real_stack.project(tmp_path)
    with (tmp_path / "Pulumi.dev.yaml").open("a") as file:
        file.write("encryptionsalt: v1:x\n")
    real_stack.project(tmp_path)

    assert f"source: http://{ADDRESS}:5000/tiny.gguf\n" in (tmp_path / "stacks/dev/chat.yaml").read_text()
    assert (tmp_path / "Pulumi.dev.yaml").read_text().count("encryptionsalt: v1:x") == 1
