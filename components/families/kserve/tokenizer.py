"""The stand-alone tokenizer: a Deployment and its Service, for schedulers that score by tokens.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/tokenizer.go at v0.20.0-rc0.
"""

from ...engines.known import model_of, served_names
from ...engines.vllm import VLLM
from ...kubernetes.download_env import with_server_env
from ...kubernetes.model import defaults, dump
from ...kubernetes.objects import Object
from ...kubernetes.pod import PodSpec
from ...kubernetes.propagation import Propagation
from . import names, scheduler_config, serve, storage, user_config
from .configs import tokenizer_needed
from .context import Service
from .flag_values import TOKENIZER_PATH
from .labels import metadata, owned_labels, propagation, template_metadata
from .pods import Pod, change_container, container
from .server_pod import finished, with_pull_secrets, without_preset_dns

ROLE = "tokenizer-deployment"
TARGET = "tokenizer"
POD = "tokenizer pod"
PORT = 8000
_PORT_NAME = "render-http"


def wanted(service: Service) -> bool:
    scheduler = service.router.scheduler
    return scheduler is not None and tokenizer_needed(dump(scheduler), service.config_text)


def url(service: Service) -> str:
    scheme = "https" if service.tls else "http"
    return f"{scheme}://{names.tokenizer(service.name)}.{service.namespace}.svc.cluster.local:{PORT}"


def objects(service: Service) -> dict[str, Object]:
    name = names.tokenizer(service.name)
    selector = owned_labels(service, TARGET)
    return {
        ROLE: {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata(service, TARGET, name),
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": selector},
                "template": {"metadata": template_metadata(service, POD), "spec": _pod(service)},
            },
        },
        "tokenizer-service": {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata(service, TARGET, name),
            "spec": {
                "ports": [{"name": _PORT_NAME, "port": PORT, "protocol": "TCP", "targetPort": _PORT_NAME}],
                "selector": selector,
            },
        },
    }


def template(service: Service) -> PodSpec:
    return (service.scheduler.tokenizer and service.scheduler.tokenizer.template) or defaults(PodSpec)


def credentials_account(service: Service) -> str:
    """The account whose Secrets the download uses: the tokenizer pod's, otherwise the scheduler's. If neither names
    one, the workload's, as the scheduler's account has the same Secrets."""
    pods = (template(service), service.scheduler.template, service.spec.template)
    return next((pod.serviceAccountName for pod in pods if pod and pod.serviceAccountName), "")


def layers(service: Service) -> Propagation:
    return propagation(service, TARGET, {"spec.template": POD})


def model_name(service: Service) -> str:
    """The name by which the tokenizer knows its model: a served name of its command line, otherwise the path."""
    words = serve.words(container(_started(service)) or {})
    return next(iter(served_names(VLLM, words)), None) or model_of(VLLM, words) or TOKENIZER_PATH


def _started(service: Service) -> Pod:
    """The pod with its command line. The server also answers to the names that the scheduler's configuration asks
    for."""
    pod = dump(template(service))
    main = container(pod)
    if not main or not serve.is_start(main.get("command")):
        return pod
    written = user_config.user_config(dump(service.scheduler), service.config_text)
    names = scheduler_config.asked_models(written.config) if written else []
    others = [name for name in dict.fromkeys(names) if name != TOKENIZER_PATH]
    command = serve.tokenizer_command(service, others, has_args=bool(main.get("args")))
    return change_container(pod, lambda item: {**item, "command": command})


def _pod(service: Service) -> Pod:
    pod = storage.with_model(_started(service), service, credentials_account(service), TOKENIZER_PATH, adapters=False)
    server = container(dump(service.spec.template)) if service.spec.template else None
    pod = with_pull_secrets(with_server_env(pod, server) if server else pod, service)
    return finished(without_preset_dns(pod, service, "router", "scheduler", "tokenizer", "template"), service)
