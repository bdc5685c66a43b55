"""The configuration of a real node's programs, with reasons for the settings that are not obvious."""

import json
import sys
from pathlib import Path

from tools.cluster.api import Api
from tools.node.images import PAUSE
from tools.node.layout import ADDRESS, API_PORT, FILES_PORT, NAME, PODS, Layout

KUBELET = "/run/kubelet"
"""The kubelet's own folder, as the node sees it. Its path is short because it contains sockets."""
RUNTIME_SOCKET = "/run/containerd/containerd.sock"


_SCRIPTS = Path(__file__).parent


def write(layout: Layout, api: Api, snapshotter: str) -> None:
    """Writes all configuration files into the node's folder."""
    folder = layout.folder
    api_here = Api(API_PORT, api.token, api.certificate)  # the certificate is for loopback
    files = {
        "kubeconfig": api_here.kubeconfig(),
        "containerd.toml": containerd(layout, snapshotter),
        "registries/_default/hosts.toml": registries(),
        "network/pods.conflist": json.dumps(network(layout)),
        "kubelet.json": json.dumps(kubelet(layout)),
        "kube-proxy.json": json.dumps(kube_proxy(layout)),
        "Corefile": corefile(layout),
        "bin/runtime": runtime(layout),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "bin/runtime").chmod(0o755)


def containerd(layout: Layout, snapshotter: str) -> str:
    """containerd's configuration, with all paths below the node's folder or the node's own /run."""
    folder = layout.folder
    return f"""
version = 3
root = "{folder}/containerd"
state = "/run/containerd"
[grpc]
address = "{RUNTIME_SOCKET}"
[plugins."io.containerd.cri.v1.images"]
snapshotter = "{snapshotter}"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "{PAUSE}"
[plugins."io.containerd.cri.v1.images".registry]
config_path = "{folder}/registries"
[plugins."io.containerd.cri.v1.runtime"]
disable_apparmor = true
restrict_oom_score_adj = true  # root of a container lacks what lower scores take
netns_mounts_under_state_dir = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["{layout.programs}"]
conf_dir = "{folder}/network"
use_internal_loopback = true
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = "{layout.programs}/runtime"
SystemdCgroup = false
"""


def runtime(layout: Layout) -> str:
    """The program that containerd calls as runc."""
    words = {"PYTHON": sys.executable, "EDITOR": f"{_SCRIPTS}/without_seccomp.py", "RUNC": f"{layout.programs}/runc"}
    text = (_SCRIPTS / "runtime.sh").read_text()
    for word, path in words.items():
        text = text.replace(f"@{word}@", path)
    return text


def registries() -> str:
    """All registries' images come from the node's own server, which gets the registry's name."""
    url = f"http://{ADDRESS}:{FILES_PORT}"
    return f'server = "{url}"\n[host."{url}"]\ncapabilities = ["pull", "resolve"]\n'


def network(layout: Layout) -> dict:
    """Each pod has a pair of interfaces. Nothing leaves the node, so there is no masquerading."""
    addresses = {
        "type": "host-local",
        "dataDir": f"{layout.folder}/addresses",
        "ranges": [[{"subnet": PODS}]],
        "routes": [{"dst": "0.0.0.0/0"}],
    }
    return {"cniVersion": "1.0.0", "name": "pods", "plugins": [{"type": "ptp", "ipam": addresses}]}


def kubelet(layout: Layout) -> dict:
    """A kubelet that changes nothing on the machine: no sysctls, no chains, only its own control groups."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": ADDRESS,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},  # only processes on the node can reach it
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{layout.name}",
        "clusterDNS": [ADDRESS],
        "clusterDomain": "cluster.local",
        "containerRuntimeEndpoint": f"unix://{RUNTIME_SOCKET}",
        "enforceNodeAllocatable": ["pods"],
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "failCgroupV1": False,
        "failSwapOn": False,
        "imageGCHighThresholdPercent": 100,
        "makeIPTablesUtilChains": False,
        "nodeStatusUpdateFrequency": "5s",
        "podLogsDir": f"{layout.folder}/logs",
        "protectKernelDefaults": True,  # `inside` shows it the values that it requires
        "registryPullQPS": 0,  # no limit: a whole stack starts at once, and the registry is local
        "resolvConf": "",
        "serializeImagePulls": False,
        "volumePluginDir": f"{layout.folder}/volume-plugins",
    }


def kube_proxy(layout: Layout) -> dict:
    """Services through nftables; connection tracking keeps the machine's settings."""
    nothing = {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"}
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "hostnameOverride": NAME,
        "clusterCIDR": PODS,
        "clientConnection": {"kubeconfig": f"{layout.folder}/kubeconfig"},
        "conntrack": nothing,
        "nftables": {"minSyncPeriod": "100ms", "syncPeriod": "30s"},
        "healthzBindAddress": "127.0.0.1:10256",
        "metricsBindAddress": "127.0.0.1:10249",
    }


def corefile(layout: Layout) -> str:
    """Resolves names of Services only."""
    zones = "cluster.local in-addr.arpa ip6.arpa"
    return f"""
.:53 {{
  bind {ADDRESS}
  errors
  ready 127.0.0.1:8181
  kubernetes {zones} {{
    kubeconfig {layout.folder}/kubeconfig
  }}
}}
"""


def commands(layout: Layout) -> dict[str, list[str]]:
    """The node's programs in starting order."""
    folder = layout.folder
    return {
        "containerd": ["containerd", f"--config={folder}/containerd.toml", "--log-level=warn"],
        "kubelet": [
            "kubelet",
            f"--config={folder}/kubelet.json",
            f"--kubeconfig={folder}/kubeconfig",
            f"--root-dir={KUBELET}",
            f"--cert-dir={folder}/kubelet-certificates",
            f"--hostname-override={NAME}",
            f"--node-ip={ADDRESS}",
            "--node-labels=node.kubernetes.io/instance-type=real",
        ],
        "kube-proxy": ["kube-proxy", f"--config={folder}/kube-proxy.json"],
        "coredns": ["coredns", f"-conf={folder}/Corefile"],
    }
