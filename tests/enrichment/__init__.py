"""Tests of derived statements."""
