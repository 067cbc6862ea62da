"""Mapping: the JSON objects of a checkpoint's nodes as entities, and entities as JSON objects."""
