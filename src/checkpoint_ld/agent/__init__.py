"""Agent checkpoints, the state of an agent at one moment: as JSON, as values, as a graph; compared."""
