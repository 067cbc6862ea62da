"""Many files, and files that are too large for memory: which ones are meant, how, and work on them part by part.

A large file is gone through once to see where its questions stand and which of them share an identifier or a text. Then
each window of questions is worked on as a checkpoint of its own: the root, those earlier questions that it depends on,
and the window's. What comes out is the same as in one piece; a file of which that is not certain is worked on in one
piece. `docs/collections.md` has what that costs.
"""
