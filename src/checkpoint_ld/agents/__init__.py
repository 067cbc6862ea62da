"""Agent checkpoints: their JSON, graph, rules, differences and timelines, and the state of a running agent."""
