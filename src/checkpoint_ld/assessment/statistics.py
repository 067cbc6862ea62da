"""Statistics of questions that were answered several times: estimates with intervals, tests of differences, agreement.

Replicates of a question are no independent questions. So the unit is the question: the value of a question is the mean
of its answers, and what varies is the choice of the questions (E. Miller, "Adding Error Bars to Evals", 2024,
arXiv:2411.00640). SciPy and statsmodels do the mathematics; they come with the extra `statistics`.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from checkpoint_ld.data import library

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FEW: Final = 30
"""With fewer questions than this an interval is bootstrapped, and a difference is tested by permutations."""
RARE: Final = 5
"""With fewer questions than this on one side, the normal distribution and the bootstrap are too sure."""
_RESAMPLES: Final = 9_999
_SEED: Final = 20_241
"""The same answers give the same figures."""
_ALPHA: Final = 0.05

Method = Literal["clustered", "bootstrap", "wilson", "none"]
Test = Literal["mcnemar", "permutation", "t", "none"]
Level = Literal["nominal", "ordinal"]


class Estimate(NamedTuple):
    """The mean over questions, with its standard error and its interval of 95 %.

    `value` is None where there are no questions, `standard_error` where there are fewer than two. `method` is how the
    interval is made: `clustered` by the standard error, `bootstrap` over the questions where they are few, `wilson`
    where nearly all questions agree, `none` where there are none.
    """

    value: float | None
    standard_error: float | None
    low: float
    high: float
    questions: int
    method: Method

    def as_json(self) -> dict[str, Any]:
        """Return the members by name."""
        return self._asdict()


class PairedTest(NamedTuple):
    """A two-sided test of whether two models differ on the same questions.

    `test` is McNemar's exact test where all differences have one size, as with one answer to each question; else the
    permutation test of signs, exact for up to 13 differing questions; from 30 on the t test of the differences.
    """

    p_value: float
    test: Test


def estimate(values: Sequence[float], *, least: float = 0.0) -> Estimate:
    """Return the mean of the values of questions with an interval of 95 % that stays between `least` and 1.

    The standard error is that of answers clustered by question, each question with the same weight: the one that
    statsmodels gives for weighted least squares with `cov_type="cluster"`. Raises SettingsError without the extra.
    """
    count = len(values)
    if not count:
        return Estimate(None, None, least, 1.0, 0, "none")
    scipy = library("scipy.stats", extra="statistics")
    mean = math.fsum(values) / count
    error = float(scipy.sem(values)) if count > 1 else None
    varies = max(values) - min(values) > 0
    differing = min(math.fsum(values), count - math.fsum(values)) if not least else sum(value != 0 for value in values)
    if not varies or (count >= FEW and differing < RARE and not least):
        low, high = _wilson(values, mean, least)
        return Estimate(mean, error, low, high, count, "wilson")
    if count < FEW or differing < RARE:
        ends = scipy.bootstrap(
            (values,), _mean, n_resamples=_RESAMPLES, method="percentile", rng=_SEED
        ).confidence_interval
        return Estimate(mean, error, max(float(ends.low), least), min(float(ends.high), 1.0), count, "bootstrap")
    half = float(scipy.norm.ppf(1 - _ALPHA / 2)) * (error or 0.0)
    return Estimate(mean, error, max(mean - half, least), min(mean + half, 1.0), count, "clustered")


def _mean(values: Any, axis: int) -> Any:
    return values.mean(axis=axis)


def _wilson(values: Sequence[float], mean: float, least: float) -> tuple[float, float]:
    """Return the score interval (Wilson 1927) of as many trials as there are questions.

    Where no difference varies, it is as wide as that of an event that was never seen.
    """
    proportions = library("statsmodels.stats.proportion", extra="statistics")
    seen = 0.0 if least else math.fsum(values)
    low, high = proportions.proportion_confint(seen, len(values), alpha=_ALPHA, method="wilson")
    if least:
        low, high = mean - high, mean + high
    return max(float(low), least), min(float(high), 1.0)


def paired_test(differences: Sequence[float]) -> PairedTest:
    """Return the test of the differences between two models, one for each question. Raises as `estimate`."""
    differing = [value for value in differences if value]
    if not differing:
        return PairedTest(1.0, "none")
    if max(map(abs, differing)) - min(map(abs, differing)) < 1e-12:  # of one size, but for rounding
        tables = library("statsmodels.stats.contingency_tables", extra="statistics")
        more = sum(value > 0 for value in differing)
        table = [[0, more], [len(differing) - more, 0]]
        return PairedTest(float(tables.mcnemar(table, exact=True).pvalue), "mcnemar")
    scipy = library("scipy.stats", extra="statistics")
    if len(differing) < FEW:
        result = scipy.permutation_test(
            (differing,), _mean, permutation_type="samples", n_resamples=_RESAMPLES, rng=_SEED
        )
        return PairedTest(float(result.pvalue), "permutation")
    return PairedTest(float(scipy.ttest_1samp(differences, 0.0).pvalue), "t")


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values that are adjusted for their number (Holm 1979). Raises as `estimate`."""
    if not p_values:
        return []
    multitest = library("statsmodels.stats.multitest", extra="statistics")
    return [float(value) for value in multitest.multipletests(p_values, method="holm")[1]]


def detectable(error: float | None) -> float | None:
    """Return the difference that a test at 5 % finds in four of five cases, by the standard error of the difference."""
    if not error:
        return None
    normal = library("scipy.stats", extra="statistics").norm
    return float(normal.ppf(1 - _ALPHA / 2) + normal.ppf(0.8)) * error


def pass_at(answers: int, passed: int, k: int) -> float:
    """Return the chance that one of `k` answers passes, without bias (Chen et al. 2021, arXiv:2107.03374)."""
    return 1.0 - math.comb(answers - passed, k) / math.comb(answers, k)


def pass_all(answers: int, passed: int, k: int) -> float:
    """Return the chance that all of `k` answers pass, without bias (pass^k; Yao et al. 2024, arXiv:2406.12045)."""
    return math.comb(passed, k) / math.comb(answers, k)


def kappa(ratings: Iterable[tuple[float, float]], level: Level = "nominal") -> float | None:
    """Return Cohen's kappa (1960) of two judges: weighted by squares (1968) for an ordinal scale.

    It is None where it has no value: without ratings, and where both judges always say the same one thing.
    """
    pairs = [*ratings]
    scale = sorted({value for pair in pairs for value in pair})
    if len(scale) < 2:
        return None
    counted = Counter(pairs)
    if level == "ordinal" and all(value == int(value) for value in scale):
        scale = [*range(int(scale[0]), int(scale[-1]) + 1)]  # a score that nobody gave has its distance too
    table = [[counted[first, second] for second in scale] for first in scale]
    rater = library("statsmodels.stats.inter_rater", extra="statistics")
    weights = "quadratic" if level == "ordinal" else None
    return float(rater.cohens_kappa(table, wt=weights, return_results=False))


def alpha(units: Iterable[Sequence[float]], level: Level = "nominal") -> float | None:
    """Return Krippendorff's alpha of any number of judges, of whom not all have judged all (Krippendorff 2011).

    A unit has the values that it got. Units with fewer than two do not count. Alpha is None where only one value was
    given, or nothing was judged twice.
    """
    numpy = library("numpy", extra="statistics")
    judged = [Counter(unit) for unit in units if len(unit) > 1]
    scale = sorted({value for unit in judged for value in unit})
    if len(scale) < 2:
        return None
    counts = numpy.array([[unit[value] for value in scale] for unit in judged], dtype=float)
    weights = 1 / (counts.sum(axis=1) - 1)
    seen = counts.T @ (counts * weights[:, None]) - numpy.diag((counts * weights[:, None]).sum(axis=0))
    totals = seen.sum(axis=0)
    expected = numpy.outer(totals, totals) / (totals.sum() - 1)
    if level == "ordinal":
        below = numpy.cumsum(totals) - totals / 2
        distance = (below[:, None] - below[None, :]) ** 2
    else:
        distance = 1 - numpy.eye(len(scale))
    return float(1 - (seen * distance).sum() / (expected * distance).sum())
