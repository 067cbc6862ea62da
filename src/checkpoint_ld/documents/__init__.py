"""Documents: bytes as JSON within limits, where everything in them stands, and bytes as files."""
