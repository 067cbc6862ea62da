"""The rules of agent checkpoints (`shapes/caf/`), held against trees, readings and collections."""

from checkpoint_ld.agent.rules.checking import (
    COMPILED,
    ENGINES,
    PYSHACL,
    check_reading,
    is_broken,
    report_on,
    validate_checkpoint,
)
from checkpoint_ld.agent.rules.collection import KnownBenchmark, check_collection

__all__ = [
    "COMPILED",
    "ENGINES",
    "PYSHACL",
    "KnownBenchmark",
    "check_collection",
    "check_reading",
    "is_broken",
    "report_on",
    "validate_checkpoint",
]
