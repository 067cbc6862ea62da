"""Large files: a checkpoint validated or converted some questions at a time, so that memory does not grow with it.

A file is gone through once to see where its questions stand and which of them share an identifier or a text. Then each
window of questions is worked on as a checkpoint of its own: the root, those earlier questions that it depends on, and
the window's. What comes out is the same as in one piece; a file of which that is not certain is worked on in one piece.
`docs/collections.md` has what that costs.
"""

WINDOW = 512
"""Questions to a window: more save no time, and fewer no memory that counts."""
