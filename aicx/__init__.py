"""aicx keeps the logs of coding agents as a canonical corpus and answers questions from it."""

__version__ = "0.1.0"
