"""The thoughts of a state, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from checkpoint_ld.agent.values import Thought
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.phrases import shown
from checkpoint_ld.runtime.changes import changed, is_alternative, made, new_id

if TYPE_CHECKING:
    from checkpoint_ld.runtime.changes import Changes


class ThoughtChain(CheckedMethods, Sequence[Thought]):
    """What an agent thought; thoughts are added at the end, replaced by changed ones, and removed.

    The last thought that was added is the current step, unless another is made it.
    """

    def __init__(
        self, changes: Changes, step: Callable[[], None], thoughts: Iterable[Thought] = (), current: str | None = None
    ) -> None:
        self._changes = changes
        self._step = step
        self._thoughts = list(thoughts)
        self._places = {thought.id: place for place, thought in enumerate(self._thoughts)}
        self._children: dict[str, dict[str, None]] = {}
        self._current = current
        self._taken: tuple[Thought, ...] | None = None
        for thought in self._thoughts:
            self._link(thought)
        changes.seen(*(thought.created_at for thought in self._thoughts))

    def __len__(self) -> int:
        return len(self._thoughts)

    @overload
    def __getitem__(self, index: int) -> Thought: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Thought, ...]: ...
    def __getitem__(self, index: int | slice) -> Thought | tuple[Thought, ...]:
        return tuple(self._thoughts[index]) if isinstance(index, slice) else self._thoughts[index]

    def __iter__(self) -> Iterator[Thought]:
        return iter(self.taken())

    def add(
        self,
        type: str,  # noqa: A002 - the member is called so
        content: str,
        *,
        confidence: float | None = None,
        parent_id: str | None = None,
        id: str | None = None,
        **more: Any,
    ) -> Thought:
        """Add a thought and return it; `more` are other members: reasoning, alternatives, metadata, created_at ….

        Raises WriteError for an id that is taken, for one that is its own ancestor, and for what is no thought.
        """
        with self._changes.change():
            members = {
                "id": new_id("thought_") if id is None else id,
                "type": type,
                "content": content,
                "confidence": confidence,
            }
            members |= {"parent_id": parent_id, "created_at": self._changes.now(), **more}
            thought = _checked(made(Thought, members, "the thought"))
            if thought.id in self._places:
                raise WriteError(f"there is a thought {shown(thought.id)} already: give another id, or update it")
            self._refuse_cycle(thought)
            self._changes.seen(thought.created_at)
            self._places[thought.id] = len(self._thoughts)
            self._thoughts.append(thought)
            self._current, self._taken = thought.id, None
            self._link(thought)
            self._changes.changed("thought.created", thought=thought, index=len(self._thoughts) - 1)
            self._tell_parent(thought.parent_id, thought.id, is_child=True)
            self._step()
            return thought

    def update(self, id: str, /, **changes: Any) -> Thought:
        """Replace members of a thought and return what it became; None takes one away.

        Raises LookupFailedError for an id that is not there, WriteError for what is no thought, and for another id.
        """
        with self._changes.change():
            before = self.get(id)
            after = _checked(changed(before, changes, f"the thought {shown(id)}"))
            if after.id != id:
                raise WriteError(f"the thought {shown(id)} keeps its id: remove it, and add another")
            self._refuse_cycle(after)
            self._changes.seen(after.created_at)
            self._unlink(before)
            self._put(before, after)
            self._link(after)
            if before.parent_id != after.parent_id:
                self._tell_parent(before.parent_id, id, is_child=False)
                self._tell_parent(after.parent_id, id, is_child=True)
            return after

    def remove(self, id: str) -> Thought:
        """Remove a thought and return it; others may still name it as their parent. Raises LookupFailedError."""
        with self._changes.change():
            thought = self.get(id)
            place = self._places.pop(id)
            del self._thoughts[place]
            for later in self._thoughts[place:]:
                self._places[later.id] -= 1
            self._unlink(thought)
            self._taken = None
            if self._current == id:
                self._current = self._thoughts[-1].id if self._thoughts else None
            self._changes.changed("thought.removed", thought=thought)
            self._tell_parent(thought.parent_id, id, is_child=False)
            return thought

    def get(self, id: str) -> Thought:
        """Return the thought of that id. Raises LookupFailedError."""
        with self._changes.still:
            place = self._places.get(id)
            if place is None:
                raise LookupFailedError(f"there is no thought {shown(id)} in the chain")
            return self._thoughts[place]

    def children(self, id: str) -> tuple[Thought, ...]:
        """Return the thoughts that have this one as their parent, in the order of the chain."""
        with self._changes.still:
            return tuple(self._thoughts[place] for place in sorted(self._places[one] for one in self._of(id)))

    def ancestors(self, id: str) -> tuple[Thought, ...]:
        """Return the parent of a thought, the parent's parent and so on, as far as they are in the chain."""
        with self._changes.still:
            found: dict[str, Thought] = {}
            parent = self.get(id).parent_id
            while parent in self._places and parent not in found:
                found[parent] = self.get(parent)
                parent = found[parent].parent_id
            return tuple(found.values())

    @property
    def current_step_id(self) -> str | None:
        """The id of the thought that the agent is at."""
        return self._current

    @current_step_id.setter
    def current_step_id(self, id: str | None) -> None:
        with self._changes.change():
            before, self._current = self._current, None if id is None else self.get(id).id
            self._changes.changed("progress.changed", field="current_step_id", before=before, after=self._current)

    def taken(self) -> tuple[Thought, ...]:
        """Return the thoughts as they are now; the same tuple until something changes."""
        with self._changes.still:
            if self._taken is None:
                self._taken = tuple(self._thoughts)
            return self._taken

    def _put(self, before: Thought, after: Thought) -> None:
        self._thoughts[self._places[after.id]] = after
        self._taken = None
        self._changes.changed("thought.updated", before=before, after=after)

    def _of(self, id: str) -> Iterable[str]:
        return self._children.get(id, ())

    def _link(self, thought: Thought) -> None:
        if thought.parent_id is not None:
            self._children.setdefault(thought.parent_id, {})[thought.id] = None

    def _unlink(self, thought: Thought) -> None:
        if thought.parent_id is not None:
            self._children[thought.parent_id].pop(thought.id)

    def _refuse_cycle(self, thought: Thought) -> None:
        parent = thought.parent_id
        # A thought that nothing rests on closes no cycle, so that most often nobody has to climb.
        may_close = parent in self._places and self._of(thought.id)
        above = (self.get(parent), *self.ancestors(parent)) if parent is not None and may_close else ()
        if parent == thought.id or any(thought.id in (one.id, one.parent_id) for one in above):
            raise WriteError(f"the thought {shown(thought.id)} would be its own ancestor: give another parent_id")

    def _tell_parent(self, parent: str | None, child: str, *, is_child: bool) -> None:
        # A thought of the second shape lists its children; one of ours does without.
        if parent is None or parent not in self._places:
            return
        before = self.get(parent)
        if before.children is not None and (child in before.children) != is_child:
            others = tuple(one for one in before.children if one != child)
            self._put(before, changed(before, {"children": (*others, child) if is_child else others}, "it"))


def _checked(thought: Thought) -> Thought:
    if not all(map(is_alternative, thought.alternatives or ())):
        members = "an option and a reason_rejected (texts), and perhaps a confidence (0 to 1)"
        raise WriteError(f"an alternative of the thought {shown(thought.id)} has {members}")
    return thought
