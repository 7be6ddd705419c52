"""Tests of the state of work."""
