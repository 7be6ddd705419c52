"""The use case behind `aicx resume`: git, the corpus, search and the repository map in one report."""
