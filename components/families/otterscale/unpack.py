"""The init container that unpacks the model, and the volumes that it fills for the engine.

Decisions: O10 (docs/decisions).
"""

from functools import cache
from pathlib import Path
from typing import Any

from ...kubernetes.security import container_security
from .spec import MODEL_PATH, ModelSource

MODEL_VOLUME = "model"
SCRATCH_VOLUME, SCRATCH_PATH = "model-tmp", "/tmp/model-oci"
CREDENTIALS_VOLUME, CREDENTIALS_PATH = "docker-config", "/.docker"


@cache
def script() -> str:
    """The container's script, in plain POSIX shell, because the kit image's /bin/sh may not be bash.

    It passes its arguments on to kit (the first one is the script's name). A changed byte restarts every serving pod,
    so the script has no comments.
    """
    return (Path(__file__).parent / "scripts" / "unpack.sh").read_text("utf-8")


def mount_path(model: ModelSource) -> str:
    return model.mountPath or MODEL_PATH


def unpack_container(model: ModelSource, kit_image: Any, *, plain_http: bool) -> dict[str, Any] | None:
    """None when there is no model image or nothing to unpack it with."""
    if not (model.image and kit_image):
        return None
    env = {"OCI_MODEL_IMAGE": model.image, "MODEL_MOUNT_PATH": mount_path(model), "KITOPS_HOME": SCRATCH_PATH}
    mounts: list[dict[str, Any]] = [
        {"name": SCRATCH_VOLUME, "mountPath": SCRATCH_PATH},
        {"name": MODEL_VOLUME, "mountPath": mount_path(model)},
    ]
    if model.imagePullSecrets:
        env["DOCKER_CONFIG"] = CREDENTIALS_PATH
        mounts.append({"name": CREDENTIALS_VOLUME, "mountPath": CREDENTIALS_PATH, "readOnly": True})
    return {
        "name": "model-unpack",
        "image": kit_image,
        "command": ["/bin/sh", "-c"],
        "args": [script(), *(["kit-unpack", "--plain-http"] if plain_http else [])],
        "env": [{"name": name, "value": value} for name, value in env.items()],
        "volumeMounts": mounts,
        "securityContext": container_security(None),
    }


def model_volumes(model: ModelSource) -> list[dict[str, Any]]:
    volumes: list[dict[str, Any]] = [{"name": name, "emptyDir": {}} for name in (MODEL_VOLUME, SCRATCH_VOLUME)]
    if model.imagePullSecrets:
        credentials = {
            "secretName": model.imagePullSecrets[0].name,
            "items": [{"key": ".dockerconfigjson", "path": "config.json"}],
        }
        volumes.append({"name": CREDENTIALS_VOLUME, "secret": credentials})
    return volumes
