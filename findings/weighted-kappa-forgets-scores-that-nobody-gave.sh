#!/bin/sh
# scikit-learn 1.9.1 (cohen_kappa_score) and statsmodels 0.15.0 (cohens_kappa): quadratic weights are made of the places
# of the scores among those that occur, not of the scores. Two judges who used 1, 2 and 5 of a scale from 1 to 5 get the
# kappa of judges who used 1, 2 and 3. With the whole scale (labels=, or rows and columns of zeros) it is another one.
# A good guess is wrong: the weights are called quadratic, the scores are numbers, and 1 against 5 looks like a distance
# of 4; nothing warns, and the figure depends on whether anybody happened to give a 3 or a 4.
# It hurts who reports how far judges agree about scores: with few answers some score is nearly always missing, and the
# kappas of two models, traits or runs are then those of different scales.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check scikit-learn==1.9.1 statsmodels==0.15.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, to_table

first, second = [1, 1, 2, 5, 5, 1], [1, 2, 2, 5, 1, 1]
nearer = [[{1: 1, 2: 2, 5: 3}[score] for score in scores] for scores in (first, second)]

by_sklearn = cohen_kappa_score(first, second, weights="quadratic")
of_nearer = cohen_kappa_score(*nearer, weights="quadratic")
of_scale = cohen_kappa_score(first, second, weights="quadratic", labels=[1, 2, 3, 4, 5])
table, _ = to_table(numpy.array([first, second]).T)
by_statsmodels = cohens_kappa(table, wt="quadratic", return_results=False)
print(f"scores 1, 2, 5: {by_sklearn:.4f} (scikit-learn), {by_statsmodels:.4f} (statsmodels)")
print(f"scores 1, 2, 3: {of_nearer:.4f}; scores 1, 2, 5 with the whole scale: {of_scale:.4f}")

# By the definition (Cohen 1968): one minus the mean squared distance over that of all pairs of both judges' scores.
a, b = numpy.array(first), numpy.array(second)
defined = 1 - ((a - b) ** 2).mean() / ((a[:, None] - b[None, :]) ** 2).mean()
print(f"by the definition, of the distances between the scores: {defined:.4f}")

assert abs(by_sklearn - of_nearer) < 1e-9 and abs(by_statsmodels - of_nearer) < 1e-9, "the behaviour has changed"
assert abs(of_scale - defined) < 1e-9 and abs(of_scale - by_sklearn) > 0.08, "the behaviour has changed"
PYTHON
