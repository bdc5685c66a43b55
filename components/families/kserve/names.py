"""The names of a service's objects.

Names over 63 characters are shortened as KServe shortens them, so that a service that moves here from the operator
keeps its objects. LeaderWorkerSets have lower limits, which the operator does not know: their controller (and Kueue)
writes labels that are derived from the name.

Decisions: K6 (docs/decisions).
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

from ...findings import Problem
from ...kubernetes.scalars import describe

MAX = 63
_HEAD = 31
LWS_MAX = 51
LWS_MAX_WITH_QUEUE = 39
_GROUP_DIGITS = 3
_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def child_name(parent: str, suffix: str) -> str:
    """``parent`` + ``suffix``, shortened with a hash to 63 characters when it is longer."""
    if len(parent) + len(suffix) <= MAX:
        return parent + suffix
    if len(suffix) >= _HEAD:
        return re.sub(r"[^a-zA-Z0-9]+$", "", f"{parent[:_HEAD]}{_md5(parent + suffix)}{suffix}"[:MAX])
    return f"{parent[: _HEAD - len(suffix)]}{_md5(parent)}{suffix}"


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def group_name(parent: str, suffix: str, *, queued: bool) -> str:
    """The name of a LeaderWorkerSet. A shortened one leaves room for three-digit group numbers."""
    limit = LWS_MAX_WITH_QUEUE if queued else LWS_MAX
    name = parent + suffix
    if len(name) <= limit:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    room = limit - (_GROUP_DIGITS - 1) - len(suffix) - len(digest) - 1
    return f"{parent[:room].rstrip('-')}-{digest}{suffix}"


def group_name_problem(name: str, groups: int, *, queued: bool) -> Iterator[Problem]:
    """With more than ten groups the limit is lower: pods' labels have the longer group numbers."""
    limit = (LWS_MAX_WITH_QUEUE if queued else LWS_MAX) - (len(str(max(groups - 1, 0))) - 1)
    if len(name) > limit:
        with_queue = " and a Kueue queue" if queued else ""
        message = (
            f"makes the LeaderWorkerSet name {name} of {len(name)} characters, but with {groups} groups{with_queue} "
            f"it may have {limit}; choose a shorter name"
        )
        yield Problem("metadata.name", message, code="name-too-long")


def service_name_problem(name: str) -> Iterator[Problem]:
    """A service's name begins the names of Services and LeaderWorkerSets, and is a label's value."""
    if not _SERVICE_NAME.fullmatch(name):
        message = (
            "must start with a lower-case letter and have only lower-case letters, digits and '-' (no dots, because "
            f"Services are named after it), got {describe(name)}"
        )
        yield Problem("metadata.name", message, code="bad-name")
    if len(name) > MAX:
        yield Problem("metadata.name", f"must have at most {MAX} characters, got {len(name)}", code="name-too-long")


def _with(suffix: str) -> Callable[[str], str]:
    return partial(child_name, suffix=suffix)


decode_deployment = _with("-kserve")
prefill_deployment = _with("-kserve-prefill")
workload_service = _with("-kserve-workload-svc")
certificates = _with("-kserve-self-signed-certs")
inference_pool = _with("-inference-pool")
picker_service = _with("-epp-service")
scheduler_deployment = _with("-kserve-router-scheduler")
scheduler_account = _with("-epp-sa")
scheduler_role = _with("-epp-role")
scheduler_role_binding = _with("-epp-rb")
tokenizer = _with("-tokenizer")
route = _with("-kserve-route")
resource_claim_template = _with("-managed-dra")


def decode_group(name: str, *, queued: bool) -> str:
    return group_name(name, "-kserve-mn", queued=queued)


def prefill_group(name: str, *, queued: bool) -> str:
    return group_name(name, "-kserve-mn-prefill", queued=queued)


def account(name: str, suffix: Literal["", "-role", "-rb"] = "", *, prefill: bool, group: bool) -> str:
    """The account of a workload, and with a suffix its Role or RoleBinding."""
    return child_name(name, f"-kserve{'-mn' if group else ''}{'-prefill' if prefill else ''}{suffix}")


def autoscaler(name: str, kind: str, *, prefill: bool) -> str:
    """``kind`` is hpa or keda."""
    return child_name(name, f"-kserve{'-prefill' if prefill else ''}-{kind}")


def scheduler_cluster_role_binding(namespace: str, name: str) -> str:
    return child_name(namespace, f"-{name}-epp-auth-rb")


def publisher_model(namespace: str, model: str) -> str:
    return f"publishers/{namespace}/models/{model}"
