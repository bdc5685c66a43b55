"""What every engine module says of its server. A family asks an :class:`Engine`; only the engine modules know flags."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..kubernetes.args import Argument
from .flag import Launch
from .tool import Tool

Setting = Literal["context-length", "max-tokens", "gpu-memory-fraction", "batch-size", "precision", "quantization"]
"""What OME's model and performance keys set, by any engine's flag."""

Form = Literal["file", "folder", "repository"]
"""What an engine may load a model from."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine(Tool):
    """A server that runs models: one row of knowledge for each, in the module named after it."""

    container: str
    """Name of its container."""
    port: int
    """Port on which it listens by default."""
    image: Callable[[Launch], str] | None = None
    """Default image, if it has one."""
    programs: tuple[str, ...] = ()
    """Programs and Python modules that start it, and names that containers with it have."""
    arguments: Callable[[Launch], list[Argument]] = lambda launch: []
    """Generated arguments, before the user's."""
    trailing: tuple[Argument, ...] = ()
    """Generated arguments after the user's."""
    command: tuple[str, ...] = ()
    """Command of the container; the image's when empty."""
    health: str = ""
    """HTTP path of its health check; empty: it only accepts connections."""
    serving: str = ""
    """HTTP path that answers when it serves, where the health check does not say so."""
    metric: str = ""
    """Metric of its load, to scale on; it is always there."""
    latency: str = ""
    """Histogram of the seconds that requests take, if it has one."""
    queries: Mapping[str, str] = field(default_factory=dict)
    """What it does in PromQL, with ``{}`` where the selector of its pods goes. To scale on: ``concurrency`` (requests
    served at once), ``rps`` (requests answered each second), ``tps`` (more than 0 while requests come and tokens are
    slow). To show: ``waiting`` (requests), ``generated`` and ``prompt`` (tokens each second), ``first token`` (seconds
    that 95 of 100 requests wait at most), ``KV cache`` (share in use)."""
    settings: Mapping[Setting, tuple[str, str]] = field(default_factory=dict)
    """The flag for each setting of OME's keys, and its value with ``{}`` where that of the key goes."""
    memory_flags: frozenset[str] = frozenset()
    """Flags that say how much of a GPU's memory it takes, beside the setting's."""
    model_flag: str = ""
    """Flag for the model: a folder, a file or a repository."""
    model_sources: frozenset[str] = frozenset()
    """Flags and variables that name a model, without one of which it starts and serves none."""
    name_flag: str = ""
    """Flag for the name by which requests call the model."""
    any_name: bool = False
    """Whether it answers whatever name a request gives."""
    needs_gpu: bool = False
    """Whether its default image runs on GPUs only."""
    switches: Mapping[str, str] = field(default_factory=dict)
    """Values of settings that the server takes only beside a switch, and the switch."""
    certificate: tuple[str, ...] = ()
    """Flag, and variable if it reads one, for the certificate with which it serves HTTPS."""
    metrics_flag: str = ""
    """Flag without which it has no metrics."""
    metrics_variable: str = ""
    """Variable that does the same, if it reads one."""
    tensor_parallel: str = ""
    """Flag for the number of GPUs that share one model."""
    expert_parallel: str = ""
    """Flag for the number of those GPUs that share the experts."""
    parallel: tuple[str, ...] = ()
    """Flags whose numbers multiply those GPUs."""
    copies: tuple[str, ...] = ()
    """Flags for the copies of the model in a pod, each with separate GPUs; the first one that is set counts."""
    one_copy: frozenset[str] = frozenset()
    """Flags with which a process serves one copy, or its copies share their GPUs."""
    host_flag: str = "--host"
    """Flag for the address on which it listens."""
    default_host: str = ""
    """The address without that flag; empty for all of them."""
    host_variable: str = ""
    """Variable for the address, where it reads one."""
    socket_flag: str = ""
    """Flag with which it listens on a Unix socket only."""
    prefix_flag: str = ""
    """Flag for a path below which it has all others."""
    group_addresses: tuple[str, ...] = ()
    """Flags for where the pods of a group meet, the same in all of them."""
    transfer_flag: str = ""
    """Flag for handing over KV blocks from servers that compute prompts to others."""
    silent_flag: str = ""
    """Flag with which it counts nothing, so that its metrics are not there."""
    port_variable: str = ""
    """Variable for its port, where it reads one."""
    root_image: str = ""
    """Repository of its image, below the registry's host, whose user is root."""
    starts_by_itself: bool = False
    """Whether that image starts it without a command."""
    loads: frozenset[Form] = frozenset()
    """What it loads a model from: a ``file`` of the pod, a ``folder`` (unless the model is one file, GGUF), a Hugging
    Face ``repository``."""
    shares_memory: bool = False
    """Whether its processes, one for each GPU, talk to each other over shared memory."""
    models_folder: str = ""
    """Folder in which it looks for models, which the user has to mount."""
    service_links: bool = True
    """Whether the environment variables that Kubernetes makes for Services do it no harm."""
    probed_by_ome: bool = False
    """Whether OME gives it probes where the runtime has none."""
    slots: tuple[str, ...] = ()
    """Flag, and variable if it reads one, for the number of requests that it serves at once, which ``metric`` can't
    pass."""
    default_slots: int | None = None
    """That number without the flag, where it is so low that a target may pass it."""
    key_closes_metrics: tuple[str, ...] = ()
    """Flags and variables with an API key that its metrics are then behind."""
    writes_home: bool = False
    """Whether it writes caches below HOME."""
    token: tuple[str, str] = ("", "")
    """Variable for the Hugging Face token, and the field with its Secret key."""
    env: Callable[[Launch], list[dict[str, Any]]] = lambda launch: []
    """Further generated environment variables."""
    fields: frozenset[str] = frozenset()
    """Fields of a service's spec that only some engines read and this one does."""

    def variables(self, launch: Launch) -> list[dict[str, Any]]:
        """Generated environment variables, the token first."""
        name, field_path = self.token
        reference = launch.get(field_path) if name else None
        token = [{"name": name, "valueFrom": {"secretKeyRef": dict(reference)}}] if reference else []
        return [*token, *self.env(launch)]

    def reads(self, field: str) -> bool:
        """Whether it reads a field of a service's spec that only some engines read."""
        return field in self.fields

    def query(self, load: str, selector: str) -> str:
        """One of its queries, of the pods that a selector (``{pod="a"}``) finds; empty where the engine has none."""
        return self.queries.get(load, "").replace("{}", selector)

    def setting(self, name: Setting, value: str) -> tuple[str, str] | None:
        """Flag and value for a setting of OME's keys, or None where the engine has no flag for it."""
        known = self.settings.get(name)
        return (known[0], known[1].format(value)) if known else None

    def value_of(self, words: Sequence[Any], flag: str) -> str | None:
        """The value of a flag on a command line, however the engine lets it be spelled; None where it is not there."""
        flags = self.dialect.flags(words)
        if flag not in flags:
            return None
        return "" if flags[flag] is None else str(flags[flag])

    def scheme(self, flags: Collection[str], variables: Collection[str] = ()) -> str:
        """In which probes speak to it: HTTPS where its flags or variables have a certificate, else HTTP."""
        return "HTTPS" if any(each in flags or each in variables for each in self.certificate) else "HTTP"

    def default_image(self, launch: Launch) -> str:
        """The engine's image for a pod, empty where it has none."""
        return self.image(launch) if self.image else ""
