"""Exports: a benchmark as tables and texts for people and for other tools."""
