#!/bin/sh
# inspect-ai 0.3.285: the mock model "mockllm/model", meant for tests, counts the tokens of its input by tiktoken unless
# an output states its usage. tiktoken fetches the table of its encoding on first use: without a network each sample fails,
# after retries, and the log says that the samples have errors. A mock whose outputs state a usage runs offline.
# A good guess is wrong: "inspect eval task.py --model mockllm/model" is the usual smoke test, and a mock needs no network.
# It hurts CI without a way out, and tests that forbid sockets.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check inspect-ai==0.3.285
cd "$folder"
TIKTOKEN_CACHE_DIR="$folder/empty" "$folder/venv/bin/python" -W ignore - <<'PYTHON'
import socket

asked = []


def refused(host, *_, **__):
    asked.append(str(host))
    raise OSError("no network here")


socket.getaddrinfo = refused

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

task = Task(dataset=MemoryDataset([Sample(input="Which?", target="Iron")]), solver=generate())
[plain] = eval(task, model="mockllm/model", log_dir="logs", display="none", fail_on_error=False)
looked_up = len(asked)
stated = ModelOutput.from_content("mockllm/model", "Iron")
stated.usage = ModelUsage()
model = get_model("mockllm/model", custom_outputs=[stated], memoize=False)
[other] = eval(task, model=model, log_dir="logs", display="none")
errors = [sample.error for sample in plain.samples or []]
print("plain mock:", plain.status, "- look-ups of hosts:", looked_up, "; a mock with usage:", other.status, "-", len(asked) - looked_up)
assert looked_up > 0, "the behaviour has changed"
assert plain.status == "error" or any(errors), "the behaviour has changed"
assert other.status == "success", "the behaviour has changed"
assert len(asked) == looked_up, "the behaviour has changed"
PYTHON
