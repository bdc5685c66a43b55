"""The labels that Kubernetes recommends for every object: their keys."""

NAME = "app.kubernetes.io/name"
COMPONENT = "app.kubernetes.io/component"
PART_OF = "app.kubernetes.io/part-of"
MANAGED_BY = "app.kubernetes.io/managed-by"
VERSION = "app.kubernetes.io/version"
