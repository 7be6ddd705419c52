"""Removing text from the corpus for good, and applying new redaction rules to it."""
