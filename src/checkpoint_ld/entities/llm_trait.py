"""Traits that a language model judges from the answer's text."""

from pydantic import Field

from checkpoint_ld.entities.kinds import Count, Share
from checkpoint_ld.entities.trait import ScoredTrait
from checkpoint_ld.findings import Finding


class LLMRubricTrait(ScoredTrait):
    """A trait that a language model judges; with deep judgment in several stages, on quoted evidence."""

    deep_judgment_enabled: bool = Field(default=False, description="Judge in several stages, on quoted evidence")
    deep_judgment_excerpt_enabled: bool = Field(default=True, description="Quote the answer as evidence")
    deep_judgment_max_excerpts: Count | None = Field(
        default=None, description="How many quotations there are at most; null: as Karenina has it"
    )
    deep_judgment_fuzzy_match_threshold: Share | None = Field(default=None, description="0 to 1, by convention")
    deep_judgment_excerpt_retry_attempts: Count | None = Field(
        default=None, description="How often quoting is tried again; null: as Karenina has it"
    )
    deep_judgment_search_enabled: bool = Field(default=False, description="Search outside sources for the excerpts")
    include_ground_truth: bool = Field(default=False, description="The judge sees the reference answer")

    def problems(self) -> tuple[Finding, ...]:
        """Report odd classes, ranges and directions, and deep judgment of a template, which there is not."""
        found = super().problems()
        found += self.fractions("deep_judgment_max_excerpts", "deep_judgment_excerpt_retry_attempts")
        if self.is_template_kind and self.deep_judgment_enabled:
            message = "deep_judgment_enabled is true, but a trait of template kind has no deep judgment"
            return (*found, self.problem("template-trait-judgment", message, "set it to false"))
        return found
