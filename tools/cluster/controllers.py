"""Optional controllers: LeaderWorkerSet and JobSet, with the webhooks that they need.

The API server calls their webhooks by URL on loopback, because without nodes it can't reach a Service.
"""

import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass

from tools.cluster.api import Api
from tools.cluster.commands import Setting
from tools.cluster.processes import Process
from tools.cluster.waiting import Progress, wait_for

_POD_WEBHOOK = "/mutate--v1-pod", "/validate--v1-pod"
_SERVICE = re.compile(
    r"^(?P<start>[- ] )clientConfig:\n    service:\n      name: .*\n      namespace: .*\n      path: (?P<path>\S+)\n",
    re.MULTILINE,
)
_DOCUMENT_NAME = re.compile(r"^  name: (mutating|validating)-webhook-configuration$", re.MULTILINE)


@dataclass(frozen=True)
class Controller:
    """A controller. ``name`` is the name of its tool too; its CRDs must be installed."""

    name: str
    configuration: str  # apiVersion of its configuration file
    pod_label: str  # the label on the pods that its pod webhooks handle


CONTROLLERS: dict[str, Controller] = {
    "lws": Controller("lws", "config.lws.x-k8s.io/v1alpha1", "leaderworkerset.sigs.k8s.io/name"),
    "jobset": Controller("jobset", "config.jobset.x-k8s.io/v1alpha1", "jobset.sigs.k8s.io/jobset-name"),
}


def port_names(controller: Controller) -> list[str]:
    """The names of its ports."""
    return [f"{controller.name}-webhook", f"{controller.name}-health"]


def start(controller: Controller, setting: Setting, api: Api, webhooks: str, progress: Progress) -> None:
    """Starts the controller, then registers its webhooks: in the reverse order its own first requests would fail."""
    process = Process(setting.run_dir, controller.name)
    configuration = setting.run_dir / f"{controller.name}.json"
    configuration.write_text(json.dumps(_configuration(controller, setting)))
    command = [
        str(setting.binaries[controller.name]),
        f"--config={configuration}",
        f"--kubeconfig={setting.kubeconfig}",
    ]
    process.start(command)
    health = f"http://127.0.0.1:{setting.ports[f'{controller.name}-health']}/readyz"

    def not_ready() -> str:
        process.check()
        return "" if _answers(health) else f"an answer of {health}"

    wait_for(controller.name, not_ready, progress, news=process.log_length)
    api.apply_all(registrations(controller, webhooks, setting.ports[f"{controller.name}-webhook"], api.authority()))


def registrations(controller: Controller, webhooks: str, port: int, authority: str) -> list[tuple[str, str]]:
    """(path, document) of each webhook registration, adapted from those that the controller's project publishes."""

    def by_url(found: re.Match[str]) -> str:
        path = found["path"]
        url = f"{found['start']}clientConfig:\n    url: https://127.0.0.1:{port}{path}\n    caBundle: {authority}\n"
        return url + _only_pods_of(controller) if path in _POD_WEBHOOK else url

    named = _DOCUMENT_NAME.sub(lambda found: f"  name: {controller.name}-{found[1]}", _SERVICE.sub(by_url, webhooks))
    return [
        (f"{_path(document)}/{controller.name}-{_kind(document)}", document)
        for document in re.split(r"^---$", named, flags=re.MULTILINE)
        if document.strip()
    ]


def _kind(document: str) -> str:
    return "mutating" if "kind: Mutating" in document else "validating"


def _path(document: str) -> str:
    return f"/apis/admissionregistration.k8s.io/v1/{_kind(document)}webhookconfigurations"


def _only_pods_of(controller: Controller) -> str:
    """Limits the webhook to the controller's pods, so that a stopped controller blocks no others."""
    return f"  objectSelector:\n    matchExpressions:\n    - {{key: {controller.pod_label}, operator: Exists}}\n"


def _configuration(controller: Controller, setting: Setting) -> dict:
    ports = setting.ports
    return {
        "apiVersion": controller.configuration,
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "webhook": {
            "host": "127.0.0.1",
            "port": ports[f"{controller.name}-webhook"],
            "certDir": str(setting.certificates),
        },
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports[f'{controller.name}-health']}"},
    }


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (OSError, urllib.error.HTTPError):
        return False
