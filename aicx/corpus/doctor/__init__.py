"""The checks and repairs of `aicx doctor` that concern the corpus."""
