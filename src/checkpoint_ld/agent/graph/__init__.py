"""The graph of an agent checkpoint: its tree as statements, what is derived from them, and back."""

from checkpoint_ld.agent.graph.agent_graph import AgentGraph

__all__ = ["AgentGraph"]
