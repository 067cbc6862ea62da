"""An agent that asks how warm it is in three cities. With --power-cut, the process dies at the second."""

import os
import sys

from checkpoint_ld import Checkpointer, CheckpointManager

TEMPERATURES = {"Oslo": 7, "Rome": 19, "Lima": 16}


def weather(city: str) -> int:
    """Return how warm it is, in °C."""
    if city == "Rome" and "--power-cut" in sys.argv:
        os._exit(1)  # nothing is cleaned up, nobody is notified
    return TEMPERATURES[city]


with CheckpointManager("checkpoints") as manager:
    run = manager.resume_or_start("weather-agent")
    state = run.state
    checkpointer = Checkpointer(state, manager)
    for call in run.interrupted:
        print("under way when the process died:", call.tool_id, call.args)
        state.tool_state.cancel(call.id)  # asking again does no harm
    known = state.context.variables
    for city in TEMPERATURES:
        if city not in known:
            print("asking for", city, flush=True)
            state.thought_chain.add("reasoning", f"how warm is it in {city}?", confidence=0.9)
            with state.tool("weather", city=city) as call:
                call.result = weather(city)
            known[city] = call.result
    checkpointer.complete()
    print("done:", dict(known))
