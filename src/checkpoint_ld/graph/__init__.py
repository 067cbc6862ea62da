"""The checkpoint graph: a canonical tree as statements, and back."""
