"""Names of an endpoint picker's objects, made of its own name, ``picker``. The other objects have just that."""

from __future__ import annotations


def config_map_name(picker: str) -> str:
    return f"{picker}-config"


def token_secret_name(picker: str) -> str:
    return f"{picker}-sa-metrics-reader-secret"


def cluster_rbac_name(namespace: str, picker: str) -> str:
    """ClusterRole and ClusterRoleBinding: the namespace keeps equal names of two namespaces apart."""
    return f"{namespace}-{picker}"
