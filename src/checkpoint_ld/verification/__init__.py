"""Answers verified by their templates, which are read and not run, unless somebody trusts them."""

from checkpoint_ld.verification.evaluation import verify
from checkpoint_ld.verification.judge_schema import judge_schema
from checkpoint_ld.verification.result import FieldResult, VerificationResult

__all__ = ["FieldResult", "VerificationResult", "judge_schema", "verify"]
