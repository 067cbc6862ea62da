"""The program that matches patterns for `matching_process`: one request and one answer in each line, as JSON.

It is run by itself, without this package: `[what, pattern, flags, text, seconds]` gives `{"found": …}`, where what is
found is a list of matches, or `{"error": reason}`. It ends with its input, and by itself some time after the limit.
"""

import json
import re
import signal
import sys
import warnings
from typing import Any


def answer(what: str, pattern: str, flags: int, text: str) -> dict[str, Any]:
    """Return what was found, or why nothing can be."""
    try:
        compiled = re.compile(pattern, flags)
        if what == "findall":
            return {"found": compiled.findall(text)}
        if what == "search":
            return {"found": [""] if compiled.search(text) else []}
    except (re.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return {"error": str(error) or "nested too deeply"}
    return {"found": []}


def serve() -> None:
    """Answer until there is no more input."""
    warnings.simplefilter("ignore")
    print(json.dumps({"found": []}), flush=True)  # noqa: T201 - says that it is ready
    for line in sys.stdin:
        *request, seconds = json.loads(line)
        _end_after(seconds)
        reply = answer(*request)
        _end_after(0)
        print(json.dumps(reply), flush=True)  # noqa: T201 - answers


def _end_after(seconds: int) -> None:
    """Have the system end this process then, whatever it is doing; 0: never."""
    if hasattr(signal, "alarm"):  # there is none on Windows
        signal.alarm(seconds)


if __name__ == "__main__":
    serve()
