"""A private CA for downloads: its ConfigMap, mounted in the download's container.

The ConfigMap is the one that a Secret's annotation names (variable ``AWS_CA_BUNDLE_CONFIGMAP``), else the copy of the
installation's, which KServe's controller makes in each namespace under one name.
KServe's downloader reads the file ``cabundle.crt`` of the folder that its environment names.

Decisions: K12 (docs/decisions).
"""

from pathlib import PurePosixPath

from .pods import Pod, container, with_env, with_generated
from .settings import StorageInitializerSettings

VOLUME = "cabundle-cert"
CONFIG_MAP = "AWS_CA_BUNDLE_CONFIGMAP"
GLOBAL = "global-ca-bundle"
"""What the copy of the installation's bundle is called in each namespace."""
_FILE = "AWS_CA_BUNDLE"


def with_bundle(pod: Pod, settings: StorageInitializerSettings, initializer: str) -> Pod:
    item = container(pod, initializer, "initContainers") or {}
    values = {variable["name"]: variable.get("value") for variable in item.get("env", [])}
    config_map = values.get(CONFIG_MAP) or (GLOBAL if settings.caBundleConfigMapName else "")
    if not config_map:
        return pod
    file = values.get(_FILE)
    folder = str(PurePosixPath(file).parent) if isinstance(file, str) and file else settings.caBundleVolumeMountPath
    mount = {"name": VOLUME, "mountPath": folder, "readOnly": True}
    volume = {"name": VOLUME, "configMap": {"name": config_map}}
    pod = with_generated(pod, {"initContainers": [{"name": initializer, "volumeMounts": [mount]}], "volumes": [volume]})
    variables = {"CA_BUNDLE_CONFIGMAP_NAME": config_map, "CA_BUNDLE_VOLUME_MOUNT_POINT": folder}
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return with_env(pod, env, initializer, "initContainers")
