"""What each engine module declares about its server. Families ask an :class:`Engine`; only the modules know flags."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..kubernetes.args import Argument
from .flag import Launch
from .tool import Tool

Setting = Literal["context-length", "max-tokens", "gpu-memory-fraction", "batch-size", "precision", "quantization"]
"""What OME's model and performance keys set, whatever the engine's flag."""

Form = Literal["file", "folder", "repository"]
"""What an engine can load a model from."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine(Tool):
    """A server that runs models. Each engine has one instance, in the module named after it."""

    container: str
    """Name of its container."""
    port: int
    """Port on which it listens by default."""
    image: Callable[[Launch], str] | None = None
    """Default image, if it has one."""
    programs: tuple[str, ...] = ()
    """Programs and Python modules that start it, and names of containers that run it."""
    arguments: Callable[[Launch], list[Argument]] = lambda launch: []
    """Generated arguments, before the user's."""
    trailing: tuple[Argument, ...] = ()
    """Generated arguments after the user's."""
    command: tuple[str, ...] = ()
    """Command of the container; if empty, the image's."""
    health: str = ""
    """HTTP path of its health check; empty if it has none and only accepts connections."""
    serving: str = ""
    """HTTP path that answers once it serves, if the health check doesn't tell."""
    metric: str = ""
    """Metric of its load, for scaling; it is always exported."""
    latency: str = ""
    """Histogram of request durations in seconds, if it has one."""
    queries: Mapping[str, str] = field(default_factory=dict)
    """PromQL queries of its load, with ``{}`` in place of the pod selector. For scaling: ``concurrency`` (requests
    served at once), ``rps`` (requests answered each second), ``tps`` (more than 0 while requests arrive and tokens are
    slow). For display: ``waiting`` (requests), ``generated`` and ``prompt`` (tokens each second), ``first token`` (95th
    percentile in seconds), ``KV cache`` (share in use)."""
    settings: Mapping[Setting, tuple[str, str]] = field(default_factory=dict)
    """For each setting of OME's keys, the flag and its value, with ``{}`` in place of the key's value."""
    memory_flags: frozenset[str] = frozenset()
    """Flags for how much of a GPU's memory it uses, besides the setting's."""
    model_flag: str = ""
    """Flag for the model: a folder, a file or a repository."""
    model_sources: frozenset[str] = frozenset()
    """Flags and variables that name a model; without any of them, it starts and serves none."""
    name_flag: str = ""
    """Flag for the name by which requests select the model."""
    any_name: bool = False
    """Whether it answers requests for any model name."""
    needs_gpu: bool = False
    """Whether its default image runs only on GPUs."""
    switches: Mapping[str, str] = field(default_factory=dict)
    """Values of settings that the server accepts only with a switch, and the switch."""
    certificate: tuple[str, ...] = ()
    """Flag, and variable if it reads one, for the certificate with which it serves HTTPS."""
    metrics_flag: str = ""
    """Flag without which it exports no metrics."""
    metrics_variable: str = ""
    """Variable with the same effect, if it reads one."""
    tensor_parallel: str = ""
    """Flag for the number of GPUs that share one model."""
    expert_parallel: str = ""
    """Flag for the number of those GPUs that share the experts."""
    parallel: tuple[str, ...] = ()
    """Flags whose values multiply the number of those GPUs."""
    copies: tuple[str, ...] = ()
    """Flags for the number of model copies in a pod, each with separate GPUs; the first one that is set applies."""
    one_copy: frozenset[str] = frozenset()
    """Flags with which a process serves one copy, or its copies share GPUs."""
    host_flag: str = "--host"
    """Flag for the address on which it listens."""
    default_host: str = ""
    """The address without that flag; empty means all addresses."""
    host_variable: str = ""
    """Variable for the address, if it reads one."""
    socket_flag: str = ""
    """Flag that makes it listen only on a Unix socket."""
    prefix_flag: str = ""
    """Flag for a prefix of all its paths."""
    group_addresses: tuple[str, ...] = ()
    """Flags for where the pods of a group meet, equal in all of them."""
    transfer_flag: str = ""
    """Flag for transferring KV blocks from servers that compute prompts to others."""
    silent_flag: str = ""
    """Flag that disables its statistics, so that it exports no metrics."""
    flag_variables: str | None = None
    """Prefix of the variables that set its flags, if it reads any: ``LLAMA_ARG_`` for ``LLAMA_ARG_CTX_SIZE``."""
    flags_of_variables: Mapping[str, str] = field(default_factory=dict)
    """The flags of such variables that have another name."""
    port_variable: str = ""
    """Variable for its port, if it reads one."""
    root_image: str = ""
    """Repository of its image whose user is root, without the registry's host."""
    starts_by_itself: bool = False
    """Whether that image starts it without a command."""
    loads: frozenset[Form] = frozenset()
    """What it loads a model from: a ``file`` in the pod, a ``folder`` (unless the model is one file, GGUF), a Hugging
    Face ``repository``."""
    shares_memory: bool = False
    """Whether its processes, one for each GPU, communicate through shared memory."""
    models_folder: str = ""
    """Folder in which it looks for models; the user has to mount it."""
    service_links: bool = True
    """Whether it can run with the environment variables that Kubernetes sets for Services."""
    probed_by_ome: bool = False
    """Whether OME adds probes if the runtime has none."""
    slots: tuple[str, ...] = ()
    """Flag, and variable if it reads one, for the number of requests that it serves at once, which ``metric`` can't
    exceed."""
    default_slots: int | None = None
    """Default of that number, if it is so low that a scaling target may exceed it."""
    key_closes_metrics: tuple[str, ...] = ()
    """Flags and variables with an API key that its metrics then require."""
    drops_requests: bool = False
    """Whether it drops running requests when it gets SIGTERM, which ``metric`` counts."""
    drain_flag: str = ""
    """Flag with which it finishes them instead."""
    writes_home: bool = False
    """Whether it writes caches below HOME."""
    token: tuple[str, str] = ("", "")
    """Variable for the Hugging Face token, and the field with its Secret key."""
    env: Callable[[Launch], list[dict[str, Any]]] = lambda launch: []
    """Further generated environment variables."""
    fields: frozenset[str] = frozenset()
    """Fields of a service's spec that only some engines read, including this one."""

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
        """One of its queries, for the pods of a selector (``{pod="a"}``); empty if the engine doesn't have it."""
        return self.queries.get(load, "").replace("{}", selector)

    def setting(self, name: Setting, value: str) -> tuple[str, str] | None:
        """Flag and value for a setting of OME's keys; None if the engine has no flag for it."""
        known = self.settings.get(name)
        return (known[0], known[1].format(value)) if known else None

    def value_of(self, words: Sequence[Any], flag: str) -> str | None:
        """The value of a flag on a command line, in any spelling that the engine accepts; None if it is missing."""
        flags = self.dialect.flags(words)
        if flag not in flags:
            return None
        return "" if flags[flag] is None else str(flags[flag])

    def scheme(self, flags: Collection[str], variables: Collection[str] = ()) -> str:
        """Scheme for probes: HTTPS if its flags or variables set a certificate, otherwise HTTP."""
        return "HTTPS" if any(each in flags or each in variables for each in self.certificate) else "HTTP"

    def default_image(self, launch: Launch) -> str:
        """The engine's image for a pod; empty if it has none."""
        return self.image(launch) if self.image else ""
