"""Documents: parsing JSON within limits, the places of values, writing JSON in a layout, and files."""
