"""Stacks of model services for tests: the repository's program with manifests that a test writes and changes."""

from collections.abc import Mapping
from pathlib import Path

from modelservices.cluster.ownership import manager
from tests.integration.engine import Cluster, Project, Result, beside

REPOSITORY = Path(__file__).parents[2]


class Stack(Project):
    """A stack of the repository's program. Its manifests are the files of one folder, initially empty.

    Its default name is its namespace: within a cluster, stacks with the same name count as one stack.
    """

    forked = True

    def __init__(
        self,
        folder: Path,
        cluster: Cluster | None,
        namespace: str,
        *,
        name: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        program = beside(REPOSITORY, folder)
        super().__init__(program, cluster, name or namespace, backend=folder / "state", environment=environment)
        self.namespace = namespace
        self.manifests = folder / "manifests"
        self.manifests.mkdir()
        self.config({"manifests": [str(self.manifests)], "kubernetes:namespace": namespace})

    @property
    def mark(self) -> str:
        """The field manager under which the stack creates its objects."""
        return manager("organization", "modelservices", self.stack)

    def registered(self) -> list[str]:
        """The types of the stack's resources, without the engine's internal ones."""
        return [resource["type"] for resource in self.state() if not resource["type"].startswith("pulumi:")]

    def write(self, text: str, file: str = "services.yaml") -> None:
        """Writes a manifest file, replacing an earlier one with that name."""
        (self.manifests / file).write_text(text)


class OwnProgram(Project):
    """A user's own Python program that imports the package, in a new or existing folder."""

    forked = True

    def __init__(
        self, folder: Path, cluster: Cluster, stack: str = "test", *, environment: Mapping[str, str] | None = None
    ) -> None:
        folder.mkdir(exist_ok=True)
        if not (folder / "Pulumi.yaml").exists():
            (folder / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
        super().__init__(folder, cluster, stack, environment=environment)

    def write(self, program: str) -> None:
        (self.folder / "__main__.py").write_text(program)


def changes(result: Result) -> set[tuple[str, str, str]]:
    """The changes of a command as (operation, kind, Pulumi name)."""
    return {(step.op, step.type.rpartition(":")[2], step.name) for step in result.changes}
