"""Checks of a service beyond its fields' types: its model, workloads, router, and the finished pods.

Decisions: K7 (docs/decisions).
"""

from .service import list_problems, local_problems, problems, rendered_problems, version_problems

__all__ = ["list_problems", "local_problems", "problems", "rendered_problems", "version_problems"]
