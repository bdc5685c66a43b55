"""Waits for workloads. The program looks at them itself, so that it can say why they are not ready and give up early.

The provider could wait as well, but it says little while it waits, nothing ends its waiting before its time-out, and
what it waits for takes up the engine's few slots. It waits only where this program has no connection: in clusters of
explicit providers.
"""

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pulumi

from ..cluster.connection import Cluster
from ..cluster.service_status import may_lack_pods
from ..cluster.workload_pods import Namespace, earlier_pods, last_lines, workload_reasons
from ..findings import brief
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_reasons import Cause, Reason, summary
from ..kubernetes.rollout import is_out_of_time, is_rolled_out, rollout_seconds, was_rolled_out
from ..kubernetes.startup import Past, StartupSettings, fatal_reason
from ..kubernetes.values import mapping

_FIRST_PAUSE = 0.1
"""Seconds in which further workloads may arrive, so that they are read together."""
_LONGEST_PAUSE = 5.0
_SHOWN = 3


@dataclass
class Awaited:
    """A workload that is being waited for, and what was observed so far. ``changed``: by this update."""

    obj: Object
    resource: pulumi.Resource
    limits: StartupSettings
    changed: bool
    one_is_enough: bool
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    started: float = field(default_factory=time.monotonic)
    since: dict[Cause, float] = field(default_factory=dict)
    past: Past | None = None
    reported: tuple[Any, ...] = ()

    def new(self, look: "Look") -> list[Reason]:
        """What was observed since the update began. The first look tells what existed before."""
        if self.past is None:
            old = [reason for reason in look.observed if not self.changed or reason.pod in look.earlier]
            self.past = Past(old)
        past = self.past
        return [reason for reason in look.observed if not past.has(reason)]

    def lasting(self, reasons: Iterable[Reason], now: float) -> Mapping[Cause, float]:
        """For how many seconds each cause has lasted without a gap."""
        causes = {reason.cause for reason in reasons}
        self.since = {cause: self.since.get(cause, now) for cause in causes}
        return {cause: now - first for cause, first in self.since.items()}


@dataclass(frozen=True)
class Look:
    """A workload at one moment, with what was observed of it and of its pods.

    ``live`` has no metadata if the workload does not exist. ``earlier``: pods older than its last change.
    """

    live: Mapping[str, Any]
    observed: list[Reason] = field(default_factory=list)
    earlier: frozenset[str] = frozenset()

    @property
    def reasons(self) -> list[Reason]:
        """The reasons why it is not ready, the worst first."""
        return summary(self.observed)


class Waiting:
    """The workloads that a program run waits for, over one connection to the default provider's cluster.

    ``generations`` are those of the objects before the run changed anything; ``ended`` resolve when the waiting for a
    workload has ended.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.generations: dict[Key, Any] = {}
        self.ended: dict[Key, pulumi.Output[Any]] = {}
        self._cluster = cluster
        self._thread = ThreadPoolExecutor(1, "waiting")
        self._pending: dict[Key, Awaited] = {}
        self._looks: dict[Key, Look] = {}
        self._failed: list[Key] = []
        self._announced = 0
        self._all_ended = asyncio.Event()
        self._poll: asyncio.Task[None] | None = None
        self._verdict: pulumi.Output[None] | None = None

    def reasons(self, identities: Iterable[Key]) -> list[Reason]:
        """Why these workloads were not ready at the last look."""
        return [
            reason for identity in identities if identity in self._looks for reason in self._looks[identity].reasons
        ]

    def announce(self) -> None:
        """Count a workload that will be waited for. A problem ends the program only when all waiting has ended."""
        if self._verdict is None:
            self._verdict = pulumi.Output.from_input(self.succeed())
        self._announced += 1
        self._all_ended.clear()

    def withdraw(self) -> None:
        """Count off an announced workload for which the waiting has ended or never began."""
        self._announced -= 1
        if not self._announced:
            self._all_ended.set()

    async def after(self, identity: Key, resource: pulumi.Resource) -> pulumi.Resource:
        """The resource, once it is ready. Raises RunError if it never is, after all other waiting has ended."""
        if identity in self.ended:
            await self.ended[identity].future()
        if identity in self._failed:
            await self.succeed()
        return resource

    async def until_ready(self, awaited: Awaited) -> Mapping[str, Any]:
        """Wait until a workload is ready or the waiting ends. Returns its status."""
        identity = key(awaited.obj)
        self._pending[identity] = awaited
        if self._poll is None or self._poll.done():
            self._poll = asyncio.ensure_future(self._look_again_and_again())
        await awaited.ended.wait()
        return mapping(self._looks[identity].live.get("status"))

    async def succeed(self) -> None:
        """Wait for all workloads. Raises RunError, naming those that did not become ready."""
        await self._all_ended.wait()
        if self._failed:
            names = ", ".join(str(identity) for identity in self._failed)
            raise pulumi.RunError(f"not ready: {names}; everything else was waited for, and the next update goes on")

    async def _look_again_and_again(self) -> None:
        with _interrupted_quietly():
            await self._look_until_all_ended()

    async def _look_until_all_ended(self) -> None:
        pause, warned = _FIRST_PAUSE, False
        while self._pending:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
            pending = dict(self._pending)
            try:
                looks = await asyncio.get_running_loop().run_in_executor(self._thread, self._look, pending)
            except Exception as error:  # also an answer of unexpected shape: waiting must end
                if not warned:
                    pulumi.log.warn(f"the cluster can't be looked at: {brief(error)}")
                warned = True
                looks = {identity: Look({}) for identity in pending} if pulumi.runtime.is_dry_run() else {}
            for identity, awaited in pending.items():
                self._judge(awaited, looks.get(identity))

    def _look(self, pending: Mapping[Key, Awaited]) -> dict[Key, Look]:
        objects = self._cluster.objects(pending).objects
        namespaces = {identity.namespace: Namespace(self._cluster, identity.namespace) for identity in pending}
        looks: dict[Key, Look] = {}
        for identity, awaited in pending.items():
            live = {**objects.get(identity, {}), "kind": identity.kind}
            lacking = "metadata" in live and may_lack_pods(live)
            looks[identity] = _look_at(live, namespaces[identity.namespace], awaited) if lacking else Look(live)
        return looks

    def _judge(self, awaited: Awaited, look: Look | None) -> None:
        """Stop waiting for a workload that is ready or can't become ready."""
        identity, now = key(awaited.obj), time.monotonic()
        if look is not None:
            self._looks[identity] = look
            if self._is_done(awaited, look.live):
                self._end(awaited)
                return
            _report(awaited, look)
            new = awaited.new(look)
            fatal = fatal_reason(summary(new), awaited.lasting(new, now), awaited.limits)
            if fatal:
                self._give_up(awaited, f"{identity} can't start: {fatal}", fatal)
                return
            if is_out_of_time(look.live):
                self._give_up(awaited, _with_reasons(f"{identity} made no progress within its deadline", look), None)
                return
        if now - awaited.started > rollout_seconds(awaited.obj):
            last = self._looks.setdefault(identity, Look({}))
            waited = f"{identity} is not ready after {rollout_seconds(awaited.obj)} s"
            self._give_up(awaited, _with_reasons(waited, last), None)

    def _is_done(self, awaited: Awaited, live: Mapping[str, Any]) -> bool:
        if pulumi.runtime.is_dry_run():
            return True
        if "metadata" not in live:
            return False
        if is_rolled_out(live, one_is_enough=awaited.one_is_enough):
            return True
        return not awaited.changed and was_rolled_out(live)

    def _end(self, awaited: Awaited) -> None:
        del self._pending[key(awaited.obj)]
        awaited.ended.set()
        if not pulumi.runtime.is_dry_run():
            self.withdraw()

    def _give_up(self, awaited: Awaited, problem: str, reason: Reason | None) -> None:
        identity = key(awaited.obj)
        lines = last_lines(reason, identity.namespace, self._cluster) if reason else []
        title = ["its last lines:"] if lines else []
        self._failed.append(identity)
        # Not logged for the resource: the engine would say that its creation failed, but it was created.
        pulumi.log.error("\n".join([problem, *title, *(f"  {line}" for line in lines)]))
        self._end(awaited)


def _look_at(live: Mapping[str, Any], namespace: Namespace, awaited: Awaited) -> Look:
    reasons = workload_reasons(live, namespace, changed=awaited.changed)
    return Look(live, reasons, earlier_pods(live, namespace) if awaited.past is None else frozenset())


@contextlib.contextmanager
def _interrupted_quietly() -> Iterator[None]:
    """End without a traceback when the engine interrupts a program that still waits after an update has failed."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, sys.exit, 1)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def _with_reasons(sentence: str, look: Look) -> str:
    return ": ".join([sentence, *(["; ".join(map(str, look.reasons[:_SHOWN]))] if look.reasons else [])])


def _report(awaited: Awaited, look: Look) -> None:
    """Log why a workload is not ready, whenever that changes."""
    ready = (look.live.get("status") or {}).get("readyReplicas", 0)
    met = (ready, *sorted((reason.reason, reason.crashes) for reason in look.reasons))
    if look.reasons and met != awaited.reported:
        pulumi.log.info(_with_reasons("not ready yet", look), resource=awaited.resource)
        awaited.reported = met
