"""What is wrong with a service beyond its fields' types: its model, workloads, router, and the finished pods."""

from .model import version_problems
from .service import list_problems, own_problems, problems, rendered_problems

__all__ = ["list_problems", "own_problems", "problems", "rendered_problems", "version_problems"]
