"""Tests that go through the W3C's own test suites, which are not part of the project."""
