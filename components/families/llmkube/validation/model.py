"""Checks within one Model, beyond its types."""

from collections.abc import Iterator

from ....findings import Problem
from ....kubernetes.metadata import is_label_value, is_subdomain
from ....kubernetes.pod_checks import toleration_problems
from ....kubernetes.spelling import listed
from ....kubernetes.values import repeated
from ..model_spec import ModelSpec
from ..not_covered import MODEL, not_covered
from ..sources import Source, file_of_repository, file_set, page_of_hub, parse, part_of

_VENDORS = {"cuda": "nvidia", "rocm": "amd", "intel": "intel"}
"""Makers of the GPUs that an accelerator means. It has no effect itself."""


def problems(name: str, spec: ModelSpec) -> Iterator[Problem]:
    source = parse(spec.source)
    if not is_label_value(name):
        message = "must have at most 63 letters, digits, '-' and '.', because it becomes a label of the pods"
        yield Problem("metadata.name", message)
    yield from _source_problems(source, bool(spec.files))
    yield from _file_set_problems(spec, source)
    yield from _file_problems(spec)
    yield from _part_problems(spec, source)
    yield from _claim_problems(spec)
    yield from toleration_problems(spec.prefetchTolerations, "spec.prefetchTolerations")
    yield from _notes(spec, source)
    yield from not_covered(spec, MODEL)


def _source_problems(source: Source, several_files: bool) -> Iterator[Problem]:
    message = ""
    if source.kind == "unknown":
        message = (
            f"{source.text} is not the address of a model; write a URL with a host, org/name or "
            "hf://org/name[@revision] for Hugging Face, s3://bucket/key, pvc://claim/path, or a path that begins "
            "with /"
        )
        file = file_of_repository(source.text)
        message = f"{source.text} is a file in a repository; write {file}" if file else message
    elif source.kind == "s3" and not (source.place and (source.path or several_files)):
        message = "must be s3://bucket/key, or s3://bucket/prefix with spec.files"
    elif source.kind == "pvc" and not (is_subdomain(source.place) and source.path.strip("/")):
        message = "must be pvc://claim/path/of/the/model"
    elif source.kind in ("pvc", "local") and ".." in source.path.split("/"):
        message = "must not have '..' in its path"
    elif source.kind == "local" and not source.path.startswith("/"):
        message = "must be file:///path, with a path that begins with /"
    if message:
        yield Problem("spec.source", message, code="bad-source")


def _file_set_problems(spec: ModelSpec, source: Source) -> Iterator[Problem]:
    if spec.mmproj and not spec.files:
        message = "must name the model's file too when spec.mmproj is set"
        yield Problem("spec.files", message, code="bad-files")
    if (spec.files or spec.mmproj) and source.kind not in ("repository", "s3", "unknown"):
        message = (
            f"needs a Hugging Face repository (org/name) or an S3 prefix as the source, got {source.text}; write one "
            "of those, or remove files and mmproj"
        )
        yield Problem("spec.files", message, code="bad-files")


def _file_problems(spec: ModelSpec) -> Iterator[Problem]:
    named = [(f"spec.files[{index}]", file) for index, file in enumerate(spec.files)]
    for path, file in [*named, *([("spec.mmproj", spec.mmproj)] if spec.mmproj else [])]:
        parts = file.split("/")
        if not file or file.startswith("/") or not {"", ".", ".."}.isdisjoint(parts) or not file.isprintable():
            message = f"must be a relative path without '..' and empty parts, got {file!r}"
            yield Problem(path, message, code="bad-files")
        elif set("*?[") & set(file):
            yield Problem(path, f"must be the name of one file, not a pattern, got {file!r}", code="bad-files")


def _part_problems(spec: ModelSpec, source: Source) -> Iterator[Problem]:
    """Warns about downloads that nothing can load: a web page, or a part of a split model without the others."""
    file = page_of_hub(source.text)
    if file and source.kind == "http":
        message = f"{source.text} is a web page or a pointer, not a file; write {file} for a file of the repository"
        yield Problem("spec.source", message, "warning", "no-file")
    alone = (
        part_of(source.text.partition("?")[0]) if source.kind in ("http", "local", "s3") and not spec.files else None
    )
    if alone:
        message = (
            f"is one of {alone.count} parts of a model, but the server needs all; write the repository (org/name) or "
            "S3 prefix as the source, and list all parts in spec.files, the first one first"
        )
        yield Problem("spec.source", message, "warning", "missing-parts")
    first = part_of(spec.files[0]) if spec.files else part_of(source.path) if source.kind == "pvc" else None
    if first and first.number != 1:
        path = "spec.files[0]" if spec.files else "spec.source"
        message = (
            f"is part {first.number} of {first.count}, but llama.cpp loads a model by its first part; name the first "
            "part"
        )
        yield Problem(path, message, "warning", "missing-parts")
    missing = sorted(set(first.others) - set(spec.files)) if first and spec.files else []
    if missing:
        yield Problem(
            "spec.files",
            f"lacks parts of the model, which then can't be loaded: {listed(missing, 3)}",
            "warning",
            "missing-parts",
        )


def _claim_problems(spec: ModelSpec) -> Iterator[Problem]:
    gpu, path = spec.hardware.gpu, "spec.hardware.gpu.resourceClaims"
    if gpu is None:
        return
    if gpu.resourceClaims and gpu.resourceName:
        yield Problem(path, "excludes resourceName, because both choose the devices; remove one of them")
    for index, claim in enumerate(gpu.resourceClaims):
        if bool(claim.resourceClaimName) == bool(claim.resourceClaimTemplateName):
            message = "must have exactly one of resourceClaimName and resourceClaimTemplateName"
            yield Problem(f"{path}[{index}]", message)
    for index, name, _ in repeated(claim.name for claim in gpu.resourceClaims):
        yield Problem(f"{path}[{index}].name", f"{name} is used twice; rename one", code="duplicate")


def _notes(spec: ModelSpec, source: Source) -> Iterator[Problem]:
    gpu = spec.hardware.gpu
    several = bool(file_set(spec.files, spec.mmproj))
    if spec.sha256 and (several or source.kind in ("repository", "pvc")):
        message = "has no effect, because only a single downloaded file is checked; remove it"
        yield Problem("spec.sha256", message, "warning", "not-checked")
    if source.kind == "s3" and spec.sourceSecretRef is None and spec.hardware.accelerator != "metal":
        message = "is missing, but downloads from S3 need the keys of a Secret; name the Secret"
        yield Problem("spec.sourceSecretRef", message, "warning", "no-credentials")
    if spec.refreshPolicy == "OnChange" and (source.kind in ("pvc", "local") or (source.kind == "s3" and not several)):
        message = (
            "has no effect, because only downloads by http, and of several files from S3, are compared with their "
            "source"
        )
        yield Problem("spec.refreshPolicy", message, "warning", "no-effect")
    if spec.sourceSecretRef and not spec.sourceSecretRef.name:
        yield Problem("spec.sourceSecretRef.name", "is required", code="required")
    if gpu and gpu.count > 0 and not gpu.enabled and "enabled" in gpu.model_fields_set:
        message = f"is false, but count is {gpu.count} and takes precedence; set enabled: true, or remove count"
        yield Problem("spec.hardware.gpu.enabled", message, "warning", "gpu-disabled-with-count")
    wanted = _VENDORS.get(spec.hardware.accelerator)
    if gpu and (gpu.count > 0 or gpu.enabled) and wanted and not gpu.resourceName and gpu.vendor != wanted:
        message = (
            f"is {spec.hardware.accelerator}, but chooses no GPUs: the pods get those of gpu.vendor, {gpu.vendor}; set "
            f"gpu.vendor to {wanted}, or correct accelerator"
        )
        yield Problem("spec.hardware.accelerator", message, "warning", "no-effect")
    if gpu and gpu.sharding and gpu.sharding.strategy == "pipeline":
        message = "is rendered as layer, because llama.cpp has no pipeline mode"
        yield Problem("spec.hardware.gpu.sharding.strategy", message, "warning", "no-pipeline")
