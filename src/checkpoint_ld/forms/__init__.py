"""The forms of JSON-LD: a checkpoint in any legal form, rewritten in the plain keys that the dialects know."""
