"""What can't be said about a model, its adapters and its KV cache."""

import re
from collections.abc import Iterator

from ....findings import Problem
from ....kubernetes.images import is_reference
from ....kubernetes.metadata import is_subdomain
from ....kubernetes.quantities import amount
from ....kubernetes.scalars import Opaque, describe
from ....kubernetes.values import repeated
from .. import lora, storage
from ..context import Service, Workload
from ..model_spec import KVCacheOffloadingSpec, SecondaryTier


def model_problems(service: Service) -> Iterator[Problem]:
    uri = service.spec.model.uri
    if uri is None:
        message = "is required; write the model's address, for example hf://org/model"
        yield Problem("spec.model.uri", message, code="required")
        return
    yield from _uri_problems(uri, "spec.model.uri", storage.SCHEMES, service)
    if storage.scheme(uri) == "oci" and not service.settings.storageInitializer.enableModelcar:
        message = "is an oci:// model, which settings.kserve.storageInitializer.enableModelcar turns off"
        yield Problem("spec.model.uri", message)
    yield from _adapter_problems(service)
    confidential = service.spec.model.confidential
    if confidential and confidential.enabled and not storage.downloads(service):
        message = (
            "has no effect, because only a model that the storage initializer downloads (hf://, s3://) is decrypted"
        )
        yield Problem("spec.model.confidential", message, "warning", "no-effect")


def _uri_problems(uri: str, path: str, schemes: tuple[str, ...], service: Service) -> Iterator[Problem]:
    known = ", ".join(f"{scheme}://" for scheme in schemes)
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme not in schemes or not rest:
        yield Problem(path, f"must start with one of {known}, got {describe(uri)}")
    elif any(char.isspace() or not char.isprintable() for char in uri):
        yield Problem(path, f"must not contain blanks, got {describe(uri)}")
    elif scheme == "hf" and not storage.HUB_URI.fullmatch(uri):
        message = (
            f"is {describe(uri)}, which the storage initializer does not download; write hf://owner/model, or "
            "hf://owner/model:revision without a slash in the revision"
        )
        yield Problem(path, message, "warning", "bad-source")
    elif scheme == "pvc" and not is_subdomain(lora.claim_and_path(uri)[0]):
        yield Problem(path, f"must name a claim as pvc://claim/path, got {describe(uri)}")
    elif scheme == "oci" and not is_reference(rest):
        yield Problem(path, f"must name an image as oci://registry/repository:tag, got {describe(uri)}")


_NAME = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._:/-]*", re.ASCII)


def _adapter_problems(service: Service) -> Iterator[Problem]:
    spec = service.spec.model.lora
    for index, name, _ in repeated(adapter.name for adapter in (spec.adapters if spec else [])):
        path = f"spec.model.lora.adapters[{index}].name"
        yield Problem(path, f"is a duplicate: {describe(name)}", code="duplicate")
    for index, adapter in enumerate(spec.adapters if spec else []):
        path = f"spec.model.lora.adapters[{index}]"
        yield from _uri_problems(adapter.uri, f"{path}.uri", lora.SCHEMES, service)
        if not storage.enabled(service):
            message = (
                "is loaded by the storage initializer, but storageInitializer.enabled is false; enable it, or remove "
                "the adapter"
            )
            yield Problem(f"{path}.uri", message)
        if not _NAME.fullmatch(adapter.name):
            allowed = "letters, digits and '.', '_', '-', ':', '/'"
            message = f"must have only {allowed}, because commands and paths contain it, got {describe(adapter.name)}"
            yield Problem(f"{path}.name", message, code="bad-name")
        if adapter.name == service.model_name:
            yield Problem(f"{path}.name", "must differ from the model's own name")
        if adapter.name in (".", ".."):
            yield Problem(f"{path}.name", f"must not be {adapter.name}")


def kv_problems(each: Workload) -> Iterator[Problem]:
    kv, path = each.spec.kvCacheOffloading, f"{each.path}.kvCacheOffloading"
    if kv is None:
        return
    if not _positive(kv):
        yield Problem(
            f"{path}.cpu", "is required and must be more than 0; it is the size of the CPU tier, for example 10Gi"
        )
    for index, tier in enumerate(kv.secondary):
        yield from _tier_problems(tier, f"{path}.secondary[{index}].fileSystem")


def _positive(kv: KVCacheOffloadingSpec) -> bool:
    return kv.cpu is not None and (isinstance(kv.cpu, Opaque) or amount(kv.cpu) > 0)


def _tier_problems(tier: SecondaryTier, path: str) -> Iterator[Problem]:
    disk = tier.fileSystem
    if disk is None or bool(disk.emptyDir) == bool(disk.pvc):
        yield Problem(path, "must have one of emptyDir and pvc")
    elif disk.pvc and (disk.pvc.spec is None) == (disk.pvc.ref is None):
        yield Problem(f"{path}.pvc", "must have one of spec and ref")
