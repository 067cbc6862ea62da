"""The suite: which cases there are, and how they become tests."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.conformance.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from checkpoint_ld.conformance.subject import Damage, StoreFactory

    Check: TypeAlias = Callable[..., None]

ROOMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "put": "putting",
        "get": "getting",
        "list": "listing",
        "update": "updating",
        "delete": "deleting",
        "prune": "pruning",
        "fork": "forking",
        "diff": "comparing",
        "restore": "restoring",
        "verify": "verifying",
        "concurrency": "concurrency",
    }
)
"""The modules that hold the cases, by capability."""
_NEEDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "prune": frozenset({"put", "get", "list", "delete"}),
        "fork": frozenset({"put", "get"}),
        "diff": frozenset({"put", "get"}),
        "restore": frozenset({"put", "get", "list"}),
        "concurrency": frozenset({"put", "get", "list"}),
    }
)
"""What a store has to be able to do so that a manager can do the rest with it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: the capability that it is about, its name, what is run, and with which arguments.

    `damage` is the kind of harm that has to be done for it; `needs` is what else a store has to be able to do.
    """

    capability: str
    name: str
    check: Check
    arguments: tuple[Any, ...] = ()
    damage: str = ""
    needs: frozenset[str] = frozenset()

    def run(self, subject: Subject) -> None:
        """Hold a store against the case. Raises AssertionError where it does something else than it should."""
        self.check(subject, *self.arguments)

    def lacks(self, capabilities: frozenset[str]) -> frozenset[str]:
        """Return what the case needs and a store with these capabilities declares not to do."""
        return (_NEEDS.get(self.capability, frozenset({self.capability})) | {"put"} | self.needs) - capabilities


def cases() -> tuple[Case, ...]:
    """Return all cases, those of one capability together."""
    found = []
    for capability, module in ROOMS.items():
        for check in import_module(f"checkpoint_ld.conformance.{module}").CHECKS:
            for name, arguments, damage, needs in getattr(check, "variants", [("", (), "", frozenset())]):
                title = check.__name__ + (f"-{name}" if name else "")
                found.append(Case(capability, title, check, arguments, damage, needs))
    return tuple(found)


def conformance(
    factory: StoreFactory, *, damages: Mapping[str, Damage] = MappingProxyType({}), follows: bool = True
) -> Callable[..., None]:
    """Return a test function for pytest that holds a store against all cases, each as a test of its own.

    `factory` opens the store that belongs to a folder. `damages` does harm to a checkpoint in it, by kind: `missing`
    takes it away behind the store's back, `changed` changes its content, `unreadable` makes it unreadable; kinds that
    cannot happen to a store are left out. `follows` says whether the store can be made anew from files. The cases that
    these two leave out are counted by a test that tells how many they are.
    """
    import pytest  # noqa: PLC0415 - a package for tests, which only they need

    # What a failed assertion compared is told for modules that are registered before they are imported.
    rooms = [f"checkpoint_ld.conformance.{room}" for room in ROOMS.values()]
    pytest.register_assert_rewrite(*(room for room in rooms if room not in sys.modules))

    told = [case for case in cases() if not case.damage or (case.damage in damages and (follows or not case.needs))]
    left_out = len(cases()) - len(told)
    count = Case("verify", f"{left_out} cases about harm are left out", lambda _: None)

    @pytest.mark.parametrize("case", told + [count] * (left_out > 0), ids=lambda case: f"{case.capability}-{case.name}")
    def test_conformance(case: Case, tmp_path: Path) -> None:
        subject = Subject(factory, tmp_path, damages)
        with subject.open(of="-asked") as store:
            lacking = case.lacks(frozenset(store.capabilities))
        if lacking:
            pytest.skip(f"the store declares that it cannot {', '.join(sorted(lacking))}")
        case.run(subject)

    return test_conformance


def variants(**named: tuple[Any, ...]) -> Callable[[Check], Check]:
    """Make one check several cases, each with arguments of its own."""

    def mark(check: Check) -> Check:
        check.variants = [(name, given, "", frozenset()) for name, given in named.items()]  # type: ignore[attr-defined]
        return check

    return mark


def after(*damages: str, needs: str = "") -> Callable[[Check], Check]:
    """Make one check several cases, one for each kind of harm, for stores that can do what it `needs`."""

    def mark(check: Check) -> Check:
        check.variants = [(kind, (kind,), kind, frozenset(needs.split())) for kind in damages]  # type: ignore[attr-defined]
        return check

    return mark
