#!/bin/sh
# inspect-ai 0.3.285: shuffle_choices() of a data set rewrites choices and target of each sample before a run. The log
# has the new letters only, and its field eval.dataset.shuffled stays False: it is about the order of samples. Nothing in
# the log tells that the letter of the data set's file was another one, or that anything was shuffled.
# A good guess is wrong: a log is said to hold what is needed to reproduce a run, and has a field called "shuffled".
# It hurts who compares answers of two logs, or of a log and the file, by letter: A in one is not A in the other.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check inspect-ai==0.3.285
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.solver import solver


@solver
def silent():
    async def solve(state, generate):
        return state

    return solve


choices = ["Iron", "Tin", "Gold", "Zinc"]
data = MemoryDataset([Sample(input="Which metal rusts?", choices=choices, target="A", id=number) for number in range(8)])
data.shuffle_choices(seed=7)
[log] = eval(Task(dataset=data, solver=silent()), model="none/none", log_dir="logs", display="none")
log = read_eval_log(log.location)
letters = [sample.target for sample in log.samples]
print("letters in the file: A, eight times; in the log:", letters, "eval.dataset.shuffled:", log.eval.dataset.shuffled)
assert set(letters) != {"A"}, "the behaviour has changed"
assert log.eval.dataset.shuffled is False, "the behaviour has changed"
PYTHON
