"""Agent checkpoints: what an agent knew and did at one moment, as JSON, as values, as a graph, compared."""
