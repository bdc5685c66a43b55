"""Computed values of vLLM's flags, for the start scripts here and for KServe's presets in a config."""

import json
from collections.abc import Mapping
from typing import Any

from ...kubernetes.quantities import amount
from .model_spec import KVCacheOffloadingSpec

MODEL_PATH = "/mnt/models"
TOKENIZER_PATH = f"{MODEL_PATH}/base"
"""Folder of the model in the tokenizer, which also serves the model under this name."""
CERTIFICATE_PATH = "/var/run/kserve/tls"
"""Folder of the certificate in pods: tls.crt and tls.key."""
PRE_STOP_SECONDS = 15
"""How long a pod waits before it stops its server, until clients no longer send it requests."""

_GRACE_SECONDS = 60
_RESERVE_SECONDS = 5


def shutdown_timeout(pod: Mapping[str, Any] | None, pre_stop: int = PRE_STOP_SECONDS) -> int:
    """Seconds for running requests to finish: the pod's grace period minus the wait before and a reserve after."""
    grace = int((pod or {}).get("terminationGracePeriodSeconds", _GRACE_SECONDS))
    return max(0, grace - pre_stop - min(_RESERVE_SECONDS, grace))


def kv_transfer_config(kv: KVCacheOffloadingSpec) -> str:
    extra: dict[str, Any] = {
        "cpu_bytes_to_use": int(amount(kv.cpu or "0")),
        "eviction_policy": kv.evictionPolicy,
        "spec_name": "TieringOffloadingSpec",
    }
    tiers = [{"root_dir": f"/mnt/kv-cache-{index}", "type": "fs"} for index, _ in enumerate(kv.secondary)]
    if tiers:
        extra["secondary_tiers"] = tiers
    config = {"kv_connector": "OffloadingConnector", "kv_connector_extra_config": extra, "kv_role": "kv_both"}
    return json.dumps(config, separators=(",", ":"), sort_keys=True)
