"""Writing: a checkpoint graph as the bytes of a file."""
