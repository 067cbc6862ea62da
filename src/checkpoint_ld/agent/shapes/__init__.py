"""The two shapes that agent checkpoints are written in: told apart, and turned into each other without loss."""

from checkpoint_ld.agent.shapes.demands import second_faults
from checkpoint_ld.agent.shapes.detection import detect_shape, is_agent
from checkpoint_ld.agent.shapes.from_second import PATCH, of_second
from checkpoint_ld.agent.shapes.origins import origins_of
from checkpoint_ld.agent.shapes.to_second import to_second

__all__ = ["PATCH", "detect_shape", "is_agent", "of_second", "origins_of", "second_faults", "to_second"]
