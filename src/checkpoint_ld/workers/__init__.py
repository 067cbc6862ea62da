"""Worker processes within limits, which can be ended: for patterns, queries, and trusted code."""
