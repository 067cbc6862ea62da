"""JSON Schemas (draft 2020-12) of the checkpoint document and of the entities, for editors and for other programs."""
