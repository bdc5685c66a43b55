"""The command lines of a control plane's processes, with reasons for the flags that are not obvious."""

from dataclasses import dataclass
from pathlib import Path

SERVICE_ADDRESSES = "10.0.0.0/16"
PLAYED = ("kwok.x-k8s.io/node", "fake")
"""Annotation of the simulated nodes, whose pods become Running and Ready."""


@dataclass(frozen=True)
class Setting:
    """A control plane's binaries, files and ports."""

    run_dir: Path
    binaries: dict[str, Path]
    ports: dict[str, int]
    with_node: bool = False
    """Whether there is a real node besides the simulated ones."""

    @property
    def certificates(self) -> Path:
        """Holds tls.crt, tls.key and the service account key pair."""
        return self.run_dir / "certificates"

    @property
    def tokens(self) -> Path:
        """The API server's list of users."""
        return self.run_dir / "tokens.csv"

    @property
    def egress(self) -> Path:
        """Configures how the API server reaches a real node."""
        return self.run_dir / "egress.json"

    @property
    def kubeconfig(self) -> Path:
        """Used by the control plane's own processes and by its users."""
        return self.run_dir / "kubeconfig"


def etcd(setting: Setting) -> list[str]:
    """A store on loopback. It doesn't sync to disk, as its data need not survive a crash of the machine."""
    client = f"http://127.0.0.1:{setting.ports['etcd']}"
    peer = f"http://127.0.0.1:{setting.ports['etcd-peer']}"
    return [
        str(setting.binaries["etcd"]),
        f"--data-dir={setting.run_dir / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def apiserver(setting: Setting) -> list[str]:
    """The API server, without TaintNodesByCondition: no controller would remove a new node's not-ready taint."""
    keys = setting.certificates
    return [
        str(setting.binaries["kube-apiserver"]),
        f"--etcd-servers=http://127.0.0.1:{setting.ports['etcd']}",
        "--bind-address=127.0.0.1",
        "--advertise-address=192.0.2.1",  # an address nobody has: loopback is refused, others may not exist
        "--endpoint-reconciler-type=none",
        f"--secure-port={setting.ports['apiserver']}",
        f"--cert-dir={keys}",
        f"--tls-cert-file={keys / 'tls.crt'}",
        f"--tls-private-key-file={keys / 'tls.key'}",
        f"--token-auth-file={setting.tokens}",
        "--authorization-mode=RBAC",
        f"--service-cluster-ip-range={SERVICE_ADDRESSES}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={keys / 'service-account.pub'}",
        f"--service-account-signing-key-file={keys / 'service-account.key'}",
        "--disable-admission-plugins=TaintNodesByCondition",
        "--allow-privileged=true",
        "--profiling=false",
        *(_way_to_the_node(setting) if setting.with_node else []),
    ]


def _way_to_the_node(setting: Setting) -> list[str]:
    return [f"--egress-selector-config-file={setting.egress}", "--kubelet-preferred-address-types=InternalIP"]


def controller_manager(setting: Setting) -> list[str]:
    """All controllers except node-lifecycle: on a busy machine it would permanently mark simulated nodes as lost."""
    return [
        str(setting.binaries["kube-controller-manager"]),
        f"--kubeconfig={setting.kubeconfig}",
        "--controllers=*,-node-lifecycle-controller",
        f"--service-account-private-key-file={setting.certificates / 'service-account.key'}",
        f"--root-ca-file={setting.certificates / 'tls.crt'}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=300",  # the default slows down stacks of many services
        "--kube-api-burst=600",
    ]


def scheduler(setting: Setting) -> list[str]:
    """The scheduler with default settings, except for its rate limit."""
    return [
        str(setting.binaries["kube-scheduler"]),
        f"--kubeconfig={setting.kubeconfig}",
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=300",
        "--kube-api-burst=600",
    ]


def kwok(setting: Setting) -> list[str]:
    """Simulates the nodes: their pods become Running and Ready."""
    return [
        str(setting.binaries["kwok"]),
        f"--kubeconfig={setting.kubeconfig}",
        f"--manage-nodes-with-annotation-selector={'='.join(PLAYED)}",
        "--cidr=10.244.0.0/16",  # pods' addresses, outside the range of Services
        f"--server-address=127.0.0.1:{setting.ports['kwok']}",
    ]
