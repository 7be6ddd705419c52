"""Printing a report as a brief: Markdown or JSON within an exact number of tokens."""
