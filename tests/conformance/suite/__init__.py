"""A suite of tests for any store of agent checkpoints.

    from tests.conformance.suite import conformance

    test_my_store = conformance(lambda folder: MyStore(folder / "checkpoints"))

The cases are grouped by capability (`CheckpointStore.capabilities`, and operations of the manager with any store). A
case about a capability that a store does not declare is reported as skipped, with that as its reason.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import unknown
from checkpoint_ld.stores.protocol import RESET, CheckpointStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint


__all__ = ["Case", "Damage", "StoreFactory", "Subject", "cases", "conformance"]


Check: TypeAlias = Callable[..., None]
StoreFactory: TypeAlias = Callable[[Path], CheckpointStore]
"""Opens the store that belongs to a folder; called again, it opens the same one."""
Damage: TypeAlias = Callable[[Path, str], None]
"""Does harm to the checkpoint of an id in the store that belongs to a folder, which nobody has open."""

_MODULES: Final = ("tests.conformance.suite.store_cases", "tests.conformance.suite.manager_cases")
_NEEDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "prune": frozenset({"put", "get", "list", "delete"}),
        "fork": frozenset({"put", "get", "list"}),
        "diff": frozenset({"put", "get"}),
        "restore": frozenset({"put", "get", "list"}),
        "concurrency": frozenset({"put", "get", "list"}),
    }
)
"""The capabilities that a manager needs of a store."""
_METHODS: Final[Mapping[str, str]] = MappingProxyType(
    {"headers": "list", "_ids": "list", "update_metadata": "update", "delete": "delete", "verify": "verify"}
)
"""The capabilities by the names that a check calls."""


class Subject:
    """A store that can be opened as often as a case needs it, by its factory and a folder that starts empty."""

    def __init__(self, factory: StoreFactory, folder: Path, damages: Mapping[str, Damage]) -> None:
        self.damages = damages
        self._factory = factory
        self._folder = folder

    @contextmanager
    def open(self, *, of: str = "") -> Iterator[CheckpointStore]:
        """Open the store; `of` names another one, which shares nothing with it."""
        folder = self._folder / f"store{of}"
        folder.mkdir(exist_ok=True)
        store = self._factory(folder)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def manager(self) -> Iterator[CheckpointManager]:
        """Open the store under a manager, as the truth."""
        with self.open() as store, CheckpointManager(store) as manager:
            yield manager

    def holding(self, *checkpoints: AgentCheckpoint) -> Subject:
        """Put checkpoints into the store, and return this."""
        with self.open() as store:
            for checkpoint in checkpoints:
                store.put(checkpoint)
        return self

    def harm(self, kind: str, checkpoint_id: str) -> None:
        """Do harm of a kind to a checkpoint."""
        self.damages[kind](self._folder / "store", checkpoint_id)

    @property
    def folder(self) -> Path:
        """A folder for files of the case itself."""
        made = self._folder / "beside"
        made.mkdir(exist_ok=True)
        return made


@dataclass(frozen=True, slots=True)
class Case:
    """One case: its capability, its name, its function, and the arguments.

    `damage` is the kind of harm that has to be done for it; `needs` is a further capability.
    """

    capability: str
    name: str
    check: Check
    arguments: tuple[Any, ...] = ()
    damage: str = ""
    needs: frozenset[str] = frozenset()

    def run(self, subject: Subject) -> None:
        """Test a store. Raises AssertionError where it behaves otherwise."""
        self.check(subject, *self.arguments)

    def lacks(self, capabilities: frozenset[str]) -> frozenset[str]:
        """Return the capabilities that the case needs and that are not among these."""
        return (_NEEDS.get(self.capability, frozenset({self.capability})) | {"put"} | self.needs) - capabilities


_variants: dict[Check, Mapping[str, tuple[Any, ...]]] = {}
_harms: dict[Check, frozenset[str]] = {}


def variants(**given: tuple[Any, ...]) -> Callable[[Check], Check]:
    """Make one case for each variant of a check, with its arguments."""

    def noted(check: Check) -> Check:
        _variants[check] = given
        return check

    return noted


def harm(*damages: str, needs: str = "") -> Callable[[Check], Check]:
    """Make one case for each kind of damage of a check, for stores that can do what it `needs`."""

    def noted(check: Check) -> Check:
        _variants[check] = {kind: (kind,) for kind in damages}
        _harms[check] = frozenset(needs.split())
        return check

    return noted


def cases() -> tuple[Case, ...]:
    """Return all cases, those of one capability together: the methods of the subclasses of `Subject`."""
    found = []
    for suite in (member for module in _MODULES for member in vars(import_module(module)).values()):
        if not isinstance(suite, type) or not issubclass(suite, Subject) or suite is Subject:
            continue
        for name, check in vars(suite).items():
            if name.startswith("_"):
                continue
            for variant, given in _variants.get(check, {"": ()}).items():
                damage = variant if check in _harms else ""
                full_name = f"{name}-{variant}" if variant else name
                capability = suite.__name__.lower()
                needs = _harms.get(check, frozenset()) | _called(check.__code__)
                found.append(Case(capability, full_name, check, given, damage, needs))
    return tuple(found)


def _called(code: CodeType) -> frozenset[str]:
    """Return the capabilities that a check needs, also for the functions inside it."""
    inside = [_called(one) for one in code.co_consts if isinstance(one, CodeType)]
    return frozenset(_METHODS[name] for name in code.co_names if name in _METHODS).union(*inside)


def conformance(
    factory: StoreFactory, *, damages: Mapping[str, Damage] = MappingProxyType({}), follows: bool = True
) -> Callable[..., None]:
    """Return a test function for pytest that runs all cases on a store, each as a test of its own.

    `factory` opens the store that belongs to a folder. `damages` does harm to a checkpoint in it, by kind: `missing`
    removes it behind the store's back, `changed` changes its content, `unreadable` makes it unreadable; kinds that
    cannot happen to a store are left out. `follows` is whether the store can be rebuilt from files. One test
    reports the number of cases that these two leave out. Raises SettingsError for another kind of harm.
    """
    import pytest  # noqa: PLC0415 - a package for tests, which only they need

    # pytest shows what a failed assertion compared for modules that are registered before they are imported.
    pytest.register_assert_rewrite(*(module for module in _MODULES if module not in sys.modules))

    kinds = {case.damage for case in cases()} - {""}
    for kind in damages:
        if kind not in kinds:
            raise SettingsError(unknown("kind of harm", kind, sorted(kinds)))
    chosen = [
        case for case in cases() if not case.damage or (case.damage in damages and (follows or RESET not in case.needs))
    ]
    left_out = len(cases()) - len(chosen)
    count = Case("verify", f"{left_out} cases about harm are left out", lambda _: None)
    known: list[frozenset[str]] = []  # the capabilities, when the first case has opened the store

    @pytest.mark.parametrize(
        "case", chosen + [count] * (left_out > 0), ids=lambda case: f"{case.capability}-{case.name}"
    )
    def test_conformance(case: Case, tmp_path: Path) -> None:
        subject = Subject(factory, tmp_path, damages)
        if not known:
            with subject.open(of="-capabilities") as store:
                known.append(frozenset(store.capabilities))
        lacking = case.lacks(known[0])
        if lacking:
            pytest.skip(f"the store declares that it cannot {', '.join(sorted(lacking))}")
        case.run(subject)

    return test_conformance
