"""Interfaces to frameworks, in their own terms; each module imports its framework."""
