"""LLM model services on Kubernetes as Pulumi components.

Public names are loaded when they are first used, so that ``python -m components render`` and editors' schema need
neither Pulumi nor a cluster.
"""
