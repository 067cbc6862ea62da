"""A checkpointer of LangGraph that keeps agent checkpoints: `compile(checkpointer=CheckpointSaver(manager))`.

See https://docs.langchain.com/oss/python/langgraph/persistence and `langgraph.checkpoint.base`. The module imports
`langgraph.checkpoint` and `langchain_core`, which the extra `langgraph` installs. A thread is an execution. Each of
LangGraph's checkpoints is an agent checkpoint, and so are the writes of each task, which LangGraph passes before its
next checkpoint. Checkpoints are only added, never changed, so that none is lost when the process dies.

`thread_state` makes thoughts, calls and variables of the values of channels.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections import OrderedDict, defaultdict
from contextlib import suppress
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checkpoint_ld.agents.changes import Clock, new_id
from checkpoint_ld.agents.values import LATEST_MS, WRITES
from checkpoint_ld.checkpointing.exchange import new_checkpoint
from checkpoint_ld.checkpointing.manager import manager_of
from checkpoint_ld.data import library
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, SettingsError
from checkpoint_ld.phrases import unknown
from checkpoint_ld.stores.protocol import Filter

library("langgraph.checkpoint.base", extra="langgraph")  # raises SettingsError, with the extra, where it is absent

from langgraph.checkpoint.base import (  # noqa: E402 - after that
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    CheckpointTuple,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer  # noqa: E402 - as above
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: E402 - as above

from checkpoint_ld.integrations.thread_address import ThreadAddress, milliseconds_of, moment_of  # noqa: E402 - as above
from checkpoint_ld.integrations.thread_bytes import (  # noqa: E402 - as above
    StrictSerializer,
    ThreadBytes,
    damaged,
    packed,
    unpacked,
)
from checkpoint_ld.integrations.thread_state import MEMBER, ThreadState  # noqa: E402 - as above

__all__ = ["CheckpointSaver", "StrictSerializer"]

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        DeltaChannelHistory,
        PendingWrite,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.values import Snapshot
    from checkpoint_ld.checkpointing.manager import CheckpointManager

_REASONS: Final = {"input": "auto", "loop": "step_complete", "update": "manual", "fork": "branch"}
"""The reasons of agent checkpoints by the sources of LangGraph's."""
_REMEMBERED: Final = 64
"""The number of states that are kept in memory, so that the next ones can share thoughts with them."""
_PATIENCE_S: Final = 5.0
"""The seconds without any checkpoint stored after which a step goes on though the one before is not stored."""
_STARTING_S: Final = 0.02
"""The seconds within which LangGraph begins to store a checkpoint."""
_STRATEGIES: Final = ("keep_latest", "delete")
_PERMISSIVE: Final = (
    "this serializer imports and calls whatever stored bytes name, so that who can write to the store can run code: "
)


class _Fixed(NamedTuple):
    """A saver over a list of ids that was read once, for a walk along parents."""

    saver: CheckpointSaver
    held: _Held

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.saver._found(ThreadAddress.of_config(config), self.held)  # noqa: SLF001 - of this module


_Held = dict[ThreadAddress, "Sequence[ThreadAddress]"]
"""The checkpoints of LangGraph in the store, each with its writes in the order in which they came."""


def _in_thread(method: Callable[..., Any]) -> Any:
    """Return an asynchronous method that runs `method` in a thread."""

    @wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(method, *args, **kwargs)

    call.__doc__ = f"Do what `{method.__name__}` does, in a thread."
    return call


class CheckpointSaver(BaseCheckpointSaver[int]):
    """Keeps the checkpoints of LangGraph's graphs in the stores of a manager. Any thread may use it, and any loop.

    Messages become thoughts and calls of tools, small JSON in other channels becomes variables, so that a thread can be
    shown, compared and queried like any execution. LangGraph's own bytes are kept as well, with their hash; a graph
    resumes from them. Nothing is unpickled, and nothing that they name is imported or called, except what is listed.
    """

    def __init__(
        self,
        manager: CheckpointManager | None = None,
        *,
        agent_id: str = "langgraph",
        serde: SerializerProtocol | None = None,
        permissive: bool = False,
        readable: bool | None = None,
    ) -> None:
        """Keep them where `manager` does, by default in the files of `./checkpoints`, as the agent `agent_id`.

        `serde` makes the bytes, by default a StrictSerializer. LangGraph's own default calls whatever bytes name; it
        is refused unless it is `permissive`, and warned of then. With `readable`, thoughts, calls and variables are
        written in the clear; by default they are unless `serde` encrypts. Secrets are withheld from these, not from
        the bytes. Raises WrongTypeError for another object than a manager, and SettingsError for a manager that redacts
        more, since these bytes cannot be redacted, and for a serializer that pickles or calls anything.
        """
        super().__init__(serde=serde or (JsonPlusSerializer() if permissive else StrictSerializer()))
        self.manager = manager_of(manager)
        if self.manager.redacts:
            raise SettingsError("LangGraph's bytes cannot be redacted: give a manager without redact, and encrypt them")
        inner = self.serde
        while isinstance(inner, EncryptedSerializer):  # which passes on what is not encrypted
            inner = inner.serde
        if getattr(inner, "pickle_fallback", False):
            raise SettingsError("what is pickled is run when it is read: give a serializer without pickle_fallback")
        if any(getattr(inner, name, None) is True for name in ("_allowed_msgpack_modules", "_allowed_json_modules")):
            if not permissive:
                raise SettingsError(
                    f"{_PERMISSIVE}give StrictSerializer([…]), to an EncryptedSerializer too, or permissive=True"
                )
            warnings.warn(f"{_PERMISSIVE}give StrictSerializer([…])", RuntimeWarning, stacklevel=2)
        self.agent_id = agent_id
        self._bytes = ThreadBytes()
        self.readable = not isinstance(serde, EncryptedSerializer) if readable is None else readable
        self._clock = Clock()
        self._states: OrderedDict[ThreadAddress, tuple[Snapshot, int]] = OrderedDict()
        self._guard = threading.Lock()
        self._stored = threading.Condition()
        self._versions: OrderedDict[Any, bool] = OrderedDict()
        """The newest versions of channels in checkpoints, of all threads, and whether those are stored."""

    def get_next_version(self, current: int | None, channel: None) -> int:
        """Return the next version of a channel, once the checkpoint with the current one is stored.

        LangGraph calls it when a step has ended. With the durability `async` it has the checkpoint before stored
        meanwhile, and queues any number of them; a process that is killed would lose all that wait.
        """
        if current is not None:
            with self._stored:
                near = range(current - _REMEMBERED, current + 1)
                while not self._versions.get(current) and not self._versions.keys().isdisjoint(near):
                    is_begun = current in self._versions
                    if not self._stored.wait(_PATIENCE_S if is_begun else _STARTING_S):
                        break  # if it is not begun, this graph stores only its last step
        return super().get_next_version(current, channel)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a thread's newest checkpoint, or the one that is named; None if there is none.

        Raises IntegrityError for bytes that are damaged, and what stores raise.
        """
        wanted = ThreadAddress.of_config(config)
        ids = [wanted.id]
        if not wanted.checkpoint_id:  # then its id is how those of its thread and namespace end
            end, found = wanted.id, self.manager.store.ids(wanted.thread_id)
            ids = sorted((id for id in found if id.endswith(end)), reverse=True)
        addresses = filter(None, map(ThreadAddress.of_id, ids))
        return next(filter(None, (self._found(one, {one: self._writes(one)}) for one in addresses)), None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, or of all, the newest first. Raises as `get_tuple`."""
        wanted = {} if config is None else config.get("configurable", {})
        thread, space, named = (wanted.get(name) for name in ("thread_id", "checkpoint_ns", "checkpoint_id"))
        held = self._held(None if thread is None else str(thread))
        until = (before or {}).get("configurable", {}).get("checkpoint_id")
        found = (
            self._found(address, held)
            for address in sorted(held, reverse=True)
            if space in (None, address.checkpoint_ns)
            and named in (None, "", address.checkpoint_id)
            and (not until or address.checkpoint_id < until)
        )
        required = (filter or {}).items()
        fitting = (kept for kept in found if kept and all(kept.metadata.get(key) == value for key, value in required))
        yield from islice(fitting, None if limit is None else max(limit, 0))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 - each checkpoint holds all channels
    ) -> RunnableConfig:
        """Keep a checkpoint, and return the config that names it.

        Raises WriteError for values that the serializer does not know, and what stores raise.
        """
        version = max(checkpoint["channel_versions"].values(), default=0)
        self._follow(version, is_stored=False)
        try:
            return self._put(config, checkpoint, metadata)
        finally:
            self._follow(version, is_stored=True)

    def _follow(self, version: Any, *, is_stored: bool) -> None:
        with self._stored:
            self._versions[version] = is_stored
            while len(self._versions) > _REMEMBERED:
                self._versions.popitem(last=False)
            self._stored.notify_all()

    def _put(self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) -> RunnableConfig:
        address = ThreadAddress.of_config(config, checkpoint["id"])
        parent = ThreadAddress.of_config(config)
        above = ThreadAddress(str((metadata.get("parents") or {}).get("", "")), address.thread_id, "")
        before, since = self._state(parent)
        now = milliseconds_of(checkpoint.get("ts")) or self._clock.wall()
        # If the clock was put back, a thought must not be younger than its checkpoint.
        now = min(max(now, since), LATEST_MS)
        state = ThreadState(before, now, f"{address.thread_id}/{address.checkpoint_ns}")
        for name, value in checkpoint["channel_values"].items() if self.readable else ():
            state.add_channel(name, value)
        ran = 0 if before is None else now - since + int(before.progress.duration_ms or 0)
        lists, blocks = self._bytes.lists(self.serde, checkpoint["channel_values"])
        channels = {
            name: None if name in lists else value for name, value in checkpoint["channel_values"].items()
        }  # in their order
        member = {
            **address.config["configurable"],
            "parent_checkpoint_id": parent.checkpoint_id or None,
            "lists": lists,
            "blocks": [*blocks],
            "checkpoint": packed(self.serde, {**checkpoint, "channel_values": channels}, channels),
            "metadata": packed(self.serde, get_checkpoint_metadata(config, metadata)),
        }
        snapshot = state.snapshot(max((metadata.get("step") or 0) + 1, 0), ran, member)  # LangGraph begins with step -1
        source = str(metadata.get("source", "loop"))
        linked = parent if parent.checkpoint_id else above if above.checkpoint_id else None
        link: dict[str, Any] | None = None if linked is None else {"checkpoint_id": linked.id}
        if link is not None and source == "fork":
            link["is_branch"] = True
        self._remember(address, self._keep(address, snapshot, now, _REASONS.get(source, "auto"), link))
        return address.config

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep the writes of a task until the next checkpoint holds them. Raises as `put`."""
        if not writes:
            return
        belongs = ThreadAddress.of_config(config)
        member = {
            **belongs.config["configurable"],
            "task_id": task_id,
            "task_path": task_path,
            "writes": [
                {"channel": channel, **packed(self.serde, value, {channel: value})} for channel, value in writes
            ],
        }
        # Dated just before its checkpoint, which may not be kept yet, so that the newest of all is a whole state.
        moment = moment_of(belongs.checkpoint_id) or self._clock.wall()
        address = belongs._replace(task_id=task_id, number=new_id(""))
        snapshot = ThreadState(None, moment, "").snapshot(0, 0, member)
        self._keep(address, snapshot, moment, "auto", {"checkpoint_id": belongs.id})

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread's checkpoints, and the writes of its tasks."""
        self._delete(self._held(str(thread_id)).items())

    def delete_for_runs(self, run_ids: Collection[str]) -> None:
        """Delete the checkpoints that these runs made, and what their tasks wrote; all are read for that."""
        held = self._held(None)
        found = ((address, self._found(address, held)) for address in held)
        going = [address for address, kept in found if kept and kept.metadata.get("run_id") in set(run_ids)]
        self._delete((address, held[address]) for address in going)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all of a thread to another one. Raises CheckpointExists where that holds something else."""
        held, target = self._held(str(source_thread_id)), str(target_thread_id)
        for address, writes in sorted(held.items()):
            for one in (address, *writes):
                with suppress(CheckpointNotFound):  # writes without their checkpoint
                    self.manager.store.put(_moved(self.manager.get(one.id), one._replace(thread_id=target)))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the newest checkpoint of each namespace of threads, or with `delete` all.

        Those that a channel of the newest one still needs, since it keeps differences, stay. Raises SettingsError for
        another strategy.
        """
        if strategy not in _STRATEGIES:
            raise SettingsError(unknown("strategy", strategy, _STRATEGIES))
        for thread in map(str, thread_ids):
            held = self._held(thread)
            spaces = (
                {ThreadAddress("", thread, address.checkpoint_ns) for address in held}
                if strategy == "keep_latest"
                else ()
            )
            staying = {needed for space in spaces for needed in self._needed(space, held)}
            self._delete((one, writes) for one, writes in held.items() if one not in staying)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the writes to channels that keep differences; the thread is listed once for all ancestors."""
        fixed: Any = _Fixed(self, self._held(ThreadAddress.of_config(config).thread_id))
        return BaseCheckpointSaver.get_delta_channel_history(fixed, config=config, channels=channels)

    aget_tuple = _in_thread(get_tuple)
    aput = _in_thread(put)
    aput_writes = _in_thread(put_writes)
    adelete_thread = _in_thread(delete_thread)
    adelete_for_runs = _in_thread(delete_for_runs)
    acopy_thread = _in_thread(copy_thread)
    aprune = _in_thread(prune)
    aget_delta_channel_history = _in_thread(get_delta_channel_history)

    async def alist(self, config: RunnableConfig | None, **wanted: Any) -> AsyncIterator[CheckpointTuple]:
        """Do as `list`, each step in a thread."""
        found = self.list(config, **wanted)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    def _keep(
        self, address: ThreadAddress, snapshot: Snapshot, now: int, reason: str, parent: dict[str, Any] | None
    ) -> AgentCheckpoint:
        checkpoint = new_checkpoint(
            snapshot,
            reason,
            id=address.id,
            timestamp=now,
            execution_id=address.execution_id,
            agent_id=self.agent_id,
            parent=parent,
        )
        checkpoint = self.manager.redacted(checkpoint)
        try:
            self.manager.store.put(checkpoint, packed=True)
        except CheckpointExists:  # LangGraph puts another one in place of it
            self.manager.delete(address.id)
            self.manager.store.put(checkpoint, packed=True)
        return checkpoint

    def _remember(self, address: ThreadAddress, checkpoint: AgentCheckpoint) -> tuple[Snapshot, int]:
        # The bytes are not kept in memory, only what later snapshots share.
        bare = checkpoint.snapshot.model_copy()
        object.__setattr__(bare, "__pydantic_extra__", {})
        with self._guard:
            self._states[address] = bare, checkpoint.timestamp
            self._states.move_to_end(address)
            while len(self._states) > _REMEMBERED:
                self._states.popitem(last=False)
        return bare, checkpoint.timestamp

    def _state(self, address: ThreadAddress) -> tuple[Snapshot | None, int]:
        """Return the state in a checkpoint and its moment; none where it is not there, or not yet."""
        with self._guard:
            state = self._states.get(address)
        if state is None and address.checkpoint_id:
            with suppress(CheckpointNotFound):
                return self._remember(address, self.manager.get(address.id))
        return state or (None, 0)

    def _held(self, thread_id: str | None) -> _Held:
        held: _Held = {}
        writes: dict[ThreadAddress, list[ThreadAddress]] = defaultdict(list)
        store = self.manager.store
        if thread_id is None:
            found: Iterable[tuple[str, str]] = (
                (header.execution_id, header.id) for header in store.truth.headers(Filter())
            )
        else:
            found = ((one, id) for one in (thread_id, thread_id + WRITES) for id in store.ids(one))
        for execution, id in found:
            address = ThreadAddress.of_id(id)
            if address is None or address.execution_id != execution:
                continue  # not one of LangGraph's
            if thread_id not in (None, address.thread_id):
                continue  # of a thread whose name ends as the execution of writes does
            if address.number:
                writes[ThreadAddress(*address[:3])].append(address)
            else:
                held[address] = []
        return {address: sorted(writes[address], key=lambda write: write.number) for address in held | writes}

    def _writes(self, address: ThreadAddress) -> Sequence[ThreadAddress]:
        ids = self.manager.store.ids(address.thread_id + WRITES, f"{address.id}/")
        return sorted(filter(None, map(ThreadAddress.of_id, ids)), key=lambda write: write.number)

    def _found(self, wanted: ThreadAddress, held: _Held) -> CheckpointTuple | None:
        if not wanted.checkpoint_id:
            newest = (one for one in sorted(held, reverse=True) if one.checkpoint_ns == wanted.checkpoint_ns)
            return next(filter(None, (self._found(one, held) for one in newest)), None)
        if wanted not in held:
            return None
        try:
            kept = self.manager.get(wanted.id)
        except CheckpointNotFound:  # its writes came first and the process died, or it was deleted meanwhile
            return None
        if kept.execution_id != wanted.execution_id:
            return None  # not one of LangGraph's
        self._remember(wanted, kept)
        member = _member(kept)
        parent = member.get("parent_checkpoint_id")
        return CheckpointTuple(
            wanted.config,
            self._bytes.checkpoint(self.serde, member, wanted.id),
            unpacked(self.serde, member.get("metadata"), wanted.id),
            wanted._replace(checkpoint_id=parent).config if parent else None,
            self._pending(held[wanted]),
        )

    def _pending(self, addresses: Iterable[ThreadAddress]) -> _Pending:
        """Return the writes of tasks; of several for one place the first counts, of special ones the last."""
        found: dict[tuple[str, int], tuple[str, PendingWrite]] = {}
        for address in addresses:
            try:
                member = _member(self.manager.get(address.id))
            except CheckpointNotFound:  # deleted meanwhile
                continue
            task, path, writes = member.get("task_id"), member.get("task_path"), member.get("writes")
            if not (isinstance(task, str) and isinstance(path, str) and isinstance(writes, list)):
                raise damaged(address.id, "its member langgraph holds no writes")
            for number, written in enumerate(writes):
                channel = str(written.get("channel"))
                place = task, WRITES_IDX_MAP.get(channel, number)
                if channel in WRITES_IDX_MAP or place not in found:
                    found[place] = path, (task, channel, unpacked(self.serde, written, address.id))
        order = sorted(found, key=lambda place: writes_sort_key(found[place][0], *place))
        return [found[place][1] for place in order]

    def _needed(self, newest: ThreadAddress, held: _Held) -> Iterator[ThreadAddress]:
        """Yield the newest checkpoint, and those before it that its channels of differences are made from."""
        found = self._found(newest, held)
        missing = set() if found is None else set(found.metadata.get("counters_since_delta_snapshot") or ())
        while found is not None:
            yield ThreadAddress.of_config(found.config)
            missing -= found.checkpoint["channel_values"].keys()
            above = found.parent_config if missing else None
            found = None if above is None else self._found(ThreadAddress.of_config(above), held)

    def _delete(self, going: Iterable[tuple[ThreadAddress, Iterable[ThreadAddress]]]) -> None:
        for address, writes in list(going):
            for one in (*writes, address):
                self.manager.delete(one.id)
            with self._guard:
                self._states.pop(address, None)


_Pending = list["PendingWrite"]


def _member(checkpoint: AgentCheckpoint) -> Mapping[str, Any]:
    found = (checkpoint.snapshot.model_extra or {}).get(MEMBER)
    return found if isinstance(found, dict) else {}


def _moved(checkpoint: AgentCheckpoint, address: ThreadAddress) -> AgentCheckpoint:
    """Return a checkpoint as that of another thread."""
    member = {**_member(checkpoint), "thread_id": address.thread_id}
    changes: dict[str, Any] = {"id": address.id, "execution_id": address.execution_id}
    changes["snapshot"] = checkpoint.snapshot.but(**{MEMBER: member})
    parent = checkpoint.parent
    above = None if parent is None else ThreadAddress.of_id(parent.checkpoint_id)
    if parent is not None and above is not None:
        changes["parent"] = parent.but(checkpoint_id=above._replace(thread_id=address.thread_id).id)
    return checkpoint.but(**changes)
