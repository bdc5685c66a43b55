"""Problems that keep a download from getting its model, or the server from seeing it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ....findings import Problem
from ....kubernetes.download_env import TOKENS
from ....kubernetes.model import dump
from ....kubernetes.pod import PodSpec
from ....kubernetes.values import field_path, mappings
from .. import credentials, serve, storage, tokenizer
from ..context import Service
from ..pods import container
from ..service_account import named_account

_CODE = "credentials-not-found"
_NOT_SEEN = "download-not-seen"
_CREDENTIALS = frozenset([*TOKENS, "AWS_ACCESS_KEY_ID", "AWS_ROLE_ARN", "AWS_SECRET_ACCESS_KEY"])
"""Variables by which users give credentials directly."""
_SYSTEMS = ("/etc/ssl/", "/etc/pki/", "/usr/")
"""Folders of an image that have the certificates of public authorities."""


class _Downloads(NamedTuple):
    """A pod that downloads: its path in the manifest, its account, the URIs that it downloads, and the pod of the
    server whose variables the download gets."""

    path: str
    pod: PodSpec | None
    account: str
    uris: list[str]
    server: PodSpec | None

    @property
    def initializer(self) -> Mapping[str, Any]:
        """The user's changes of the download container."""
        return container(dump(self.pod) if self.pod else {}, storage.INITIALIZER, "initContainers") or {}

    @property
    def has_token(self) -> bool:
        """Whether the variables of the server or of the download have a token by name."""
        return not self.variables.isdisjoint(TOKENS)

    @property
    def has_credentials(self) -> bool:
        """Whether they give credentials, or may contain some."""
        return bool(self.variables & _CREDENTIALS) or any("envFrom" in item for item in self._containers)

    @property
    def variables(self) -> set[str]:
        return {str(variable.get("name")) for item in self._containers for variable in mappings(item.get("env"))}

    @property
    def _containers(self) -> list[Mapping[str, Any]]:
        return [self.initializer, container(dump(self.server) if self.server else {}) or {}]

    @property
    def schemes(self) -> set[str]:
        return {storage.scheme(uri) for uri in self.uris}


def download_problems(service: Service) -> Iterator[Problem]:
    yield from _idle_problems(service)
    downloads = list(_all_downloads(service))
    yield from _token_problems(service, downloads[: len(service.workloads)])
    for each in downloads:
        yield from _credential_problems(each, service)
        yield from _bundle_copy_problems(each, service)


def _token_problems(service: Service, downloads: Sequence[_Downloads]) -> Iterator[Problem]:
    """Pods that download a repository without the token with which others download it."""
    given = next((each for each in downloads if each.has_token), None)
    for each in downloads if given and not credentials.secret_by_annotation(service) else ():
        if given and "hf" in each.schemes and not each.account and not each.has_credentials:
            message = (
                f"the download here has no token, but the one of {given.path} has: a gated model is refused here; set "
                f"{credentials.HF_TOKEN} in both"
            )
            yield Problem(each.path, message, "warning", _CODE)


def _idle_problems(service: Service) -> Iterator[Problem]:
    if storage.downloads(service):
        return
    for each in service.workloads:
        idle = _Downloads(f"{each.path}.template", each.spec.template, "", [], None)
        if idle.initializer and not idle.initializer.get("image"):
            message = "has no effect and is left out: nothing is downloaded, as the model is mounted or in an image"
            yield Problem(f"{idle.path}.initContainers[{storage.INITIALIZER}]", message, "warning", "no-effect")


def _all_downloads(service: Service) -> Iterator[_Downloads]:
    uris = storage.downloads(service)
    for each in service.workloads if uris else ():
        pod = each.spec.template
        yield _Downloads(f"{each.path}.template", pod, named_account(each), uris, pod)
    model = [uri for uri in uris if uri == storage.model_uri(service)]
    if model and tokenizer.wanted(service):
        pod = tokenizer.template(service)
        account = tokenizer.credentials_account(service)
        server = service.spec.template
        yield _Downloads("spec.router.scheduler.tokenizer.template", pod, account, model, server)


def _credential_problems(each: _Downloads, service: Service) -> Iterator[Problem]:
    if each.has_credentials:
        return
    if named := credentials.secret_by_annotation(service):
        yield from _annotation_problems(each, named, service)
        return
    path, name = f"{each.path}.serviceAccountName", each.account or "default"
    advice = f"or set the variables of the container {storage.INITIALIZER} yourself"
    if each.account and ("ServiceAccount", service.namespace, each.account) not in service.known.manifests:
        message = (
            f"names account {name}, which is not among the manifests, so the download gets no credentials from its "
            f"Secrets; add the account and its Secrets (their values as ${{secret:...}}), {advice}"
        )
        yield Problem(path, message, "info", _CODE)
    unseen = credentials.unseen_secrets(service, each.account)
    for secret in unseen:
        message = (
            f"the download uses account {name}, whose Secret {secret} is not among the manifests, so it gets no "
            f"credentials from there; add the Secret (its values as ${{secret:...}}), {advice}"
        )
        yield Problem(path, message, "warning", _CODE)
    if not unseen:
        yield from _key_problems(each, service, path)


def _annotation_problems(each: _Downloads, secret: str, service: Service) -> Iterator[Problem]:
    path = field_path("metadata.annotations", service.settings.credentials.storageSecretNameAnnotation)
    if service.known.secret(service.namespace, secret) is not None:
        yield from _key_problems(each, service, path)
        return
    message = (
        f"names Secret {secret}, which is not among the manifests, so the download gets no credentials from it: add "
        f"the Secret (its values as ${{secret:...}}), or set the variables of the container {storage.INITIALIZER} "
        "yourself"
    )
    yield Problem(path, message, "warning", _CODE)


def _bundle_copy_problems(each: _Downloads, service: Service) -> Iterator[Problem]:
    setting = service.settings.storageInitializer.caBundleConfigMapName
    if not setting or ("ConfigMap", service.namespace, credentials.GLOBAL_BUNDLE) in service.known.manifests:
        return
    message = (
        f"the download mounts ConfigMap {credentials.GLOBAL_BUNDLE} of namespace {service.namespace}, the copy of "
        f"{setting} (settings.kserve.storageInitializer.caBundleConfigMapName) that KServe's controller makes: "
        "without that controller, make it yourself in a namespace that has none"
    )
    yield Problem(each.path, message, "info", "no-copy")


def _key_problems(each: _Downloads, service: Service, path: str) -> Iterator[Problem]:
    s3 = service.settings.credentials.s3
    keys = {secret.name: credentials.keys_of(secret) for secret in credentials.seen_secrets(service, each.account)}
    keys_there = set().union(*keys.values())
    named = ", ".join(keys)
    if "s3" in each.schemes and keys and s3.s3SecretAccessKeyName not in keys_there:
        message = f"the download looks for {s3.s3AccessKeyIDName} and {s3.s3SecretAccessKeyName} in Secret {named}, "
        message += f"which has {', '.join(sorted(keys_there)) or 'no keys'}: it gets no credentials; rename the keys"
        yield Problem(path, message, "warning", _CODE)
    tokens = sorted(key for key in keys_there if "token" in key.lower())
    if "hf" in each.schemes and tokens and credentials.HF_TOKEN not in keys_there:
        message = (
            f"the download looks for {credentials.HF_TOKEN} in Secret {named}, which has {', '.join(tokens)}: it "
            f"gets no token; rename the key to {credentials.HF_TOKEN}"
        )
        yield Problem(path, message, "warning", _CODE)


def place_problems(pod: Mapping[str, Any]) -> Iterator[Problem]:
    """Paths of a finished pod: the server must see what is downloaded, and a private CA's file must be mounted.

    Problems have paths of the pod.
    """
    initializer, server = container(pod, storage.INITIALIZER, "initContainers"), container(pod)
    if initializer is None or server is None:
        return
    index, read = pod["containers"].index(server), " ".join(map(str, serve.words(server)))
    for path in initializer.get("args", [])[1::2]:
        written, seen = _place(initializer, path), _place(server, path)
        if written and (seen is None or seen[:2] != written[:2]) and path in read:
            message = (
                f"the mounts hide the model that is downloaded to {path} from the server; mount volume "
                f"{written.volume} at {written.mount}, as the download does, or set storageInitializer.enabled: false "
                "if you bring the model yourself"
            )
            yield Problem(f"containers[{index}].volumeMounts", message, "warning", _NOT_SEEN)
    for problem in _bundle_problems(initializer):
        yield replace(problem, path=f"initContainers[{pod['initContainers'].index(initializer)}].{problem.path}")


class _Place(NamedTuple):
    """The mount at a path of a container: the volume, the path in it, and where the volume is mounted."""

    volume: str
    path: str
    mount: str


def _place(item: Mapping[str, Any], path: str) -> _Place | None:
    """The mount that covers a path, or None."""
    wanted = PurePosixPath(path)
    mounts = [(PurePosixPath(str(mount["mountPath"])), mount) for mount in item.get("volumeMounts", [])]
    covering = [(place, mount) for place, mount in mounts if wanted.is_relative_to(place)]
    if not covering:
        return None
    place, mount = max(covering, key=lambda one: len(one[0].parts))
    inside = PurePosixPath(str(mount.get("subPath", ""))) / wanted.relative_to(place)
    return _Place(str(mount["name"]), str(inside), str(place))


def _bundle_problems(initializer: Mapping[str, Any]) -> Iterator[Problem]:
    values = {variable["name"]: variable.get("value") for variable in initializer.get("env", [])}
    file = values.get("AWS_CA_BUNDLE")
    if isinstance(file, str) and file and not file.startswith(_SYSTEMS) and _place(initializer, file) is None:
        message = (
            f"AWS_CA_BUNDLE names {file}, where nothing is mounted, so every download fails; name the ConfigMap of "
            "the certificates in the Secret's annotation serving.kserve.io/s3-cabundle-configmap, or mount it there"
        )
        yield Problem("env", message, "warning", "no-file")
