"""Tests of how answers are verified."""
