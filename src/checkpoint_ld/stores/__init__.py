"""Stores of agent checkpoints: a folder of files, a database, and what all stores have in common.

`protocol` says what a store does. Files are the truth; a database is an index of them, which can be made again from
the files at any time. Every store gives the same answers to the same filters, which `filters` defines.
"""
