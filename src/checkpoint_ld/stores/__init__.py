"""Stores of checkpoints.

Agent checkpoints are stored in a folder of files (`files`, `folder`), in a database (`database`, `tables`, `sqlite`,
`foreign`) or as named graphs (`graphs`). `protocol` is the interface of these stores, with the filters. Databases
and graphs can be made from the files again at any time. A `collection` holds checkpoints of both families in a graph
store on disk (`directory`, `holdings`, `loading`). `remote` pushes graphs to servers and pulls them
(`endpoint`, `request`). `embedded` and `server` are the two backends of named graphs.
"""
