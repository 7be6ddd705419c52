"""Recall: what of the memory and of a repository's instruction files bears on a question, and what may be believed."""
