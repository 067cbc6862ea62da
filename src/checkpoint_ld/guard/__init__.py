"""Texts of queries: `checking` decides whether one may run, `rewriting` makes it right for Oxigraph.

`plans` finds those to evaluate graph by graph, `engine_faults` those that Oxigraph answers wrongly, `ordering` has the
order of terms, `terms` writes terms.
"""
