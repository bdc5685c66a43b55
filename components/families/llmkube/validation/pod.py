"""What is wrong with the parts of an InferenceService that are handed on to its pods."""

from collections.abc import Iterator

from ....findings import Problem
from ....kubernetes.api_fields import field_problems
from ....kubernetes.env import env_problems
from ....kubernetes.metadata import is_subdomain, label_problems
from ....kubernetes.pod_checks import mount_problems, volume_problems
from ....kubernetes.probes import probe_problems
from ....kubernetes.scalars import describe
from ....kubernetes.scheduling import spread_problems, toleration_problems
from ....kubernetes.security import security_problems
from ..names import PORT
from ..spec import InferenceServiceSpec


def pod_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from _metadata_problems(spec)
    yield from env_problems(spec.env, "spec.env", volumes=[volume.name for volume in spec.extraVolumes])
    yield from _probe_problems(spec)
    yield from security_problems(spec.podSecurityContext, "spec.podSecurityContext")
    yield from security_problems(spec.securityContext, "spec.securityContext")
    if spec.securityContext and spec.securityContext.procMount == "Unmasked":
        message = "Unmasked needs pods in a user namespace (hostUsers: false), which LLMKube does not make; remove it"
        yield Problem("spec.securityContext.procMount", message, code="bad-value")
    yield from _scheduling_problems(spec)
    yield from _volume_problems(spec)
    for index, secret in enumerate(spec.imagePullSecrets):
        if not secret.name:
            yield Problem(f"spec.imagePullSecrets[{index}].name", "is required", code="required")
    for field in ("priorityClassName", "runtimeClassName"):
        value = getattr(spec, field)
        if isinstance(value, str) and value and not is_subdomain(value):
            yield Problem(f"spec.{field}", f"must be lower-case letters, digits, '-' and '.', got {value!r}")


def _metadata_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from label_problems(spec.podLabels, "spec.podLabels")
    for key in spec.podAnnotations:
        # Values of annotations may be anything; their keys follow the rule of label keys.
        yield from label_problems({key.lower(): ""}, "spec.podAnnotations")


def _probe_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for kind in ("startup", "liveness", "readiness"):
        probe = getattr(spec.probeOverrides, kind)
        if probe is not None:
            yield from probe_problems(kind, probe, f"spec.probeOverrides.{kind}", (PORT,))


def _scheduling_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from toleration_problems(spec.tolerations, "spec.tolerations")
    yield from label_problems(spec.nodeSelector, "spec.nodeSelector")
    yield from field_problems(spec.affinity, "Affinity", "spec.affinity")
    yield from spread_problems(spec.topologySpreadConstraints, "spec.topologySpreadConstraints")


def _volume_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, volume in enumerate(spec.extraVolumes):
        path = f"spec.extraVolumes[{index}]"
        yield from volume_problems(volume, path)
        if first.setdefault(volume.name, index) != index:
            message = f"{volume.name} is used twice, first at spec.extraVolumes[{first[volume.name]}]; rename one"
            yield Problem(f"{path}.name", message, code="duplicate")
    paths: dict[str, int] = {}
    for index, mount in enumerate(spec.extraVolumeMounts):
        path = f"spec.extraVolumeMounts[{index}]"
        yield from mount_problems(mount, path)
        if ":" in mount.mountPath:
            message = f"must not contain ':', got {describe(mount.mountPath)}"
            yield Problem(f"{path}.mountPath", message, code="bad-value")
        if paths.setdefault(mount.mountPath, index) != index:
            message = (
                f"{mount.mountPath} is mounted twice, first at spec.extraVolumeMounts[{paths[mount.mountPath]}], but "
                "a container has one mount per path; remove one"
            )
            yield Problem(f"{path}.mountPath", message, code="duplicate")
