"""Processes that work for this one within limits, and can be ended: patterns, queries, and code that is trusted."""
