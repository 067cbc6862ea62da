"""Fixes: safe repairs on the JSON text of a checkpoint, each as small as it can be.

A fix changes how something is written, never what it says to those who read it well. What an author has to decide (a
scope, a range, a date, an identifier that does not fit its text) is left alone, and so is the dialect: bringing an old
file into today's is what converting is for.
"""

from checkpoint_ld.fixes.edits import Edit, unified_diff
from checkpoint_ld.fixes.repairs import MARK, Fix, apply, fixes_of

__all__ = ["MARK", "Edit", "Fix", "apply", "fixes_of", "unified_diff"]
