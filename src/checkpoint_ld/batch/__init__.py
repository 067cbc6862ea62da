"""Many files, and files that are too large for memory: discovery, configuration, and work on them part by part.

A large file is scanned once (`outline`) for the places of its questions and for shared identifiers and texts. Then each
window of questions is processed as a separate checkpoint (`windows`): the root, those earlier questions that it depends
on, and the window's questions. The result is the same as for the whole file; a file for which that is not certain is
processed whole. `bulk` converts many files in shards, `discovery` finds files, `configuration` reads a project's
settings. `docs/collections.md` states the cost.
"""
