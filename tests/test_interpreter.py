"""What is set of the interpreter is as it was afterwards."""

from __future__ import annotations

import sys
import threading

from checkpoint_ld.graph.interpreter import room


def test_the_limit_of_recursion_is_set_back_when_the_last_thread_leaves() -> None:
    before = sys.getrecursionlimit()
    first, second = threading.Event(), threading.Event()

    def other() -> None:
        with room():
            first.set()
            second.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    first.wait(10)
    with room():
        second.set()
        thread.join()
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before
