"""Stores: where checkpoints are kept.

Agent checkpoints are kept in a folder of files, in a database, or as named graphs. `protocol` is the interface of these
stores, with the filters. Files are the truth; the others can be made again from them at any time. A `collection` holds
checkpoints of both families in a graph store on disk. `remote` pushes them to servers and pulls them from there.
`embedded` and `server` are the two backends of named graphs.
"""
